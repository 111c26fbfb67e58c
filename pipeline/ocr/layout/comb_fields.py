"""Fields of a form with a cell for each character of a number, of which some characters were not read.

Between and beside the others these may be anything, as the dots that are zeros in Arabic: all of the field is unread.
"""

from collections.abc import Iterable, Iterator, Sequence
from itertools import pairwise
from typing import Any, NamedTuple

import numpy as np

from pipeline.documents.document import Word
from pipeline.documents.raster.ink import Mark, group_lines
from pipeline.geometry.strip import Box

_LONGEST = 2  # characters of a word in one cell
_MIN_CELLS, _MIN_DIGITS = 6, 3
_MAX_WIDTH = 1.5  # times the height of its line: unread ink in one cell
_MAX_GAP = 6.0  # times the height of the higher one, which may be a dot: between characters of two cells
_TALL = 0.6  # times the height of the field: a dot is lower
_EVEN, _MIN_EVEN = 0.25, 0.7  # of the width of a cell: how far steps are from whole cells; the share of such steps
_MOST_EMPTY = 3.5  # cells: the longest step
_BEYOND = 1.3  # cells beside the outermost characters: one that was not read may stand there
_SIGNS = "+-/. "


class _Cell(NamedTuple):
    place: Mark
    text: str  # "" where nothing was read


def comb_fields(text: str, words: Iterable[Word], unread: Iterable[Box]) -> list[Box]:
    """The boxes (left, top, width, height) of fields that were read in part. `unread`: boxes of unread ink."""
    cells = {
        Mark(word.left, word.top, word.width, word.height): text[word.start : word.end]
        for word in words
        if word.end - word.start <= _LONGEST
    }
    for box in unread:
        cells.setdefault(Mark(*box), "")
    rows = (_apart([_Cell(mark, cells[mark]) for mark in row]) for row in group_lines(list(cells), _MAX_GAP))
    return [box for row in rows if _is_partly_read(row) for box in _boxes([cell.place for cell in row])]


def _apart(row: Sequence[_Cell]) -> list[_Cell]:
    """The cells of a row that are no wider than one; of two at one place the one that was read."""
    height = max(cell.place.height for cell in row)
    kept: list[_Cell] = []
    for cell in row:
        if cell.place.width > _MAX_WIDTH * height:
            continue
        if kept and _middle(cell.place) <= kept[-1].place.left + kept[-1].place.width:
            kept[-1] = max(kept[-1], cell, key=lambda one: bool(one.text))
        else:
            kept.append(cell)
    return kept


def _is_partly_read(row: Sequence[_Cell]) -> bool:
    if len(row) < _MIN_CELLS or sum(any(map(str.isdigit, cell.text)) for cell in row) < _MIN_DIGITS:
        return False
    steps = _steps([cell.place for cell in row])
    cells = steps / np.median(steps)
    is_even = (np.abs(cells - np.round(cells)) <= _EVEN) & (cells >= _EVEN) & (cells <= _MOST_EMPTY)
    if is_even.mean() < _MIN_EVEN:
        return False
    return bool(np.any(cells[is_even] >= 2 - _EVEN)) or not all(map(_is_number, row))


def _is_number(cell: _Cell) -> bool:
    return bool(cell.text) and all(sign.isdigit() or sign in _SIGNS for sign in cell.text)


def _steps(row: Sequence[Mark]) -> Any:
    return np.array([_middle(other) - _middle(one) for one, other in pairwise(row)])


def _middle(mark: Mark) -> float:
    return mark.left + mark.width / 2


def _boxes(row: Sequence[Mark]) -> Iterator[Box]:
    """Boxes of one cell or more each that follow a slanted row."""
    height = float(np.median([mark.height for mark in row if mark.height >= _TALL * max(m.height for m in row)]))
    tall = [mark for mark in row if mark.height >= _TALL * height]
    slope, offset = np.polyfit([_middle(mark) for mark in tall], [mark.top + mark.height / 2 for mark in tall], 1)
    cell = float(np.median(_steps(row)))
    places = [_middle(row[0]) - _BEYOND * cell, *map(_middle, row), _middle(row[-1]) + _BEYOND * cell]
    for left, right in pairwise(places):
        ends = [slope * place + offset for place in (left, right)]
        top, bottom = min(ends) - height * 0.75, max(ends) + height * 0.75
        x, y = max(0, int(left)), max(0, int(top))
        yield x, y, max(1, int(right) + 1 - x), max(1, int(bottom) + 1 - y)
