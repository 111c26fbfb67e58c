"""Columns of tables, followed downwards from their headings by geometry, cell by cell.

The text of a page has no empty cells, two for one with a gap, some rows in the other direction, and those of a
photographed page in pieces.
"""

from collections.abc import Iterable, Iterator, Mapping, Sequence, Set
from typing import Any, NamedTuple, Self

import numpy as np

from pipeline.detect.text.headings import is_of_names, labels_of
from pipeline.documents.document import Reading, Word
from pipeline.geometry.strip import Box
from pipeline.ocr.layout.lines import words_by_line

MOST_CELLS = 20_000  # of a page: more are not followed
_MOST_ROWS = 500  # of a column
_MAX_DISTANCE = 4.0  # times the height of a cell: between one and the next below
_SAME_ROW = 0.8  # times its height: between the middles of cells side by side
_BESIDE = 0.6  # times the lower height: between the middles of cells side by side
_REACHED = 0.5  # of the width of another heading: a cell below that much of it
_MAX_GAP = 8.0  # times its height: beside a heading, to a cell that does not overlap it, as a centred number
_MAX_LEADING = 0.8  # times the height of a line of a heading: between it and the next line
_SLOPE = 0.07  # of rows that are not level
_MOST_WORDS = 8  # without digits, of a cell: more are prose


class Cell(NamedTuple):
    """The words of a cell in the order of its text."""

    text: str
    words: Sequence[Word]

    @property
    def box(self) -> tuple[int, int, int, int]:
        """Left, top, right, bottom in pixels."""
        boxes = [(word.left, word.top, word.left + word.width, word.top + word.height) for word in self.words]
        lefts, tops, rights, bottoms = zip(*boxes, strict=True)
        return min(lefts), min(tops), max(rights), max(bottoms)

    @property
    def has_digits(self) -> bool:
        return any(map(str.isdigit, self.text))

    @property
    def is_prose(self) -> bool:
        return sum(not any(map(str.isdigit, word)) for word in self.text.split()) > _MOST_WORDS


def cells_of(text: str, start: int, end: int, words: Sequence[Word]) -> Iterator[Cell]:
    """The cells of a line, which tabs part."""
    place = 0
    for part in text[start:end].split("\t"):
        first, start = place, start + len(part) + 1
        while place < len(words) and words[place].start < start:
            place += 1
        if place > first:
            own = words[first:place]
            yield Cell(text[own[0].start : max(word.end for word in own)], own)


class Table(NamedTuple):
    """The cells of a page by their tops, the labels that each may be, their boxes (n, 4) as left, top, right, bottom.

    And what they are (n,): of the labels some are of names; titles of jobs are, and may as well be values beside a
    number. `stacked`: by the first line of what may be a heading, its second. `by_middle`: the cells by the `middles`
    of their heights.
    """

    cells: Sequence[Cell]
    labels: Sequence[Sequence[str]]
    boxes: Any
    has_digits: Any
    is_label: Any
    is_of_names: Any
    stacked: Mapping[int, int]
    by_middle: Any
    middles: Any
    width: int

    @classmethod
    def of(cls, cells: Iterable[Cell]) -> Self:
        """The table of these cells. Empty for more than MOST_CELLS."""
        chosen = list(cells)
        if len(chosen) > MOST_CELLS:
            chosen = []
        return cls._of([(cell, () if cell.has_digits else labels_of(cell.text)) for cell in chosen])

    @classmethod
    def _of(cls, labelled: Iterable[tuple[Cell, Sequence[str]]]) -> Self:
        ordered = sorted(labelled, key=lambda one: one[0].box[1])
        cells, labels = [cell for cell, _ in ordered], [label for _, label in ordered]
        boxes = np.array([cell.box for cell in cells], int).reshape(-1, 4)
        has_digits = np.array([cell.has_digits for cell in cells], bool)
        middles = (boxes[:, 1] + boxes[:, 3]) / 2
        order = middles.argsort(kind="stable")
        width = int(boxes[:, 2].max(initial=0)) - int(boxes[:, 0].min(initial=0))
        stacked = dict(_stacked(boxes, has_digits))
        return cls(cells, labels, boxes, has_digits, *_kinds(labels), stacked, order, middles[order], width)

    def with_cells(self, cells: Iterable[Cell]) -> Self:
        """The table with further cells that are no labels."""
        return self._of([*zip(self.cells, self.labels, strict=True), *((cell, ()) for cell in cells)])

    def with_labels(self, labels: Sequence[Sequence[str]]) -> Self:
        """The table with other labels for its cells."""
        is_label, are_names = _kinds(labels)
        return self._replace(labels=labels, is_label=is_label, is_of_names=are_names)

    def values(self, heading: int) -> Iterator[tuple[Cell, Sequence[Word]]]:
        """The cells below a label that are no prose, each with the words of it that stand in the column.

        Up to the next label; below a label that does not stand among others, as in a form, also up to the value of a
        label beside it. A cell that reaches below another heading may be two that were read as one; the column goes on
        as before.
        """
        others, is_of_table = self.boxes[self._row(heading, _SLOPE)[0]], self.is_among_headings(heading)
        place, box = heading, self.cells[heading].box
        left, _, right, _ = box
        seen = {heading}
        for _ in range(_MOST_ROWS):
            below = self._below(place, box, (left, right), seen)
            if below is None or self.is_label[below] or self.cells[below].is_prose:
                return
            is_value = not is_of_table and below != self.stacked.get(heading)
            if is_value and self._is_value_of_another(below, heading):
                return
            place, cell = below, self.cells[below]
            seen.add(place)
            shared = np.minimum(others[:, 2], cell.box[2]) - np.maximum(others[:, 0], cell.box[0])
            if not (shared > _REACHED * (others[:, 2] - others[:, 0])).any():
                left, _, right, _ = cell.box
            own = [word for word in cell.words if word.left < right and left < word.left + word.width]
            box = Cell("", own or cell.words).box
            if own:
                yield cell, own

    def is_among_headings(self, heading: int) -> bool:
        """Whether there is another label in the row of one, and no number."""
        (beside, _), (level, _) = self._row(heading, _SLOPE), self._row(heading, 0.0)
        return bool(self.is_label[beside].any() and not self.has_digits[level].any())

    def _is_value_of_another(self, place: int, heading: int) -> bool:
        """Whether the next cell to the left or to the right is a label that may have such a value, as in a form."""
        beside, across = self._row(place, 0.0)
        sides = (side for side in (np.flatnonzero(across > 0), np.flatnonzero(across < 0)) if len(side))
        nearest = [beside[side[np.abs(across[side]).argmin()]] for side in sides]
        may_be = self.is_label if self.is_of_names[heading] else self.is_label & ~self.is_of_names
        return bool(may_be[nearest].any())

    def _row(self, place: int, slope: float) -> tuple[Any, Any]:
        """The cells in the row of one if that is slanted no more, and how far to the right of it they are."""
        left, top, right, bottom = self.boxes[place]
        reach = _BESIDE * (bottom - top) + slope * self.width
        first, end = np.searchsorted(self.middles, ((top + bottom) / 2 - reach, (top + bottom) / 2 + reach + 1))
        near = self.by_middle[first:end]
        boxes = self.boxes[near]
        across, down = (boxes[:, :2] + boxes[:, 2:] - (left + right, top + bottom)).T / 2
        heights = np.minimum(boxes[:, 3] - boxes[:, 1], bottom - top)
        is_beside = (across != 0) & (np.abs(down) <= _BESIDE * heights + slope * np.abs(across))
        return near[is_beside], across[is_beside]

    def _below(self, place: int, box: Box, edges: tuple[int, int], seen: Set[int]) -> int | None:
        """The next cell below the words of one in a box, between these edges, that was not seen.

        For a heading also one beside them if no other label is nearer. What is below, is so by its middle: on a skewed
        page long cells begin beside the last row.
        """
        (left, right), (_, top, _, bottom) = edges, box
        height = bottom - top
        first, end = np.searchsorted(self.middles, (bottom, bottom + _MAX_DISTANCE * height))
        near = np.array([one for one in self.by_middle[first:end].tolist() if one not in seen], int)
        boxes = self.boxes[near]
        overlaps = np.minimum(boxes[:, 2], right) - np.maximum(boxes[:, 0], left)
        under = np.flatnonzero(overlaps > 0)
        if not len(under) and len(seen) == 1:
            under = np.flatnonzero(overlaps >= -_MAX_GAP * height)
            under = under[[self._is_nearest(place, int(near[one])) for one in under]] if len(under) else under
        if not len(under):
            return None
        middles = boxes[under, 1::2].mean(axis=1)
        row = under[middles <= middles[0] + _SAME_ROW * height]
        return int(near[row[overlaps[row].argmax()]])

    def _is_nearest(self, heading: int, place: int) -> bool:
        """Whether no other label above a cell is nearer to its column than a heading."""
        left, top, right, _ = self.boxes[place]
        above = np.flatnonzero(self.is_label & (self.boxes[:, 1] < top))
        overlaps = np.minimum(self.boxes[above, 2], right) - np.maximum(self.boxes[above, 0], left)
        return bool(above[overlaps.argmax()] == heading)


def table_of(text: str, words: Sequence[Word]) -> Table:
    """The table of the cells of a text. Empty for more than MOST_CELLS."""
    return Table.of(cell for line in words_by_line(Reading("", text, tuple(words))) for cell in cells_of(text, *line))


def _kinds(labels: Sequence[Sequence[str]]) -> tuple[Any, Any]:
    """Which cells are labels, and which labels of names."""
    are_names = [bool(label) and is_of_names(label[0]) for label in labels]
    return np.array(list(map(bool, labels)), bool), np.array(are_names, bool)


def _stacked(boxes: Any, has_digits: Any) -> Iterator[tuple[int, int]]:
    """Each cell without digits and the one directly below it, if that has none either: both may be one heading."""
    widths = boxes[:, 2] - boxes[:, 0]
    for upper in np.flatnonzero(~has_digits).tolist():
        left, top, right, bottom = boxes[upper]
        first, end = np.searchsorted(boxes[:, 1], ((top + bottom) / 2, bottom + _MAX_LEADING * (bottom - top)))
        near = boxes[first:end]
        shared = np.minimum(near[:, 2], right) - np.maximum(near[:, 0], left)
        below = first + np.flatnonzero(shared > _REACHED * np.minimum(widths[first:end], right - left))
        if len(below) and not has_digits[below[0]]:
            yield upper, int(below[0])
