"""CSV: reads every cell as a unit under its column's heading, and rewrites only the cells that change."""

from collections.abc import Iterator, Sequence

from pipeline.documents.csv import parse
from pipeline.documents.csv.damaged_numbers import restored_number
from pipeline.documents.csv.labels import HEADING_ROWS, Headings, find_headings
from pipeline.documents.csv.parse import Cell, CsvText
from pipeline.documents.csv.split_columns import SplitColumns, split_columns
from pipeline.documents.document import Extraction, Findings, Fragment, JoinedText, Reading, TextUnit
from pipeline.documents.edits import Edit, apply, by_unit
from pipeline.documents.labels import is_heading, names_field, over_and_before
from pipeline.documents.limits import MAX_CSV_CELLS, MAX_CSV_JOINTS
from schemas.errors import ErrorCode, StageFailed, unsupported
from schemas.refusals import Reason

# Control characters, which would split a value for detection, are read as zero-width spaces.
_INVISIBLE = {code: "\u200b" for code in (*range(32), *range(0x7F, 0xA0)) if chr(code) not in "\t\n\v\f\r\x1a\x85"}
_SIGNS = ("+", "-")


def inspect(data: bytes) -> int:
    """Billed pages: none. StageFailed (unsupported_format) when the file cannot be read."""
    parse.read(data)
    return 0


def extract(data: bytes) -> tuple[Extraction, dict[str, bytes]]:
    """A unit per cell that is not blank, with the id `row:column`, row by row; joints where columns split a value."""
    file = parse.read(data)
    headings = _headings(file)
    value_columns = split_columns(headings)
    units: list[TextUnit] = []
    joints: list[JoinedText] = []
    row: dict[int, TextUnit] = {}
    label, field, number = "", "", -1
    for cell in file.cells():
        if cell.row != number:
            joints += _joints_of_row(row, value_columns) if number not in headings.rows else ()
            row, label, field, number = {}, "", "", cell.row
        heading = headings.heading_of(cell)
        text = _visible_text(cell, file, heading)
        if not text or text.isspace():
            continue
        is_value = cell.row not in headings.rows
        context = over_and_before(heading, field, label if headings.is_form else "") if is_value else heading
        label = text if is_heading(text) else ""
        field = label if names_field(label) else field
        unit = TextUnit(f"{cell.row}:{cell.column}", text, context)
        units.append(unit)
        row[cell.column] = unit
        if len(units) > MAX_CSV_CELLS or len(joints) > MAX_CSV_JOINTS:
            raise unsupported(Reason.TOO_COMPLEX)
    joints += _joints_of_row(row, value_columns)
    return Extraction(tuple(units), joints=tuple(joints)), {}


def redact(data: bytes, findings: Findings, readings: Sequence[Reading]) -> bytes:
    """The file with placeholders; all other cells, delimiters and line ends stay the same, byte for byte."""
    file = parse.read(data)
    headings = _headings(file)
    edits = by_unit(findings)
    changes: list[Edit] = []
    for cell in file.cells():
        own = edits.pop(f"{cell.row}:{cell.column}", None)
        if own:
            changes.append(Edit(cell.start, cell.end, _edited_cell(cell, own, file, headings.heading_of(cell))))
    if edits:
        raise StageFailed(ErrorCode.REDACTION_INCOMPLETE)
    return file.encode(apply(file.text, changes))


def _headings(file: CsvText) -> Headings:
    shown = file.decoded.shown
    return find_headings(cell._replace(raw=shown(cell.raw)) for cell in _first_rows(file))


def _first_rows(file: CsvText) -> Iterator[Cell]:
    for cell in file.cells():
        if cell.row >= HEADING_ROWS:
            return
        yield cell


def _visible_text(cell: Cell, file: CsvText, heading: str) -> str:
    """The text of a cell for detection: with restored numbers, decoded stray bytes, and no control characters."""
    text = restored_number(cell.text, heading)
    return text if text.isascii() and text.isprintable() else file.decoded.shown(text).translate(_INVISIBLE)


def _joints_of_row(row: dict[int, TextUnit], value_columns: Sequence[SplitColumns]) -> Iterator[JoinedText]:
    """Joints of the cells of a row that hold one value together."""
    for columns, label in value_columns:
        units = [row[column] for column in columns if column in row]
        if len(units) > 1:
            yield JoinedText(tuple(Fragment(unit.id, 0, len(unit.text)) for unit in units), " ", label)


def _edited_cell(cell: Cell, edits: list[Edit], file: CsvText, heading: str) -> str:
    """The raw cell after its edits; everything but the found values stays as written."""
    before = restored_number(cell.text, heading)
    if _is_number(before) and edits[0].start == 1:  # a sign before a word would make the cell a formula
        edits = [Edit(0, edits[0].end, edits[0].replacement), *edits[1:]]
    if before != cell.text:  # the number is written in another form
        value = apply(before, edits)
        return parse.quoted(value, cell.quote) if cell.quote else value
    at = parse.character_spans(cell)
    return apply(cell.raw, [Edit(at[edit.start][0], at[edit.end - 1][1], edit.replacement) for edit in edits])


def _is_number(text: str) -> bool:
    return text[:1] in _SIGNS and not any(c.isalpha() for c in text)
