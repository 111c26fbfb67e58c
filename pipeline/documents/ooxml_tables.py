"""What labels a table's cells: the heading of the column, and the label on the left in a form."""

from collections.abc import Callable, Iterator

from pipeline.documents.headings import is_heading
from pipeline.documents.ooxml import Element, local

_WRAPPERS = frozenset({"sdt", "sdtContent", "ins", "del", "customXml", "moveTo", "moveFrom"})


def contexts(table: Element, text_of: Callable[[Element], str]) -> dict[Element, str]:
    """The context of each cell element (w:tc, a:tc) of a table, nested tables left to themselves.

    A heading row is the first one with several cells. In reading order the cell on the left is the one before, in
    right-to-left tables too: Word stores cells in logical order.
    """
    headings: dict[int, str] = {}
    result: dict[Element, str] = {}
    is_first = True
    for row in _inside(table, "tr"):
        cells = list(_inside(row, "tc"))
        column, left = 0, ""
        found: dict[int, str] = {}
        for cell in cells:
            text = text_of(cell).strip()
            label = text if is_heading(text) else ""
            result[cell] = "\n".join(part for part in (headings.get(column, ""), left) if part)
            width = _span(cell)
            if label:
                found.update(dict.fromkeys(range(column, column + width), label))
            left = label
            column += width
        if is_first and len(cells) > 1:
            headings, is_first = found, False
    return result


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
