"""Cells of tables below their headings.

Columns are told by geometry, because the text of a page has no cells that are empty, two for one that has a gap, and
some rows in the other direction.
"""

from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from itertools import product
from typing import NamedTuple

from pipeline.detect.text.headings import is_of_names, label_of
from pipeline.documents.document import Word

_MIN_HEADINGS = 2  # with labels in one row, or cells beside the one that has a label: else it may be a row of a form
_MAX_DISTANCE = 4.0  # times the height of a row: from one row of a table to the next
_MAX_GAP = 8.0  # times its height: between a cell and its column where they do not overlap, as a centred number
_MOST_COLUMNS = 64
_MOST_WORDS = 8  # of a cell: more are prose


class _Cell(NamedTuple):
    """The words of a cell in the order of its text."""

    text: str
    words: Sequence[Word]

    @property
    def left(self) -> int:
        return min(word.left for word in self.words)

    @property
    def right(self) -> int:
        return max(word.left + word.width for word in self.words)

    @property
    def has_digits(self) -> bool:
        return any(map(str.isdigit, self.text))


@dataclass
class _Column:
    """The label of a column, "" for an unknown one, and the edges of its last cell in pixels."""

    label: str
    left: int
    right: int

    def overlap(self, cell: _Cell) -> int:
        """The pixels of width that a cell shares with it; negative: of the gap between the two."""
        return min(self.right, cell.right) - max(self.left, cell.left)

    def may_hold(self, cell: _Cell) -> bool:
        """Whether a cell is of the kind that its label says: names have no digits, and numbers have."""
        return bool(self.label) and cell.has_digits != is_of_names(self.label)


def headed_cells(text: str, lines: Sequence[tuple[int, int, list[Word]]]) -> Iterator[tuple[str, Sequence[Word]]]:
    """The words of each cell below a heading, with the label of its column. `lines` as `words_by_line` gives them."""
    columns: list[_Column] = []
    last: tuple[int, int] = 0, 0  # top and height of the row before
    for start, end, words in lines:
        cells = list(_cells(text, start, end, words))
        if not cells:
            continue
        row = _top_and_height(cells)
        labels = [label_of(cell.text) for cell in cells]
        known = sum(map(bool, labels))
        if known >= _MIN_HEADINGS or (known and len(cells) > _MIN_HEADINGS):
            is_heading = not any(cell.has_digits for cell in cells)
            columns = list(map(_column, labels, cells)) if is_heading else []
        elif known or not _follows(row, last) or max(len(cell.words) for cell in cells) > _MOST_WORDS:
            columns = []
        elif columns:
            for column, cell in _assigned(columns, cells, _MAX_GAP * row[1]):
                if column.may_hold(cell):
                    yield column.label, cell.words
        last = row


def _column(label: str, cell: _Cell) -> _Column:
    return _Column(label, cell.left, cell.right)


def _assigned(columns: list[_Column], cells: Sequence[_Cell], gap: float) -> Iterator[tuple[_Column, _Cell]]:
    """Each cell of a row with its column, the nearest first; a cell that no column is left for begins one."""
    taken: dict[int, int] = {}  # the column of each cell
    pairs = product(enumerate(columns), enumerate(cells))
    near = sorted(((column.overlap(cell), number, place) for (number, column), (place, cell) in pairs), reverse=True)
    for overlap, number, place in near:
        if overlap >= -gap and place not in taken and number not in taken.values():
            taken[place] = number
    for place, cell in enumerate(cells):
        if place not in taken:
            columns += [_column("", cell)] if len(columns) < _MOST_COLUMNS else []
            continue
        column = columns[taken[place]]
        if column.overlap(cell) > 0 or not column.label:
            column.left, column.right = cell.left, cell.right
        yield column, cell


def _cells(text: str, start: int, end: int, words: Sequence[Word]) -> Iterator[_Cell]:
    """The cells of a line, which tabs part."""
    place = 0
    for part in text[start:end].split("\t"):
        first, start = place, start + len(part) + 1
        while place < len(words) and words[place].start < start:
            place += 1
        if place > first:
            own = words[first:place]
            yield _Cell(text[own[0].start : max(word.end for word in own)], own)


def _top_and_height(cells: Sequence[_Cell]) -> tuple[int, int]:
    heights = sorted(word.height for cell in cells for word in cell.words)
    return min(word.top for cell in cells for word in cell.words), heights[len(heights) // 2]


def _follows(row: tuple[int, int], last: tuple[int, int]) -> bool:
    """Whether a row is the next one below another."""
    return 0 <= row[0] - last[0] <= (1 + _MAX_DISTANCE) * max(row[1], last[1])
