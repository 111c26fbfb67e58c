"""Short numbers of which no engine is sure enough, and which cannot be a part of a longer one.

So sure a network must be of an identifier that amounts, floors and page numbers in unknown fonts would go for caution.
Alone in its place such a number identifies nobody; how often one that is likely is longer in truth tells
`python -m scripts.scans.scores short recurrent`.
"""

from collections.abc import Sequence

import numpy as np

from pipeline.networks.text_line import TextLine
from pipeline.ocr.engines.line_word import LineWord

DIGITS = range(2, 5)
LIKELY, LIKELY_DIGIT = 90.0, 97.0  # confidence (0..100): of such a number, and of a digit
_BESIDE = 2.5  # times the height of the line: digits that are nearer may be of the same number
_BESIDE_DIGIT = 4.0  # times the greater height of two signs: boxes of a form, a character in each, are that far apart
_ANYWHERE = 2 * (1 << 30,)  # a shape that no box leaves


def with_short_numbers(
    lines: Sequence[TextLine], read: Sequence[Sequence[LineWord]], numbers: Sequence[Sequence[LineWord]]
) -> list[list[LineWord]]:
    """The words of each line, where likely short numbers without other digits beside them count as read.

    So does a digit among words, without other digits or single letters in any direction: a number may have wide gaps, a
    line for each digit, or run down a column, and letters look like digits. `numbers`: what our network read of each
    line, with its own confidence.
    """
    signs = np.array(
        [_box(line, word) for line, words in zip(lines, read, strict=True) for word in words if _may_be_digit(word)]
    ).reshape(-1, 4)
    return [_with_short_numbers(line, words, own, signs) for line, words, own in zip(lines, read, numbers, strict=True)]


def _with_short_numbers(
    line: TextLine, words: Sequence[LineWord], numbers: Sequence[LineWord], signs: np.ndarray
) -> list[LineWord]:
    sure = {(one.text, one.left): one.confidence for one in numbers if one.text.isdigit()}
    has_words = any(sum(map(str.isalpha, word.text)) > 1 for word in words)
    found = []
    for word in words:
        own = sure.get((word.text, word.left), 0.0)
        if (len(word.text) in DIGITS and own >= LIKELY and _is_alone_in_line(word, words, _BESIDE * line.height)) or (
            len(word.text) == 1 and own >= LIKELY_DIGIT and has_words and _is_alone(_box(line, word), signs)
        ):
            word = word._replace(confidence=max(LIKELY, word.confidence))
        found.append(word)
    return found


def _is_alone_in_line(word: LineWord, words: Sequence[LineWord], reach: float) -> bool:
    return not any(
        other is not word and other.has_digits and other.left < word.right + reach and word.left < other.right + reach
        for other in words
    )


def _may_be_digit(word: LineWord) -> bool:
    return word.has_digits or sum(map(str.isalnum, word.text)) == 1


def _box(line: TextLine, word: LineWord) -> tuple[int, int, int, int]:
    left, top, width, height = line.box(word.left, word.right, _ANYWHERE)
    return left, top, left + width, top + height


def _is_alone(box: tuple[int, int, int, int], signs: np.ndarray) -> bool:
    """Whether the box of a sign is the only one that is near."""
    left, top, right, bottom = box
    reach = _BESIDE_DIGIT * np.maximum(signs[:, 3] - signs[:, 1], bottom - top)
    beside = (signs[:, 0] < right + reach) & (signs[:, 2] > left - reach)
    above = (signs[:, 1] < bottom + reach) & (signs[:, 3] > top - reach)
    return int((beside & above).sum()) <= 1
