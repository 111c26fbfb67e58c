"""Lines at any angle: detectors are surest of level ones, so they see an image turned by several angles."""

import math
from collections.abc import Callable
from typing import Any

import cv2
import numpy as np

from pipeline.networks.text_line import TextLine
from pipeline.networks.text_map import TextMap

_TURNS = (45, 90, 135)  # degrees; a line that runs upside down in one of them is one all the same


def lines_at_any_angle(image: Any, detector: Callable[[Any], TextMap]) -> list[TextLine]:
    """The lines of a grayscale array that the detector finds as it is and turned, in its pixels; most several times."""
    ground = int(np.median(image))
    found = detector(image).lines()
    for degrees in _TURNS:
        turn, size = _turn(image.shape, degrees)
        back = cv2.invertAffineTransform(turn)
        turned = cv2.warpAffine(image, turn, size, borderValue=ground)
        found += (_mapped(line, back) for line in detector(turned).lines())
    return found


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
