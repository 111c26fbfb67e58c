"""Reads Arabic in lines of text with Tesseract."""

from collections.abc import Sequence
from typing import Any

from pipeline.ocr.engines.line_word import LineWord
from pipeline.ocr.engines.stacked_lines import words_of_lines

_LANGUAGE = "ara"
_SURE = 60.0  # confidence (0..100) of a word without digits: below it, words are wrong more often than right
_MIN_LETTERS = 2  # of a sure word: Eastern digits are read as single letters and signs, ٢ as ؟


def arabic_words(lines: Sequence[Any]) -> list[list[LineWord]]:
    """The words of each line (grayscale arrays), from left to right."""
    return words_of_lines(lines, _LANGUAGE)


def is_sure(word: LineWord) -> bool:
    """Whether a word was read with so much confidence that it is right more often than wrong; never one with digits."""
    letters = sum(map(str.isalpha, word.text))
    return word.confidence >= _SURE and not word.has_digits and letters >= _MIN_LETTERS
