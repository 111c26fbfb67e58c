"""Cells of tables below their headings.

A column is followed downwards from its heading by geometry, cell by cell: the text of a page has no empty cells, two
for one with a gap, some rows in the other direction, and those of a photographed page in pieces.
"""

from collections.abc import Iterator, Mapping, Sequence
from typing import Any, NamedTuple

import numpy as np

from pipeline.detect.text.headings import is_of_names, labels_of
from pipeline.documents.document import Word

_MOST_CELLS, _MOST_ROWS = 20_000, 500  # of a page and of a column: more are not followed
_MAX_DISTANCE = 4.0  # times the height of a cell: between one and the next below
_SAME_ROW = 0.8  # times its height: between the tops of cells side by side
_MAX_STEP = 1.6  # times the first step: between names of a column, below which there may be other words
_BESIDE = 0.6  # times the lower height: between the middles of cells side by side
_REACHED = 0.5  # of the width of another heading: a cell below that much of it
_MAX_GAP = 8.0  # times its height: beside a heading, to a cell that does not overlap it, as a centred number
_MAX_LEADING = 0.8  # times the height of a line of a heading: between it and the next line
_SLOPE = 0.07  # of rows that are not level
_MOST_WORDS = 8  # without digits, of a cell: more are prose


class LabelledValue(NamedTuple):
    """A label as it should be read, the words that say it, and the words of the value that it labels."""

    label: str
    said: Sequence[Word]
    value: Sequence[Word]


class _Cell(NamedTuple):
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


def headed_cells(text: str, lines: Sequence[tuple[int, int, list[Word]]]) -> Iterator[LabelledValue]:
    """The words of each cell below a heading, with the label of its column. `lines` as `words_by_line` gives them.

    A label of names counts only beside other labels: in a form other things than names stand below it, and a title of a
    job may be a value.
    """
    cells = sorted((cell for line in lines for cell in _cells(text, *line)), key=lambda cell: cell.box[1])
    if len(cells) > _MOST_CELLS:
        return
    boxes = np.array([cell.box for cell in cells], int).reshape(-1, 4)
    labels = [() if cell.has_digits else labels_of(cell.text) for cell in cells]
    said = [cell.words for cell in cells]
    stacked = dict(_stacked(cells, boxes))
    for upper, lower in stacked.items():
        if not labels[upper] and not labels[lower]:
            labels[lower] = labels_of(f"{cells[upper].text} {cells[lower].text}")
            said[lower] = (*said[upper], *said[lower])
    names = [bool(label) and is_of_names(label[0]) for label in labels]
    has_digits = np.array([cell.has_digits for cell in cells], bool)
    page = _Page(boxes, np.array([bool(label) for label in labels], bool), np.array(names, bool), has_digits, stacked)
    for heading in np.flatnonzero(page.is_label).tolist():
        of_names = names[heading]
        if of_names and not page.is_among_headings(heading):
            continue
        tops = [cells[heading].box[1]]
        for place, (left, right) in page.column(heading):
            cell = cells[place]
            tops.append(cell.box[1])
            value = [word for word in cell.words if word.left < right and left < word.left + word.width]
            is_far = of_names and tops[-1] - tops[-2] > _MAX_STEP * (tops[1] - tops[0])
            if is_far or cell.is_prose:
                break
            if value and cell.has_digits != of_names:
                for label in labels[heading]:
                    yield LabelledValue(label, said[heading], value)


def _stacked(cells: Sequence[_Cell], boxes: Any) -> Iterator[tuple[int, int]]:
    """Each cell without digits and the one directly below it, if that has none either: both may be one heading."""
    widths = boxes[:, 2] - boxes[:, 0]
    for upper, cell in enumerate(cells):
        left, top, right, bottom = boxes[upper]
        first, end = np.searchsorted(boxes[:, 1], ((top + bottom) / 2, bottom + _MAX_LEADING * (bottom - top)))
        near = boxes[first:end]
        shared = np.minimum(near[:, 2], right) - np.maximum(near[:, 0], left)
        below = first + np.flatnonzero(shared > _REACHED * np.minimum(widths[first:end], right - left))
        if not cell.has_digits and len(below) and not cells[below[0]].has_digits:
            yield upper, int(below[0])


class _Page(NamedTuple):
    """The boxes of cells (n, 4) as left, top, right, bottom, by their tops; which are labels or have digits.

    Of the labels some are of names: titles of jobs are, and may as well be values beside a number. `stacked`: by the
    first line of what may be a heading, its second.
    """

    boxes: Any
    is_label: Any
    of_names: Any
    has_digits: Any
    stacked: Mapping[int, int]

    def column(self, heading: int) -> Iterator[tuple[int, tuple[int, int]]]:
        """The cells below a heading, up to the next label or the value of one beside it, with the edges of the column.

        A cell that reaches below another heading may be two that were read as one; the column goes on as before.
        """
        _, is_beside = self._row(heading, _SLOPE)
        others = self.boxes[is_beside]
        edges = int(self.boxes[heading, 0]), int(self.boxes[heading, 2])
        place = self._below(heading, edges, is_heading=True)
        for _ in range(_MOST_ROWS):
            if place is None or self.is_label[place]:
                return
            if place != self.stacked.get(heading) and self._is_value_of_another(place, heading):
                return
            left, _, right, _ = self.boxes[place]
            shared = np.minimum(others[:, 2], right) - np.maximum(others[:, 0], left)
            if not (shared > _REACHED * (others[:, 2] - others[:, 0])).any():
                edges = int(left), int(right)
            yield place, edges
            place = self._below(place, edges, is_heading=False)

    def is_among_headings(self, heading: int) -> bool:
        """Whether there is another label in the row of one, and no number close beside it."""
        (_, is_beside), (_, is_level) = self._row(heading, _SLOPE), self._row(heading, 0.0)
        return bool((is_beside & self.is_label).any() and not (is_level & self.has_digits).any())

    def _is_value_of_another(self, place: int, heading: int) -> bool:
        """Whether the next cell to the left or to the right is a label that may have such a value, as in a form."""
        across, is_beside = self._row(place, 0.0)
        sides = (np.flatnonzero(is_beside & (side > 0)) for side in (across, -across))
        labels = self.is_label if self.of_names[heading] else self.is_label & ~self.of_names
        return any(labels[side[np.abs(across[side]).argmin()]] for side in sides if len(side))

    def _row(self, place: int, slope: float) -> tuple[Any, Any]:
        """How far to the right of one cell all are, and which are in its row if that is slanted no more."""
        (left, top, right, bottom), boxes = self.boxes[place], self.boxes
        across, down = (boxes[:, :2] + boxes[:, 2:] - (left + right, top + bottom)).T / 2
        heights = np.minimum(boxes[:, 3] - boxes[:, 1], bottom - top)
        return across, (across != 0) & (np.abs(down) <= _BESIDE * heights + slope * np.abs(across))

    def _below(self, place: int, edges: tuple[int, int], *, is_heading: bool) -> int | None:
        """The next cell below one, between these edges; for a heading also beside them if no other label is nearer."""
        (left, right), (_, top, _, bottom) = edges, self.boxes[place]
        height = bottom - top
        first, end = np.searchsorted(self.boxes[:, 1], ((top + bottom) / 2, bottom + _MAX_DISTANCE * height))
        near = self.boxes[first:end]
        overlaps = np.minimum(near[:, 2], right) - np.maximum(near[:, 0], left)
        under = np.flatnonzero(overlaps > 0)
        if not len(under) and is_heading:
            under = np.flatnonzero(overlaps >= -_MAX_GAP * height)
            under = under[[self._is_nearest(place, first + one) for one in under]] if len(under) else under
        if not len(under):
            return None
        row = under[near[under, 1] <= near[under[0], 1] + _SAME_ROW * height]
        return int(first + row[overlaps[row].argmax()])

    def _is_nearest(self, heading: int, place: int) -> bool:
        """Whether no other label above a cell is nearer to its column than a heading."""
        left, top, right, _ = self.boxes[place]
        above = np.flatnonzero(self.is_label & (self.boxes[:, 1] < top))
        overlaps = np.minimum(self.boxes[above, 2], right) - np.maximum(self.boxes[above, 0], left)
        return bool(above[overlaps.argmax()] == heading)


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
