"""Text that lies on its side or upside down: when to look for it, and how what was read of it stands in the raster.

Tesseract reads digits on their head as other digits and letters, and believes it: `1012345672` as `CLOGVECTOT`.
"""

import re
from collections.abc import Iterable
from dataclasses import replace
from typing import Any

import cv2

from pipeline.documents.document import Reading, Word

_SURE = 90.0  # confidence (0..100) that upright print is mostly read with
_MOSTLY = 0.85  # of the letters
_TOLD = re.compile(r"^Rotate: (90|180|270)$.*^Orientation confidence: (\d+\.\d+)$", re.MULTILINE | re.DOTALL)
_LEAST = 0.5  # orientation confidence: below it, Tesseract guesses
_TURNS = {90: cv2.ROTATE_90_CLOCKWISE, 180: cv2.ROTATE_180, 270: cv2.ROTATE_90_COUNTERCLOCKWISE}

Box = tuple[int, int, int, int]


def is_doubtful(words: Iterable[Word]) -> bool:
    """Whether so many letters were read with so little confidence that the page may lie on its side."""
    every = [(word.end - word.start, word.confidence) for word in words]
    letters = sum(length for length, _ in every)
    return sum(length for length, confidence in every if confidence >= _SURE) < _MOSTLY * letters


def told(answer: str) -> int:
    """The clockwise turn, in degrees, that Tesseract's orientation detection asks for; 0 when it is not sure."""
    match = _TOLD.search(answer)
    return int(match[1]) if match is not None and float(match[2]) >= _LEAST else 0


def turned(image: Any, degrees: int) -> Any:
    """The raster turned clockwise."""
    return cv2.rotate(image, _TURNS[degrees])


def joined(upright: Reading, stored: Reading, degrees: int, width: int, height: int) -> Reading:
    """What was read of the raster once it was turned, in places of the raster as it is stored (`width`, `height`).

    What was read before follows as further lines: should the turn be wrong, nothing that was read is lost.
    """
    words = tuple(_moved(word, degrees, width, height) for word in upright.words)
    unread = tuple(_back(box, degrees, width, height) for box in upright.unread)
    start = len(upright.text) + 1
    before = (replace(word, start=word.start + start, end=word.end + start) for word in stored.words)
    return Reading(stored.raster, f"{upright.text}\n{stored.text}", (*words, *before), unread)


def _moved(word: Word, degrees: int, width: int, height: int) -> Word:
    left, top, wide, high = _back((word.left, word.top, word.width, word.height), degrees, width, height)
    return replace(word, left=left, top=top, width=wide, height=high)


def _back(box: Box, degrees: int, width: int, height: int) -> Box:
    """A box (left, top, width, height) of the turned raster in pixels of the stored one."""
    left, top, wide, high = box
    if degrees == 180:
        return width - left - wide, height - top - high, wide, high
    if degrees == 90:
        return top, height - left - wide, high, wide
    return width - top - high, left, high, wide
