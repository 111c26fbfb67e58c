"""Boxes that stand in one row."""

import math
from collections.abc import Sequence
from typing import Any

import numpy as np

from pipeline.geometry.strip import Box

_SAME_ROW = 0.5  # of the lower one's height is shared by two boxes of one row


def share_row(one: tuple[float, float], other: tuple[float, float]) -> bool:
    """Whether two boxes, of each the top and the height, stand in one row."""
    shared = min(one[0] + one[1], other[0] + other[1]) - max(one[0], other[0])
    return shared >= _SAME_ROW * min(one[1], other[1])


class Rows:
    """Boxes in the order of their upper edges, so that those of a row are found among few."""

    def __init__(self, boxes: Sequence[Box]) -> None:
        places = np.array(boxes, float).reshape(-1, 4)
        self._order = np.argsort(places[:, 1], kind="stable")
        self._boxes = places[self._order].T
        self._tallest = self._boxes[3].max(initial=0)

    def beside(self, box: Box, gap: float = math.inf) -> Any:
        """The numbers of the boxes in the row of a box, at most so many pixels before or after it."""
        near = self._near(box)
        left, top, width, height = self._boxes[:, near]
        shared = np.minimum(top + height, box[1] + box[3]) - np.maximum(top, box[1])
        apart = np.maximum(box[0] - left - width, left - box[0] - box[2])
        return self._order[near][(shared >= _SAME_ROW * np.minimum(height, box[3])) & (apart <= gap)]

    def touching(self, box: Box) -> Any:
        """The numbers of the boxes that share rows of pixels with a box."""
        near = self._near(box)
        _, top, _, height = self._boxes[:, near]
        return self._order[near][top + height > box[1]]

    def _near(self, box: Box) -> slice:
        return slice(*np.searchsorted(self._boxes[1], (box[1] - self._tallest, box[1] + box[3])))
