"""Characters that stand one below the other, one to a line: what OCR, which reads lines, mostly passes over.

Columns of check boxes and bullets, whose shapes repeat, and of row numbers, which count upwards, are ordinary.
"""

from collections.abc import Mapping, Sequence
from dataclasses import replace
from typing import Any

import cv2
import numpy as np

from pipeline.documents.document import Word
from pipeline.documents.ink import Mark, rows_of

_LEAST = 6  # characters of a column
_BESIDE = 0.5  # of a character's height: how far middles may stand apart
_HIGHER = 1.6  # times: how much higher one may be than the one above or below
_GAP = 4.5  # of a character's height: the widest gap between two
_SHAPES = 4  # different ones
_ALIKE = 0.75  # correlation of two pictures of one shape
_DIGITS = frozenset("0123456789")
_SIZE = (12, 16)  # pixels that shapes are compared in


def columns(image: Any, marks: Sequence[Mark]) -> list[list[Mark]]:
    """Columns, from top to bottom, of those marks (of a grayscale raster) that have no other beside them."""
    found = _stacked([row[0] for row in rows_of(marks) if len(row) == 1])
    return [column for column in found if len(column) >= _LEAST and _shapes(image, column) >= _SHAPES]


def said_in(column: Sequence[Mark], words: Sequence[Word]) -> Mapping[int, Word]:
    """Which marks of a column, by number, a word of one character says."""
    single = [word for word in words if word.end - word.start == 1]
    return {n: word for n, mark in enumerate(column) for word in single if _holds(word, mark)}


def counts_rows(text: str, said: Mapping[int, Word], length: int) -> bool:
    """Whether at least half of a column is read, as digits that go up by one from row to row."""
    digits = {number - int(text[word.start]) for number, word in said.items() if text[word.start] in _DIGITS}
    return len(said) * 2 >= length and len(digits) == 1 and all(text[word.start].isdigit() for word in said.values())


def spelled(text: str, words: Sequence[Word]) -> tuple[str, tuple[Word, ...]]:
    """A reading's text and words, and as further lines what columns of single digits say from top to bottom."""
    digits = {Mark(w.left, w.top, w.width, w.height): w for w in words if text[w.start : w.end] in _DIGITS}
    every = list(words)
    for column in _stacked(list(digits)):
        if len(column) < _LEAST:
            continue
        text += "\n"
        for mark in column:
            word, start = digits[mark], len(text)
            text += text[word.start : word.end]
            every.append(replace(word, start=start, end=start + 1))
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


def _shapes(image: Any, column: Sequence[Mark]) -> int:
    kinds: list[Any] = []
    for mark in column:
        patch = image[mark.top : mark.top + mark.height, mark.left : mark.left + mark.width]
        small = cv2.resize(patch, _SIZE, interpolation=cv2.INTER_AREA).astype(np.float64).ravel()
        small -= small.mean()
        small /= max(1e-6, float(np.sqrt(small @ small)))
        if not any(float(small @ kind) > _ALIKE for kind in kinds):
            kinds.append(small)
    return len(kinds)


def _holds(word: Word, mark: Mark) -> bool:
    x, y = mark.left + mark.width // 2, mark.top + mark.height // 2
    return word.left <= x < word.left + word.width and word.top <= y < word.top + word.height
