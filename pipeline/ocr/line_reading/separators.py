"""The slash between a label in Arabic and the same in English: `الاسم / Name`.

Alone no engine is sure of it: it may be a one. Between two words that were read surely and have no digits it is no part
of a number, and a single digit identifies nobody.
"""

from collections.abc import Callable, Sequence

from pipeline.ocr.engines.line_word import LineWord

_SLASH = "/"
_SURE = 90.0  # confidence (0..100)
_MIN_LETTERS = 2  # of the words on its sides
_BESIDE = 1.0  # times the height of the line: between it and each of them


def with_slashes(words: Sequence[LineWord], is_reliable: Callable[[LineWord], bool], height: float) -> list[LineWord]:
    """The words of a line `height` pixels high from left to right, where slashes between words of letters are read."""
    sides = zip(words, words[1:], words[2:], strict=False)
    read = {
        sign
        for before, sign, after in sides
        if sign.text == _SLASH
        and max(sign.left - before.right, after.left - sign.right) <= _BESIDE * height
        and all(_is_of_letters(word) and is_reliable(word) for word in (before, after))
    }
    return [word._replace(confidence=max(_SURE, word.confidence)) if word in read else word for word in words]


def _is_of_letters(word: LineWord) -> bool:
    return not word.has_digits and sum(map(str.isalpha, word.text)) >= _MIN_LETTERS
