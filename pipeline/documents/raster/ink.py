"""Finds ink with the size and shape of characters, without OCR: connected components of a raster and their lines."""

from collections.abc import Sequence
from typing import Any, NamedTuple

import cv2
import numpy as np

_MIN_HEIGHT = 4.0  # points: the height of the smallest legible character
_MAX_HEIGHT = 40.0  # points
_MAX_WIDTH = 60.0  # points: connected Arabic words are wide
CONTRAST = 36  # gray levels between dark ink and its background
LIGHT_CONTRAST = 60  # gray levels between light ink and its background
DARK_BACKGROUND = 150  # gray level: light ink needs a darker background; otherwise it is paper next to dark ink
_FINE = 250  # dots per inch from which on half the resolution is enough
_BAND = 16  # pixels: height of a band of rows; a mark is compared with the groups of its bands only
_RECENT = 32  # latest groups of a band that are compared
_GAP = 1.2  # times the height of a mark: between two of a line
_MIN_LINE = 3  # characters of a text line; fewer are specks and ornaments


class Mark(NamedTuple):
    """A box of ink in pixels."""

    left: int
    top: int
    width: int
    height: int


class Ink(NamedTuple):
    """Components of a raster: `boxes` (n, 4) as left, top, right, bottom; `is_character` (n,) by shape."""

    boxes: Any
    is_character: Any


def ink_of(image: Any, dpi: int) -> Ink:
    """The components of a grayscale array up to the size of a large character, dark on light and light on dark."""
    if dpi >= _FINE and min(image.shape) > 8:  # half the resolution finds the same in a quarter of the time
        half = ink_of(cv2.resize(image, None, fx=0.5, fy=0.5, interpolation=cv2.INTER_AREA), dpi // 2)
        height, width = image.shape
        boxes = np.clip(half.boxes * 2 + np.array([-1, -1, 1, 1]), 0, [width, height, width, height])
        return Ink(boxes, half.is_character)
    window = int(_MAX_HEIGHT * dpi / 72) | 1
    background = cv2.blur(image, (window, window))
    dark = (cv2.subtract(background, image) > CONTRAST).astype(np.uint8)
    parts = [components(dark, dpi)]
    light = ((cv2.subtract(image, background) > LIGHT_CONTRAST) & (background < DARK_BACKGROUND)).astype(np.uint8)
    if light.any():
        parts.append(components(light, dpi))
    return Ink(*(np.concatenate(column) for column in zip(*parts, strict=True)))


def components(mask: Any, dpi: int) -> tuple[Any, Any]:
    """`boxes` and `is_character` of the connected components of a mask of zeros and ones."""
    _, _, table, _ = cv2.connectedComponentsWithStats(mask, connectivity=8)
    left, top, width, height, area = table[1:].T
    points = 72 / dpi
    fits = (height <= _MAX_HEIGHT / points) & (width <= _MAX_WIDTH / points)
    fill = area / np.maximum(width * height, 1)
    is_stroke = (width * 2 < height) & (fill > 0.3)  # an alef, an l, a one
    is_character = (height >= _MIN_HEIGHT / points) & (width * 12 > height) & (width < 12 * height)
    is_character &= (fill > 0.08) & (fill < 0.95) | is_stroke
    boxes = np.stack((left, top, left + width, top + height), axis=1)
    return boxes[fits], is_character[fits]


def characters(ink: Ink) -> list[Mark]:
    """The components with the shape of a character."""
    return [Mark(int(b[0]), int(b[1]), int(b[2] - b[0]), int(b[3] - b[1])) for b in ink.boxes[ink.is_character]]


def line_boxes(marks: Sequence[Mark]) -> list[Mark]:
    """The boxes of lines of marks; a line has at least three marks."""
    return [bounding_box(group) for group in group_lines(marks) if len(group) >= _MIN_LINE]


def group_lines(marks: Sequence[Mark], gap: float = _GAP) -> list[list[Mark]]:
    """Marks grouped to lines, each from left to right; a single mark is a group too.

    `gap`: the widest between two of a line, times the height of the higher one.
    """
    groups: list[list[Mark]] = []
    bands: dict[int, list[int]] = {}  # the groups that have a mark in each band, oldest first
    for mark in sorted(marks, key=lambda m: m.left):
        rows = range(mark.top // _BAND, (mark.top + mark.height - 1) // _BAND + 1)
        near = {number for row in rows for number in bands.get(row, ())[-_RECENT:]}
        chosen = next(
            (number for number in sorted(near, reverse=True) if _continues_line(groups[number][-1], mark, gap)), None
        )
        if chosen is None:
            chosen = len(groups)
            groups.append([])
        groups[chosen].append(mark)
        for row in rows:
            band = bands.setdefault(row, [])
            if not band or band[-1] != chosen:
                band.append(chosen)
    return groups


def _continues_line(last: Mark, mark: Mark, gap: float) -> bool:
    return mark.left - (last.left + last.width) < gap * max(mark.height, last.height) and _on_same_line(mark, last)


def _on_same_line(a: Mark, b: Mark) -> bool:
    overlap = min(a.top + a.height, b.top + b.height) - max(a.top, b.top)
    return overlap > 0.4 * min(a.height, b.height) and max(a.height, b.height) < 4 * min(a.height, b.height)


def bounding_box(group: Sequence[Mark]) -> Mark:
    """The bounding box of several marks."""
    left, top = min(m.left for m in group), min(m.top for m in group)
    right = max(m.left + m.width for m in group)
    bottom = max(m.top + m.height for m in group)
    return Mark(left, top, right - left, bottom - top)
