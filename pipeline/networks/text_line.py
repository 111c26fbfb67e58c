"""A line of text in a raster: a rectangle at any angle, cut out upright, and positions in it mapped back."""

from typing import Any, NamedTuple

import cv2
import numpy as np

_MARGIN = 0.1  # of the height of a line: paper above and below its letters, which may be another line's


class TextLine(NamedTuple):
    """A rectangle in a raster: its top left corner, the unit vector along the line, its size, all in pixels.

    `score` (0..1): how sure the detector is.
    """

    left: float
    top: float
    along: tuple[float, float]
    width: float
    height: float
    score: float

    @property
    def runs_upward(self) -> bool:
        """Whether the line runs from the bottom to the top, or from the top to the bottom: the shape does not say."""
        return abs(self.along[1]) > abs(self.along[0])

    def cut(self, image: Any) -> Any:
        """The line as an upright grayscale array of about its own size; white where it leaves the raster."""
        width, height = max(1, round(self.width)), max(1, round(self.height))
        (x, y), (u, v) = (self.left, self.top), self.along
        place = np.array([[u, -v, x], [v, u, y]])
        flags = cv2.INTER_LINEAR | cv2.WARP_INVERSE_MAP
        return cv2.warpAffine(image, place, (width, height), flags=flags, borderValue=255)

    def box(self, left: float, right: float, shape: tuple[int, int]) -> tuple[int, int, int, int]:
        """The upright box (left, top, width, height) around a part of the line, given in pixels of the cut.

        `shape`: height and width of the raster, inside of which the box is.
        """
        u, v = self.along
        inset = _MARGIN * self.height
        across, down = np.array([left, right, left, right]), np.array([inset, inset, *2 * [self.height - inset]])
        xs, ys = self.left + across * u - down * v, self.top + across * v + down * u
        x0, x1 = (int(x) for x in np.clip([np.floor(xs.min()), np.ceil(xs.max())], 0, shape[1]))
        y0, y1 = (int(y) for y in np.clip([np.floor(ys.min()), np.ceil(ys.max())], 0, shape[0]))
        return min(x0, shape[1] - 1), min(y0, shape[0] - 1), max(1, x1 - x0), max(1, y1 - y0)
