"""The cells of a worksheet: normalized before reading, found by address, and rewritten as strings.

Source: ECMA-376 part 1, 18.3.1.4 (cell), 18.3.1.40 (formula) and 18.3.1.73 (row).
"""

import re
from collections.abc import Iterator, Mapping
from typing import NamedTuple

from lxml import etree

from pipeline.documents.limits import MAX_SHEET_CELLS
from pipeline.documents.ooxml.xml import Element, local, unreadable
from pipeline.documents.xlsx import strings
from pipeline.documents.xlsx.references import LAST_COLUMN, LAST_ROW, column_letters, column_number
from schemas.refusals import Reason

_ADDRESS = re.compile(r"\$?([A-Za-z]{1,3})\$?(\d{1,7})")
_TYPES = frozenset({"b", "d", "e", "inlineStr", "n", "s", "str"})
_AREA = r"\$?[A-Za-z]{1,3}\$?\d{1,7}(?::\$?[A-Za-z]{1,3}\$?\d{1,7})?"
_NEEDED = frozenset({"t", "ref", "r1", "r2", "si"})  # attributes without which a formula that has them is broken
_SWITCH = "0|1|true|false|on|off"
_INDEX = r"\d{1,6}"
# The attributes of cells, rows and formulas, and the patterns of their values; all others are removed.
_CELL_ATTRIBUTES = {"r": ".*", "s": _INDEX, "t": r"\w+", "cm": _INDEX}
_ROW_ATTRIBUTES = {
    "r": ".*", "spans": r"(?:\d{1,5}:\d{1,5} ?)+", "s": _INDEX, "ht": r"\d{1,3}(?:\.\d{1,16})?", "outlineLevel": r"\d",
    **dict.fromkeys(("customFormat", "hidden", "customHeight", "collapsed", "thickTop", "thickBot"), _SWITCH),
}  # fmt: skip
_FORMULA_ATTRIBUTES = {
    "t": "normal|array|dataTable|shared", "ref": _AREA, "r1": _AREA, "r2": _AREA, "si": _INDEX,
    **dict.fromkeys(("aca", "dt2D", "dtr", "del1", "del2", "ca", "bx"), _SWITCH),
}  # fmt: skip


class Cell(NamedTuple):
    """A `c` element, with its row and column, counted from 1."""

    row: int
    column: int
    element: Element


def data_of(sheet: Element) -> Element | None:
    """The `sheetData` element of a worksheet."""
    return next((child for child in sheet if local(child) == "sheetData"), None)


def cells(sheet: Element) -> Iterator[Cell]:
    """Every cell of a normalized worksheet, row by row."""
    data = data_of(sheet)
    for row in data if data is not None else ():
        number = int(row.get("r"))
        for element in row:
            yield Cell(number, column_number(element.get("r").rstrip("0123456789")), element)


def make_regular(sheet: Element) -> int:
    """Normalizes a worksheet: every row and cell gets its address, and what does not belong to its type is removed.

    Returns the number of cells. unreadable() for more than MAX_SHEET_CELLS.
    """
    data = data_of(sheet)
    count = row_number = 0
    for row in list(data) if data is not None else ():
        if local(row) != "row":
            row.getparent().remove(row)
            continue
        stated = row.get("r", "")
        row_number = int(stated) if stated.isdecimal() and 0 < int(stated) <= LAST_ROW else row_number + 1
        _keep_attributes(row, _ROW_ATTRIBUTES)
        row.set("r", str(row_number))
        row.text = row.tail = None
        count += _regular_row(row, row_number)
        if count > MAX_SHEET_CELLS:
            raise unreadable(Reason.TOO_COMPLEX)
    if data is not None:
        data.text = None
    return count


def _regular_row(row: Element, number: int) -> int:
    column = count = 0
    for element in list(row):
        if local(element) != "c":
            row.remove(element)
            continue
        match = _ADDRESS.fullmatch(element.get("r", ""))
        stated = column_number(match[1]) if match else 0
        column = stated if 0 < stated <= LAST_COLUMN else column + 1
        _regular_cell(element)
        element.set("r", f"{column_letters(column)}{number}")
        count += 1
    return count


def _regular_cell(element: Element) -> None:
    if element.get("t") not in _TYPES:
        element.attrib.pop("t", None)
    wanted = "is" if element.get("t") == "inlineStr" else "v"
    seen: set[str] = set()
    for child in list(element):
        name = local(child)
        if name not in ("f", wanted) or name in seen:
            element.remove(child)
        elif name != "is" and len(child):
            child[:] = []
        before = set(child.attrib)
        if name == "f":
            _keep_attributes(child, _FORMULA_ATTRIBUTES)
            if (before - set(child.attrib)) & _NEEDED:
                element.remove(child)  # the cached value stays
        seen.add(name)
        child.tail = None
    element.text = element.tail = None
    _keep_attributes(element, _CELL_ATTRIBUTES)


def _keep_attributes(element: Element, known: Mapping[str, str]) -> None:
    """Removes the attributes that are not in `known`, or whose values do not match their patterns there."""
    for name, value in element.attrib.items():
        pattern = known.get(name)
        if pattern is None or (pattern != ".*" and not re.fullmatch(pattern, value)):
            del element.attrib[name]


def child(element: Element, name: str) -> Element | None:
    """The child of a cell with that name: `f`, `v` or `is`."""
    for inner in element:
        if inner.tag.rpartition("}")[2] == name:
            return inner
    return None


def value(element: Element) -> str:
    """The text of a cell's `v`; empty when it has none."""
    inner = child(element, "v")
    return (inner.text or "") if inner is not None else ""


def become_string(element: Element, item: Element | str) -> None:
    """Replaces the content of a cell by an inline string, given as a text or a string item; its style stays."""
    namespace = element.tag.rpartition("}")[0] + "}"
    element[:] = []
    element.set("t", "inlineStr")
    element.attrib.pop("cm", None)
    own = etree.SubElement(element, namespace + "is")
    if isinstance(item, str):
        strings.write(etree.SubElement(own, namespace + "t"), item)
    else:
        own[:] = list(item)


def become_value(element: Element) -> None:
    """Removes the formula of a cell; its cached value stays."""
    formula = child(element, "f")
    if formula is not None:
        element.remove(formula)
    element.attrib.pop("cm", None)
    if element.get("t") == "str":
        become_string(element, value(element))
