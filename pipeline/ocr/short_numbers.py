"""Short numbers of which no engine is sure enough, and which cannot be a part of a longer one.

So sure a network must be of an identifier that amounts and page numbers in unknown fonts would go for caution. Of 2,547
numbers in the fonts of the tuning set that it read with two to four digits and a probability of .9, none was longer in
truth; alone in its place such a number identifies nobody.
"""

from collections.abc import Sequence

from pipeline.ocr.engines.line_word import LineWord

_DIGITS = range(2, 5)
_LIKELY = 90.0  # confidence (0..100)
_BESIDE = 2.5  # times the height of the line: digits that are nearer may be of the same number


def with_short_numbers(words: Sequence[LineWord], numbers: Sequence[LineWord], height: int) -> list[LineWord]:
    """The words of a line, in which likely short numbers without other digits beside them count as read.

    `numbers`: what our network read of them, with its own confidence.
    """
    likely = {(one.text, one.left) for one in numbers if one.confidence >= _LIKELY and _is_short(one.text)}
    return [
        word._replace(confidence=max(_LIKELY, word.confidence))
        if (word.text, word.left) in likely and _is_alone(word, words, _BESIDE * height)
        else word
        for word in words
    ]


def _is_short(text: str) -> bool:
    return text.isdigit() and len(text) in _DIGITS


def _is_alone(word: LineWord, words: Sequence[LineWord], reach: float) -> bool:
    return not any(
        other is not word and other.has_digits and other.left < word.right + reach and word.left < other.right + reach
        for other in words
    )
