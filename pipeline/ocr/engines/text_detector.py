"""Finds the lines of text of a raster with the detector of PP-OCRv6, whatever their script.

The network gives each pixel the probability that it belongs to the core of a line (differentiable binarization, Liao et
al. 2020); a line is a component of that map, grown to the height of its letters.
"""

from functools import cache
from typing import Any

import cv2
import numpy as np

from pipeline.ocr.engines.pretrained import DETECTOR, pretrained
from pipeline.ocr.engines.text_line import TextLine
from pipeline.onnx_session import Session, run

_LONGEST_SIDE = 1600  # pixels of the network's input
_MULTIPLE = 32  # pixels: the sides of the input are multiples of it
_MEAN, _DEVIATION = (np.array(rgb, np.float32) for rgb in ((0.485, 0.456, 0.406), (0.229, 0.224, 0.225)))
_IN_LINE = 0.3  # probability of a pixel of a line
_MIN_SCORE = 0.4  # mean probability of a line
_GROWTH = 1.6  # the growth of a component: area times this, by perimeter
_MIN_SIDE = 3.0  # pixels of the map
_MAX_LINES = 3000
_UPRIGHT = 1.5  # times its width: a higher box is a line that runs from bottom to top


def text_lines(image: Any, longest_side: int = _LONGEST_SIDE) -> list[TextLine]:
    """The lines of a grayscale array (height, width), from top to bottom.

    `longest_side`: pixels; the network sees a larger array reduced to it.
    """
    height, width = image.shape
    scale = min(1.0, longest_side / max(height, width))
    rows, columns = (max(_MULTIPLE, round(side * scale / _MULTIPLE) * _MULTIPLE) for side in image.shape)
    scaled = cv2.resize(image, (columns, rows), interpolation=cv2.INTER_AREA if scale < 1 else cv2.INTER_LINEAR)
    planes = (scaled[None].astype(np.float32) / 255 - _MEAN[:, None, None]) / _DEVIATION[:, None, None]
    probabilities = run(_network(), planes[None])[0, 0]
    contours, _ = cv2.findContours((probabilities > _IN_LINE).astype(np.uint8), cv2.RETR_LIST, cv2.CHAIN_APPROX_SIMPLE)
    found = (_line(contour, probabilities, width / columns, height / rows) for contour in contours[:_MAX_LINES])
    return sorted((line for line in found if line is not None), key=lambda line: line.top)


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
