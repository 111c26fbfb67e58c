"""Sanitizes fonts: glyphs and character mappings stay; names, notices, licences and private tables are removed.

Sources: OpenType 1.9 (tables), Adobe Technical Notes 5176 (CFF) and 5040 (Type 1 in PDF).
"""

import re
import struct
from collections.abc import Iterator
from itertools import pairwise
from typing import Any

import pikepdf
from pymupdf import mupdf

from pipeline.documents.pdf.sanitize.allow_list import Walk, is_array, is_word, word_of

_TAG = re.compile(r"[A-Z]{6}\+")
# Font families that may keep their names, without blanks; styles may follow. Other names may be those of persons.
_FAMILIES = """
    arial helvetica times courier symbol zapfdingbats calibri cambria candara consolas constantia corbel verdana
    tahoma georgia trebuchet segoe garamond palatino bookantiqua bookmanoldstyle century centurygothic
    centuryschoolbook franklingothic gillsans impact lucida comicsans microsoftsansserif microsoftyahei mssans
    msgothic msmincho meiryo simsun simhei mingliu batang gulim dotum malgungothic yugothic yumincho wingdings
    webdings marlett mtextra sylfaen ebrima gadugi leelawadee nirmala mangal latha shruti raavi vrinda tunga kartika
    kalinga traditionalarabic simplifiedarabic arabictypesetting arabictransparent sakkalmajalla andalus aldhabi
    urdutypesetting dubai amiri cairo tajawal almarai scheherazade lateef noto droid roboto opensans lato montserrat
    raleway inter ubuntu dejavu liberation freesans freeserif freemono nimbus urw c059 p052 d050000l standardsymbols
    linux libertine biolinum stix xits asana latinmodern lmroman lmsans lmmono texgyre bitstream vera charter utopia
    minion myriad adobe source sourcesans sourceserif sourcecode kozmin kozgo hysmyeongjo hygothic stsong mhei msung
    msong stheiti pingfang hiragino geeza bahij kufi naskh nastaliq alnile albayan damascus geneva monaco menlo
    lucidagrande sanfrancisco optima futura avenir baskerville didot hoefler americantypewriter newyork cochin
    bodoni rockwell perpetua univers frutiger officinasans eurostile bankgothic ocra ocrb
""".split()  # noqa: SIM905
_MOST_DIGITS = 5  # of a typeface, a subset or a code point
_LATEX = re.compile(r"(?:cm|lm|sf|ec|tc|eu|msam|msbm|wasy|rsfs|st|bb)[a-z]{0,6}\d{1,4}")
_STYLES = re.compile(
    r"(?:new|roman|ps|mt|std|pro|regular|book|medium|light|thin|extra|ultra|semi|demi|bold|heavy|black|italic|oblique"
    r"|slanted|narrow|condensed|cond|compressed|wide|extended|display|text|caption|subhead|small|caps|unicode|ms|ui"
    r"|symbol|emoji|sans|serif|mono|monospace|cjk|sc|tc|jp|kr|hk|arabic|kufi|naskh|nastaliq|hebrew|thai|math|schoolbook"
    r"|gothic|typewriter|linotype|schlbk|l|no|\d{1,2}|it|obl|bd|bi|b|i|h|a|vf|variable|historic|black|semibold|bk|lt|md)*"
)
_GLYPH = re.compile(r"(?:[A-Za-z]{1,5}\d{1,5}|uni(?:[0-9A-F]{4}){1,2}|u[0-9A-F]{4,6}|[A-Za-z]|\.notdef|\.null)")
_SUFFIX = re.compile(r"[a-z]{1,5}\d{0,2}|\d{1,4}")


def is_known_face(name: str) -> bool:
    """Whether it is the name of a well-known font (without its slash), with or without a subset tag."""
    plain = re.sub(r"[^a-z0-9]", "", _TAG.sub("", name, count=1).lower())
    if sum(character.isdigit() for character in plain) > _MOST_DIGITS:
        return False
    if _LATEX.fullmatch(plain):
        return True
    return any(plain.startswith(family) and _STYLES.fullmatch(plain[len(family) :]) for family in _FAMILIES)


def tag_of(name: str) -> str:
    """The subset tag with its plus sign, or an empty string."""
    match = _TAG.match(name)
    return match[0] if match else ""


def is_known_glyph(name: str) -> bool:
    """Whether the glyph name (without its slash) is in the Adobe Glyph List or only encodes a number."""
    if _GLYPH.fullmatch(name):
        return True
    first, *others = re.split(r"[._]", name)
    return all(_is_letter(other) or _SUFFIX.fullmatch(other) for other in others) and _is_letter(first)


def _is_letter(name: str) -> bool:
    if _GLYPH.fullmatch(name):
        return True
    return name.isascii() and name.isalnum() and int(mupdf.fz_unicode_from_glyph_name(name)) not in (0, 0xFFFD)


_MOST_TABLES = 100
# Tables that rendering needs. Text in PDF is already shaped, so GSUB and the name table are not needed.
_TABLES = frozenset(
    tag.ljust(4).encode()
    for tag in """
    glyf loca head hhea hmtx maxp cvt fpgm prep cmap OS/2 post CFF CFF2 vhea vmtx VORG gasp avar fvar gvar HVAR MVAR
    EBDT EBLC EBSC hdmx VDMX LTSH kern
    """.split()  # noqa: SIM905
)
# Operators of a CFF Top DICT with a string id as operand: version, Notice, FullName, FamilyName, Weight; escaped:
# Copyright, PostScript, BaseFontName.
_NOTED = frozenset([0, 1, 2, 3, 4])
_NOTED_ESCAPED = frozenset([0, 21, 22])
_STANDARD_STRINGS = 391
_LONGEST_GLYPH_ID = 20
_SHORT_WORD = re.compile(r"(?:[A-Za-z._-]|\d(?!\d{6}))+")
_COMMENT = re.compile(rb"\((?:[^()\\]|\\.|\((?:[^()\\]|\\.)*\))*\)|(?P<comment>%[^\r\n]*)", re.DOTALL)
_NOTICE = re.compile(
    rb"/(?:Notice|FullName|FamilyName|Weight|version|Copyright|FontName|BaseFontName|UniqueID|XUID|Creator)\s*"
    rb"(?P<value>\((?:[^()\\]|\\.|\((?:[^()\\]|\\.)*\))*\)|/[^\s()<>\[\]{}/%]*|\[[^\]]*\])",
    re.DOTALL,
)


def wordless(program: bytes) -> bytes:
    """The font program with the same glyphs and without texts; unchanged if its format is unknown."""
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
    """An OpenType or TrueType file with the tables that rendering needs."""
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
        tables[b"OS/2"] = _without(tables[b"OS/2"], 58, 62)  # the vendor id
    if b"head" in tables:
        tables[b"head"] = _without(tables[b"head"], 8, 12)  # the checksum of the file, computed again below
    return _assembled(program[:4], tables)


def _post(table: bytes) -> bytes:
    """The post table with unknown glyph names overwritten (OpenType, post, version 2.0)."""
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
    """Whether a glyph name may stay: a known name, or a short word of letters."""
    word = name.decode("latin-1")
    return is_known_glyph(word) or (len(word) < _LONGEST_GLYPH_ID and bool(_SHORT_WORD.fullmatch(word)))


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
    """A CFF font set with notices and names overwritten in place, so that no offset changes."""
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
    """The ranges of the members of a CFF INDEX, and its end."""
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
    """The string ids of the notices in a Top DICT."""
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
    """A Type 1 program with notices, names and comments of its clear-text part overwritten in place."""
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
    """The encrypted part up to `cleartomark`, with blanks in place of what follows."""
    end = encrypted.rfind(b"cleartomark")
    return encrypted if end < 0 else encrypted[: end + 11] + b" " * (len(encrypted) - end - 11)


_MOST_GLYPHS = 100_000  # glyph descriptions of a Type 3 font
_LONGEST_CMAP = 24  # characters of the name of a predefined character map
_LONGEST_GLYPH_NAME = 16
_MOST_GLYPH_DIGITS = 6
_COLLECTIONS = frozenset(["Adobe", "Identity", "UCS", "Japan1", "GB1", "CNS1", "Korea1", "KR", "Manga1"])


def font_kind(font: Any) -> str:
    """The allow-list kind of a font dictionary."""
    return "DRAWN" if isinstance(font, pikepdf.Dictionary) and font.get("/Subtype") == "/Type3" else "FONT"


def face(walk: Walk, value: Any) -> Any:
    """The font name if it is well known, else a numbered name."""
    if not isinstance(value, pikepdf.Name):
        return None
    name = word_of(value)
    if name.isascii() and is_known_face(name) and not walk.tells(name):
        return value
    return pikepdf.Name("/" + walk.face(name))


def encoding(walk: Walk, value: Any) -> Any:
    """A predefined encoding, or an encoding dictionary or CMap stream."""
    if isinstance(value, pikepdf.Name):
        name = word_of(value)
        is_map = name.endswith(("-H", "-V")) and len(name) < _LONGEST_CMAP and name.isascii() and not walk.tells(name)
        return value if is_map or is_word(value) else None
    return walk.kept(value, "MAP" if isinstance(value, pikepdf.Stream) else "ENCODING")


def differences(walk: Walk, value: Any) -> Any:
    """A Differences array: character codes and glyph names."""
    if not is_array(value):
        return None
    kept = [_glyph(walk, item) if isinstance(item, pikepdf.Name) else item for item in value]
    return pikepdf.Array([item for item in kept if isinstance(item, int | pikepdf.Name)])


def _glyph(walk: Walk, name: Any) -> Any:
    word = word_of(name)
    if is_known_glyph(word) and not walk.tells(word):
        return name
    is_short = word.isascii() and word.isalnum() and len(word) < _LONGEST_GLYPH_NAME
    if is_short and sum(c.isdigit() for c in word) <= _MOST_GLYPH_DIGITS and not walk.tells(word):
        return name
    return pikepdf.Name("/" + walk.names.word("glyph " + word))


def drawings(walk: Walk, value: Any) -> Any:
    """The glyph descriptions of a Type 3 font, by glyph name."""
    if not isinstance(value, pikepdf.Dictionary) or len(value) > _MOST_GLYPHS:
        return None
    for key in list(value.keys()):
        stream = walk.kept(value[key], "DRAWING") if isinstance(value[key], pikepdf.Stream) else None
        plain = "/" + word_of(_glyph(walk, pikepdf.Name(key))) if key.isascii() and len(key) > 1 else key
        if stream is None or plain != key or not key.isascii():
            del value[key]
        if stream is not None and plain != key:
            value[plain] = stream
    return value


def character_map(walk: Walk, value: Any) -> Any:
    """A ToUnicode CMap: a stream, or the name of a predefined one."""
    if isinstance(value, pikepdf.Name):
        return encoding(walk, value)
    return walk.kept(value, "MAP") if isinstance(value, pikepdf.Stream) else None


def character_collection(value: Any) -> Any:
    """The character collection (registry, ordering, supplement) if it is one of Adobe's, else Adobe-Identity."""
    if not isinstance(value, pikepdf.Dictionary):
        return None
    said = [str(value.get(key, "")) for key in ("/Registry", "/Ordering")]
    registry, ordering = said if set(said) <= _COLLECTIONS else ("Adobe", "Identity")
    supplement = value.get("/Supplement", 0)
    return pikepdf.Dictionary(
        Registry=pikepdf.String(registry),
        Ordering=pikepdf.String(ordering),
        Supplement=supplement if isinstance(supplement, int) and 0 <= supplement < 100 else 0,
    )


def sized(walk: Walk, value: Any) -> Any:
    """The font entry of a graphics state: a font and its size."""
    if not is_array(value) or len(value) != 2:
        return None
    font = walk.kept(value[0], font_kind(value[0]))
    return pikepdf.Array([font, value[1]]) if font is not None and not isinstance(value[1], pikepdf.Object) else None
