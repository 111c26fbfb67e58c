"""Turns dark boxes with light letters into light boxes with dark letters: Tesseract trips over solid black.

Our own burned boxes are such boxes, so the second reading of an output sees placeholders and blanks where they stand
instead of inventing words; headings of tables are others.
"""

from typing import Any

import cv2
import numpy as np

_DARK = 96  # gray level
_LEAST_WIDTH, _LEAST_HEIGHT = 14, 10  # pixels
_FILLED = 0.45  # share of a box that stays dark between its letters
_SOLID = 0.9  # share of dark pixels along a box's edges
_RIM = 2  # pixels around a box that are neither black nor white


def lightened(image: Any) -> Any:
    """The grayscale array with such boxes inverted; the same array when it has none."""
    dark = (image < _DARK).astype(np.uint8)
    _, _, table, _ = cv2.connectedComponentsWithStats(dark, connectivity=4)
    _, _, width, height, area = table[1:].T
    wanted = (width >= _LEAST_WIDTH) & (height >= _LEAST_HEIGHT) & (area >= _FILLED * width * height)
    boxes = [row for row in table[1:][wanted] if _has_solid_edges(dark, row)]
    if not boxes:
        return image
    image = image.copy()
    for x, y, wide, tall, _ in boxes:
        inside = image[y : y + tall, x : x + wide]
        inside[:] = 255 - inside
        rim = image[max(0, y - _RIM) : y + tall + _RIM, max(0, x - _RIM) : x + wide + _RIM]
        core = inside.copy()
        rim[:] = 255
        inside[:] = core
    return image


def _has_solid_edges(dark: Any, row: Any) -> bool:
    x, y, wide, tall, _ = (int(value) for value in row)
    patch = dark[y : y + tall, x : x + wide]
    edges = (patch[1], patch[-2], patch[:, 1], patch[:, -2])
    return all(float(edge.mean()) >= _SOLID for edge in edges)
