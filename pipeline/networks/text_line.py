"""A line of text in a raster: a rectangle at any angle, cut out upright, and positions in it mapped back."""

from typing import Any, NamedTuple

import cv2
import numpy as np

from pipeline.geometry.strip import Strip

_ROOM = 0.25  # times the height of a line: what it is longer where it is fitted; a zero (٠) may stand there
_MOST_ACROSS, _MOST_DOWN = 0.35, 0.3  # times the height: at the edges of a line, what may be blank paper
_KEPT = 0.1  # times the height: blank paper that stays
_FAINT, _CLEAR = 12.0, 40.0  # gray levels between paper and the faintest ink, and any ink that is not grain
_GRAIN = 6.0  # times the median distance of pixels from the level of the paper: grain has less
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

    def part(self, start: float, end: float) -> "TextLine":
        """The line from one place to another, given in pixels of the cut."""
        (u, v) = self.along
        return self._replace(left=self.left + start * u, top=self.top + start * v, width=end - start)

    def corners(self) -> Any:
        """The four corners (4, 2) in pixels of the raster, one after the other."""
        (x, y), (u, v) = (self.left, self.top), self.along
        across, down = np.array((u, v)) * self.width, np.array((-v, u)) * self.height
        return np.array((x, y)) + np.array([0 * across, across, across + down, down])

    def cut(self, image: Any) -> Any:
        """The line as an upright grayscale array of about its own size; white where it leaves the raster."""
        width, height = max(1, round(self.width)), max(1, round(self.height))
        (x, y), (u, v) = (self.left, self.top), self.along
        place = np.array([[u, -v, x], [v, u, y]])
        flags = cv2.INTER_LINEAR | cv2.WARP_INVERSE_MAP
        return cv2.warpAffine(image, place, (width, height), flags=flags, borderValue=255)

    def fitted(self, image: Any) -> "TextLine":
        """The line with room for a small character at its ends, and without the blank paper at its edges.

        Paper is blank that has nearly the same level everywhere: faint ink stays in the line.
        """
        (u, v), height = self.along, self.height
        room = _ROOM * height
        longer = self._replace(left=self.left - room * u, top=self.top - room * v, width=self.width + 2 * room)
        cut = longer.cut(image)
        across, down = round(room + _MOST_ACROSS * height), round(_MOST_DOWN * height)
        kept = round(_KEPT * height)
        left, right = (max(0, _blank(side[:, :across].T) - kept) for side in (cut, cut[:, ::-1]))
        above, below = (max(0, _blank(side[:down]) - kept) for side in (cut, cut[::-1]))
        return longer._replace(
            left=longer.left + left * u - above * v,
            top=longer.top + left * v + above * u,
            width=max(1.0, longer.width - left - right),
            height=max(1.0, longer.height - above - below),
        )

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

    def strip(self, left: float, right: float) -> Strip:
        """A part of the line, given in pixels of the cut, without the paper above and below its letters."""
        (u, v), reach = self.along, self.height / 2
        middle = Strip(self.left - v * reach, self.top + u * reach, u, v, max(1.0, (1 - 2 * _MARGIN) * self.height))
        return middle.part(left, right)


def _blank(rows: Any) -> int:
    """How many of these rows of pixels, from the first on, show nothing but the grain of the paper."""
    if not rows.size:
        return 0
    paper = np.median(rows)
    distance = np.abs(rows.astype(np.float32) - paper)
    least = np.clip(_GRAIN * np.median(distance), _FAINT, _CLEAR)
    inked = np.flatnonzero((distance > least).any(axis=1))
    return int(inked[0]) if len(inked) else len(rows)
