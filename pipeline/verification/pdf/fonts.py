"""Decodes the character codes of PDF fonts in two ways: by the ToUnicode CMap and by glyph names.

The two may disagree, so both are read. Sources: ISO 32000-1, 9.6.6 (encodings), 9.10.3 (ToUnicode); Adobe Glyph List.
"""

import re
import struct
from collections.abc import Iterator, Mapping
from itertools import islice
from typing import Any, NamedTuple

from pypdf._codecs import adobe_glyphs, charset_encoding
from pypdf.generic import ArrayObject, DictionaryObject, NameObject, StreamObject

_BF_BLOCK = re.compile(rb"begin(bfchar|bfrange)(.*?)end\1", re.DOTALL)
_BF_ITEM = re.compile(rb"<([0-9A-Fa-f\s]*)>|(\[)|(\])")
_CODESPACE = re.compile(rb"begincodespacerange(.*?)endcodespacerange", re.DOTALL)
_UNI_NAME = re.compile(r"uni([0-9A-F]{4})+|u([0-9A-F]{4,6})")
_BUILT_IN = re.compile(rb"dup\s+(\d{1,3})\s*/([^\s/]{1,60})\s+put")  # the built-in encoding of a Type 1 font program
_MAX_CODES = 70_000  # entries of one map: more than there are two-byte codes
_SYMBOLIC = 4  # the Symbolic flag of a font descriptor
_SFNT = (b"\0\1\0\0", b"true", b"OTTO")

CodeTexts = Mapping[int, str]


class Font(NamedTuple):
    """The text of each character code by ToUnicode and by glyph name; `width` is the number of bytes of a code."""

    by_unicode_map: CodeTexts
    by_glyph_name: CodeTexts
    width: int = 1

    def read(self, shown: bytes) -> tuple[str, str]:
        """A shown string decoded in both ways; codes without a text are dropped."""
        codes = shown if self.width == 1 else struct.unpack(f">{len(shown) // 2}H", shown[: len(shown) // 2 * 2])
        mapped = "".join([self.by_unicode_map.get(code, "") for code in codes])
        return mapped, "".join([self.by_glyph_name.get(code, "") for code in codes]) if self.by_glyph_name else mapped


LATIN = Font({code: chr(code) for code in range(256)}, {})


def font(raw: Any) -> Font:
    """The font of a font dictionary; a damaged one is read as Latin-1."""
    item = raw.get_object() if raw is not None else None
    if not isinstance(item, DictionaryObject):
        return LATIN
    unicode_map = _object(item, "/ToUnicode")
    mapped, width = _unicode_map(unicode_map) if isinstance(unicode_map, StreamObject) else ({}, 0)
    if item.get("/Subtype") == "/Type0":
        names = _composite_font_texts(item)
        return Font(mapped or names, names if mapped else {}, width if width == 1 else 2)
    names = _simple_font_texts(item)
    if not mapped:
        return Font(names, {})
    return Font({**names, **mapped}, names if _has_meaningful_names(item) else {**mapped, **_built_in_texts(item)})


def _object(item: DictionaryObject, key: str) -> Any:
    value = item.get(key)
    return value.get_object() if value is not None else None


def _unicode_map(stream: StreamObject) -> tuple[dict[int, str], int]:
    """The text of each code of a ToUnicode CMap, and the number of bytes of its codes."""
    data = stream.get_data()
    found: dict[int, str] = {}
    widths: set[int] = set()
    entries = (
        (row[0], entry)
        for block in _BF_BLOCK.finditer(data)
        for row in _bf_rows(block[2], 2 if block[1] == b"bfchar" else 3)
        for entry in _row_entries(row)
    )
    for first, (code, text) in islice(entries, _MAX_CODES):
        widths.add(len(first))
        found[code] = text
    codespace = _CODESPACE.search(data)
    if codespace:
        widths = {len(code) for code in map(_bytes, re.findall(rb"<([0-9A-Fa-f\s]*)>", codespace[1]))} or widths
    return found, 1 if widths == {1} else 2


def _bf_rows(block: bytes, length: int) -> Iterator[list[Any]]:
    """The rows of a bfchar or bfrange block: `length` strings each, the last of which may be an array of strings."""
    row: list[Any] = []
    inside: list[bytes] | None = None
    for match in _BF_ITEM.finditer(block):
        if match[2]:
            inside = []
        elif match[3]:
            row.append(inside or [])
            inside = None
        elif inside is not None:
            inside.append(_bytes(match[1]))
        else:
            row.append(_bytes(match[1]))
        if len(row) == length and inside is None:
            yield row
            row = []


def _bytes(digits: bytes) -> bytes:
    digits = re.sub(rb"\s", b"", digits)
    return bytes.fromhex((digits + b"0" * (len(digits) % 2)).decode())


def _row_entries(row: list[Any]) -> Iterator[tuple[int, str]]:
    """The codes of one row with their texts."""
    first, target = int.from_bytes(row[0][:4], "big"), row[-1]
    last = int.from_bytes(row[1][:4], "big") if len(row) > 2 else first
    if isinstance(target, list):
        for code, item in zip(range(first, last + 1), target, strict=False):
            yield code, _utf16(item)
        return
    prefix, end = target[:-2], int.from_bytes(target[-2:], "big")
    for step in range(last - first + 1):
        yield first + step, _utf16(prefix + ((end + step) & 0xFFFF).to_bytes(2, "big")) if step else _utf16(target)


def _utf16(data: bytes) -> str:
    return (data if len(data) % 2 == 0 else b"\0" + data).decode("utf-16-be", "replace")


def _simple_font_texts(item: DictionaryObject) -> dict[int, str]:
    """The text of each code of a simple font, by glyph names."""
    encoding = _object(item, "/Encoding")
    base, differences = encoding, None
    if isinstance(encoding, DictionaryObject):
        base, differences = encoding.get("/BaseEncoding"), _object(encoding, "/Differences")
    letters = charset_encoding.get(str(base)) if base is not None else None
    if letters is not None:
        found = dict(enumerate(letters))
    else:
        found = dict(enumerate(charset_encoding["/StandardEncoding"])) | _built_in_texts(item)
    code = 0
    for entry in differences if isinstance(differences, ArrayObject) else ():
        if isinstance(entry, NameObject):
            found[code & 0xFF] = glyph_name(str(entry)[1:])
            code += 1
        elif isinstance(entry, int):
            code = int(entry)
    return {code: text for code, text in found.items() if text}


def _has_meaningful_names(item: DictionaryObject) -> bool:
    """Whether the glyph names of a simple font are meaningful.

    The codes of an embedded symbolic TrueType font without an encoding are its own numbers: only its font program
    defines them, and no standard encoding applies (ISO 32000-2, 9.6.5.4).
    """
    descriptor = _object(item, "/FontDescriptor")
    flags = descriptor.get("/Flags") if isinstance(descriptor, DictionaryObject) else None
    is_symbolic = isinstance(flags, int) and bool(flags & _SYMBOLIC)
    return _object(item, "/Encoding") is not None or not is_symbolic or not _font_program(item).startswith(_SFNT)


def glyph_name(name: str) -> str:
    """The text of a glyph name; empty for an unknown name."""
    stem = name.partition(".")[0]
    text = "".join(_name_part_text(part) for part in stem.split("_"))
    return text or adobe_glyphs.get("/" + name, "")


def _name_part_text(name: str) -> str:
    known = adobe_glyphs.get("/" + name)
    if known is not None:
        return known
    if _UNI_NAME.fullmatch(name):
        codes = re.findall("[0-9A-F]{4}", name[3:]) if name.startswith("uni") else [name[1:]]
        return "".join(chr(int(code, 16)) for code in codes if not 0xD800 <= int(code, 16) < 0xE000 <= 0x10FFFF)
    return ""


def _font_program(item: DictionaryObject) -> bytes:
    descriptor = _object(item, "/FontDescriptor")
    if isinstance(descriptor, DictionaryObject):
        for key in ("/FontFile", "/FontFile2", "/FontFile3"):
            stream = _object(descriptor, key)
            if isinstance(stream, StreamObject):
                return stream.get_data()
    return b""


def _built_in_texts(item: DictionaryObject) -> dict[int, str]:
    """The text of each code by the embedded font program: the encoding of Type 1, the cmap table of TrueType."""
    program = _font_program(item)
    if program.startswith(_SFNT):
        return _truetype_texts(program, symbols=True)
    found = {}
    for code, name in _BUILT_IN.findall(program[: program.find(b"eexec")]):
        found[int(code) & 0xFF] = glyph_name(name.decode("latin-1"))
    return found


def _composite_font_texts(item: DictionaryObject) -> dict[int, str]:
    """The text of each code of a composite font whose codes are glyph ids, by the cmap table of its font program."""
    descendants = _object(item, "/DescendantFonts")
    if not isinstance(descendants, ArrayObject) or not descendants:
        return {}
    inner = descendants[0].get_object()
    if not isinstance(inner, DictionaryObject) or str(item.get("/Encoding")) not in ("/Identity-H", "/Identity-V"):
        return {}
    program = _font_program(inner)
    if not program.startswith(_SFNT):
        return {}
    glyphs = {number: chr(code) for code, number in _cmap(program, symbols=False).items()}
    table = _object(inner, "/CIDToGIDMap")
    if isinstance(table, StreamObject):
        numbers = table.get_data()[: 2 * _MAX_CODES]
        pairs = enumerate(struct.unpack(f">{len(numbers) // 2}H", numbers[: len(numbers) // 2 * 2]))
        return {code: glyphs[number] for code, number in pairs if number in glyphs}
    return glyphs


def _truetype_texts(program: bytes, *, symbols: bool) -> dict[int, str]:
    """The text of each single-byte code of a TrueType program, by its symbol cmap and its Unicode cmap."""
    names = {number: code for code, number in _cmap(program, symbols=False).items()}
    own = _cmap(program, symbols=symbols)
    return {code & 0xFF: chr(names[number]) for code, number in own.items() if number in names and code not in names}


def _cmap(program: bytes, *, symbols: bool) -> dict[int, int]:
    """Glyph id of each character, from the Unicode or the symbol subtables of an sfnt font program (OpenType, cmap)."""
    wanted = {(3, 0), (1, 0)} if symbols else {(0, 0), (0, 1), (0, 2), (0, 3), (0, 4), (3, 1), (3, 10)}
    found: dict[int, int] = {}
    try:
        (tables,) = struct.unpack_from(">H", program, 4)
        for index in range(min(tables, 100)):
            tag, _, start, _ = struct.unpack_from(">4sIII", program, 12 + 16 * index)
            if tag == b"cmap":
                (count,) = struct.unpack_from(">H", program, start + 2)
                for row in range(min(count, 50)):
                    platform, kind, offset = struct.unpack_from(">HHI", program, start + 4 + 8 * row)
                    if (platform, kind) in wanted:
                        found.update(islice(_cmap_subtable(program, start + offset), _MAX_CODES))
    except struct.error:
        pass
    return found


def _cmap_subtable(program: bytes, start: int) -> Iterator[tuple[int, int]]:
    """Pairs of character and glyph id of a cmap subtable of format 0, 4, 6 or 12."""
    (form,) = struct.unpack_from(">H", program, start)
    if form == 0:
        yield from enumerate(program[start + 6 : start + 262])
    elif form == 4:
        yield from _cmap_format_4(program, start)
    elif form == 6:
        first, count = struct.unpack_from(">HH", program, start + 6)
        yield from enumerate(struct.unpack_from(f">{count}H", program, start + 10), first)
    elif form == 12:
        (groups,) = struct.unpack_from(">I", program, start + 12)
        for group in range(min(groups, _MAX_CODES)):
            low, high, number = struct.unpack_from(">3I", program, start + 16 + 12 * group)
            if low <= high <= 0x10FFFF:
                yield from zip(range(low, high + 1), range(number, number + high - low + 1), strict=True)


def _cmap_format_4(program: bytes, start: int) -> Iterator[tuple[int, int]]:
    (segments_x2,) = struct.unpack_from(">H", program, start + 6)
    count = segments_x2 // 2
    highs = struct.unpack_from(f">{count}H", program, start + 14)
    lows = struct.unpack_from(f">{count}H", program, start + 16 + segments_x2)
    deltas = struct.unpack_from(f">{count}H", program, start + 16 + 2 * segments_x2)
    offsets_start = start + 16 + 3 * segments_x2
    offsets = struct.unpack_from(f">{count}H", program, offsets_start)
    for segment, (high, low, delta, offset) in enumerate(zip(highs, lows, deltas, offsets, strict=True)):
        for code in range(low, min(high, 0xFFFE) + 1):
            number = code
            if offset:
                (number,) = struct.unpack_from(">H", program, offsets_start + 2 * segment + offset + 2 * (code - low))
                if not number:
                    continue
            yield code, (number + delta) & 0xFFFF
