"""Ink that has the size and shape of characters, found without reading it: connected components of a raster."""

from collections.abc import Sequence
from typing import Any, NamedTuple

import cv2
import numpy as np

_SMALLEST = 4.0  # points: characters lower than this nobody reads
_LARGEST = 40.0  # points
_WIDEST = 60.0  # points: joined Arabic words run wide
CONTRAST = 36  # gray levels between dark ink and the paper around it
LIGHT_CONTRAST = 60  # gray levels between light ink and its ground
GROUND = 150  # gray level: on a lighter ground, what is lighter still is paper beside dark ink
_FINE = 250  # dots per inch
_BAND = 16  # pixels: only groups that end near its rows are asked whether a mark goes on with them
_RECENT = 32  # groups of a band
_NEIGHBOURS = 3  # characters that stand together before they count as text: fewer are specks and ornaments


class Mark(NamedTuple):
    """A box of ink in pixels."""

    left: int
    top: int
    width: int
    height: int


class Ink(NamedTuple):
    """Components of a raster: `boxes` (n, 4) as left, top, right, bottom; `is_character` (n,) those of that shape."""

    boxes: Any
    is_character: Any


def ink_of(image: Any, dpi: int) -> Ink:
    """Components of at most a large character's size in a grayscale array, dark on light and light on dark."""
    if dpi >= _FINE and min(image.shape) > 8:  # half of it shows as much in a quarter of the time
        half = ink_of(cv2.resize(image, None, fx=0.5, fy=0.5, interpolation=cv2.INTER_AREA), dpi // 2)
        height, width = image.shape
        boxes = np.clip(half.boxes * 2 + np.array([-1, -1, 1, 1]), 0, [width, height, width, height])
        return Ink(boxes, half.is_character)
    window = int(_LARGEST * dpi / 72) | 1
    paper = cv2.blur(image, (window, window))
    dark = (cv2.subtract(paper, image) > CONTRAST).astype(np.uint8)
    parts = [components(dark, dpi)]
    light = ((cv2.subtract(image, paper) > LIGHT_CONTRAST) & (paper < GROUND)).astype(np.uint8)
    if light.any():
        parts.append(components(light, dpi))
    return Ink(*(np.concatenate(column) for column in zip(*parts, strict=True)))


def components(mask: Any, dpi: int) -> tuple[Any, Any]:
    """`boxes` and `is_character` of an Ink, of the connected parts of a mask of zeros and ones."""
    _, _, table, _ = cv2.connectedComponentsWithStats(mask, connectivity=8)
    left, top, width, height, area = table[1:].T
    points = 72 / dpi
    fits = (height <= _LARGEST / points) & (width <= _WIDEST / points)
    fill = area / np.maximum(width * height, 1)
    is_stroke = (width * 2 < height) & (fill > 0.3)  # an alef, an l, a one
    is_character = (height >= _SMALLEST / points) & (width * 12 > height) & (width < 12 * height)
    is_character &= (fill > 0.08) & (fill < 0.95) | is_stroke
    boxes = np.stack((left, top, left + width, top + height), axis=1)
    return boxes[fits], is_character[fits]


def characters(ink: Ink) -> list[Mark]:
    """The components that may be characters."""
    return [Mark(int(b[0]), int(b[1]), int(b[2] - b[0]), int(b[3] - b[1])) for b in ink.boxes[ink.is_character]]


def gather(marks: Sequence[Mark]) -> list[Mark]:
    """Marks that stand beside each other on a line, as one box each; lonely ones are dropped."""
    return [around(group) for group in rows_of(marks) if len(group) >= _NEIGHBOURS]


def rows_of(marks: Sequence[Mark]) -> list[list[Mark]]:
    """Marks that stand beside each other on a line, from left to right; also those that stand alone."""
    groups: list[list[Mark]] = []
    bands: dict[int, list[int]] = {}  # groups that end in a band of rows, or did once, from old to new
    for mark in sorted(marks, key=lambda m: m.left):
        rows = range(mark.top // _BAND, (mark.top + mark.height - 1) // _BAND + 1)
        near = {number for row in rows for number in bands.get(row, ())[-_RECENT:]}
        chosen = next((number for number in sorted(near, reverse=True) if _goes_on(groups[number][-1], mark)), None)
        if chosen is None:
            chosen = len(groups)
            groups.append([])
        groups[chosen].append(mark)
        for row in rows:
            band = bands.setdefault(row, [])
            if not band or band[-1] != chosen:
                band.append(chosen)
    return groups


def _goes_on(last: Mark, mark: Mark) -> bool:
    return mark.left - (last.left + last.width) < 1.2 * max(mark.height, last.height) and _level(mark, last)


def _level(a: Mark, b: Mark) -> bool:
    overlap = min(a.top + a.height, b.top + b.height) - max(a.top, b.top)
    return overlap > 0.4 * min(a.height, b.height) and max(a.height, b.height) < 4 * min(a.height, b.height)


def around(group: Sequence[Mark]) -> Mark:
    """The box around several."""
    left, top = min(m.left for m in group), min(m.top for m in group)
    right = max(m.left + m.width for m in group)
    bottom = max(m.top + m.height for m in group)
    return Mark(left, top, right - left, bottom - top)
