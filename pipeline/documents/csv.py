"""CSV: every cell is a unit, its column's heading its context; only cells that change are written anew."""

from collections import Counter
from collections.abc import Sequence

from pipeline.documents import csv_text
from pipeline.documents.csv_text import Cell, CsvText
from pipeline.documents.document import Extraction, Findings, Reading, TextUnit
from pipeline.documents.headings import is_heading
from pipeline.documents.replace import Edit, apply, by_unit
from schemas.errors import ErrorCode, StageFailed

MAX_CELLS = 2_000_000  # cells of one file that hold anything
_HEADING_ROWS = 20  # rows among which the heading is looked for


def inspect(data: bytes) -> int:
    """Billed pages: none. StageFailed (unsupported_format) when the file cannot be read."""
    csv_text.read(data)
    return 0


def extract(data: bytes) -> tuple[Extraction, dict[str, bytes]]:
    """A unit per cell that is not blank, id `row:column`, row by row."""
    file = csv_text.read(data)
    headings = _headings(file)
    units: list[TextUnit] = []
    label, label_row = "", -1
    for cell in file.cells():
        text = cell.meaning
        if not text or text.isspace():
            continue
        heading = headings.get(cell.column, "") if cell.row != headings.row else ""
        left = label if label_row == cell.row and headings.is_form and cell.row != headings.row else ""
        context = "\n".join(part for part in (heading, left) if part)
        label, label_row = text if is_heading(text) else "", cell.row
        units.append(TextUnit(f"{cell.row}:{cell.column}", text, context))
        if len(units) > MAX_CELLS:
            raise StageFailed(ErrorCode.UNSUPPORTED_FORMAT)
    return Extraction(tuple(units)), {}


def redact(data: bytes, findings: Findings, readings: Sequence[Reading]) -> bytes:
    """The file with placeholders; every byte of an untouched cell, delimiter and line end stays as it was."""
    file = csv_text.read(data)
    edits = by_unit(findings)
    changes: list[Edit] = []
    for cell in file.cells():
        own = edits.pop(f"{cell.row}:{cell.column}", None)
        if own:
            changes.append(Edit(cell.start, cell.end, _rewritten(cell, own, file.delimiter)))
    if edits:
        raise StageFailed(ErrorCode.REDACTION_INCOMPLETE)
    return file.encode(apply(file.text, changes))


def _rewritten(cell: Cell, edits: list[Edit], delimiter: str) -> str:
    value = apply(cell.meaning, edits)
    needs_quotes = value.startswith('"') or any(c in value for c in (delimiter, "\r", "\n"))
    return csv_text.quoted(value) if cell.is_quoted or needs_quotes else value


class _Headings(dict[int, str]):
    """The heading of each column that has one; `row` is theirs, -1 without any.

    `is_form`: each value may stand behind its own label; two columns may be a form or a table.
    """

    row = -1
    is_form = True


def _headings(file: CsvText) -> _Headings:
    """The first row near the top, as wide as the table, whose filled cells all look like labels."""
    rows: dict[int, list[Cell]] = {}
    for cell in file.cells():
        if cell.row >= _HEADING_ROWS:
            break
        if cell.raw and not cell.raw.isspace():
            rows.setdefault(cell.row, []).append(cell)
    headings = _Headings()
    if len(rows) < 2:
        return headings
    width, _ = max(Counter(map(len, rows.values())).items(), key=lambda item: (item[1], item[0]))
    for row, cells in rows.items():
        if len(cells) >= min(width, 3) and all(is_heading(cell.text) for cell in cells):
            if row == max(rows):
                break
            headings.update({cell.column: cell.text.strip() for cell in cells})
            headings.row, headings.is_form = row, len(cells) <= 2
            break
    return headings
