"""Cells of tables below their headings: each follows again behind the label of its column.

Columns are told by geometry, because the text of a page has no cells that are empty, two for one that has a gap, and
some rows in the other direction.
"""

from collections.abc import Iterator, Sequence
from dataclasses import dataclass, replace
from typing import NamedTuple

from pipeline.detect.text.headings import label_of
from pipeline.documents.document import Reading, Word
from pipeline.ocr.layout.lines import words_by_line

_MIN_HEADINGS = 2  # with labels in one row, or cells beside the one that has a label: else it may be a row of a form
_MAX_DISTANCE = 4.0  # times the height of a row: from one row of a table to the next
_MAX_GAP = 8.0  # times its height: between a cell and its column where they do not overlap, as a centred number
_STOPS = " .:#"  # at the end of a label
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


def with_headed_cells(reading: Reading) -> Reading:
    """The reading with each cell below a heading again at its end, in a line behind the label.

    The words keep their boxes; the labels have none. O(words log words).
    """
    parts, words, position = [reading.text], list(reading.words), len(reading.text)
    for label, cell in _headed_cells(reading):
        line = f"{label.rstrip(_STOPS)}:\t{cell.text}"
        offset = position + len(line) + 1 - len(cell.text) - cell.words[0].start
        words += [replace(word, start=word.start + offset, end=word.end + offset) for word in cell.words]
        parts.append(line)
        position += 1 + len(line)
    return replace(reading, text="\n".join(parts), words=tuple(words)) if len(parts) > 1 else reading


def _headed_cells(reading: Reading) -> Iterator[tuple[str, _Cell]]:
    """The cells below headings, each with the label of its column."""
    columns: list[_Column] = []
    last: tuple[int, int] = 0, 0  # top and height of the row before
    for start, end, line_words in words_by_line(reading):
        cells = list(_cells(reading.text, start, end, line_words))
        if not cells:
            continue
        row = _top_and_height(cells)
        labels = [label_of(cell.text) for cell in cells]
        known = sum(map(bool, labels))
        if known >= _MIN_HEADINGS or (known and len(cells) > _MIN_HEADINGS):
            is_heading = not any(cell.has_digits for cell in cells)
            columns = [_Column(*parts) for parts in _edges(labels, cells)] if is_heading else []
        elif any(labels) or not _follows(row, last) or max(len(cell.words) for cell in cells) > _MOST_WORDS:
            columns = []
        for cell in cells if columns and not any(labels) else ():
            column = max(columns, key=lambda column: column.overlap(cell))
            if column.overlap(cell) >= -_MAX_GAP * row[1]:
                column.left, column.right = cell.left, cell.right
                if column.label:
                    yield column.label, cell
        last = row


def _edges(labels: Sequence[str], cells: Sequence[_Cell]) -> Iterator[tuple[str, int, int]]:
    for label, cell in zip(labels, cells, strict=True):
        yield label, cell.left, cell.right


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
