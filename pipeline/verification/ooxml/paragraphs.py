"""The text of paragraphs, tables and charts of Word and PowerPoint; the runs of a paragraph are joined."""

import re
import xml.etree.ElementTree as ET
from collections.abc import Iterator
from itertools import pairwise
from typing import NamedTuple

from pipeline.verification.labels import combined_headings, has_second_row, is_field, is_label
from pipeline.verification.ooxml.disguised_text import display_order
from pipeline.verification.ooxml.xml import local, without_cells
from pipeline.verification.reading import Passage

_BREAKS = {"tab": "\t", "ptab": "\t", "br": "\n", "cr": "\n", "noBreakHyphen": "-"}
_DELETIONS = frozenset({"del", "moveFrom"})
_INSERTIONS = frozenset({"ins", "moveTo"})
_MAX_SPAN = 64  # columns that one cell may span
_REFERENCES = frozenset({"f", "sqref"})  # elements of a chart that refer to cells


def passages(root: ET.Element) -> Iterator[Passage]:
    """All texts of a part in document order, attributes excluded."""
    yield from _texts(root, "")


def rows(root: ET.Element) -> Iterator[str]:
    """Joined texts: each table row, and all paragraphs of the part, with tabs between the pieces."""
    paragraphs = []
    for element in root.iter():
        if local(element) == "tr":
            yield "\t".join(_text_of(cell) for cell in _own_descendants(element, "tc"))
        elif local(element) == "p":
            paragraphs.append(_text_of(element))
    yield "\t".join(paragraphs)


def box_seams(root: ET.Element) -> Iterator[Passage]:
    """The last word of each text box or shape and the first word of the next one, with a tab between them."""
    box_texts: list[tuple[str, str]] = []
    for element in root.iter():
        if local(element) in ("txbxContent", "txBody"):
            lines = [text for p in element.iter() if local(p) == "p" and (text := _text_of(p).strip())]
            if lines:
                box_texts.append((lines[0], lines[-1]))
    for (_, last), (first, _) in pairwise(box_texts):
        yield Passage(f"{last.split()[-1]}\t{first.split()[0]}")


def _texts(element: ET.Element, context: str) -> Iterator[Passage]:
    """The texts of an element outside of paragraphs, in document order."""
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
        yield from _texts(child, context)
        if child.tail and child.tail.strip():
            yield Passage(child.tail.strip(), context)


def _table(table: ET.Element, context: str) -> Iterator[Passage]:
    """Each cell with its labels: the heading of its column, the cell on its left and the field name of its row."""
    rows = [list(_columns_of(row)) for row in _own_descendants(table, "tr")]
    headings: dict[int, str] = {}
    first = min((number for number, row in enumerate(rows) if len(row) > 1), default=-1)
    for number, row in enumerate(rows):
        left_label = row_field = ""
        for column, cell in row:
            heading = headings.get(column, "")
            labels = dict.fromkeys((heading, row_field if not is_field(heading) else "", left_label))
            for child in cell:
                yield from _texts(child, "\n".join(filter(None, labels)) or context)
            left_label = _label(cell)
            row_field = left_label if is_field(left_label) else row_field
        row_labels = {column: label for column, cell in row if (label := _label(cell))}
        if number == first:
            headings = row_labels
        elif number == first + 1 and first >= 0 and number + 1 < len(rows):
            row_texts = {column: text for column, cell in row if (text := _text_of(cell).strip())}
            headings = combined_headings(headings, row_labels) if has_second_row(headings, row_texts) else headings


def _columns_of(row: ET.Element) -> Iterator[tuple[int, ET.Element]]:
    """The cells of a row with their columns; a cell with gridSpan takes several columns."""
    column = 0
    for cell in _own_descendants(row, "tc"):
        yield column, cell
        spans = (item for part in cell if local(part) == "tcPr" for item in part if local(item) == "gridSpan")
        span_text = next((value for span in spans for value in span.attrib.values()), "1")
        column += min(int(span_text), _MAX_SPAN) if span_text.isdecimal() and int(span_text) else 1


def _own_descendants(element: ET.Element, name: str) -> Iterator[ET.Element]:
    """Descendants of that name, except those inside a nested table or cell."""
    for child in element:
        if local(child) == name:
            yield child
        elif local(child) not in ("tbl", "tc"):
            yield from _own_descendants(child, name)


def _label(cell: ET.Element) -> str:
    text = _text_of(cell).strip()
    return text if is_label(text) else ""


def _text_of(element: ET.Element) -> str:
    return "".join(item.text or "" for item in element.iter() if local(item) in ("t", "delText"))


def _series(series: ET.Element) -> str:
    """The name of a chart series: the label of its values."""
    name = next((child for child in series if local(child) == "tx"), None)
    text = "".join(item.text or "" for item in name.iter() if local(item) == "v") if name is not None else ""
    return text.strip() if is_label(text.strip()) else ""


class _ParagraphText(NamedTuple):
    """The pieces of a paragraph: with revisions accepted, with revisions rejected, field codes; and nested elements."""

    accepted: list[str]
    rejected: list[str]
    field_codes: list[str]
    nested: list[ET.Element]


def _paragraph(paragraph: ET.Element, context: str) -> Iterator[Passage]:
    """The text of a paragraph with revisions accepted, then rejected, its field codes, and its nested elements."""
    found = _ParagraphText([], [], [], [])
    _collect(paragraph, 0, found)
    for pieces in dict.fromkeys((tuple(found.accepted), tuple(found.rejected), tuple(found.field_codes))):
        text = "".join(pieces)
        if text.strip():
            yield Passage(text, context)
    yield from display_order(paragraph, "".join(found.accepted))
    for element in found.nested:
        yield from _texts(element, context)


def _collect(element: ET.Element, revision: int, found: _ParagraphText) -> None:
    """Adds the texts of an element. `revision`: -1 inside a deletion, 1 inside an insertion, else 0."""
    for child in element:
        name = local(child)
        text = child.text or "" if name in ("t", "delText") else _BREAKS.get(name, "")
        if name in ("p", "tbl"):
            found.nested.append(child)
            continue
        if name in ("instrText", "delInstrText"):
            found.field_codes.append(child.text or "")
        elif name == "sym":
            text = _symbol(child)
        elif name not in ("t", "delText") and child.text and child.text.strip():
            found.nested.append(child)
        if text and revision >= 0 and name != "delText":
            found.accepted.append(text)
        if text and revision <= 0:
            found.rejected.append(text)
        _collect(child, -1 if name in _DELETIONS else 1 if name in _INSERTIONS else revision, found)


def _symbol(element: ET.Element) -> str:
    """The character of a w:sym element; symbol fonts use the private-use range from U+F000."""
    text = next((value for name, value in element.attrib.items() if name.endswith("}char")), "")
    number = int(text, 16) & 0x0FFF if re.fullmatch("[0-9A-Fa-f]{4}", text) else 0
    return chr(number) if number >= 0x20 else ""
