"""Lines as a page gives them, clean or damaged, with the characters to read."""

import random
from collections.abc import Callable, Sequence
from functools import partial
from typing import NamedTuple

import cv2
import numpy as np
from numpy.typing import NDArray

from scripts.scans import damage, fonts
from scripts.scans.content import line as words_of_line
from scripts.scans.drawing import Drawn, Mark, choose, drawn


class Line(NamedTuple):
    """A cut-out line (h, w) and its marks from left to right."""

    image: NDArray[np.uint8]
    marks: list[Mark]


def line(draw: random.Random, part: fonts.Part, damaged: bool, sentences: Sequence[str]) -> Line:
    """One line of random content and looks; its phrases are of the sentences."""
    while True:
        made = _drawn(draw, part, round(2 ** draw.uniform(4.25, 5.6)), sentences)
        if (made.image < 128).any():
            other = partial(_drawn, draw, part, made.size, sentences)
            return _degraded(made, draw, other) if damaged else _clean(made, draw)


def _drawn(draw: random.Random, part: fonts.Part, size: int, sentences: Sequence[str]) -> Drawn:
    return drawn(words_of_line(draw, sentences), choose(draw, part), size, draw)


def _clean(made: Drawn, draw: random.Random) -> Line:
    image, marks = _cut(made.image, made.marks, _box(made.image, made.size, draw, 0.1, 0.25))
    if draw.random() < 0.5:
        image, marks = _scaled(image, marks, draw.uniform(0.55, 1.0))
    return Line(image, marks)


def _degraded(made: Drawn, draw: random.Random, other: Callable[[], Drawn]) -> Line:
    image, marks = made.image, made.marks
    box = _box(image, made.size, draw, -0.04 if draw.random() < 0.15 else 0.06, 0.35)
    if draw.random() < 0.15:
        image = _between_neighbours(image, other().image, draw)
    if draw.random() < 0.3:
        image = damage.ruled(image, draw, *_inked_rows(made.image))
    image, marks = _cut(image, marks, box)
    if draw.random() < 0.45:
        image, matrix = damage.turned(image, draw)
        middle = image.shape[0] / 2
        marks = [mark._replace(middle=float(matrix[0] @ (mark.middle, middle, 1))) for mark in marks]
    if draw.random() < 0.3:
        image = damage.strokes(image, draw)
    if draw.random() < 0.6:
        least = min(1.0, 11 / made.size)
        image, marks = _scaled(image, marks, draw.uniform(least, 1.0))
    if draw.random() < 0.45:
        image = damage.blurred(image, draw)
    if draw.random() < 0.75:
        image = damage.exposed(image, draw)
    if draw.random() < 0.4:
        image = damage.compressed(image, draw)
    if draw.random() < 0.2:
        image, marks = _scaled(image, marks, draw.uniform(1.0, 2.0))
    return Line(image, marks)


def _inked_rows(image: NDArray[np.uint8]) -> tuple[int, int]:
    rows = np.flatnonzero((image < 160).any(axis=1))
    return int(rows[0]), int(rows[-1]) + 1


def _box(
    image: NDArray[np.uint8], size: int, draw: random.Random, least: float, most: float
) -> tuple[int, int, int, int]:
    """Left, top, right and bottom of a cut with margins in shares of the height, at least as high as half a font."""
    top, bottom = _inked_rows(image)
    columns = np.flatnonzero((image < 160).any(axis=0))
    lacking = max(0.0, size * draw.uniform(0.4, 0.7) - (bottom - top))
    height = bottom - top + lacking
    above, below = (height * draw.uniform(least, most) + lacking / 2 for _ in range(2))
    beside = [round(height * draw.uniform(max(least, 0.02), max(most, 0.3))) for _ in range(2)]
    return (
        max(0, int(columns[0]) - beside[0]),
        max(0, round(top - above)),
        min(image.shape[1], int(columns[-1]) + 1 + beside[1]),
        min(image.shape[0], round(bottom + below)),
    )


def _cut(
    image: NDArray[np.uint8], marks: list[Mark], box: tuple[int, int, int, int]
) -> tuple[NDArray[np.uint8], list[Mark]]:
    left, top, right, bottom = box
    return image[top:bottom, left:right], [mark._replace(middle=mark.middle - left) for mark in marks]


def _scaled(image: NDArray[np.uint8], marks: list[Mark], factor: float) -> tuple[NDArray[np.uint8], list[Mark]]:
    height, width = image.shape
    target = max(1, round(width * factor)), max(1, round(height * factor))
    method = cv2.INTER_AREA if factor < 1 else cv2.INTER_CUBIC
    return cv2.resize(image, target, interpolation=method), [
        mark._replace(middle=mark.middle * target[0] / width) for mark in marks
    ]


def _between_neighbours(image: NDArray[np.uint8], other: NDArray[np.uint8], draw: random.Random) -> NDArray[np.uint8]:
    """With parts of another line above or below at its edge."""
    top, bottom = _inked_rows(image)
    if not (other < 128).any():
        return image
    first, last = _inked_rows(other)
    image = image.copy()
    gap = round((bottom - top) * draw.uniform(0.05, 0.3))
    shift = draw.randint(0, max(0, image.shape[1] - other.shape[1] // 2))
    width = min(other.shape[1], image.shape[1] - shift)
    if draw.random() < 0.5:
        rows = min(last - first, image.shape[0] - bottom - gap)
        if rows > 0:
            target = image[bottom + gap : bottom + gap + rows, shift : shift + width]
            np.minimum(target, other[first : first + rows, :width], out=target)
    else:
        rows = min(last - first, top - gap)
        if rows > 0:
            target = image[top - gap - rows : top - gap, shift : shift + width]
            np.minimum(target, other[last - rows : last, :width], out=target)
    return image
