"""Reads one XML part of an Office package with the standard library alone: no DTD, no entity, no network.

Also tells what people may read in attributes from what only programs do: numbers, names of typefaces, identifiers.
"""

import re
import xml.etree.ElementTree as ET
from collections.abc import Iterable, Iterator
from urllib.parse import unquote
from xml.parsers import expat

from pipeline.verification import normal_forms
from pipeline.verification.limits import MAX_DEPTH
from pipeline.verification.reading import Passage
from schemas.errors import ErrorCode, StageFailed

_DECLARED = re.compile(rb"""<\?xml[^>]{0,100}?encoding\s*=\s*["']([A-Za-z0-9._-]{1,40})["']""")
_MARKS = ((b"\xef\xbb\xbf", "utf-8"), (b"\xff\xfe", "utf-16-le"), (b"\xfe\xff", "utf-16-be"))
# Values that measure, switch or count: nobody's data, and there are thousands of them.
_TRIVIAL = re.compile(
    r"[-+]?[\d.]{0,5}[a-z%]{0,2}|[A-Za-z]{1,3}|[0-9A-Fa-f]{6,8}|\{?[0-9A-Fa-f]{8}(-[0-9A-Fa-f]{4}){3}-[0-9A-Fa-f]{12}\}?"
    r"|[a-z]+([A-Z][a-z]*)*"
)
_NUMBER = re.compile(r"[-+]?[\d.]+")
# Attributes whose numbers somebody may have written; all other numbers are coordinates, sizes and ordinals.
_WRITTEN = frozenset(
    {
        "v", "val", "value", "name", "displayName", "title", "descr", "alt", "tooltip", "display", "location",
        "caption", "uniqueName", "prompt", "promptTitle", "error", "errorTitle", "sourceCaption", "string", "author",
        "userId", "Target", "href", "src", "tag", "alias", "displayText", "providerId", "initials", "hidden",
    }
)  # fmt: skip
# Addresses of cells and how many there are: a worksheet has one in every row and cell.
_ADDRESSES = frozenset({"r", "ref", "sqref", "spans", "activeCell", "topLeftCell", "s", "customHeight", "ht"})
_ADDRESS = re.compile(r"[A-Z]{0,3}[0-9]{0,7}([: ][A-Z]{0,3}[0-9]{0,7})*")
_REFERRING = frozenset({"textlink", "location", "Target"})
_CELLS = re.compile(r"(?<=!)\$?[A-Z]{1,3}\$?[0-9]{1,7}(:\$?[A-Z]{1,3}\$?[0-9]{1,7})?(?![0-9A-Za-z])")
# The language and calendar of a number format: `[$-1170000]` reads like an amount.
_LOCALE = re.compile(r"\[\$-[0-9A-Fa-f]{1,8}(?:,[0-9]+)?\]")
_ORDINALS = frozenset({"id", "abstractNumId", "nsid", "tmpl", "durableId", "divId", "axId", "crossAx", "sldId"})
# Fonts and scripts that read like people or places, in the attributes that name them: every Office file has them.
_TYPEFACE_ATTRIBUTES = ("ascii", "hAnsi", "cs", "eastAsia", "typeface", "script", "family", "name", "val", "face")
_TYPEFACE = re.compile(
    r"((Times\s?New\s?Roman|Times Roman|Nimbus Roman( No9 L)?|Myanmar Text|Georgia|Sakkal Majalla|Bell MT|Gill Sans"
    r"|Franklin Gothic \w+|Goudy \w+|Lucida \w+|roman|modern|swiss|Hans|Hant|Arab|Hebr)"
    r"( (Bold|Italic|MT|PS|PSMT|CYR|CE|Greek|Tur|Baltic))*;?)+",
    re.IGNORECASE,
)
# Names of fonts and languages read like people and places (Georgia, Roman, US); raw is searched for those found.
_FORMAT_ATTRIBUTES = frozenset(
    {"lang", "ascii", "hAnsi", "cs", "eastAsia", "typeface", "face", "script", "family", "panose"}
)
_FORMAT_ELEMENTS = frozenset({"font", "altName", "family", "latin", "ea", "cs", "sym", "lang", "themeFontLang"})


class _Refused(Exception):
    """Raised from inside expat."""


def parse(data: bytes) -> ET.Element:
    """The tree of a part; StageFailed(verify_failed) if it is not well formed, nests too deeply or declares a type."""
    depth = 0

    def refuse(*_: object) -> None:
        raise _Refused

    def down(*_: object) -> None:
        nonlocal depth
        depth += 1
        if depth > MAX_DEPTH:
            raise _Refused

    def up(_: str) -> None:
        nonlocal depth
        depth -= 1

    guard = expat.ParserCreate()
    guard.StartDoctypeDeclHandler = guard.EntityDeclHandler = refuse
    guard.StartElementHandler, guard.EndElementHandler = down, up
    try:
        guard.Parse(data, True)
        return ET.fromstring(data)  # noqa: S314 - the guard has passed
    except (expat.ExpatError, _Refused, ET.ParseError, ValueError, LookupError):
        raise StageFailed(ErrorCode.VERIFY_FAILED) from None


def source(data: bytes) -> str:
    """The markup itself, comments and all, in the encoding that it declares; refused where that is none."""
    encoding = next((name for mark, name in _MARKS if data.startswith(mark)), None)
    if encoding is None:
        declared = _DECLARED.match(data)
        encoding = declared[1].decode("ascii") if declared else "utf-8"
    try:
        return data.decode(encoding, "replace")
    except (LookupError, ValueError):
        raise StageFailed(ErrorCode.VERIFY_FAILED) from None


def attributes(root: ET.Element, *, is_links: bool) -> Iterator[Passage]:
    """What somebody may read in attributes, each text once. `is_links`: it is a relationships part."""
    seen: set[str] = set()
    for element in root.iter():
        tag = local(element)
        if tag in _FORMAT_ELEMENTS:
            continue
        inner = is_links and element.get("TargetMode") != "External"
        for name, value in element.attrib.items():
            plain = name.rpartition("}")[2]
            if value in seen or (inner and plain in ("Target", "Type")) or not _is_said(tag, plain, value):
                continue
            seen.add(value)
            said = _LOCALE.sub("", value) if plain == "formatCode" else unquote(value)
            yield Passage(without_cells(said) if plain in _REFERRING else said)


def without_cells(reference: str) -> str:
    """A reference to cells without their addresses: `$A$1` reads like an amount, the sheet's name may say something."""
    return _CELLS.sub(" ", reference)


def local(element: ET.Element) -> str:
    """The element's name without its namespace."""
    return element.tag.rpartition("}")[2]


def _is_said(tag: str, name: str, value: str) -> bool:
    if name in _FORMAT_ATTRIBUTES or name.startswith("rsid") or _TRIVIAL.fullmatch(value):
        return False
    if _NUMBER.fullmatch(value) and (name not in _WRITTEN or tag in _ORDINALS):
        return False
    if name in _ADDRESSES and _ADDRESS.fullmatch(value):
        return False
    if name in _TYPEFACE_ATTRIBUTES and _TYPEFACE.fullmatch(value):
        return False
    return name != "Type" and not value.startswith(("http://schemas.", "http://purl.oclc.org/"))


# Codes that something cuts which is no letter: a tab, a bullet, the edge of a text box.
#
# Numbers beside each other are mostly two, so a check digit must hold; and since one row of figures in ten has one by
# chance, at least half of what looks like such a code must have it.

_MARK = r"[\t\r\x0b\x0c\x85\u2028\u2029·•‣‧∙■-◿☀-➿\ue000-\uf8ff\ufffd¦§|*]"
_CUT = rf"(?:[ \xa0\n-]{{0,3}}{_MARK}[ \xa0\n\t-]{{0,8}})"
_PLAIN = r"[ \xa0-]{1,2}"
_CODE = re.compile(rf"(?<![0-9])(?:[Ss][Aa] ?)?[0-9]{{1,22}}(?:(?:{_CUT}|{_PLAIN})[0-9]{{1,22}}){{1,25}}(?![0-9])")
_BETWEEN = re.compile(r"[^0-9A-Za-z]+")
_YEAR = re.compile(r"(?:1[3-9]|2[01])[0-9][0-9][^0-9]+[0-9]+")
_HAS_MARK = re.compile(_MARK)


def cut_codes(texts: Iterable[str]) -> Iterator[str]:
    """The codes that stand in texts cut into pieces, without what cuts them."""
    looks = 0
    found: list[str] = []
    for text in texts:
        if not _HAS_MARK.search(text):
            continue
        for match in _CODE.finditer(normal_forms.fold(text)):
            code = _BETWEEN.sub("", match[0]).upper()
            if not _HAS_MARK.search(match[0]) or _YEAR.fullmatch(match[0]):
                continue
            if code.startswith("SA"):
                if len(code) == 24 and _is_iban(code):
                    yield code
            elif len(code) == 10 and code[0] in "12":
                looks += 1
                found += [code] if proves_itself(code) else []
    if len(found) * 2 >= looks:
        yield from found


def proves_itself(code: str) -> bool:
    """Whether ten digits are a Saudi identity number: Luhn's sum from the right is a multiple of ten."""
    if len(code) != 10 or code[0] not in "12" or not code.isdecimal():
        return False
    total = 0
    for place, digit in enumerate(reversed(code)):
        double = int(digit) << (place & 1)
        total += double // 10 + double % 10
    return total % 10 == 0


def _is_iban(code: str) -> bool:
    remainder = 0
    for sign in code[4:] + "2810" + code[2:4]:  # S is 28, A is 10
        remainder = (remainder * 10 + int(sign)) % 97
    return remainder == 1


# What markup says that no single text of it does: HTML in drawings, words stored backwards, bytes in hexadecimal.

_VML = "{urn:schemas-microsoft-com:vml}textbox"
_PARAGRAPHS = frozenset({"p", "txbxContent", "txBody", "si", "is", "sheetData"})
_LINES = frozenset({"div", "p", "li", "tr", "td", "th", "br", "table"})
_OVERRIDE = "\u202e"
_ARABIC = re.compile("[\u0620-\u064a\u0671-\u06d3]")
_TEN = re.compile(r"(?<!\d)\d{10}(?!\d)")
_HEXADECIMAL = re.compile(r"(?<![0-9A-Za-z])(?:0[xX])?((?:[0-9A-Fa-f]{2}[ :,-]?){6,200}[0-9A-Fa-f]{2})(?![0-9A-Za-z])")
_SAYS = re.compile(r"\d{7}|[\w.]@[\w.]|[A-Za-z]{2} [A-Za-z]{2}|[\u0620-\u064a]{2}")


def flowing(root: ET.Element) -> Iterator[Passage]:
    """The text of a drawing's HTML, and of elements that have texts and elements mixed, as one."""
    for element in root.iter():
        is_mixed = any((child.tail or "").strip() for child in element)
        if element.tag == _VML or (is_mixed and local(element) not in _PARAGRAPHS):
            text = "".join(_said(element))
            if text.strip():
                yield Passage(text.strip())


def _said(element: ET.Element) -> Iterator[str]:
    yield element.text or ""
    for child in element:
        if local(child) in ("txbxContent", "txBody"):
            continue
        if local(child) in _LINES:
            yield "\n"
        yield from _said(child)
        yield child.tail or ""


def backwards(paragraph: ET.Element, text: str) -> Iterator[Passage]:
    """What a paragraph shows that turns its text round; of one that only runs from the right, identity numbers."""
    if not text.strip():
        return
    overrides = [e for e in paragraph.iter() if local(e) == "bdo" and "rtl" in e.attrib.values()]
    turned = ["".join(t.text or "" for t in e.iter() if local(t) == "t") for e in overrides]
    turned += [text] if _OVERRIDE in text and not turned else []
    for said in turned:
        if not _ARABIC.search(said):
            yield Passage(said[::-1])
    if overrides or any(local(e) in ("rtl", "dir") for e in paragraph.iter()):
        yield from (Passage(code) for code in _TEN.findall(text[::-1]) if proves_itself(code))


def unpacked(markup: str) -> Iterator[Passage]:
    """Texts that stand in markup as hexadecimal bytes."""
    for match in _HEXADECIMAL.finditer(markup):
        data = bytes.fromhex(re.sub(r"[ :,-]", "", match[1]))
        for encoding in ("utf-8", "utf-16-le", "utf-16-be"):
            try:
                text = data.decode(encoding)
            except UnicodeDecodeError:
                continue
            if text.isprintable() and _SAYS.search(text) and (text.isascii() or encoding == "utf-8"):
                yield Passage(text)
