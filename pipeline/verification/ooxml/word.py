"""What paragraphs, tables and charts of Word and PowerPoint say, however many runs a paragraph is cut into."""

import re
import xml.etree.ElementTree as ET
from collections.abc import Iterator
from itertools import pairwise

from pipeline.verification.labels import combined_headings, has_second_row, is_field, is_label
from pipeline.verification.ooxml.xml import backwards, local, without_cells
from pipeline.verification.reading import Passage

_BREAKS = {"tab": "\t", "ptab": "\t", "br": "\n", "cr": "\n", "noBreakHyphen": "-"}
_OLD = frozenset({"del", "moveFrom"})
_NEW = frozenset({"ins", "moveTo"})
_MOST_COLUMNS = 64  # that one cell covers
_REFERENCES = frozenset({"f", "sqref"})  # elements that lead from a chart to cells


def passages(root: ET.Element) -> Iterator[Passage]:
    """Everything in a part that somebody may read, attributes aside, in reading order."""
    yield from _walk(root, "")


def rows(root: ET.Element) -> Iterator[str]:
    """What is one text only when its pieces are joined: each row of a table, and all paragraphs of the part."""
    paragraphs = []
    for element in root.iter():
        if local(element) == "tr":
            yield "\t".join(_said(cell) for cell in _nearest(element, "tc"))
        elif local(element) == "p":
            paragraphs.append(_said(element))
    yield "\t".join(paragraphs)


def boxes(root: ET.Element) -> Iterator[Passage]:
    """The last line of each text box or shape and the first one of the next, a tab between them."""
    ends: list[tuple[str, str]] = []
    for element in root.iter():
        if local(element) in ("txbxContent", "txBody"):
            lines = [text for p in element.iter() if local(p) == "p" and (text := _said(p).strip())]
            if lines:
                ends.append((lines[0], lines[-1]))
    for (_, last), (first, _) in pairwise(ends):
        yield Passage(f"{last.split()[-1]}\t{first.split()[0]}")


def _walk(element: ET.Element, context: str) -> Iterator[Passage]:
    """Passages of an element that is no part of a paragraph, in reading order."""
    name = local(element)
    if name == "p":
        yield from _paragraph(element, context)
        return
    if name == "tbl":
        yield from _table(element, context)
        return
    if name == "ser":
        context = _series(element) or context
    if element.text and element.text.strip():
        text = element.text.strip()
        yield Passage(without_cells(text) if name in _REFERENCES else text, context)
    for child in element:
        yield from _walk(child, context)
        if child.tail and child.tail.strip():
            yield Passage(child.tail.strip(), context)


def _table(table: ET.Element, context: str) -> Iterator[Passage]:
    """Each cell under the headings of its column, behind the label on its left and the field that its row names."""
    rows = [list(_placed(row)) for row in _nearest(table, "tr")]
    headings: dict[int, str] = {}
    first = min((number for number, row in enumerate(rows) if len(row) > 1), default=-1)
    for number, row in enumerate(rows):
        left = field = ""
        for column, cell in row:
            over = headings.get(column, "")
            labels = dict.fromkeys((over, field if not is_field(over) else "", left))
            for child in cell:
                yield from _walk(child, "\n".join(filter(None, labels)) or context)
            left = _label(cell)
            field = left if is_field(left) else field
        own = {column: label for column, cell in row if (label := _label(cell))}
        if number == first:
            headings = own
        elif number == first + 1 and first >= 0 and number + 1 < len(rows):
            said = {column: text for column, cell in row if (text := _said(cell).strip())}
            headings = combined_headings(headings, own) if has_second_row(headings, said) else headings


def _placed(row: ET.Element) -> Iterator[tuple[int, ET.Element]]:
    """The cells of a row, each with its column; Word leaves out those that a wide one covers."""
    column = 0
    for cell in _nearest(row, "tc"):
        yield column, cell
        spans = (item for part in cell if local(part) == "tcPr" for item in part if local(item) == "gridSpan")
        wide = next((value for span in spans for value in span.attrib.values()), "1")
        column += min(int(wide), _MOST_COLUMNS) if wide.isdecimal() and int(wide) else 1


def _nearest(element: ET.Element, name: str) -> Iterator[ET.Element]:
    """Descendants of that name, those inside other tables left to their own."""
    for child in element:
        if local(child) == name:
            yield child
        elif local(child) not in ("tbl", "tc"):
            yield from _nearest(child, name)


def _label(cell: ET.Element) -> str:
    text = _said(cell).strip()
    return text if is_label(text) else ""


def _said(element: ET.Element) -> str:
    return "".join(item.text or "" for item in element.iter() if local(item) in ("t", "delText"))


def _series(series: ET.Element) -> str:
    """The name of a chart's series, which labels its values."""
    name = next((child for child in series if local(child) == "tx"), None)
    text = "".join(item.text or "" for item in name.iter() if local(item) == "v") if name is not None else ""
    return text.strip() if is_label(text.strip()) else ""


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
    yield from backwards(paragraph, "".join(now))
    for element in inner:
        yield from _walk(element, context)


def _collect(
    element: ET.Element, age: int, now: list[str], before: list[str], codes: list[str], inner: list[ET.Element]
) -> None:
    for child in element:
        name = local(child)
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
