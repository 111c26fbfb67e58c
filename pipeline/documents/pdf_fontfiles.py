"""Font programs without words: glyphs and what maps to them stay; names, notices, licences and private tables go.

Sources: OpenType 1.9 (tables), Adobe Technical Notes 5176 (CFF) and 5040 (Type 1 in PDF).
"""

import re
import struct
from collections.abc import Iterator
from itertools import pairwise

from pipeline.documents.pdf_faces import is_known_glyph

_MOST_TABLES = 100
# Tables that drawing needs; in PDF all shaping is done, so neither GSUB nor names of anything are asked for.
_TABLES = frozenset(
    tag.ljust(4).encode()
    for tag in """
    glyf loca head hhea hmtx maxp cvt fpgm prep cmap OS/2 post CFF CFF2 vhea vmtx VORG gasp avar fvar gvar HVAR MVAR
    EBDT EBLC EBSC hdmx VDMX LTSH kern
    """.split()  # noqa: SIM905
)
# Operators of a CFF Top DICT whose operand is the number of a string: version, Notice, FullName, FamilyName, Weight;
# Copyright, PostScript, BaseFontName.
_NOTED = frozenset([0, 1, 2, 3, 4])
_NOTED_ESCAPED = frozenset([0, 21, 22])
_STANDARD_STRINGS = 391
_LONGEST_GLYPH = 20
_SHORT_WORD = re.compile(r"(?:[A-Za-z._-]|\d(?!\d{6}))+")
_COMMENT = re.compile(rb"\((?:[^()\\]|\\.|\((?:[^()\\]|\\.)*\))*\)|(?P<comment>%[^\r\n]*)", re.DOTALL)
_NOTICE = re.compile(
    rb"/(?:Notice|FullName|FamilyName|Weight|version|Copyright|FontName|BaseFontName|UniqueID|XUID|Creator)\s*"
    rb"(?P<value>\((?:[^()\\]|\\.|\((?:[^()\\]|\\.)*\))*\)|/[^\s()<>\[\]{}/%]*|\[[^\]]*\])",
    re.DOTALL,
)


def wordless(program: bytes) -> bytes:
    """The font program with the same glyphs; as it is where it is of no kind known here."""
    try:
        if program[:4] in (b"\0\1\0\0", b"true", b"OTTO"):
            return _sfnt(program)
        if program[:1] == b"\1" and len(program) > 4 and program[1] < 4 and program[3] in (1, 2, 3, 4):
            return _cff(program)
        if program[:2] == b"%!":
            return _type1(program)
    except (struct.error, IndexError, ValueError):
        pass
    return program


def _sfnt(program: bytes) -> bytes:
    """An OpenType or TrueType file of its drawing tables."""
    (count,) = struct.unpack_from(">H", program, 4)
    if count > _MOST_TABLES:
        return program
    rows = [struct.unpack_from(">4sIII", program, 12 + 16 * n) for n in range(count)]
    tables = {tag: program[at : at + size] for tag, _, at, size in rows if tag in _TABLES}
    if b"CFF " in tables:
        tables[b"CFF "] = _cff(tables[b"CFF "])
    if b"post" in tables:
        tables[b"post"] = _post(tables[b"post"])
    if b"OS/2" in tables:
        tables[b"OS/2"] = _without(tables[b"OS/2"], 58, 62)  # the maker's mark
    if b"head" in tables:
        tables[b"head"] = _without(tables[b"head"], 8, 12)  # a sum over all tables, made anew below
    return _assembled(program[:4], tables)


def _post(table: bytes) -> bytes:
    """A table of glyph names whose telling ones are blanked (OpenType, post, version 2.0)."""
    if table[:4] != b"\0\2\0\0":
        return table
    at = 34 + 2 * struct.unpack_from(">H", table, 32)[0]
    blanked = bytearray(table)
    while at < len(table):
        end = at + 1 + table[at]
        if not is_plain_glyph(table[at + 1 : end]):
            blanked[at + 1 : min(end, len(table))] = b"F" * (min(end, len(table)) - at - 1)
        at = end
    return bytes(blanked)


def is_plain_glyph(name: bytes) -> bool:
    """Whether a glyph's name tells nothing: a known one, or a short word of letters."""
    word = name.decode("latin-1")
    return is_known_glyph(word) or (len(word) < _LONGEST_GLYPH and bool(_SHORT_WORD.fullmatch(word)))


def _without(table: bytes, start: int, end: int) -> bytes:
    return table[:start] + bytes(max(0, min(end, len(table)) - start)) + table[end:]


def _assembled(kind: bytes, tables: dict[bytes, bytes]) -> bytes:
    power = max(1, len(tables)).bit_length() - 1
    header = kind + struct.pack(">HHHH", len(tables), 16 << power, power, 16 * len(tables) - (16 << power))
    offset = 12 + 16 * len(tables)
    rows, body = [], []
    for tag in sorted(tables):
        padded = tables[tag] + bytes(-len(tables[tag]) % 4)
        rows.append(struct.pack(">4sIII", tag, _sum(padded), offset, len(tables[tag])))
        body.append(padded)
        offset += len(padded)
    whole = header + b"".join((*rows, *body))
    if len(tables.get(b"head", b"")) >= 12:
        at = 12 + 16 * len(tables) + sum(len(t) + -len(t) % 4 for tag, t in tables.items() if tag < b"head") + 8
        whole = whole[:at] + struct.pack(">I", (0xB1B0AFBA - _sum(whole)) & 0xFFFFFFFF) + whole[at + 4 :]
    return whole


def _sum(data: bytes) -> int:
    total: int = sum(struct.unpack(f">{len(data) // 4}I", data[: len(data) // 4 * 4]))
    return total & 0xFFFFFFFF


def _cff(program: bytes) -> bytes:
    """A CFF font set whose notices and names are blanks of the same length, so that no offset moves."""
    data = bytearray(program)
    names, after_names = _index(program, program[2])
    tops, after_tops = _index(program, after_names)
    strings, _ = _index(program, after_tops)
    for start, end in names:
        data[start:end] = b"F" * (end - start)
    for start, end in strings:
        if not is_plain_glyph(program[start:end]):
            data[start:end] = b"F" * (end - start)
    for start, end in tops:
        for number in _noted(program[start:end]):
            if 0 <= number - _STANDARD_STRINGS < len(strings):
                first, last = strings[number - _STANDARD_STRINGS]
                data[first:last] = b"F" * (last - first)
    return bytes(data)


def _index(data: bytes, at: int) -> tuple[list[tuple[int, int]], int]:
    """Where the members of a CFF INDEX begin and end, and where it ends itself."""
    (count,) = struct.unpack_from(">H", data, at)
    if not count:
        return [], at + 2
    size = data[at + 2]
    if not 1 <= size <= 4:
        raise ValueError("no INDEX")
    offsets = [int.from_bytes(data[at + 3 + size * n : at + 3 + size * (n + 1)], "big") for n in range(count + 1)]
    base = at + 2 + size * (count + 1)
    if offsets != sorted(offsets) or base + offsets[-1] > len(data):
        raise ValueError("no INDEX")
    return [(base + a, base + b) for a, b in pairwise(offsets)], base + offsets[-1]


def _noted(top: bytes) -> Iterator[int]:
    """Numbers of the strings that the Top DICT's notices are."""
    at, number = 0, 0
    while at < len(top):
        first = top[at]
        at += 1
        if first <= 21:
            if first == 12:
                first, at = top[at], at + 1
                if first in _NOTED_ESCAPED:
                    yield number
            elif first in _NOTED:
                yield number
        elif first == 28:
            number, at = struct.unpack_from(">h", top, at)[0], at + 2
        elif first == 29:
            number, at = struct.unpack_from(">i", top, at)[0], at + 4
        elif first == 30:
            while top[at] & 0x0F != 0x0F:
                at += 1
            at += 1
        elif first <= 246:
            number = first - 139
        elif first <= 250:
            number, at = (first - 247) * 256 + top[at] + 108, at + 1
        elif first <= 254:
            number, at = -(first - 251) * 256 - top[at] - 108, at + 1


def _type1(program: bytes) -> bytes:
    """A Type 1 program whose clear part has blanks for notices, names and comments: of the same length."""
    end = program.find(b"eexec")
    if end < 0:
        return program
    clear = _COMMENT.sub(
        lambda match: _blank_comment(match["comment"]) if match["comment"] else match[0], program[:end]
    )
    clear = _NOTICE.sub(_blank_value, clear)
    return clear + _without_tail(program[end:])


def _blank_comment(comment: bytes) -> bytes:
    if comment.startswith(b"%!"):
        return b"%!FontType1".ljust(len(comment))[: len(comment)]
    return b" " * len(comment)


def _blank_value(match: re.Match[bytes]) -> bytes:
    value = match["value"]
    blank = {b"(": b"(" + b" " * (len(value) - 2) + b")", b"/": b"/" + b"F" * (len(value) - 1)}.get(value[:1], value)
    return match[0][: match.start("value") - match.start()] + blank


def _without_tail(encrypted: bytes) -> bytes:
    """Zeros and the word that ends them are all that may follow the encrypted part."""
    end = encrypted.rfind(b"cleartomark")
    return encrypted if end < 0 else encrypted[: end + 11] + b" " * (len(encrypted) - end - 11)
