"""Finds the lines of text of a raster with the detector of PP-OCRv6, whatever their script.

The network gives each pixel the probability that it belongs to the core of a line (differentiable binarization, Liao et
al. 2020); a line is a component of that map, grown to the height of its letters.
"""

from collections.abc import Iterable
from functools import cache
from itertools import product
from typing import Any, NamedTuple

import cv2
import numpy as np

from pipeline.networks.onnx_session import Session, run_frugally
from pipeline.networks.pretrained import DETECTOR, pretrained
from pipeline.networks.text_line import TextLine

_LONGEST_SIDE = 1600  # pixels of the network's input
_MIN_SCALE = 0.4  # a raster that would be reduced further is seen in several tiles: its small letters would vanish
_MAX_TILE, _OVERLAP = 2_000_000, 96  # pixels: of the largest tile, and what neighbouring tiles share of a side
_MULTIPLE = 32  # pixels: the sides of the input are multiples of it
_MEAN, _DEVIATION = (np.array(rgb, np.float32) for rgb in ((0.485, 0.456, 0.406), (0.229, 0.224, 0.225)))
_IN_LINE = 0.3  # probability of a pixel of a line; text has 0.99 at some of its pixels, photographs mostly below 0.03
_MIN_SCORE = 0.4  # mean probability of a line
_GROWTH = 1.6  # the growth of a component: area times this, by perimeter
_MIN_SIDE = 3.0  # pixels of the map
_MAX_LINES = 3000
_UPRIGHT = 1.5  # times its width: a higher box is a line that runs from bottom to top


class TextMap(NamedTuple):
    """Probabilities (0..1; rows, columns) that places of a raster of `shape` (height, width) belong to text."""

    probabilities: Any
    shape: tuple[int, int]

    def lines(self) -> list[TextLine]:
        """The lines of text from top to bottom, in pixels of the raster."""
        (rows, columns), (height, width) = self.probabilities.shape, self.shape
        mask = (self.probabilities > _IN_LINE).astype(np.uint8)
        contours, _ = cv2.findContours(mask, cv2.RETR_LIST, cv2.CHAIN_APPROX_SIMPLE)
        found = (
            _line(contour, self.probabilities, width / columns, height / rows) for contour in contours[:_MAX_LINES]
        )
        return sorted((line for line in found if line is not None), key=lambda line: line.top)

    def without(self, lines: Iterable[TextLine]) -> "TextMap":
        """The map with no text in these lines."""
        (rows, columns), (height, width) = self.probabilities.shape, self.shape
        probabilities = self.probabilities.copy()
        for line in lines:
            left, top, wide, high = line.box(0, line.width, self.shape)
            across = slice(int(left * columns / width), int((left + wide) * columns / width) + 1)
            probabilities[int(top * rows / height) : int((top + high) * rows / height) + 1, across] = 0
        return TextMap(probabilities, self.shape)

    def may_hold_text(self, boxes: Any) -> Any:
        """Whether text is likely at all in each box (n, 4; left, top, right, bottom) or within its height around it."""
        (rows, columns), (height, width) = self.probabilities.shape, self.shape
        counts = cv2.integral((self.probabilities >= _IN_LINE).astype(np.uint8))
        left, top, right, bottom = np.asarray(boxes, float).reshape(-1, 4).T
        reach = (bottom - top) / 2
        x0, x1 = (np.clip(x * columns / width, 0, columns).astype(int) for x in (left - reach, right + reach))
        y0, y1 = (np.clip(y * rows / height, 0, rows).astype(int) for y in (top - reach, bottom + reach))
        x1, y1 = np.minimum(x1 + 1, columns), np.minimum(y1 + 1, rows)
        return counts[y1, x1] - counts[y0, x1] - counts[y1, x0] + counts[y0, x0] > 0


def text_map(image: Any, longest_side: int = _LONGEST_SIDE) -> TextMap:
    """Where a grayscale array (height, width) may hold text.

    `longest_side`: pixels; the network sees a larger array reduced to it, but a very large one in tiles.
    """
    scale = min(1.0, max(longest_side / max(image.shape), _MIN_SCALE * longest_side / _LONGEST_SIDE))
    rows, columns = (max(_MULTIPLE, round(side * scale / _MULTIPLE) * _MULTIPLE) for side in image.shape)
    scaled = cv2.resize(image, (columns, rows), interpolation=cv2.INTER_AREA if scale < 1 else cv2.INTER_LINEAR)
    probabilities = np.zeros((rows, columns), np.float32)
    for tile in _tiles(rows, columns):
        np.maximum(probabilities[tile], _probabilities(scaled[tile]), out=probabilities[tile])
    return TextMap(probabilities, image.shape)


def _tiles(rows: int, columns: int) -> list[tuple[slice, slice]]:
    """Tiles that cover so many pixels and overlap, as few as there can be: what stands around a place explains it."""
    down = across = 1
    while _length(rows, down) * _length(columns, across) > _MAX_TILE:
        if _length(rows, down) >= _length(columns, across):
            down += 1
        else:
            across += 1
    return list(product(_spans(rows, down), _spans(columns, across)))


def _length(side: int, count: int) -> int:
    """The length of so many overlapping tiles of one side."""
    return -(-(side + (count - 1) * _OVERLAP) // (count * _MULTIPLE)) * _MULTIPLE


def _spans(side: int, count: int) -> list[slice]:
    length = _length(side, count)
    starts = [round(n * (side - length) / max(1, count - 1)) for n in range(count)]
    return [slice(start, start + length) for start in starts]


def _probabilities(scaled: Any) -> Any:
    planes = (scaled[None].astype(np.float32) / 255 - _MEAN[:, None, None]) / _DEVIATION[:, None, None]
    return run_frugally(_network(), planes[None])[0, 0]


def load() -> None:
    """Loads the network, which is kept for the life of the process."""
    _network()


@cache
def _network() -> Session:
    return pretrained(DETECTOR)


def _line(contour: Any, probabilities: Any, across: float, down: float) -> TextLine | None:
    """The line of a component in pixels of the raster; None if it is too small or too improbable."""
    x, y, width, height = cv2.boundingRect(contour)
    mask = np.zeros((height, width), np.uint8)
    cv2.drawContours(mask, [contour], -1, 1, cv2.FILLED, offset=(-x, -y))
    score = float(probabilities[y : y + height, x : x + width][mask > 0].mean())
    if score < _MIN_SCORE:
        return None
    # The raster's own pixels: the map may be scaled differently across and down.
    (center_x, center_y), (one, other), angle = cv2.minAreaRect((contour * (across, down)).astype(np.float32))
    if min(one / across, other / down) < _MIN_SIDE:
        return None
    growth = 2 * one * other * _GROWTH / (2 * (one + other))
    one, other = one + growth, other + growth
    angle = (angle + 45) % 180 - 45  # within 45 degrees of upright or of a quarter turn
    if angle > 45:
        angle, one, other = angle - 90, other, one
    if other > _UPRIGHT * one:
        angle, one, other = angle - 90, other, one
    u, v = float(np.cos(np.radians(angle))), float(np.sin(np.radians(angle)))
    left = center_x - u * one / 2 + v * other / 2
    top = center_y - v * one / 2 - u * other / 2
    return TextLine(left, top, (u, v), one, other, score)
