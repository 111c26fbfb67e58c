"""Reads Arabic in lines of text with Tesseract."""

from collections.abc import Sequence
from typing import Any

from pipeline.ocr.engines.line_word import LineWord
from pipeline.ocr.engines.stacked_lines import words_of_lines

_LANGUAGE = "ara"
# Confidence (0..100) of a sure word without digits, and of a short one: ٥٧ is read as بام. Of 126 drawn words with less
# in lines that our network could not read 11 were numbers, of 346 others none.
_SURE, _SURE_SHORT = 60.0, 80.0
_MIN_LETTERS, _SHORT = 3, 3  # of a sure word, and of a short one


def arabic_words(lines: Sequence[Any]) -> list[list[LineWord]]:
    """The words of each line (grayscale arrays), from left to right."""
    return words_of_lines(lines, _LANGUAGE)


def is_sure(word: LineWord) -> bool:
    """Whether a word is hardly a number; never one with digits."""
    letters = sum(map(str.isalpha, word.text))
    least = _SURE if letters > _SHORT else _SURE_SHORT
    return letters >= _MIN_LETTERS and word.confidence >= least and not word.has_digits
