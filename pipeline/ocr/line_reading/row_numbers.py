"""Numbers of rows: a column that counts by one confirms itself, however unsure an engine is of each number in it.

Such numbers are short and alone in their place: they identify nobody, and without them a table of Eastern digits had a
black box in each row. A number in the middle of those that count, of the same width, is the next one, misread or not.
"""

from collections import Counter
from collections.abc import Iterator, Sequence
from itertools import pairwise
from typing import NamedTuple

import numpy as np

from pipeline.networks.text_line import TextLine
from pipeline.ocr.engines.line_word import LineWord

_LONGEST, _WIDEST = 3, 2.2  # characters of a number, and its width in heights of its line
_APART = 2.5  # times the height: what stands beside a number may be a part of it
_ALIGNED = 0.8  # times the height: between the middles of numbers of one column
_MAX_STEP = 2.5  # times the median step: with a longer one another table begins
_LEAST, _SHARE = 3, 0.6  # numbers that count by one, at least, and their share of all between the first and the last
_SURE = 90.0  # confidence (0..100) that they count with
_MOST = 2_000  # short words of a page that are looked at


class _Number(NamedTuple):
    """A short word: its place in the lines and words, the middle of its box and the height of its line in pixels."""

    line: int
    word: int
    x: float
    y: float
    height: float
    text: str


def with_row_numbers(places: Sequence[TextLine], words: Sequence[list[LineWord]]) -> list[list[LineWord]]:
    """The words of each line, those in counting columns as sure as words that count. O(n log n) for n short words."""
    numbers = [one for line, place in enumerate(places) for one in _short(line, place, words[line])]
    found = [list(own) for own in words]
    for column in _columns(numbers[:_MOST]):
        for one in _counting(column):
            word = found[one.line][one.word]
            found[one.line][one.word] = word._replace(confidence=max(_SURE, word.confidence))
    return found


def _short(line: int, place: TextLine, words: Sequence[LineWord]) -> Iterator[_Number]:
    """The short words of a line with no others close beside them."""
    ordered = sorted(words, key=lambda word: word.left)
    gaps = [(after.left - before.right) / place.height for before, after in pairwise(ordered)]
    edges = [_APART, *gaps, _APART]
    apart = {word for word, left, right in zip(ordered, edges, edges[1:], strict=False) if min(left, right) >= 1.0}
    outer = {ordered[0], ordered[-1]} if ordered else set()
    (u, v) = place.along
    for number, word in enumerate(words):
        is_narrow = word.right - word.left <= _WIDEST * place.height
        if word not in apart & outer or not is_narrow or len(word.text) > _LONGEST:
            continue
        middle, down = (word.left + word.right) / 2, place.height / 2
        x, y = place.left + middle * u - down * v, place.top + middle * v + down * u
        yield _Number(line, number, x, y, place.height, word.text)


def _columns(numbers: Sequence[_Number]) -> Iterator[list[_Number]]:
    """Numbers below each other, from top to bottom, those of one table."""
    group: list[_Number] = []
    for one in sorted(numbers, key=lambda number: number.x):
        if group and one.x - group[-1].x > _ALIGNED * min(one.height, group[-1].height):
            yield from _tables(group)
            group = []
        group.append(one)
    yield from _tables(group)


def _tables(group: Sequence[_Number]) -> Iterator[list[_Number]]:
    ordered = sorted(group, key=lambda number: number.y)
    if len(ordered) < _LEAST:
        return
    steps = np.diff([one.y for one in ordered])
    longest = _MAX_STEP * float(np.median(steps[steps > 0])) if (steps > 0).any() else 0.0
    start = 0
    for place in [*np.flatnonzero(steps > longest).tolist(), len(ordered) - 1]:
        yield ordered[start : place + 1]
        start = place + 1


def _counting(column: Sequence[_Number]) -> Sequence[_Number]:
    """The numbers of a column from the first to the last that counts by one, if most do."""
    values = {row: int(one.text) for row, one in enumerate(column) if one.text.isdecimal()}
    steps = Counter(value - row for row, value in values.items())
    if not steps:
        return ()
    offset, count = steps.most_common(1)[0]
    rows = [row for row, value in values.items() if value - row == offset]
    own = column[rows[0] : rows[-1] + 1]
    return own if count >= max(_LEAST, _SHARE * len(own)) else ()
