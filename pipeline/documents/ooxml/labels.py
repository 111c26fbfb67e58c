"""Labels of texts: titles of content controls, names of properties and elements, headings of tables."""

import re
from collections.abc import Callable, Iterator, Sequence
from typing import NamedTuple

from pipeline.documents.labels import (
    combined_headings,
    has_second_heading_row,
    is_heading,
    names_field,
    over_and_before,
)
from pipeline.documents.ooxml.xml import Element, local

PEOPLE = frozenset({"creator", "lastModifiedBy", "author", "Manager"})
_CAMEL = re.compile(r"(?<=[a-z])(?=[A-Z])|[_\-.]+")
_NAME_PART = re.compile(r"(?:first|given|middle|last|family|sur)[_-]?name", re.IGNORECASE)


def control_title(control: Element) -> str:
    """The title (w:alias) of a content control, if it reads as a label."""
    for properties in control:
        if local(properties) == "sdtPr":
            for item in properties:
                if local(item) == "alias":
                    title = next((v for n, v in item.attrib.items() if n.endswith("}val")), "")
                    return title if is_heading(title) else ""
    return ""


def element_label(element: Element) -> str:
    """The label of a text outside paragraphs: the name of its property, or the element's name in words."""
    name = local(element)
    if name in PEOPLE:
        return "Name"
    parent = element.getparent()
    if parent is not None and parent.get("name"):
        return str(parent.get("name"))
    return _CAMEL.sub(" ", name)


def attribute_label(element: Element, name: str) -> str:
    """The label of an attribute's value: the name of a document variable or property, or the attribute's own name when
    that is a part of a person's name."""
    if name not in ("val", "value"):
        return _CAMEL.sub(" ", name) if _NAME_PART.fullmatch(name) else ""
    label = next((v for n, v in element.attrib.items() if n.rpartition("}")[2] == "name"), "")
    return label if is_heading(label) else ""


# Elements between a table and its rows, or a row and its cells.
_WRAPPERS = frozenset({"sdt", "sdtContent", "ins", "del", "customXml", "moveTo", "moveFrom"})


def cell_contexts(table: Element, text_of: Callable[[Element], str]) -> dict[Element, str]:
    """The context of each cell (w:tc, a:tc) of a table: the heading of its column, and the label before it in its row.

    The heading row is the first row with several cells, and maybe the next one. Cells are stored in reading order, in
    right-to-left tables too. Nested tables have contexts of their own.
    """
    headings: dict[int, str] = {}
    result: dict[Element, str] = {}
    rows = [[*_columns(row, text_of)] for row in _children_named(table, "tr")]
    first = next((number for number, row in enumerate(rows) if len(row) > 1), len(rows))
    for number, row in enumerate(rows):
        left = field = ""
        for column, _, cell, text in row:
            result[cell] = over_and_before(headings.get(column, ""), field, left)
            left = text if is_heading(text) else ""
            field = left if names_field(left) else field
        if number == first:
            headings = _labels(row)
        elif number == first + 1 < len(rows) - 1 and has_second_heading_row(
            _texts_by_column(rows[first]), _texts_by_column(row)
        ):
            headings = combined_headings(headings, _labels(row))
    return result


class _Cell(NamedTuple):
    """A cell of a row: its first column, the number of columns that it spans, its element and its text."""

    column: int
    width: int
    element: Element
    text: str


def _columns(row: Element, text_of: Callable[[Element], str]) -> Iterator[_Cell]:
    column = 0
    for element in _children_named(row, "tc"):
        width = _span(element)
        yield _Cell(column, width, element, text_of(element).strip())
        # In slides (a:tc) the cells that a merged cell covers follow it; in Word they are left out.
        column += 1 if "gridSpan" in element.attrib else width


def _texts_by_column(row: Sequence[_Cell]) -> dict[int, str]:
    """The texts of a row by the first column of their cell."""
    return {cell.column: cell.text for cell in row if cell.text}


def _labels(row: Sequence[_Cell]) -> dict[int, str]:
    """The labels of a row by column, each for all columns that its cell spans."""
    return {
        column: cell.text
        for cell in row
        if is_heading(cell.text)
        for column in range(cell.column, cell.column + cell.width)
    }


def _children_named(element: Element, name: str) -> Iterator[Element]:
    """Children of that name, also inside content controls and revision marks."""
    for child in element:
        if local(child) == name:
            yield child
        elif local(child) in _WRAPPERS:
            yield from _children_named(child, name)


def _span(cell: Element) -> int:
    """How many columns a cell spans, at most 64."""
    value = cell.get("gridSpan", "")
    for properties in cell:
        if local(properties) == "tcPr":
            for item in properties:
                if local(item) == "gridSpan":
                    value = next((v for n, v in item.attrib.items() if n.endswith("}val")), "")
    return min(int(value), 64) if value.isdecimal() and int(value) > 0 else 1
