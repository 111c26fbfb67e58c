"""What is left of a value, and what else was burned, by the pixels of the original and of the output."""

import math

import cv2
import numpy as np
from numpy.typing import NDArray

from benchmarks.scans.damage import Pixels
from benchmarks.scans.sheet import Polygon

Mask = NDArray[np.bool_]

LEGIBLE = 5  # consecutive characters
_SHORT = 0.6  # of the characters of a value that has few
_CORRELATED = 0.5  # strokes of a character that are still those of the original
_CONTRAST = 0.15  # of the original's, below which nothing is seen
_CHANGED = 60  # grey levels between the original and the output
_CHARACTER = 24  # pixels to which the width of a character is brought
_STROKE = 15  # pixels: wider than the strokes of a text
_BOX = 9  # pixels: the least side of a burned box
_DARKER = 30  # grey levels below the paper around it


def is_left(original: Pixels, output: Pixels, polygon: Polygon, characters: int) -> bool:
    """Whether so many characters beside each other still show their strokes that a reader gains from them."""
    wanted = min(LEGIBLE, math.ceil(_SHORT * characters))
    run = longest = 0
    for state in characters_left(original, output, polygon, characters):
        run = run if state is None else run + 1 if state else 0
        longest = max(longest, run)
    return longest >= wanted


def characters_left(original: Pixels, output: Pixels, polygon: Polygon, characters: int) -> list[bool | None]:
    """For each character's width whether its strokes remain; None where the original has none.

    A character remains when its strokes correlate with those of the original and are not much fainter: neither a box
    nor text in a box nor a blur that flows over several characters does that.
    """
    before, after = (_strokes(image, polygon, characters) for image in (original, output))
    least = 0.25 * max(float(before.std()), 1e-6)
    states: list[bool | None] = []
    for index in range(characters):
        cells = [strokes[:, index * _CHARACTER : (index + 1) * _CHARACTER] for strokes in (before, after)]
        deviations = [float(cell.std()) for cell in cells]
        if deviations[0] < least:
            states.append(None)
        elif deviations[1] < _CONTRAST * deviations[0]:
            states.append(False)
        else:
            states.append(_correlation(*cells) >= _CORRELATED)
    return states


def _strokes(image: Pixels, polygon: Polygon, characters: int) -> NDArray[np.float32]:
    """The value set upright, a character `_CHARACTER` pixels wide, without what is broader than its strokes."""
    width = characters * _CHARACTER
    sides = np.linalg.norm(np.diff(np.vstack([polygon, polygon[:1]]), axis=0), axis=1)
    height = max(4, round(width * float(sides[1] + sides[3]) / max(float(sides[0] + sides[2]), 1.0)))
    corners = np.array([(0, 0), (width, 0), (width, height), (0, height)], np.float32)
    matrix = cv2.getPerspectiveTransform(polygon.astype(np.float32), corners)
    upright = cv2.warpPerspective(
        image, matrix, (width, height), flags=cv2.INTER_LINEAR, borderMode=cv2.BORDER_REPLICATE
    )
    grey = upright.astype(np.float32)
    return grey - cv2.GaussianBlur(grey, (0, 0), _CHARACTER / 2)


def _correlation(one: NDArray[np.float32], other: NDArray[np.float32]) -> float:
    one, other = one - one.mean(), other - other.mean()
    return float((one * other).sum() / max(float(np.linalg.norm(one) * np.linalg.norm(other)), 1e-6))


def inside(polygons: list[Polygon], shape: tuple[int, ...], margin: int = 4) -> Mask:
    """The pixels inside any of the polygons, or at most `margin` pixels beside one."""
    mask = np.zeros(shape[:2], np.uint8)
    for polygon in polygons:
        cv2.fillPoly(mask, [np.round(polygon).astype(np.int32)], 1)
    return cv2.dilate(mask, np.ones((2 * margin + 1, 2 * margin + 1), np.uint8)).astype(bool)


def ink(image: Pixels) -> Mask:
    """The pixels that are darker than the paper around them."""
    small = cv2.resize(image, None, fx=0.25, fy=0.25, interpolation=cv2.INTER_AREA)
    paper = cv2.medianBlur(cv2.dilate(small, np.ones((9, 9), np.uint8)), 21)
    around = cv2.resize(paper, image.shape[::-1], interpolation=cv2.INTER_LINEAR)
    return around.astype(np.int16) - image > _DARKER


def burned(original: Pixels, output: Pixels) -> Mask:
    """The pixels of dark boxes that the original lacks: a dark stroke in one is burned as well as the paper beside it.

    Strokes that only moved are none.
    """
    changed = np.abs(original.astype(np.int16) - output) > _CHANGED
    solid = _opened(_closed(output < _CHANGED, _STROKE), _BOX)
    return _closed(changed & solid, _STROKE) & solid


def _closed(mask: Mask, side: int) -> Mask:
    padded = cv2.copyMakeBorder(mask.astype(np.uint8), side, side, side, side, cv2.BORDER_CONSTANT, value=0)
    closed = cv2.morphologyEx(padded, cv2.MORPH_CLOSE, np.ones((side, side), np.uint8))
    return closed[side:-side, side:-side].astype(bool)


def _opened(mask: Mask, side: int) -> Mask:
    return cv2.morphologyEx(mask.astype(np.uint8), cv2.MORPH_OPEN, np.ones((side, side), np.uint8)).astype(bool)


def share_burned(original: Pixels, output: Pixels, rightly: list[Polygon]) -> float:
    """The share of the ink outside these polygons that was burned."""
    other = ink(original) & ~inside(rightly, original.shape)
    return float((other & burned(original, output)).sum() / max(int(other.sum()), 1))
