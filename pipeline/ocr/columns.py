"""Characters that stand one below the other, one to a line: what OCR, which reads lines, mostly passes over.

Columns of check boxes and bullets, whose shapes repeat, of row numbers and the numbers at an axis, which count, of
letters, and the columns of a table of single characters are ordinary.
"""

from bisect import bisect_left
from collections.abc import Mapping, Sequence
from dataclasses import replace
from typing import Any, NamedTuple

import cv2
import numpy as np

from pipeline.detect.text.checksums import luhn, mod97
from pipeline.documents.document import Word
from pipeline.documents.raster.ink import Mark, group_lines

_LEAST = 6  # characters of a column
_BESIDE = 0.5  # of a character's height: how far middles may stand apart
_HIGHER = 1.6  # times: how much higher one may be than the one above or below
_GAP = 4.5  # of a character's height: the widest gap between two
_SHAPES = 4  # different ones of a number
_SHAPES_IN_TABLE = 3  # different ones of a table's column: boxes, and the dashes of a frame, have fewer
_ALIKE = 0.75  # correlation of two pictures of one shape
_ALIKE_IN_PRINT = 0.8  # above what 6 and 8 of one font reach, below what one digit twice keeps in a noisy scan
_DIGITS = frozenset("0123456789")
_SIZE = (12, 16)  # pixels that shapes are compared in
_COLUMNS = 3  # side by side: a table
_NEAR = 20  # columns, of those that begin next above or below, that are asked: a page can hold ten thousand
_SAME_ROWS = 0.6  # of a column's rows that another has too
_APART = 2.0  # of a character's height: between the middles of a table's columns
_READ = 4  # characters that tell that a column counts by one
_READ_OF_STEPS = 5  # that it counts by any other step
_UNREAD_OF_STEPS = 2
_ALL_DIFFERENT = 9  # characters, none twice: of numbers as long, one in three hundred is like that, every axis is
_PRINTED = 0.12  # of the middle height and step: handwriting, whose shapes never repeat, differs by more
_ONES = str.maketrans("Il|Oo", "11100")
_ORDERS = ("0123456789", "abcdefghijklmnopqrstuvwxyz", "ابتثجحخدذرزسشصضطظعغفقكلمنهوي", "ابجدهوزحطيكلمنسعفصقرشتثخذضظغ")
_LIKE_DIGITS = frozenset("VAYWOETILSBZvoilsz" + "اأهةويرلعد")  # what digits, Western and Eastern, are misread as


class Column(NamedTuple):
    """Marks from top to bottom, how many different shapes they have, and whether in print none stands there twice."""

    marks: list[Mark]
    shapes: int
    is_varied: bool


def columns(image: Any, marks: Sequence[Mark]) -> list[Column]:
    """Columns of those marks (of a grayscale raster) that have no other beside them."""
    found = _stacked([row[0] for row in group_lines(marks) if len(row) == 1])
    every = (_seen(image, column) for column in found if len(column) >= _LEAST)
    return [column for column in every if column.shapes >= _SHAPES_IN_TABLE]


def said_in(column: Sequence[Mark], text: str, words: Sequence[Word]) -> Mapping[int, str]:
    """Which marks of a column, by number, a word of one character says, and what."""
    single = [word for word in words if word.end - word.start == 1]
    return {n: text[word.start] for n, mark in enumerate(column) for word in single if _holds(word, mark)}


def may_be_number(column: Column, said: Mapping[int, str]) -> bool:
    """Whether a column of which that was read, by number of the mark, is neither a count nor letters only."""
    if column.shapes < _SHAPES or counts(column.marks, said):
        return False
    if column.is_varied and _is_in_order(column.marks, said):  # an axis, of which often nothing is read
        return False
    letters = [sign for sign in said.values() if sign.isalpha() and sign not in _LIKE_DIGITS]
    return len(letters) * 2 < len(column.marks) or any(sign.isdigit() for sign in said.values())


def counts(column: Sequence[Mark], said: Mapping[int, str]) -> bool:
    """Whether enough was read, and it is digits or letters in their order, up or down, or digits at equal steps."""
    if len(said) >= max(_READ_OF_STEPS, len(column) - _UNREAD_OF_STEPS) and _DIGITS.issuperset(said.values()):
        rows = _rows(column)
        digits = {rows[n]: int(digit) for n, digit in said.items()}
        return any(_steady(digits, step, 10) for step in range(1, 10))
    return len(said) >= max(_READ, len(column) / 2) and _is_in_order(column, said)


def _is_in_order(column: Sequence[Mark], said: Mapping[int, str]) -> bool:
    rows = _rows(column)
    signs = {rows[n]: sign.lower().replace("أ", "ا") for n, sign in said.items()}
    digits = {rows[n]: sign.translate(_ONES) for n, sign in said.items()}
    for order in _ORDERS:
        read = digits if order.isdigit() else signs
        if set(order).issuperset(read.values()):
            places = {row: order.index(sign) for row, sign in read.items()}
            if any(_steady(places, step, len(order)) for step in (1, -1)):
                return True
    return False


def in_table(column: Sequence[Mark], every: Sequence[Sequence[Mark]]) -> bool:
    """Whether two other columns, of `every` from top to bottom, or more, stand on its rows at a distance."""
    place = bisect_left(every, column[0].top, key=lambda other: other[0].top)
    near = every[max(0, place - _NEAR) : place + _NEAR]
    beside = [other for other in near if other is not column and _shares_rows(column, other)]
    return len(beside) + 1 >= _COLUMNS


def is_identifier(said: str) -> bool:
    """Whether check digits prove that a column's reading is an identity number, a card or an IBAN."""
    if said[:2] == "SA" and said.isascii() and said[2:].isdigit():
        return len(said) == 24 and mod97(said)
    if not _DIGITS.issuperset(said) or not luhn(said):
        return False
    return (len(said) == 10 and said[0] in "12") or 14 <= len(said) <= 19


def spelled(text: str, words: Sequence[Word]) -> tuple[str, tuple[Word, ...]]:
    """A reading's text and words, and as further lines what columns of single digits say from top to bottom."""
    single = {Mark(w.left, w.top, w.width, w.height): w for w in words if w.end - w.start == 1}
    digits = [mark for mark, word in single.items() if text[word.start] in _DIGITS]
    signs = {mark: text[word.start] for mark, word in single.items()}
    table = [column for column in _stacked(list(single)) if len({signs[m] for m in column}) >= _SHAPES_IN_TABLE]
    table = [column for column in table if len(column) >= _LEAST]
    every = list(words)
    for column in _stacked(digits):
        said = "".join(signs[mark] for mark in column)
        ordinary = in_table(column, table) or counts(column, dict(enumerate(said)))
        if len(column) < _LEAST or (ordinary and not is_identifier(said)):
            continue
        text += "\n"
        for mark in column:
            start = len(text)
            text += signs[mark]
            every.append(replace(single[mark], start=start, end=start + 1))
    return text, tuple(every)


def _stacked(marks: Sequence[Mark]) -> list[list[Mark]]:
    found: list[list[Mark]] = []
    for mark in sorted(marks, key=lambda m: m.top):
        column = next((column for column in reversed(found[-100:]) if _is_below(mark, column[-1])), None)
        if column is None:
            found.append([mark])
        else:
            column.append(mark)
    return found


def _is_below(mark: Mark, last: Mark) -> bool:
    lower, higher = sorted((mark.height, last.height))
    apart = abs(2 * mark.left + mark.width - 2 * last.left - last.width) / 2
    gap = mark.top - last.top - last.height
    return higher <= _HIGHER * lower and apart <= _BESIDE * higher and 0 <= gap <= _GAP * higher


def _seen(image: Any, column: list[Mark]) -> Column:
    is_long = len(column) >= _ALL_DIFFERENT and _is_printed(column)
    is_varied = is_long and _shapes(image, column, _ALIKE_IN_PRINT) == len(column)
    return Column(column, _shapes(image, column, _ALIKE), is_varied)


def _shapes(image: Any, column: Sequence[Mark], alike: float) -> int:
    kinds: list[Any] = []
    for mark in column:
        patch = image[mark.top : mark.top + mark.height, mark.left : mark.left + mark.width]
        small = cv2.resize(patch, _SIZE, interpolation=cv2.INTER_AREA).astype(np.float64).ravel()
        small -= small.mean()
        small /= max(1e-6, float(np.sqrt(small @ small)))
        if not any(float(small @ kind) > alike for kind in kinds):
            kinds.append(small)
    return len(kinds)


def _holds(word: Word, mark: Mark) -> bool:
    x, y = mark.left + mark.width // 2, mark.top + mark.height // 2
    return word.left <= x < word.left + word.width and word.top <= y < word.top + word.height


def _middle(mark: Mark) -> float:
    return mark.top + mark.height / 2


def _pitch(column: Sequence[Mark]) -> tuple[float, Any]:
    steps = np.diff([_middle(mark) for mark in column])
    return max(1.0, float(np.median(steps))), steps


def _rows(column: Sequence[Mark]) -> list[int]:
    """The row each mark stands on; one that was not seen leaves its row empty."""
    pitch, steps = _pitch(column)
    return [0, *np.cumsum(np.maximum(1, np.rint(steps / pitch))).astype(int).tolist()]


def _steady(values: Mapping[int, int], step: int, bounding_box: int) -> bool:
    return len({(value - step * row) % bounding_box for row, value in values.items()}) <= 1


def _is_printed(column: Sequence[Mark]) -> bool:
    heights = np.array([mark.height for mark in column])
    pitch, steps = _pitch(column)
    even = np.abs(heights - np.median(heights)) <= max(1.0, _PRINTED * float(np.median(heights)))
    return bool(even.all() and (np.abs(steps - pitch) <= max(1.0, _PRINTED * pitch)).all())


def _shares_rows(column: Sequence[Mark], other: Sequence[Mark]) -> bool:
    one, another = column[len(column) // 2], other[len(other) // 2]
    if abs(one.left + one.width / 2 - another.left - another.width / 2) < _APART * one.height:
        return False
    level = 0
    for mark in column:
        middle, reach = _middle(mark), mark.height / 2
        place = bisect_left(other, middle - reach, key=_middle)
        level += place < len(other) and _middle(other[place]) < middle + reach
    return level >= _SAME_ROWS * len(column)
