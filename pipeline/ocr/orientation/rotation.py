"""A raster turned by any angle, and what was read in it in pixels of the raster as it is stored."""

import math
from collections.abc import Iterable
from dataclasses import replace
from typing import Any

import cv2
import numpy as np

from pipeline.documents.document import Reading, Word
from pipeline.geometry.strip import Box, Strip, level_strip, strip_of
from pipeline.ocr.layout.lines import OcrWord

_DECIMALS = 12  # of sines: those of quarter turns are exact


class Rotation:
    """Turns rasters of one shape (height, width) clockwise around their middle; all of them stays in view."""

    def __init__(self, degrees: float, shape: tuple[int, int]) -> None:
        self._along = tuple(round(side(math.radians(degrees)), _DECIMALS) for side in (math.cos, math.sin))
        (u, v), (height, width) = self._along, shape
        self._stored = shape
        self.shape = (
            math.ceil(width * abs(v) + height * abs(u)),
            math.ceil(width * abs(u) + height * abs(v)),
        )

    def image(self, stored: Any) -> Any:
        """A plane turned so. Its corners get the level that half of its pixels are not brighter than."""
        (u, v), (x, y) = self._along, self._turned(0.5, 0.5)
        place = np.array([[u, -v, x - 0.5], [v, u, y - 0.5]])
        return cv2.warpAffine(stored, place, self.shape[::-1], borderValue=float(np.median(stored)))

    def turned(self, words: Iterable[OcrWord]) -> list[OcrWord]:
        """Words that stand upright in the stored raster, as upright ones around the same places."""
        places = ((word, self._turned(word.left + word.width / 2, word.top + word.height / 2)) for word in words)
        return [
            word._replace(left=round(x - word.width / 2), top=round(y - word.height / 2)) for word, (x, y) in places
        ]

    def in_stored(self, reading: Reading) -> Reading:
        """The reading of the turned raster, with places in the stored one."""
        return replace(
            reading,
            words=tuple(map(self._word, reading.words)),
            unread=tuple(box for one in reading.unread for box in self._strip(strip_of(one)).boxes(self._stored)),
            unread_lines=tuple(map(self._strip, reading.unread_lines)),
        )

    def _word(self, word: Word) -> Word:
        strip = self._strip(word.strip or level_strip((word.left, word.top, word.width, word.height)))
        left, top, width, height = _inside(strip.box, self._stored)
        slanted = strip if all(strip.along) else None
        return replace(word, left=left, top=top, width=width, height=height, strip=slanted)

    def _strip(self, strip: Strip) -> Strip:
        u, v = self._along
        x, y = self._in_stored(strip.x, strip.y)
        across, down = strip.across * u + strip.down * v, strip.down * u - strip.across * v
        return strip._replace(x=x, y=y, across=across, down=down)

    def _turned(self, x: float, y: float) -> tuple[float, float]:
        (u, v), (height, width), (rows, columns) = self._along, self._stored, self.shape
        x, y = x - width / 2, y - height / 2
        return x * u - y * v + columns / 2, x * v + y * u + rows / 2

    def _in_stored(self, x: float, y: float) -> tuple[float, float]:
        (u, v), (height, width), (rows, columns) = self._along, self._stored, self.shape
        x, y = x - columns / 2, y - rows / 2
        return x * u + y * v + width / 2, y * u - x * v + height / 2


def _inside(box: Box, shape: tuple[int, int]) -> Box:
    """What of a box is inside a raster; a pixel at its edge if nothing is."""
    left, top = (min(max(0, start), side - 1) for start, side in zip(box[:2], shape[::-1], strict=True))
    right, bottom = min(box[0] + box[2], shape[1]), min(box[1] + box[3], shape[0])
    return left, top, max(1, right - left), max(1, bottom - top)
