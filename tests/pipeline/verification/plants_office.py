"""Hiding places of an Office package: each function puts a value into one place of a clean package."""

import base64
import io
import struct
import zipfile
import zlib
from collections.abc import Callable
from urllib.parse import quote
from xml.sax.saxutils import escape

from PIL import Image

from tests.pipeline.verification.plants_image import PNG_PLACES

Plant = Callable[[bytes, str], bytes]
_RELS = "http://schemas.openxmlformats.org/package/2006/relationships"


def parts_of(data: bytes) -> dict[str, bytes]:
    with zipfile.ZipFile(io.BytesIO(data)) as archive:
        return {entry.filename: archive.read(entry) for entry in archive.infolist()}


def packed(parts: dict[str, bytes]) -> bytes:
    buffer = io.BytesIO()
    with zipfile.ZipFile(buffer, "w", zipfile.ZIP_DEFLATED) as archive:
        for name, content in parts.items():
            archive.writestr(name, content)
    return buffer.getvalue()


def clean_picture() -> bytes:
    buffer = io.BytesIO()
    Image.new("L", (40, 40), 200).save(buffer, "PNG")
    return buffer.getvalue()


def _with(name: str, content: Callable[[str], bytes]) -> Plant:
    """An additional part that no relationship refers to."""
    return lambda data, value: packed({**parts_of(data), name: content(value)})


def _in_main(change: Callable[[str, str], str]) -> Plant:
    """A change of the XML of the main part."""

    def plant(data: bytes, value: str) -> bytes:
        parts = parts_of(data)
        name = next(n for n in ("word/document.xml", "xl/workbook.xml", "ppt/presentation.xml") if n in parts)
        changed = change(parts[name].decode(), value)
        assert changed != parts[name].decode()
        return packed({**parts, name: changed.encode()})

    return plant


def _in_root(addition: Callable[[str], str]) -> Plant:
    """XML after the start tag of the main part's root."""

    def change(text: str, value: str) -> str:
        start = text.index(">", text.index("<", text.index("?>") + 2 if "?>" in text else 0)) + 1
        return text[:start] + addition(value) + text[start:]

    return _in_main(change)


def _zip_comment(data: bytes, value: str) -> bytes:
    buffer = io.BytesIO(data)
    with zipfile.ZipFile(buffer, "a") as archive:
        archive.comment = value.encode()
    return buffer.getvalue()


def _entry(**fields: Callable[[str], object]) -> Plant:
    def plant(data: bytes, value: str) -> bytes:
        buffer = io.BytesIO()
        with zipfile.ZipFile(buffer, "w", zipfile.ZIP_DEFLATED) as archive:
            for name, content in parts_of(data).items():
                info = zipfile.ZipInfo(name)
                info.compress_type = zipfile.ZIP_DEFLATED
                if not name.startswith("["):
                    for field, made in fields.items():
                        setattr(info, field, made(value))
                archive.writestr(info, content)
        return buffer.getvalue()

    return plant


def _local_extra(data: bytes, value: str) -> bytes:
    """An extra field in the local file header only, not in the central directory."""
    data = _entry(extra=lambda v: struct.pack("<HH", 0x4D4B, 4) + b"abcd" + b"\0" * 0)(data, value)
    field = struct.pack("<HH", 0x4D4B, len(value.encode())) + value.encode()
    place = data.index(struct.pack("<HH", 0x4D4B, 4) + b"abcd")
    with zipfile.ZipFile(io.BytesIO(data)) as archive:
        entries = [(e.header_offset, e.filename) for e in archive.infolist()]
        start = archive.start_dir
    grown = len(field) - 8
    head = bytearray(data[:start])
    header = max(offset for offset, _ in entries if offset < place)
    struct.pack_into("<H", head, header + 28, len(field))
    head[place : place + 8] = field
    tail = bytearray(data[start:])
    position = 0
    while tail[position : position + 4] == b"PK\1\2":
        sizes = struct.unpack_from("<3H", tail, position + 28)
        (offset,) = struct.unpack_from("<I", tail, position + 42)
        if offset > header:
            struct.pack_into("<I", tail, position + 42, offset + grown)
        position += 46 + sum(sizes)
    struct.pack_into("<I", tail, position + 16, start + grown)
    return bytes(head + tail)


def _between_entries(data: bytes, value: str) -> bytes:
    with zipfile.ZipFile(io.BytesIO(data)) as archive:
        start = archive.start_dir
    end = bytearray(data[start:])
    place = end.rindex(b"PK\5\6")
    struct.pack_into("<I", end, place + 16, start + len(value.encode()))
    return data[:start] + value.encode() + bytes(end)


def _behind_deflate(data: bytes, value: str) -> bytes:
    """Bytes after the end of a compressed stream, within its compressed size."""
    buffer = io.BytesIO()
    with zipfile.ZipFile(buffer, "w", zipfile.ZIP_DEFLATED) as archive:
        for name, content in parts_of(data).items():
            archive.writestr(name, content)
    whole = bytearray(buffer.getvalue())
    with zipfile.ZipFile(io.BytesIO(bytes(whole))) as archive:
        last = max(archive.infolist(), key=lambda entry: entry.header_offset)
        start = archive.start_dir
    more = value.encode()
    struct.pack_into("<I", whole, last.header_offset + 18, last.compress_size + len(more))
    tail = bytearray(whole[start:])
    place = tail.index(last.filename.encode()) - 46
    struct.pack_into("<I", tail, place + 20, last.compress_size + len(more))
    struct.pack_into("<I", tail, tail.rindex(b"PK\5\6") + 16, start + len(more))
    return bytes(whole[:start]) + more + bytes(tail)


def _twice(data: bytes, value: str) -> bytes:
    """A second entry of the same name: readers differ in which one they show."""
    parts = parts_of(data)
    name = next(n for n in parts if n.endswith(("document.xml", "workbook.xml", "presentation.xml")))
    buffer = io.BytesIO(data)
    with zipfile.ZipFile(buffer, "a") as archive:
        archive.writestr(name, f"<a>{escape(value)}</a>")
    return buffer.getvalue()


def _nested(value: str) -> bytes:
    return packed({"a.xml": f"<a>{escape(value)}</a>".encode()})


def _xml(inner: Callable[[str], str], encoding: str = "utf-8") -> Callable[[str], bytes]:
    return lambda value: f'<?xml version="1.0" encoding="{encoding}"?><a>{inner(value)}</a>'.encode(encoding)


def _split(value: str) -> str:
    return "".join(f"<b>{escape(value[n : n + 4])}</b>" for n in range(0, len(value), 4))


def _link(target: Callable[[str], str]) -> Plant:
    def content(value: str) -> bytes:
        return (
            f'<Relationships xmlns="{_RELS}"><Relationship Id="a" Type="x/hyperlink" TargetMode="External" '
            f'Target="{escape(target(value))}"/></Relationships>'
        ).encode()

    return _with("a/_rels/b.xml.rels", content)


PLACES: dict[str, Plant] = {
    "a comment of the archive": _zip_comment,
    "a comment of an entry": _entry(comment=lambda value: value.encode()),
    "an extra field": _entry(extra=lambda value: struct.pack("<HH", 0x4D4B, len(value.encode())) + value.encode()),
    "an extra field of the local header alone": _local_extra,
    "before the archive": lambda data, value: value.encode() + data,
    "behind the archive": lambda data, value: data + value.encode(),
    "between entries and directory": _between_entries,
    "behind the end of a compressed stream": _behind_deflate,
    "a second entry of the same name": _twice,
    "a part that nothing refers to": _with("a/b.xml", _xml(escape)),
    "a part in UTF-16": _with("a/b.xml", _xml(escape, "utf-16")),
    "a part in an Arabic code page": _with("a/b.xml", _xml(escape, "windows-1256")),
    "a part's name": lambda data, value: packed({**parts_of(data), f"a/{value}.xml": b"<a/>"}),
    "the name of a folder": lambda data, value: packed({**parts_of(data), f"a/{value}/": b""}),
    "a binary part": _with("a/b.bin", lambda value: b"\0\1\2" + value.encode("utf-16-le")),
    "a package inside": _with("a/b.docx", _nested),
    "an OLE file": _with("a/b.bin", lambda value: b"\xd0\xcf\x11\xe0\xa1\xb1\x1a\xe1" + value.encode("utf-16-le")),
    "a compressed part": _with("a/b.emz", lambda value: zlib.compress(value.encode())),
    "RTF": _with("a/b.rtf", lambda value: b"{\\rtf1 " + value.encode() + b"}"),
    "HTML": _with("a/b.html", lambda value: f"<!DOCTYPE html><html><body>{value}</body></html>".encode()),
    "an unreadable picture": _with("a/b.emf", lambda value: b"\1\0\0\0" + value.encode("utf-16-le")),
    "letters that are drawn": _with(
        "a/b.svg", lambda value: f'<svg xmlns="http://www.w3.org/2000/svg"><text>{value}</text></svg>'.encode()
    ),
    "a comment in XML": _in_root(lambda value: f"<!-- {value} -->"),
    "an instruction in XML": _in_root(lambda value: f"<?note {value}?>"),
    "a CDATA section": _with("a/b.xml", _xml(lambda value: f"<![CDATA[{value}]]>")),
    "character references": _with("a/b.xml", _xml(lambda value: "".join(f"&#{ord(c)};" for c in value))),
    "an attribute": _with("a/b.xml", _xml(lambda value: f'<b c="{escape(value)}"/>')),
    "a namespace": _with("a/b.xml", _xml(lambda value: f'<b xmlns:c="urn:{escape(value)}"/>')),
    "an element's name": _with("a/b.xml", _xml(lambda value: f"<x{value.replace(' ', '_').replace('+', '')}/>")),
    "behind an element": _with("a/b.xml", _xml(lambda value: f"<b/>{escape(value)}")),
    "several elements": _with("a/b.xml", _xml(_split)),
    "percent signs": _link(lambda value: "https://example.com/?q=" + "".join(f"%{b:02X}" for b in value.encode())),
    "percent signs twice": _link(lambda value: "https://example.com/?q=" + quote(quote(value, safe=""), safe="")),
    "hexadecimal": _with("a/b.xml", _xml(lambda value: value.encode().hex())),
    "hexadecimal UTF-16": _with("a/b.xml", _xml(lambda value: value.encode("utf-16-be").hex().upper())),
    "base64": _with("a/b.xml", _xml(lambda value: base64.b64encode(f"x{value}y".encode()).decode())),
    "base64 UTF-16": _with("a/b.xml", _xml(lambda value: base64.b64encode(f"x{value}".encode("utf-16-le")).decode())),
    "base64 over lines": _with(
        "a/b.xml",
        _xml(
            lambda value: "\n".join(
                base64.b64encode(f"xx{value}".encode()).decode()[n : n + 6] for n in range(0, 99, 6)
            )
        ),
    ),
    "a picture in base64": _with(
        "a/b.xml",
        _xml(lambda value: base64.b64encode(PNG_PLACES["a text chunk"](clean_picture(), value) + bytes(200)).decode()),
    ),
    "JSON": _with("a/b.xml", _xml(lambda value: "".join(f"\\u{ord(c):04x}" for c in value))),
    "cell escapes": _with("a/b.xml", _xml(lambda value: "".join(f"_x{ord(c):04X}_" for c in value))),
    "other digits": _with("a/b.xml", _xml(lambda value: value.translate({48 + n: 0x660 + n for n in range(10)}))),
    "invisible characters": _with("a/b.xml", _xml("\u200b".join)),
    "full width": _with(
        "a/b.xml", _xml(lambda value: "".join(chr(ord(c) + 0xFEE0) if "!" <= c <= "~" else c for c in value))
    ),
    "backwards": _with("a/b.xml", _xml(lambda value: value[::-1])),
    **{
        f"{place} of a picture": _with("a/b.png", lambda value, put=put: put(clean_picture(), value))
        for place, put in PNG_PLACES.items()
    },
}
