"""The cells of a workbook as stored and as shown, with the labels around them; and texts outside of cells."""

import re
import xml.etree.ElementTree as ET
from collections.abc import Iterator
from typing import NamedTuple

from pipeline.verification.labels import combined_headings, has_second_row, is_field, is_label
from pipeline.verification.ooxml.formulas import formula
from pipeline.verification.ooxml.number_format import NumberFormat, plain
from pipeline.verification.ooxml.xml import local
from pipeline.verification.reading import Passage

_REFERENCE = re.compile(r"([A-Z]{1,3})([0-9]{1,7})")
_HEADER_CODE = re.compile(r'&(?:"[^"]*"|K[0-9A-Fa-f]{6}|K\d\d[+-]\d{3}|\d{1,3}|[A-Z])')
_HEADER_FIELD = re.compile(r"&[LCR]")
_PLACEHOLDER = re.compile(r"[A-Z_]+_\d{2,}")
_ESCAPED = re.compile(r"_x([0-9A-Fa-f]{4})_")
_MAX_HEADING_ROWS = 50  # rows of a block that are searched for the heading
# Elements whose text is a formula.
_FORMULAS = frozenset({"f", "formula", "formula1", "formula2", "definedName", "calculatedColumnFormula",
                       "totalsRowFormula", "sqref"})  # fmt: skip
_HEADERS = frozenset({"oddHeader", "oddFooter", "evenHeader", "evenFooter", "firstHeader", "firstFooter"})
_RICH = frozenset({"si", "is", "text", "rPh"})  # elements whose runs are one text


class Workbook(NamedTuple):
    """Shared strings and number formats by index, and whether the date system begins in 1904."""

    strings: list[str]
    formats: list[NumberFormat]
    is_1904: bool


class Cell(NamedTuple):
    """A cell with text; `texts` are its readings, as shown first, then as stored."""

    row: int
    column: int
    texts: tuple[str, ...]


def strings(root: ET.Element) -> list[str]:
    """The shared strings; the runs of rich text are joined."""
    return [rich(item) for item in root if local(item) == "si"]


def rich(element: ET.Element) -> str:
    """The joined runs of a string, without phonetic runs, which are read separately."""
    pieces = []
    for child in element:
        name = local(child)
        if name == "t":
            pieces.append(unescaped(child.text or ""))
        elif name != "rPh":
            pieces.append(rich(child))
    return "".join(pieces)


def cells(sheet: ET.Element, workbook: Workbook) -> Iterator[Cell]:
    """The cells of a worksheet in order; a cell without a reference follows the previous one (ECMA-376, 18.3.1.4)."""
    row = 0
    for row_element in (item for item in sheet.iter() if local(item) == "row"):
        row = _number(row_element.get("r"), row + 1)
        column = 0
        for cell in row_element:
            if local(cell) != "c":
                continue
            address = _REFERENCE.fullmatch(cell.get("r", ""))
            column = _column(address[1]) if address else column + 1
            texts = tuple(dict.fromkeys(text for text in _cell_texts(cell, workbook) if text.strip()))
            if texts:
                yield Cell(int(address[2]) if address else row, column, texts)


def _cell_texts(cell: ET.Element, workbook: Workbook) -> Iterator[str]:
    kind = cell.get("t", "n")
    for child in cell:
        name, text = local(child), child.text or ""
        if name == "is":
            yield rich(child)
        elif name == "v" and kind == "s":
            index = _number(text, -1)
            yield workbook.strings[index] if 0 <= index < len(workbook.strings) else text
        elif name == "v" and kind == "n":
            style = _number(cell.get("s"), 0)
            form = workbook.formats[style] if style < len(workbook.formats) else NumberFormat("General")
            shown = form.shown(text, workbook.is_1904)
            yield from (*shown, plain(text))
        elif name == "v" and kind not in ("b", "e"):
            yield unescaped(text)


def unescaped(text: str) -> str:
    """A string with its ST_Xstring escapes decoded: `_x000D_` is a line end, other control characters are dropped."""
    if "_x" not in text:
        return text

    def decoded(match: re.Match[str]) -> str:
        code = int(match[1], 16)
        return "\n" if code == 13 else chr(code) if code in (9, 10) or 32 <= code < 0xD800 or code >= 0xE000 else ""

    return _ESCAPED.sub(decoded, text)


def table(found: list[Cell]) -> Iterator[Passage]:
    """Each cell with its labels: the headings of its column, the field name of its row, the cell on its left in a form.

    Empty rows divide a sheet into blocks. A block may have its own headings; headings of earlier blocks still apply.
    """
    earlier_headings: dict[int, str] = {}
    for block in blocks(found):
        headings, heading_rows = _headings(block)
        previous: Cell | None = None
        row_field = ""
        for cell in block:
            is_adjacent = previous is not None and (previous.row, previous.column) == (cell.row, cell.column - 1)
            left = previous.texts[0].strip() if previous is not None and is_adjacent else ""
            heading = headings.get(cell.column, "")
            labels = [earlier_headings.get(cell.column, ""), heading]
            if previous is None or previous.row != cell.row:
                row_field = ""
            if not any(map(is_field, labels)):
                labels.append(row_field)
            if (not heading or len(headings) <= 2) and is_label(left) and not _PLACEHOLDER.fullmatch(left):
                labels.append(left)
            context = (
                "\n".join(dict.fromkeys(label for label in labels if label)) if cell.row not in heading_rows else ""
            )
            yield from (Passage(text.strip(), context) for text in cell.texts)
            previous, text = cell, cell.texts[0].strip()
            row_field = text if is_label(text) and is_field(text) and not _PLACEHOLDER.fullmatch(text) else row_field
        earlier_headings |= headings


def blocks(found: list[Cell]) -> Iterator[list[Cell]]:
    """The cells between empty rows."""
    block: list[Cell] = []
    for cell in found:
        if block and cell.row - block[-1].row not in (0, 1):
            yield block
            block = []
        block.append(cell)
    if block:
        yield block


def rows_and_columns(found: list[Cell]) -> Iterator[str]:
    """Each row and each column as one text: a value may be split over neighbouring cells."""
    rows: dict[int, list[str]] = {}
    columns: dict[int, list[str]] = {}
    for cell in found:
        rows.setdefault(cell.row, []).append(cell.texts[0])
        columns.setdefault(cell.column, []).append(cell.texts[0])
    for line in (*rows.values(), *columns.values()):
        if len(line) > 1:
            yield "\t".join(line)


def texts_outside_cells(root: ET.Element) -> Iterator[Passage]:
    """Every text of a part outside of cells: strings, comments, headers and footers, formulas, properties."""
    for element in root.iter():
        name, text = local(element), element.text or ""
        if name in _RICH:
            yield Passage(rich(element) or "".join(element.itertext()))
            phonetic = "".join(t.text or "" for hint in element if local(hint) == "rPh" for t in hint)
            yield from (Passage(hint) for hint in (phonetic,) if hint.strip())
        elif name in _HEADERS:
            yield from (Passage(_HEADER_CODE.sub("", section)) for section in _HEADER_FIELD.split(text))
        elif name in _FORMULAS:
            yield from formula(text)
        elif name not in ("t", "v") and text.strip():
            yield Passage(text.strip())
        if element.tail and element.tail.strip():
            yield Passage(element.tail.strip())


def pivot_cache_values(root: ET.Element) -> Iterator[Passage]:
    """The values of each field of a pivot table cache, with the field name as label."""
    for field in (item for item in root.iter() if local(item) == "cacheField"):
        name = field.get("name", "")
        for item in field.iter():
            value = item.get("v")
            if value:
                yield Passage(value, name if is_label(name) else "")


def formats(root: ET.Element) -> list[NumberFormat]:
    """The number format of each cell style."""
    custom = {
        _number(item.get("numFmtId"), -1): item.get("formatCode", "") for item in root.iter() if local(item) == "numFmt"
    }
    found: list[NumberFormat] = []
    for styles in root:
        if local(styles) == "cellXfs":
            for style in styles:
                number = _number(style.get("numFmtId"), 0)
                found.append(NumberFormat.of(number, custom.get(number)))
    return found


def _headings(block: list[Cell]) -> tuple[dict[int, str], set[int]]:
    """The column labels of a block and their rows: the first row of labels only, and a second heading row."""
    rows: dict[int, list[Cell]] = {}
    for cell in block:
        if len(rows) > _MAX_HEADING_ROWS:
            break
        rows.setdefault(cell.row, []).append(cell)
    width = max(map(len, rows.values()), default=0)
    numbers = list(rows)
    for index, row in enumerate(numbers[:-1]):
        labels = {cell.column: cell.texts[0].strip() for cell in rows[row]}
        if len(labels) < 2 or not all(map(is_label, labels.values())):
            continue
        heading_rows = {row}
        next_row = {cell.column: cell.texts[0].strip() for cell in rows[numbers[index + 1]]}
        if index + 2 < len(numbers) and has_second_row(labels, next_row):
            labels = combined_headings(labels, next_row)
            heading_rows.add(numbers[index + 1])
        if len(labels) >= min(width, 3):
            return {column: text for column, text in labels.items() if not _PLACEHOLDER.fullmatch(text)}, heading_rows
    return {}, set()


def _column(letters: str) -> int:
    number = 0
    for letter in letters:
        number = number * 26 + ord(letter) - 64
    return number


def _number(text: str | None, default: int) -> int:
    return int(text) if text and len(text) < 10 and text.isascii() and text.isdecimal() else default
