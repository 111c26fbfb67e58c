"""Short numbers of which no engine is sure enough, and which cannot be a part of a longer one.

So sure a network must be of an identifier that amounts, floors and page numbers in unknown fonts would go for caution.
Alone in its line such a number identifies nobody. How likely it must be, so that at most one in 1,000 has other digits
in truth, tells `python -m scripts.scans.scores short recurrent`.
"""

from collections.abc import Sequence

from pipeline.ocr.engines.line_word import LineWord

LIKELY = 97.62  # confidence (0..100)
_DIGITS = range(2, 5)
_SURE = 90.0  # confidence (0..100) that a word counts with
_BESIDE = 2.5  # times the height of the line: digits that are nearer may be of the same number


def with_short_numbers(words: Sequence[LineWord], numbers: Sequence[LineWord], height: float) -> list[LineWord]:
    """The words of a line `height` pixels high, where likely short numbers without other digits beside them are read.

    `numbers`: what our network read of the line, with its own confidence.
    """
    likely = {(one.text, one.left) for one in numbers if is_short(one.text) and one.confidence >= LIKELY}
    return [
        word._replace(confidence=max(_SURE, word.confidence))
        if (word.text, word.left) in likely and _is_alone(word, words, _BESIDE * height)
        else word
        for word in words
    ]


def is_short(text: str) -> bool:
    """Whether this is the text of a short number. ASCII zeros alone are none: in many fonts ٥٥ looks like 00."""
    return text.isdecimal() and len(text) in _DIGITS and text.strip("0") != ""


def _is_alone(word: LineWord, words: Sequence[LineWord], reach: float) -> bool:
    return not any(
        other is not word and other.has_digits and other.left < word.right + reach and word.left < other.right + reach
        for other in words
    )
