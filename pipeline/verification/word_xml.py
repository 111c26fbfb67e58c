"""What the XML of a Word package says, read with the standard library alone: no DTD, no entity, no network.

A paragraph is one passage however many runs it is cut into; a table's cells know their headings.
"""

import re
import xml.etree.ElementTree as ET
from collections.abc import Iterator
from urllib.parse import unquote
from xml.parsers import expat

from pipeline.verification.limits import MAX_DEPTH
from pipeline.verification.reading import Passage
from schemas.errors import ErrorCode, StageFailed

_BREAKS = {"tab": "\t", "ptab": "\t", "br": "\n", "cr": "\n", "noBreakHyphen": "-"}
_OLD = frozenset({"del", "moveFrom"})
_NEW = frozenset({"ins", "moveTo"})
# Values that measure, switch or count: nobody's data, and there are thousands of them.
_TRIVIAL = re.compile(
    r"[-+]?[\d.]{0,5}[a-z%]{0,2}|[A-Za-z]{1,3}|[0-9A-Fa-f]{6,8}|\{[0-9A-Fa-f-]{36}\}|[a-z]+([A-Z][a-z]*)*"
)
# Fonts and scripts that read like people or places, in the attributes that name them: every Word file has them.
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
_LONGEST_LABEL = 60


class _Doctype(Exception):
    """Raised from inside expat."""


def parse(data: bytes) -> ET.Element:
    """The tree of a part; StageFailed(verify_failed) if it is not well formed, nests too deeply or declares a type."""
    depth = 0

    def refuse(*_: object) -> None:
        raise _Doctype

    def down(*_: object) -> None:
        nonlocal depth
        depth += 1
        if depth > MAX_DEPTH:
            raise _Doctype

    def up(_: str) -> None:
        nonlocal depth
        depth -= 1

    guard = expat.ParserCreate()
    guard.StartDoctypeDeclHandler = guard.EntityDeclHandler = refuse
    guard.StartElementHandler, guard.EndElementHandler = down, up
    try:
        guard.Parse(data, True)
        return ET.fromstring(data)  # noqa: S314 - the guard has passed
    except (expat.ExpatError, _Doctype, ET.ParseError, ValueError, LookupError):
        raise StageFailed(ErrorCode.VERIFY_FAILED) from None


def source(data: bytes) -> str:
    """The markup itself, comments and all."""
    for mark, encoding in ((b"\xff\xfe", "utf-16"), (b"\xfe\xff", "utf-16")):
        if data.startswith(mark):
            return data.decode(encoding, "replace")
    return data.decode("utf-8", "replace")


def passages(root: ET.Element, *, is_links: bool) -> Iterator[Passage]:
    """Everything in a part that somebody may read. `is_links`: it is a relationships part."""
    yield from _attributes(root, is_links)
    yield from _walk(root, "")


def _attributes(root: ET.Element, is_links: bool) -> Iterator[Passage]:
    seen: set[str] = set()
    for element in root.iter():
        inner = is_links and element.get("TargetMode") != "External"
        if _local(element) in _FORMAT_ELEMENTS:
            continue
        for name, value in element.attrib.items():
            plain = name.rpartition("}")[2]
            if value in seen or plain in _FORMAT_ATTRIBUTES or plain.startswith("rsid") or _TRIVIAL.fullmatch(value):
                continue
            if inner and name in ("Target", "Type"):
                continue
            if name.rpartition("}")[2] in _TYPEFACE_ATTRIBUTES and _TYPEFACE.fullmatch(value):
                continue
            seen.add(value)
            if not (name == "Type" or value.startswith(("http://schemas.", "http://purl.oclc.org/"))):
                yield Passage(unquote(value))


def _walk(element: ET.Element, context: str) -> Iterator[Passage]:
    """Passages of an element that is no part of a paragraph, in reading order."""
    name = _local(element)
    if name == "p":
        yield from _paragraph(element, context)
        return
    if name == "tbl":
        yield from _table(element, context)
        return
    if element.text and element.text.strip():
        yield Passage(element.text.strip(), context)
    for child in element:
        yield from _walk(child, context)
        if child.tail and child.tail.strip():
            yield Passage(child.tail.strip(), context)


def _table(table: ET.Element, context: str) -> Iterator[Passage]:
    """Each cell under the heading of its column and behind the label on its left."""
    headings: dict[int, str] | None = None
    for row in _nearest(table, "tr"):
        cells = list(_nearest(row, "tc"))
        left = ""
        own: dict[int, str] = {}
        for column, cell in enumerate(cells):
            label = _label(cell)
            heading = (headings or {}).get(column, "")
            for child in cell:
                yield from _walk(child, "\n".join(part for part in (heading, left) if part) or context)
            if label:
                own[column] = label
            left = label
        if headings is None and len(cells) > 1:
            headings = own


def _nearest(element: ET.Element, name: str) -> Iterator[ET.Element]:
    """Descendants of that name, those inside other tables left to their own."""
    for child in element:
        if _local(child) == name:
            yield child
        elif _local(child) not in ("tbl", "tc"):
            yield from _nearest(child, name)


def _label(cell: ET.Element) -> str:
    text = "".join(item.text or "" for item in cell.iter() if _local(item) == "t").strip()
    is_label = 0 < len(text) <= _LONGEST_LABEL and any(map(str.isalpha, text)) and sum(map(str.isdigit, text)) <= 2
    return text if is_label and "@" not in text else ""


def _paragraph(paragraph: ET.Element, context: str) -> Iterator[Passage]:
    """The paragraph as it reads now, as it read before its revisions, and its field codes; then what it holds."""
    now: list[str] = []
    before: list[str] = []
    codes: list[str] = []
    inner: list[ET.Element] = []
    _collect(paragraph, 0, now, before, codes, inner)
    for pieces in dict.fromkeys((tuple(now), tuple(before), tuple(codes))):
        text = "".join(pieces)
        if text.strip():
            yield Passage(text, context)
    for element in inner:
        yield from _walk(element, context)


def _collect(
    element: ET.Element, age: int, now: list[str], before: list[str], codes: list[str], inner: list[ET.Element]
) -> None:
    for child in element:
        name = _local(child)
        said = child.text or "" if name in ("t", "delText") else _BREAKS.get(name, "")
        if name in ("p", "tbl"):
            inner.append(child)
            continue
        if name in ("instrText", "delInstrText"):
            codes.append(child.text or "")
        elif name == "sym":
            said = _symbol(child)
        elif name not in ("t", "delText") and child.text and child.text.strip():
            inner.append(child)
        if said and age >= 0 and name != "delText":
            now.append(said)
        if said and age <= 0:
            before.append(said)
        _collect(child, -1 if name in _OLD else 1 if name in _NEW else age, now, before, codes, inner)


def _symbol(element: ET.Element) -> str:
    """The character of a w:sym; symbol fonts keep theirs at U+F000 above the code."""
    text = next((value for name, value in element.attrib.items() if name.endswith("}char")), "")
    number = int(text, 16) & 0x0FFF if re.fullmatch("[0-9A-Fa-f]{4}", text) else 0
    return chr(number) if number >= 0x20 else ""


def _local(element: ET.Element) -> str:
    return element.tag.rpartition("}")[2]
