"""CSV: every cell is a unit, its column's heading its context; only cells that change are written anew."""

from collections.abc import Iterator, Sequence

from pipeline.documents import csv_text
from pipeline.documents.csv_headings import HEADING_ROWS, Headings, headings_of
from pipeline.documents.csv_meaning import meaning
from pipeline.documents.csv_text import Cell, CsvText
from pipeline.documents.document import Extraction, Findings, Joint, Piece, Reading, TextUnit
from pipeline.documents.headings import is_heading, names_field, over_and_before
from pipeline.documents.limits import MAX_CSV_CELLS, MAX_CSV_JOINTS
from pipeline.documents.replace import Edit, apply, by_unit
from pipeline.documents.split_columns import Split, splits
from schemas.errors import ErrorCode, StageFailed

# Control characters, which detection is not to stumble over.
_INVISIBLE = {code: "\u200b" for code in (*range(32), *range(0x7F, 0xA0)) if chr(code) not in "\t\n\v\f\r\x1a\x85"}
_SIGNS = ("+", "-")


def inspect(data: bytes) -> int:
    """Billed pages: none. StageFailed (unsupported_format) when the file cannot be read."""
    csv_text.read(data)
    return 0


def extract(data: bytes) -> tuple[Extraction, dict[str, bytes]]:
    """A unit per cell that is not blank, id `row:column`, row by row; joints where columns split one value."""
    file = csv_text.read(data)
    headings = _headings(file)
    split = splits(headings)
    units: list[TextUnit] = []
    joints: list[Joint] = []
    row: dict[int, TextUnit] = {}
    label, field, number = "", "", -1
    for cell in file.cells():
        if cell.row != number:
            joints += _joints(row, split) if number not in headings.rows else ()
            row, label, field, number = {}, "", "", cell.row
        heading = headings.over(cell)
        text = _said(cell, file, heading)
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
            raise StageFailed(ErrorCode.UNSUPPORTED_FORMAT)
    joints += _joints(row, split)
    return Extraction(tuple(units), joints=tuple(joints)), {}


def redact(data: bytes, findings: Findings, readings: Sequence[Reading]) -> bytes:
    """The file with placeholders; every byte of an untouched cell, delimiter and line end stays as it was."""
    file = csv_text.read(data)
    headings = _headings(file)
    edits = by_unit(findings)
    changes: list[Edit] = []
    for cell in file.cells():
        own = edits.pop(f"{cell.row}:{cell.column}", None)
        if own:
            changes.append(Edit(cell.start, cell.end, _rewritten(cell, own, file, headings.over(cell))))
    if edits:
        raise StageFailed(ErrorCode.REDACTION_INCOMPLETE)
    return file.encode(apply(file.text, changes))


def _headings(file: CsvText) -> Headings:
    shown = file.decoded.shown
    return headings_of(cell._replace(raw=shown(cell.raw)) for cell in _first_rows(file))


def _first_rows(file: CsvText) -> Iterator[Cell]:
    for cell in file.cells():
        if cell.row >= HEADING_ROWS:
            return
        yield cell


def _said(cell: Cell, file: CsvText, heading: str) -> str:
    """What detection reads of a cell: the digits that it means, the letters of odd bytes, nothing unseen."""
    text = meaning(cell.text, heading)
    return text if text.isascii() and text.isprintable() else file.decoded.shown(text).translate(_INVISIBLE)


def _joints(row: dict[int, TextUnit], split: Sequence[Split]) -> Iterator[Joint]:
    """The cells of a row that its columns' headings make one text."""
    for columns, label in split:
        units = [row[column] for column in columns if column in row]
        if len(units) > 1:
            yield Joint(tuple(Piece(unit.id, 0, len(unit.text)) for unit in units), " ", label)


def _rewritten(cell: Cell, edits: list[Edit], file: CsvText, heading: str) -> str:
    """The cell after its edits, in its own quotes: all but what was found stays as written."""
    before = meaning(cell.text, heading)
    if _is_number(before) and edits[0].start == 1:  # a sign before a number is no formula; before a word it would be
        edits = [Edit(0, edits[0].end, edits[0].replacement), *edits[1:]]
    if before != cell.text:  # the number stands there otherwise
        value = apply(before, edits)
        return csv_text.quoted(value, cell.quote) if cell.quote else value
    at = csv_text.places(cell)
    return apply(cell.raw, [Edit(at[edit.start][0], at[edit.end - 1][1], edit.replacement) for edit in edits])


def _is_number(text: str) -> bool:
    return text[:1] in _SIGNS and not any(c.isalpha() for c in text)
