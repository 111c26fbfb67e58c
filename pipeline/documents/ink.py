"""Ink that has the size and shape of characters, found without reading it: connected components of a raster."""

from collections.abc import Sequence
from typing import Any, NamedTuple

import cv2
import numpy as np

_SMALLEST = 4.0  # points: characters lower than this nobody reads
_LARGEST = 40.0  # points
_WIDEST = 60.0  # points: joined Arabic words run wide
_CONTRAST = 36  # gray levels between ink and the paper around it
_NEIGHBOURS = 3  # characters that stand together before they count as text: fewer are specks and ornaments


class Mark(NamedTuple):
    """A box of ink in pixels."""

    left: int
    top: int
    width: int
    height: int

    @property
    def center_x(self) -> int:
        """The middle column."""
        return self.left + self.width // 2

    @property
    def center_y(self) -> int:
        """The middle row."""
        return self.top + self.height // 2


def character_marks(image: Any, dpi: int) -> list[Mark]:
    """Components of character size in a grayscale array, dark on light and light on dark; rules and specks left out."""
    return _marks(image, dpi, dark=True) + _marks(image, dpi, dark=False)


def _marks(image: Any, dpi: int, *, dark: bool) -> list[Mark]:
    pixels_per_point = dpi / 72
    window = int(_LARGEST * pixels_per_point) | 1
    paper = cv2.blur(image, (window, window))
    ink = cv2.subtract(paper, image) if dark else cv2.subtract(image, paper)
    mask = (ink > _CONTRAST).astype(np.uint8)
    _, _, table, _ = cv2.connectedComponentsWithStats(mask, connectivity=8)
    table = table[1:]
    width, height, area = table[:, cv2.CC_STAT_WIDTH], table[:, cv2.CC_STAT_HEIGHT], table[:, cv2.CC_STAT_AREA]
    tall = (height >= _SMALLEST * pixels_per_point) & (height <= _LARGEST * pixels_per_point)
    narrow = (width <= _WIDEST * pixels_per_point) & (width * 12 > height)
    fill = area / np.maximum(width * height, 1)
    lettered = (fill > 0.08) & (fill < 0.95) | (width * 2 < height) & (fill > 0.3)
    keep = tall & narrow & lettered & (width < 12 * height)
    return [Mark(int(row[0]), int(row[1]), int(row[2]), int(row[3])) for row in table[keep]]


def gather(marks: Sequence[Mark]) -> list[Mark]:
    """Marks that stand beside each other on a line, as one box each; lonely ones are dropped."""
    groups: list[list[Mark]] = []
    for mark in sorted(marks, key=lambda m: m.left):
        for group in reversed(groups[-200:]):
            last = group[-1]
            if mark.left - (last.left + last.width) < 1.2 * max(mark.height, last.height) and _level(mark, last):
                group.append(mark)
                break
        else:
            groups.append([mark])
    return [_around(group) for group in groups if len(group) >= _NEIGHBOURS]


def _level(a: Mark, b: Mark) -> bool:
    overlap = min(a.top + a.height, b.top + b.height) - max(a.top, b.top)
    return overlap > 0.4 * min(a.height, b.height) and max(a.height, b.height) < 4 * min(a.height, b.height)


def _around(group: Sequence[Mark]) -> Mark:
    left, top = min(m.left for m in group), min(m.top for m in group)
    right = max(m.left + m.width for m in group)
    bottom = max(m.top + m.height for m in group)
    return Mark(left, top, right - left, bottom - top)
