"""What labels a text of a package: a content control's title, a property's name, the name of an element."""

import re
from collections.abc import Callable, Iterator, Sequence
from typing import NamedTuple

from pipeline.documents.labels import goes_on, is_heading, names_field, over_and_before, under
from pipeline.documents.ooxml.xml import Element, local

PEOPLE = frozenset({"creator", "lastModifiedBy", "author", "Manager"})
_CAMEL = re.compile(r"(?<=[a-z])(?=[A-Z])|[_\-.]+")
_NAME_PART = re.compile(r"(?:first|given|middle|last|family|sur)[_-]?name", re.IGNORECASE)


def title_of(control: Element) -> str:
    """The title that a content control bears, when it reads as a label."""
    for properties in control:
        if local(properties) == "sdtPr":
            for item in properties:
                if local(item) == "alias":
                    title = next((v for n, v in item.attrib.items() if n.endswith("}val")), "")
                    return title if is_heading(title) else ""
    return ""


def label_of(element: Element) -> str:
    """What an element outside of paragraphs says of its text: a property's name, or its own name in words."""
    name = local(element)
    if name in PEOPLE:
        return "Name"
    parent = element.getparent()
    if parent is not None and parent.get("name"):
        return str(parent.get("name"))
    return _CAMEL.sub(" ", name)


def attribute_label(element: Element, name: str) -> str:
    """A document variable's or property's name labels its value; a part of a name says so itself."""
    if name not in ("val", "value"):
        return _CAMEL.sub(" ", name) if _NAME_PART.fullmatch(name) else ""
    label = next((v for n, v in element.attrib.items() if n.rpartition("}")[2] == "name"), "")
    return label if is_heading(label) else ""


# What labels a table's cells: the heading of the column, and the label on the left in a form.

_WRAPPERS = frozenset({"sdt", "sdtContent", "ins", "del", "customXml", "moveTo", "moveFrom"})


def contexts(table: Element, text_of: Callable[[Element], str]) -> dict[Element, str]:
    """The context of each cell element (w:tc, a:tc) of a table, nested tables left to themselves.

    A heading row is the first one with several cells; it may go on in the next. In reading order the cell on the left
    is the one before, in right-to-left tables too: Word stores cells in logical order.
    """
    headings: dict[int, str] = {}
    result: dict[Element, str] = {}
    rows = [[*_columns(row, text_of)] for row in _inside(table, "tr")]
    first = next((number for number, row in enumerate(rows) if len(row) > 1), len(rows))
    for number, row in enumerate(rows):
        left = field = ""
        for column, _, cell, text in row:
            result[cell] = over_and_before(headings.get(column, ""), field, left)
            left = text if is_heading(text) else ""
            field = left if names_field(left) else field
        if number == first:
            headings = _labels(row)
        elif number == first + 1 < len(rows) - 1 and goes_on(_begun(rows[first]), _begun(row)):
            headings = under(headings, _labels(row))
    return result


class _Cell(NamedTuple):
    """A cell of a row: its first column, how many it covers, the element, what it says."""

    column: int
    width: int
    element: Element
    text: str


def _columns(row: Element, text_of: Callable[[Element], str]) -> Iterator[_Cell]:
    column = 0
    for element in _inside(row, "tc"):
        width = _span(element)
        yield _Cell(column, width, element, text_of(element).strip())
        # In slides (a:tc) the cells that a merged one covers follow it; in Word they are left out.
        column += 1 if "gridSpan" in element.attrib else width


def _begun(row: Sequence[_Cell]) -> dict[int, str]:
    """The texts of a row by the columns in which they begin."""
    return {cell.column: cell.text for cell in row if cell.text}


def _labels(row: Sequence[_Cell]) -> dict[int, str]:
    """The labels of a row by column, each in all that its cell covers."""
    return {
        column: cell.text
        for cell in row
        if is_heading(cell.text)
        for column in range(cell.column, cell.column + cell.width)
    }


def _inside(element: Element, name: str) -> Iterator[Element]:
    """Children of that name, also through content controls and revision marks around them."""
    for child in element:
        if local(child) == name:
            yield child
        elif local(child) in _WRAPPERS:
            yield from _inside(child, name)


def _span(cell: Element) -> int:
    """How many columns a cell covers."""
    value = cell.get("gridSpan", "")
    for properties in cell:
        if local(properties) == "tcPr":
            for item in properties:
                if local(item) == "gridSpan":
                    value = next((v for n, v in item.attrib.items() if n.endswith("}val")), "")
    return min(int(value), 64) if value.isdecimal() and int(value) > 0 else 1
