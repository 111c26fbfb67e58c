"""Turns dark boxes with light letters into light boxes with dark letters: Tesseract trips over solid black.

Our own burned boxes are such boxes, so the second reading of an output sees placeholders and blanks where they stand
instead of inventing words; headings of tables are others.
"""

from typing import Any

import cv2
import numpy as np

_DARK = 96  # gray level
_COARSE = 4  # times: boxes are looked for in a smaller picture first, which takes a tenth of the time
_LEAST_WIDTH, _LEAST_HEIGHT = 14, 10  # pixels
_FILLED = 0.45  # share of a box that stays dark between its letters
_SOLID = 0.9  # share of dark pixels along a box's edges
_RIM = 2  # pixels around a box that are neither black nor white


def lightened(image: Any) -> Any:
    """The grayscale array with such boxes inverted; the same array when it has none."""
    boxes = [box for area in _candidates(image) if (box := _box(image, *area))]
    if not boxes:
        return image
    image = image.copy()
    for left, top, right, bottom in boxes:
        letters = 255 - image[top:bottom, left:right]
        image[max(0, top - _RIM) : bottom + _RIM, max(0, left - _RIM) : right + _RIM] = 255
        image[top:bottom, left:right] = letters
    return image


def _candidates(image: Any) -> list[tuple[int, int, int, int]]:
    """Areas (left, top, right, bottom) that hold a dark blob, a little larger than it."""
    if min(image.shape) < 2 * _COARSE:
        return []
    small = cv2.resize(image, None, fx=1 / _COARSE, fy=1 / _COARSE, interpolation=cv2.INTER_AREA)
    table = cv2.connectedComponentsWithStats((small < _DARK + 32).astype(np.uint8), connectivity=4)[2][1:]
    _, _, width, height, area = table.T
    large = (width * _COARSE >= _LEAST_WIDTH) & (height * _COARSE >= _LEAST_HEIGHT)
    areas = table[large & (area >= 0.8 * _FILLED * width * height)]
    scaled = [(int(x - 1), int(y - 1), int(x + w + 1), int(y + h + 1)) for x, y, w, h, _ in areas]
    return [(max(0, left) * _COARSE, max(0, top) * _COARSE, r * _COARSE, b * _COARSE) for left, top, r, b in scaled]


def _box(image: Any, left: int, top: int, right: int, bottom: int) -> tuple[int, int, int, int] | None:
    """The dark box in that area, exactly, or None when what is dark there is no box."""
    dark = (image[top:bottom, left:right] < _DARK).astype(np.uint8)
    table = cv2.connectedComponentsWithStats(dark, connectivity=4)[2][1:]
    if not len(table):
        return None
    x, y, width, height, area = (int(value) for value in table[table[:, cv2.CC_STAT_AREA].argmax()])
    if width < _LEAST_WIDTH or height < _LEAST_HEIGHT or area < _FILLED * width * height:
        return None
    patch = dark[y : y + height, x : x + width]
    if any(float(edge.mean()) < _SOLID for edge in (patch[1], patch[-2], patch[:, 1], patch[:, -2])):
        return None
    return left + x, top + y, left + x + width, top + y + height
