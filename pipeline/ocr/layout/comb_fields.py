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
_MAX_CELL = 3.5  # times the height of a digit: the columns of a table are wider
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
    fields = (field for row in rows for field in _together(row))
    return [box for field in fields if _is_partly_read(field) for box in _boxes(field)]


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


def _together(row: Sequence[_Cell]) -> Iterator[list[_Cell]]:
    """The parts of a row without more than a few empty cells: a word may stand before a field."""
    digits = _digits(row)
    if len(digits) < _MIN_DIGITS:
        return
    part = [row[0]]
    for cell in row[1:]:
        if _middle(cell.place) - _middle(part[-1].place) > _MOST_EMPTY * _width(digits):
            yield part
            part = []
        part.append(cell)
    yield part


def _is_partly_read(row: Sequence[_Cell]) -> bool:
    digits = _digits(row)
    if len(row) < _MIN_CELLS or len(digits) < _MIN_DIGITS:
        return False
    cell = _width(digits)
    if cell > _MAX_CELL * max(place.height for place in digits):
        return False
    steps = _steps(digits) / cell
    is_even = (np.abs(steps - np.round(steps)) <= _EVEN) & (steps > _EVEN) & (steps <= _MOST_EMPTY)
    if is_even.mean() < _MIN_EVEN:
        return False
    return bool(np.any(steps[is_even] >= 2 - _EVEN)) or not all(map(_is_number, row))


def _digits(row: Sequence[_Cell]) -> list[Mark]:
    """The places of the digits; what was read between them may be rules."""
    return [cell.place for cell in row if any(map(str.isdigit, cell.text))]


def _is_number(cell: _Cell) -> bool:
    return bool(cell.text) and all(sign.isdigit() or sign in _SIGNS for sign in cell.text)


def _steps(row: Sequence[Mark]) -> Any:
    return np.array([_middle(other) - _middle(one) for one, other in pairwise(row)])


def _middle(mark: Mark) -> float:
    return mark.left + mark.width / 2


def _width(digits: Sequence[Mark]) -> float:
    """The width of a cell."""
    return float(np.median(_steps(digits)))


def _boxes(row: Sequence[_Cell]) -> Iterator[Box]:
    """Boxes of a part of the field each that follow a slanted row."""
    cell, places = _width(_digits(row)), [one.place for one in row]
    height = float(np.median([mark.height for mark in places if mark.height >= _TALL * max(m.height for m in places)]))
    tall = [mark for mark in places if mark.height >= _TALL * height]
    places_of_tall, middles = [_middle(mark) for mark in tall], [mark.top + mark.height / 2 for mark in tall]
    slope, offset = (
        np.polyfit(places_of_tall, middles, 1) if np.ptp(places_of_tall) >= cell else (0.0, np.mean(middles))
    )
    first, last = _middle(places[0]) - _BEYOND * cell, _middle(places[-1]) + _BEYOND * cell
    for left, right in pairwise((first, *map(_middle, places), last)):
        ends = [slope * place + offset for place in (left, right)]
        top, bottom = min(ends) - height * 0.75, max(ends) + height * 0.75
        x, y = max(0, int(left)), max(0, int(top))
        yield x, y, max(1, int(right) + 1 - x), max(1, int(bottom) + 1 - y)
