"""A part of a line of text at any angle, and upright boxes around and over it."""

import math
from collections.abc import Iterable, Iterator, Sequence
from typing import NamedTuple

Box = tuple[int, int, int, int]  # left, top, width, height
Point = tuple[float, float]

_DRIFT = 0.5  # times its height: what a slanted line leaves its row within one box
_MAX_BOXES = 50  # over one line
_EXACT = 1e-6  # pixels: what sides may be off by calculation


class Strip(NamedTuple):
    """A part of a line of text at any angle: its middle runs from (x, y) so far across and down, all in pixels.

    `is_crossed`: it is light ink, and dark words over it say nothing about it.
    """

    x: float
    y: float
    across: float
    down: float
    height: float
    is_crossed: bool = False

    @property
    def length(self) -> float:
        """The length of its middle."""
        return math.hypot(self.across, self.down)

    @property
    def along(self) -> tuple[float, float]:
        """The unit vector along it; to the right if it has no length."""
        length = self.length
        return (self.across / length, self.down / length) if length else (1.0, 0.0)

    def part(self, start: float, end: float) -> "Strip":
        """It from one place to another, given in pixels along it."""
        (u, v), length = self.along, end - start
        return self._replace(x=self.x + start * u, y=self.y + start * v, across=length * u, down=length * v)

    def grown(self, margin: float) -> "Strip":
        """It with so many pixels more at each side."""
        longer = self.part(-margin, self.length + margin)
        return longer._replace(height=self.height + 2 * margin)

    def scaled(self, factor: float) -> "Strip":
        """It in another resolution."""
        x, y, across, down, height = (side * factor for side in self[:5])
        return self._replace(x=x, y=y, across=across, down=down, height=height)

    def point(self, along: float, down: float) -> Point:
        """The place so far along it and so far below its middle."""
        u, v = self.along
        return self.x + along * u - down * v, self.y + along * v + down * u

    @property
    def corners(self) -> tuple[Point, Point, Point, Point]:
        """Its four corners, one after the other."""
        length, half = self.length, self.height / 2
        return self.point(0, -half), self.point(length, -half), self.point(length, half), self.point(0, half)

    def extent(self, points: Sequence[Point]) -> tuple[float, float, float, float]:
        """The least and the most along it, the least and the most below its middle, of some points."""
        u, v = self.along
        along = [(x - self.x) * u + (y - self.y) * v for x, y in points]
        down = [(y - self.y) * u - (x - self.x) * v for x, y in points]
        return min(along), max(along), min(down), max(down)

    @property
    def box(self) -> Box:
        """The upright box around it."""
        return self._around(0, 1)

    def boxes(self, shape: tuple[int, int]) -> Iterator[Box]:
        """Upright boxes in a raster (`shape`: height, width) that cover it.

        One, or several along a slanted one: they cover little else.
        """
        u, v = self.along
        pieces = max(1, math.ceil(self.length * min(abs(u), abs(v)) / (_DRIFT * self.height)))
        pieces = min(pieces, _MAX_BOXES)
        for piece in range(pieces):
            x, y, width, height = self._around(piece / pieces, 1 / pieces)
            left, right = (min(max(0, side), shape[1]) for side in (x, x + width))
            top, bottom = (min(max(0, side), shape[0]) for side in (y, y + height))
            if left < right and top < bottom:
                yield left, top, right - left, bottom - top

    def _around(self, start: float, share: float) -> Box:
        """The upright box around a share of it from there on."""
        u, v = self.along
        width = abs(self.across) * share + self.height * abs(v)
        height = abs(self.down) * share + self.height * abs(u)
        middle = start + share / 2
        x, y = self.x + middle * self.across, self.y + middle * self.down
        left, top = (math.floor(side + _EXACT) for side in (x - width / 2, y - height / 2))
        right, bottom = (math.ceil(side - _EXACT) for side in (x + width / 2, y + height / 2))
        return left, top, right - left, bottom - top


def strip_of(box: Box) -> Strip:
    """The strip along the longer side of a box."""
    left, top, width, height = box
    return Strip(left + width / 2, top, 0.0, height, max(1, width)) if height > width else level_strip(box)


def level_strip(box: Box) -> Strip:
    """The strip along the upper side of a box, from its left to its right."""
    left, top, width, height = box
    return Strip(left, top + height / 2, max(1, width), 0.0, max(1, height))


def strip_around(strips: Iterable[Strip]) -> Strip:
    """The strip in the direction of the first one that all of them lie in."""
    every = list(strips)
    start, end, above, below = every[0].extent([corner for strip in every for corner in strip.corners])
    (u, v), (x, y) = every[0].along, every[0].point(start, (above + below) / 2)
    return Strip(x, y, (end - start) * u, (end - start) * v, below - above)
