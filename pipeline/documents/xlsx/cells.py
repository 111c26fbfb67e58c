"""The cells of a worksheet's XML: where each one stands, made regular before reading, rewritten as a string."""

import re
from collections.abc import Iterator, Mapping, Sequence
from typing import NamedTuple

from lxml import etree

from pipeline.documents.edits import Edit, apply
from pipeline.documents.limits import MAX_SHEET_CELLS
from pipeline.documents.ooxml.xml import Element, local, unreadable
from pipeline.documents.xlsx.references import LAST_COLUMN, LAST_ROW, column_letters, column_number
from schemas.refusals import Reason

# Strings of a workbook, plain or in runs of different formats: read as one text, edited run by run.
#
# Source: ECMA-376 part 1, 18.4 (shared strings) and 22.9.2.19 (ST_Xstring, the `_x0041_` escapes).

_SPACE = "{http://www.w3.org/XML/1998/namespace}space"
_ESCAPE = re.compile(r"_x([0-9A-Fa-f]{4})_")
_RETURN = re.compile(r"_x000[Dd]_(?:_x000[Aa]_|\n)?")  # how Windows ends a line
_PHONETIC = frozenset({"rPh", "phoneticPr"})


def runs(item: Element) -> list[Element]:
    """The `t` elements of a string item in order, those of its phonetic hints left out."""
    found: list[Element] = []
    for child in item:
        name = local(child)
        if name == "t":
            found.append(child)
        elif name == "r":
            found += [inner for inner in child if local(inner) == "t"]
    return found


def text_of(item: Element) -> str:
    """What a string item says."""
    return "".join(t.text or "" for t in runs(item))


def edit(item: Element, edits: Sequence[Edit]) -> None:
    """Edits (in offsets of `text_of`) written into the runs: a placeholder stands in the run where its value began.

    Phonetic hints spell what the string said, so they go.
    """
    position = 0
    for t in runs(item):
        text = t.text or ""
        own: list[Edit] = []
        for change in edits:
            start, end = max(change.start, position), min(change.end, position + len(text))
            if start < end:
                own.append(Edit(start - position, end - position, change.replacement if start == change.start else ""))
        write(t, apply(text, own))
        position += len(text)
    for child in list(item):
        if local(child) in _PHONETIC:
            item.remove(child)


def write(t: Element, text: str) -> None:
    """Text into an element whose blanks count."""
    t.text = text
    if text != text.strip():
        t.set(_SPACE, "preserve")


def decode_escapes(root: Element) -> None:
    """Writes escaped characters of a part as themselves: `_x0053_ara` says Sara, `_x000D_` ends a line.

    What XML cannot hold, and nobody sees, goes.
    """
    for element in root.iter():
        if element.text and "_x" in element.text:
            element.text = _decoded(element.text)
        for name, value in element.attrib.items():
            if "_x" in value:
                element.set(name, _decoded(value))


def _decoded(text: str) -> str:
    return _ESCAPE.sub(_character, _RETURN.sub("\n", text))


def _character(match: re.Match[str]) -> str:
    code = int(match[1], 16)
    if code == ord("_") or 0xD800 <= code < 0xE000:  # an underscore that begins no escape; half a character
        return match[0]
    is_xml = code in (9, 10, 13) or 0x20 <= code < 0xFFFE
    return chr(code) if is_xml else ""


def phonetics(item: Element) -> list[Element]:
    """The `t` elements of a string item's phonetic hints, in order."""
    return [t for hint in item if local(hint) == "rPh" for t in hint if local(t) == "t"]


_ADDRESS = re.compile(r"\$?([A-Za-z]{1,3})\$?(\d{1,7})")
_TYPES = frozenset({"b", "d", "e", "inlineStr", "n", "s", "str"})
_AREA = r"\$?[A-Za-z]{1,3}\$?\d{1,7}(?::\$?[A-Za-z]{1,3}\$?\d{1,7})?"
_NEEDED = frozenset({"t", "ref", "r1", "r2", "si"})  # what a formula cannot do without where it says it
_SWITCH = "0|1|true|false|on|off"
_INDEX = r"\d{1,6}"
# What the attributes of cells, rows and formulas may say (18.3.1.4, 18.3.1.73, 18.3.1.40); anything else goes.
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
    """A `c` element; row and column count from 1."""

    row: int
    column: int
    element: Element


def data_of(sheet: Element) -> Element | None:
    """The element that holds a worksheet's rows."""
    return next((child for child in sheet if local(child) == "sheetData"), None)


def cells(sheet: Element) -> Iterator[Cell]:
    """Every cell of a worksheet whose cells are regular, row by row."""
    data = data_of(sheet)
    for row in data if data is not None else ():
        number = int(row.get("r"))
        for element in row:
            yield Cell(number, column_number(element.get("r").rstrip("0123456789")), element)


def make_regular(sheet: Element) -> int:
    """Gives every row and cell its address and takes out what does not belong to its type; how many cells there are.

    unreadable() for more cells than MAX_SHEET_CELLS.
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
                element.remove(child)  # what it last showed stays
        seen.add(name)
        child.tail = None
    element.text = element.tail = None
    _keep_attributes(element, _CELL_ATTRIBUTES)


def _keep_attributes(element: Element, known: Mapping[str, str]) -> None:
    """Takes out the attributes that are not `known`, or say what their patterns there do not allow."""
    for name, value in element.attrib.items():
        pattern = known.get(name)
        if pattern is None or (pattern != ".*" and not re.fullmatch(pattern, value)):
            del element.attrib[name]


def child(element: Element, name: str) -> Element | None:
    """The cell's `f`, `v` or `is`."""
    for inner in element:
        if inner.tag.rpartition("}")[2] == name:
            return inner
    return None


def value(element: Element) -> str:
    """The text of the cell's `v`."""
    inner = child(element, "v")
    return (inner.text or "") if inner is not None else ""


def become_string(element: Element, item: Element | str) -> None:
    """Makes the cell a string of its own: a text, or a string item. Formula and old value go; the style stays."""
    namespace = element.tag.rpartition("}")[0] + "}"
    element[:] = []
    element.set("t", "inlineStr")
    element.attrib.pop("cm", None)
    own = etree.SubElement(element, namespace + "is")
    if isinstance(item, str):
        write(etree.SubElement(own, namespace + "t"), item)
    else:
        own[:] = list(item)


def become_value(element: Element) -> None:
    """Takes the cell's formula out; what it last showed stays."""
    formula = child(element, "f")
    if formula is not None:
        element.remove(formula)
    element.attrib.pop("cm", None)
    if element.get("t") == "str":
        become_string(element, value(element))
