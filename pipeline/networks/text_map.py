"""Where a raster may hold text: probabilities as a detector gives them, and the lines in them.

A detector gives each pixel the probability that it belongs to the core of a line (differentiable binarization, Liao et
al. 2020); a line is a component of that map, grown to the height of its letters.
"""

from collections.abc import Callable, Iterable
from itertools import product
from typing import Any, NamedTuple

import cv2
import numpy as np

from pipeline.networks.text_line import TextLine

LONGEST_SIDE = 1600  # pixels of what a detector sees, if nothing else is said
_MIN_SCALE = 0.4  # a raster that would be reduced further is seen in several tiles: its small letters would vanish
_MAX_TILE, _OVERLAP = 2_000_000, 96  # pixels: of the largest tile, and what neighbouring tiles share of a side
_MULTIPLE = 32  # pixels: the sides of what a detector sees are multiples of it
_GROWTH = 1.6  # the growth of a component: area times this, by perimeter
_MIN_SIDE = 3.0  # pixels of the map
_MAX_LINES = 3000
_UPRIGHT = 1.5  # times its width: a higher box is a line that runs from bottom to top


class Thresholds(NamedTuple):
    """Probabilities (0..1): of a pixel at the edge of a line, of some pixel of any text, and the mean of a line."""

    edge: float
    text: float
    line: float


class TextMap(NamedTuple):
    """Probabilities (0..1; rows, columns) that places of a raster of `shape` (height, width) belong to text."""

    probabilities: Any
    shape: tuple[int, int]
    thresholds: Thresholds

    def lines(self) -> list[TextLine]:
        """The lines of text from top to bottom, in pixels of the raster."""
        (rows, columns), (height, width) = self.probabilities.shape, self.shape
        mask = (self.probabilities > self.thresholds.edge).astype(np.uint8)
        contours, _ = cv2.findContours(mask, cv2.RETR_LIST, cv2.CHAIN_APPROX_SIMPLE)
        found = (_line(contour, self, width / columns, height / rows) for contour in contours[:_MAX_LINES])
        return sorted((line for line in found if line is not None), key=lambda line: line.top)

    def without(self, lines: Iterable[TextLine]) -> "TextMap":
        """The map with no text in these lines."""
        (rows, columns), (height, width) = self.probabilities.shape, self.shape
        probabilities = self.probabilities.copy()
        for line in lines:
            left, top, wide, high = line.box(0, line.width, self.shape)
            across = slice(int(left * columns / width), int((left + wide) * columns / width) + 1)
            probabilities[int(top * rows / height) : int((top + high) * rows / height) + 1, across] = 0
        return self._replace(probabilities=probabilities)

    def may_hold_text(self, boxes: Any) -> Any:
        """Whether text is likely at all in each box (n, 4; left, top, right, bottom) or within its height around it."""
        (rows, columns), (height, width) = self.probabilities.shape, self.shape
        counts = cv2.integral((self.probabilities >= self.thresholds.text).astype(np.uint8))
        left, top, right, bottom = np.asarray(boxes, float).reshape(-1, 4).T
        reach = (bottom - top) / 2
        x0, x1 = (np.clip(x * columns / width, 0, columns).astype(int) for x in (left - reach, right + reach))
        y0, y1 = (np.clip(y * rows / height, 0, rows).astype(int) for y in (top - reach, bottom + reach))
        x1, y1 = np.minimum(x1 + 1, columns), np.minimum(y1 + 1, rows)
        return counts[y1, x1] - counts[y0, x1] - counts[y1, x0] + counts[y0, x0] > 0


def detected(
    image: Any, detector: Callable[[Any], Any], thresholds: Thresholds, longest_side: int = LONGEST_SIDE
) -> TextMap:
    """The map of a grayscale array (height, width).

    `detector` gives probabilities for each pixel of an array whose sides are multiples of 32. It sees a larger image
    reduced to `longest_side` pixels, but a very large one in tiles.
    """
    scaled = reduced(image, longest_side)
    probabilities = np.zeros(scaled.shape, np.float32)
    for tile in _tiles(*scaled.shape):
        np.maximum(probabilities[tile], detector(scaled[tile]), out=probabilities[tile])
    return TextMap(probabilities, image.shape, thresholds)


def reduced(image: Any, longest_side: int = LONGEST_SIDE) -> Any:
    """A grayscale array as detectors see it, as one picture."""
    scale = min(1.0, max(longest_side / max(image.shape), _MIN_SCALE * longest_side / LONGEST_SIDE))
    rows, columns = (max(_MULTIPLE, round(side * scale / _MULTIPLE) * _MULTIPLE) for side in image.shape)
    return cv2.resize(image, (columns, rows), interpolation=cv2.INTER_AREA if scale < 1 else cv2.INTER_LINEAR)


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


def _line(contour: Any, where: TextMap, across: float, down: float) -> TextLine | None:
    """The line of a component in pixels of the raster; None if it is too small or too improbable."""
    x, y, width, height = cv2.boundingRect(contour)
    mask = np.zeros((height, width), np.uint8)
    cv2.drawContours(mask, [contour], -1, 1, cv2.FILLED, offset=(-x, -y))
    inside = where.probabilities[y : y + height, x : x + width][mask > 0]
    score = float(inside.mean())
    if score < where.thresholds.line:
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
