"""Decides whether a page may be turned by a quarter or a half.

Tesseract reads rotated digits as other digits and letters, with high confidence: `1012345672` upside down as
`CLOGVECTOT`.
"""

import re
from collections.abc import Iterable

from pipeline.documents.document import Word

_UPRIGHT_CONFIDENCE = 60.0  # word confidence (0..100): a word below it is wrong more often than right
_UPRIGHT_SHARE = 0.5  # of the letters: upright pages have .56 and more with that confidence, turned ones .3 and less
_OSD_OUTPUT = re.compile(r"^Rotate: (90|180|270)$.*^Orientation confidence: (\d+\.\d+)$", re.MULTILINE | re.DOTALL)
_MIN_OSD_CONFIDENCE = 0.5  # orientation confidence: a lower one is a guess


def may_be_rotated(words: Iterable[Word]) -> bool:
    """Whether so many letters have so little confidence, with any engine, that the page may be rotated."""
    every = [(word.end - word.start, word.confidence) for word in words]
    letters = sum(length for length, _ in every)
    return sum(length for length, confidence in every if confidence >= _UPRIGHT_CONFIDENCE) < _UPRIGHT_SHARE * letters


def rotation_from_osd(answer: str) -> int:
    """The clockwise rotation in degrees from the output of Tesseract's orientation detection; 0 if it is uncertain."""
    match = _OSD_OUTPUT.search(answer)
    return int(match[1]) if match is not None and float(match[2]) >= _MIN_OSD_CONFIDENCE else 0
