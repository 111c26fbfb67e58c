"""Finds what heads the rows of a PDF's tables where their lines alone do not tell: a heading that stands on an earlier
page, or whose table is broken up by cells of several lines.
"""

import re
from collections.abc import Callable, Iterable, Iterator, Sequence
from typing import NamedTuple

from pipeline.documents.document import AGAIN
from pipeline.documents.pdf_text import PageText

_ALIGNED = 0.5  # of the type size: how far the edges of a column's cells may differ
_EDGES = 3  # lines at a page's top and bottom that may be running heads and feet
_FEWEST = 2  # cells of a row
_LONGEST_HEADING = 300  # characters
_ROWS = f"{AGAIN}/rows/"
_DIGIT = re.compile(r"\d")


class Cell(NamedTuple):
    """A piece of a row: its range of the text, its glyphs' extent, baseline and type size."""

    start: int
    end: int
    left: float
    right: float
    baseline: float
    size: float

    def is_aligned(self, other: "Cell") -> bool:
        """Whether it may stand in one column with the other."""
        slack = _ALIGNED * self.size
        middles = (self.left + self.right - other.left - other.right) / 2
        return min(abs(self.left - other.left), abs(self.right - other.right), abs(middles)) < slack


Row = Sequence[Cell]
Rows = Sequence[Row]


def rows_of(read: PageText) -> list[Row]:
    """The cells of each line."""
    rows: list[Row] = []
    position = 0
    for line in read.text.split("\n"):
        cells = []
        for piece in line.split("\t"):
            end = position + len(piece)
            glyphs = [read.glyphs[owner] for owner in read.owners[position:end] if owner >= 0]
            if glyphs:
                left, right = min(g.start for g in glyphs), max(g.end for g in glyphs)
                cells.append(Cell(position, end, left, right, glyphs[0].baseline, glyphs[0].size))
            position = end + 1
        rows.append(cells)
    return rows


class Top(NamedTuple):
    """The row of a page from which on a table goes on that began on an earlier page, and the table's heading."""

    row: int
    heading: str


Tops = Callable[[PageText, Rows], Top | None]


class Headings:
    """Asked page by page, knows which heading goes on at the page's top."""

    def __init__(self) -> None:
        self._open: tuple[str, Row] | None = None  # of the table at the end of the page before: heading and last row

    def top(self, read: PageText, rows: Rows) -> Top | None:
        """The table that goes on from the page before the one that reads so."""
        found = self._going_on(read, rows) if self._open else None
        self._open = self._at_end(read, rows, found)
        return found

    def _going_on(self, read: PageText, rows: Rows) -> Top | None:
        heading, last = self._open or ("", ())
        for number, row in enumerate(rows[: _EDGES + 1]):
            if _is_like(row, last):
                digits = [bool(_DIGIT.search(_said(read, rows[index]))) for index in _full(rows, number)]
                has_own = any(digits) and not digits[0]
                return None if has_own else Top(number, heading)
        return None

    def _at_end(self, read: PageText, rows: Rows, top: Top | None) -> tuple[str, Row] | None:
        ends = list(_tables(rows, top.row if top else 0))
        if not ends or ends[-1][1] < len(rows) - _EDGES:
            return None
        start = ends[-1][0]
        last = rows[_full(rows, start)[-1]]
        if top and start == top.row:
            return top.heading, last
        return (_said(read, rows[start]), last) if _is_heading(read, rows[start]) else None


def headed(page: str, read: PageText, rows: Rows, top: Top | None) -> Iterator[tuple[str, PageText]]:
    """Rows under their heading as texts of their own, where the page's text does not show them so, by unit id."""
    if top:
        text, owners = _lines(read, [rows[number] for number in _full(rows, top.row)])
        blank = [-1] * (len(top.heading) + 1)
        id_ = f"{page}{_ROWS}{top.row}/{len(top.heading)}"
        yield id_, PageText(f"{top.heading}\n{text}", (*blank, *owners), read.glyphs)
    text, owners = "", []
    for start, end in _tables(rows):
        full = _full(rows, start)
        if len(full) < end - start and _is_heading(read, rows[start]):
            more, more_owners = _lines(read, [rows[number] for number in full])
            text, owners = f"{text}{more}\n", [*owners, *more_owners, -1]
    if text:
        yield f"{page}{_ROWS}", PageText(text, tuple(owners), read.glyphs)


def known_top(units: Iterable[str]) -> Tops:
    """What tells the table at the top of a page again by the ids of the page's units; its heading as blanks."""
    ends = (unit.partition(_ROWS)[2].partition("/") for unit in units)
    top = next((Top(int(row), " " * int(length)) for row, _, length in ends if length), None)
    return lambda read, rows: top


def _tables(rows: Rows, start: int = 0) -> Iterator[tuple[int, int]]:
    """The first row of each table, and where the table ends."""
    while start < len(rows):
        end = start + 1
        if len(rows[start]) >= _FEWEST:
            end = _end(rows, start)
            if end > start + 1:
                yield start, end
        start = end


def _end(rows: Rows, start: int) -> int:
    """Where the table ends that begins with a row."""
    last = rows[start]
    for number in range(start + 1, len(rows)):
        row = rows[number]
        if len(row) == len(last):
            last = row
        elif not _goes_on(row, last):
            return number
    return len(rows)


def _full(rows: Rows, start: int) -> list[int]:
    """The rows of the table that begins there, without lines that only go on with a row's cells."""
    width = len(rows[start])
    return [number for number in range(start, _end(rows, start)) if len(rows[number]) == width]


def _goes_on(row: Row, above: Row) -> bool:
    return 0 < len(row) < len(above) and all(any(cell.is_aligned(other) for other in above) for cell in row)


def _is_like(row: Row, other: Row) -> bool:
    """Whether two rows have the same columns."""
    return len(row) == len(other) and all(map(Cell.is_aligned, row, other))


def _is_heading(read: PageText, row: Row) -> bool:
    said = _said(read, row)
    return len(said) <= _LONGEST_HEADING and not _DIGIT.search(said)


def _said(read: PageText, row: Row) -> str:
    return read.text[row[0].start : row[-1].end]


def _lines(read: PageText, rows: Rows) -> tuple[str, list[int]]:
    """The rows as lines, and the glyph of each character."""
    owners: list[int] = []
    for number, row in enumerate(rows):
        owners += [-1] * bool(number)
        owners += read.owners[row[0].start : row[-1].end]
    return "\n".join(_said(read, row) for row in rows), owners
