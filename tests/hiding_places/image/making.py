"""Makes small pictures by hand for the places of PNG, JPEG and TIFF where something may hide beside the pixels."""

import io
import struct
import zipfile
import zlib
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass
from typing import Any

import numpy as np
from PIL import Image, ImageDraw, ImageFont

from tests.hiding_places.proof.running import Place
from tests.pipeline.documents.papers import DEJAVU

NATIONAL_ID = "1012345672"
IBAN = "SA0380000000608010167519"
MOBILE = "0551234567"
EMAIL = "salman.alharbi@example.com"
NAME = "Salman Alharbi"
ARABIC = "سلمان الحربي"
HARMLESS = "harbour"
EVERYTHING = f"{NAME} {NATIONAL_ID} {EMAIL}"

Look = Callable[[bytes], str]


@dataclass(frozen=True)
class ImagePlace(Place):
    """`look` reads the place itself, in a file in which raw bytes do not say what it holds."""

    look: Look | None = None


def ground(size: tuple[int, int] = (64, 48), mode: str = "RGB") -> Image.Image:
    """A small picture without any text."""
    picture = Image.new("RGB", size, (240, 236, 225))
    ImageDraw.Draw(picture).rectangle((8, 8, size[0] // 2, size[1] // 2), fill=(60, 120, 160))
    return picture.convert(mode)


def written(
    *lines: str, size: tuple[int, int] = (640, 200), points: int = 28, ink: Any = 0, paper: Any = 255, mode: str = "L"
) -> Image.Image:
    """Lines of text, one below the other."""
    picture = Image.new(mode, size, paper)
    draw = ImageDraw.Draw(picture)
    for number, line in enumerate(lines):
        draw.text((20, 15 + int(1.9 * points) * number), line, font=ImageFont.truetype(str(DEJAVU), points), fill=ink)
    return picture


LINES = (f"National ID {NATIONAL_ID}", f"The {HARMLESS} stays open")


def mask(*lines: str, size: tuple[int, int] = (640, 200), points: int = 28) -> Any:
    """Where such lines have ink: (height, width) of booleans, without half tones."""
    return np.asarray(written(*lines, size=size, points=points)) < 128


def saved(picture: Image.Image, format_: str, **options: Any) -> bytes:
    out = io.BytesIO()
    picture.save(out, format_, **options)
    return out.getvalue()


def chunk(kind: bytes, content: bytes) -> bytes:
    return struct.pack(">I", len(content)) + kind + content + struct.pack(">I", zlib.crc32(kind + content))


def png(*extra: bytes, tail: bytes = b"", picture: Image.Image | None = None, early: bool = True) -> bytes:
    """A PNG with these chunks before its pixels (or behind them) and these bytes after its end."""
    data = saved(picture or ground(), "PNG")
    at = data.index(b"IDAT") - 4 if early else data.index(b"IEND") - 4
    return data[:at] + b"".join(extra) + data[at:] + tail


def segment(marker: int, content: bytes) -> bytes:
    return struct.pack(">BBH", 0xFF, marker, len(content) + 2) + content


def jpeg(*extra: bytes, tail: bytes = b"", picture: Image.Image | None = None, **options: Any) -> bytes:
    """A JPEG with these segments behind its JFIF header and these bytes after its end."""
    data = saved(picture or ground(), "JPEG", quality=92, **options)
    return data[:20] + b"".join(extra) + data[20:] + tail


def exif(
    tags: Mapping[int, Any], private: Mapping[int, Any] | None = None, gps: Mapping[int, Any] | None = None
) -> bytes:
    """An EXIF block (a small TIFF) with these tags, in the first directory, the EXIF one and the GPS one."""
    block = Image.Exif()
    for tag, value in tags.items():
        block[tag] = value
    for pointer, more in ((0x8769, private), (0x8825, gps)):
        for tag, value in (more or {}).items():
            block.get_ifd(pointer)[tag] = value
    return block.tobytes().removeprefix(b"Exif\0\0")


def photoshop(*resources: tuple[int, bytes]) -> bytes:
    """Photoshop image resources (8BIM), padded to even lengths."""
    parts = []
    for number, content in resources:
        parts.append(b"8BIM" + struct.pack(">H", number) + b"\0\0" + struct.pack(">I", len(content)) + content)
        parts.append(b"\0" * (len(content) & 1))
    return b"".join(parts)


def iptc(*records: tuple[int, bytes]) -> bytes:
    """IPTC-IIM application records."""
    return b"".join(struct.pack(">BBBH", 0x1C, 2, number, len(content)) + content for number, content in records)


def icc(text: str) -> bytes:
    """A colour profile whose description is the text."""
    from PIL import ImageCms

    profile = bytearray(ImageCms.ImageCmsProfile(ImageCms.createProfile("sRGB")).tobytes())
    said = text.encode()
    return bytes(profile) + b"desc\0\0\0\0" + struct.pack(">I", len(said)) + said


def xmp(text: str) -> bytes:
    return (
        '<?xpacket begin="" id="W5M0MpCehiHzreSzNTczkc9d"?><x:xmpmeta xmlns:x="adobe:ns:meta/"><rdf:RDF '
        'xmlns:rdf="http://www.w3.org/1999/02/22-rdf-syntax-ns#"><rdf:Description xmlns:dc="http://purl.org/dc/'
        f'elements/1.1/"><dc:creator>{text}</dc:creator></rdf:Description></rdf:RDF></x:xmpmeta><?xpacket end="w"?>'
    ).encode()


def zipped(text: str = EVERYTHING) -> bytes:
    out = io.BytesIO()
    with zipfile.ZipFile(out, "w") as archive:
        archive.writestr("letter.txt", text)
    return out.getvalue()


_FORMS = {1: "B", 2: "s", 3: "H", 4: "I", 5: "II", 7: "B", 16: "Q"}
Field = tuple[int, Sequence[int] | bytes]


def tiff(
    *pages: Mapping[int, Field], pixels: bytes | None = None, order: str = "<", tail: bytes = b"", big: bool = False
) -> bytes:
    """A TIFF of uncompressed gray pages of 64 x 48 pixels; each page brings its own further or other tags.

    A value is its type with the numbers or bytes of it; `pixels` stand in the one strip that all pages share.
    """
    body = pixels if pixels is not None else ground(mode="L").tobytes()
    long_, start = ("Q", 16) if big else ("I", 8)
    kind = 16 if big else 4
    data = bytearray(start) + body + b"\0" * (len(body) & 1)
    if big:
        data[:8] = (b"II" if order == "<" else b"MM") + struct.pack(f"{order}3H", 43, 8, 0)
    else:
        data[:4] = (b"II" if order == "<" else b"MM") + struct.pack(f"{order}H", 42)
    link = start - (8 if big else 4)
    for own in pages or ({},):
        fields: dict[int, Field] = {
            256: (4, [64]), 257: (4, [48]), 258: (3, [8]), 259: (3, [1]), 262: (3, [1]), 273: (kind, [start]),
            277: (3, [1]), 278: (4, [48]), 279: (kind, [len(body)]),
        } | dict(own)  # fmt: skip
        entries = []
        for tag, (form, value) in sorted(fields.items()):
            raw = value if isinstance(value, bytes) else struct.pack(f"{order}{len(value)}{_FORMS[form][0]}", *value)
            count = len(raw) // struct.calcsize(order + _FORMS[form])
            if len(raw) > struct.calcsize(order + long_):
                place, raw = len(data), raw
                data += raw + b"\0" * (len(raw) & 1)
                raw = struct.pack(order + long_, place)
            entries.append(
                struct.pack(f"{order}HH{long_}", tag, form, count) + raw.ljust(struct.calcsize(order + long_), b"\0")
            )
        position = len(data)
        struct.pack_into(order + long_, data, link, position)
        data += struct.pack(f"{order}{'Q' if big else 'H'}", len(entries)) + b"".join(entries)
        link = len(data)
        data += bytes(8 if big else 4)
    return bytes(data) + tail
