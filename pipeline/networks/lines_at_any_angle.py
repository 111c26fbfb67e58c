"""Lines at any angle: detectors are surest of level ones, so they see an image turned by several angles."""

import math
from collections.abc import Callable
from typing import Any

import cv2
import numpy as np

from pipeline.networks.text_line import TextLine
from pipeline.networks.text_map import LONGEST_SIDE, TextMap

_TURNS = (45, 90, 135)  # degrees; a line that runs upside down in one of them is one all the same
_MARGIN = 32  # pixels of ground around what stands out


def lines_at_any_angle(image: Any, detector: Callable[[Any], TextMap]) -> list[TextLine]:
    """The lines of a grayscale array that the detector finds as it is and turned, in its pixels; most several times.

    It sees only the part with what differs from the ground, the median, as large as in the whole image.
    """
    ground, scale = int(np.median(image)), min(1.0, LONGEST_SIDE / max(image.shape))
    left, top, width, height = cv2.boundingRect((image != ground).astype(np.uint8))
    left, top, right, bottom = max(0, left - _MARGIN), max(0, top - _MARGIN), left + width, top + height
    part = image[top : bottom + _MARGIN, left : right + _MARGIN]
    if not width or scale * min(part.shape) < _MARGIN:  # pixels in which no text stands
        return []
    part = cv2.resize(part, None, fx=scale, fy=scale, interpolation=cv2.INTER_AREA)
    found = detector(part).lines()
    for degrees in _TURNS:
        turn, size = _turn(part.shape, degrees)
        back = cv2.invertAffineTransform(turn)
        turned = cv2.warpAffine(part, turn, size, borderValue=ground)
        found += (_mapped(line, back) for line in detector(turned).lines())
    return [
        line._replace(
            left=line.left / scale + left,
            top=line.top / scale + top,
            width=line.width / scale,
            height=line.height / scale,
        )
        for line in found
    ]


def _turn(shape: tuple[int, int], degrees: int) -> tuple[Any, tuple[int, int]]:
    """The matrix that turns an array of this shape within another, and the width and height of that one."""
    height, width = shape
    cosine, sine = abs(math.cos(math.radians(degrees))), abs(math.sin(math.radians(degrees)))
    size = round(width * cosine + height * sine), round(width * sine + height * cosine)
    turn: Any = cv2.getRotationMatrix2D((width / 2, height / 2), degrees, 1)
    turn[:, 2] += np.subtract(size, (width, height)) / 2
    return turn, size


def _mapped(line: TextLine, matrix: Any) -> TextLine:
    left, top = matrix @ (line.left, line.top, 1.0)
    u, v = matrix[:, :2] @ line.along
    return line._replace(left=float(left), top=float(top), along=(float(u), float(v)))
