"""Rotated pages: decides whether a page may be rotated, and maps the reading of the rotated raster back.

Tesseract reads rotated digits as other digits and letters, with high confidence: `1012345672` upside down as
`CLOGVECTOT`.
"""

import re
from collections.abc import Iterable
from dataclasses import replace
from typing import Any

import cv2

from pipeline.documents.document import Reading, Strip, Word

_UPRIGHT_CONFIDENCE = 60.0  # word confidence (0..100): a word below it is wrong more often than right
_UPRIGHT_SHARE = 0.5  # of the letters: upright pages have .56 and more with that confidence, turned ones .3 and less
_OSD_OUTPUT = re.compile(r"^Rotate: (90|180|270)$.*^Orientation confidence: (\d+\.\d+)$", re.MULTILINE | re.DOTALL)
_MIN_OSD_CONFIDENCE = 0.5  # orientation confidence: a lower one is a guess
_ROTATIONS = {90: cv2.ROTATE_90_CLOCKWISE, 180: cv2.ROTATE_180, 270: cv2.ROTATE_90_COUNTERCLOCKWISE}
Box = tuple[int, int, int, int]


def may_be_rotated(words: Iterable[Word]) -> bool:
    """Whether so many letters have so little confidence, with any engine, that the page may be rotated."""
    every = [(word.end - word.start, word.confidence) for word in words]
    letters = sum(length for length, _ in every)
    return sum(length for length, confidence in every if confidence >= _UPRIGHT_CONFIDENCE) < _UPRIGHT_SHARE * letters


def rotation_from_osd(answer: str) -> int:
    """The clockwise rotation in degrees from the output of Tesseract's orientation detection; 0 if it is uncertain."""
    match = _OSD_OUTPUT.search(answer)
    return int(match[1]) if match is not None and float(match[2]) >= _MIN_OSD_CONFIDENCE else 0


def rotated(image: Any, degrees: int) -> Any:
    """The raster, rotated clockwise."""
    return cv2.rotate(image, _ROTATIONS[degrees])


def merged(rotated_reading: Reading, stored_reading: Reading, degrees: int, width: int, height: int) -> Reading:
    """The reading of the rotated raster, with boxes in the stored raster (`width`, `height`).

    The reading of the stored raster follows as further lines, in case the rotation was wrong.
    """
    words = tuple(_word_in_stored(word, degrees, width, height) for word in rotated_reading.words)
    unread = tuple(_box_in_stored(box, degrees, width, height) for box in rotated_reading.unread)
    lines = tuple(_strip_in_stored(line, degrees, width, height) for line in rotated_reading.unread_lines)
    start = len(rotated_reading.text) + 1
    before = (replace(word, start=word.start + start, end=word.end + start) for word in stored_reading.words)
    text = f"{rotated_reading.text}\n{stored_reading.text}"
    return Reading(stored_reading.raster, text, (*words, *before), unread, lines)


def _word_in_stored(word: Word, degrees: int, width: int, height: int) -> Word:
    left, top, box_width, box_height = _box_in_stored(
        (word.left, word.top, word.width, word.height), degrees, width, height
    )
    return replace(word, left=left, top=top, width=box_width, height=box_height)


def _box_in_stored(box: Box, degrees: int, width: int, height: int) -> Box:
    """A box (left, top, width, height) of the rotated raster in pixels of the stored one."""
    left, top, box_width, box_height = box
    if degrees == 180:
        return width - left - box_width, height - top - box_height, box_width, box_height
    if degrees == 90:
        return top, height - left - box_width, box_height, box_width
    return width - top - box_height, left, box_height, box_width


def _strip_in_stored(strip: Strip, degrees: int, width: int, height: int) -> Strip:
    x, y, across, down = strip.x, strip.y, strip.across, strip.down
    if degrees == 180:
        return strip._replace(x=width - x, y=height - y, across=-across, down=-down)
    if degrees == 90:
        return strip._replace(x=y, y=height - x, across=down, down=-across)
    return strip._replace(x=width - y, y=x, across=-down, down=across)
