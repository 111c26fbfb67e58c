"""Boxes that stand in one row."""

from collections.abc import Sequence
from typing import Any

import numpy as np

from pipeline.verification.raster_matching import Box

_SAME_ROW = 0.5  # of the lower one's height is shared by two boxes of one row


class Rows:
    """Boxes in the order of their upper edges, so that those of a row are found among few."""

    def __init__(self, boxes: Sequence[Box]) -> None:
        places = np.array(boxes, float).reshape(-1, 4)
        self._order = np.argsort(places[:, 1], kind="stable")
        self._boxes = places[self._order].T
        self._tallest = self._boxes[3].max(initial=0)

    def beside(self, box: Box, gap: float) -> Any:
        """The numbers of the boxes in the row of a box, at most so many pixels before or after it."""
        near = self._near(box)
        _, top, _, height = self._boxes[:, near]
        shared = np.minimum(top + height, box[1] + box[3]) - np.maximum(top, box[1])
        is_in_row = shared >= _SAME_ROW * np.minimum(height, box[3])
        return self._order[near][is_in_row & (self._apart(near, box) <= gap)]

    def touching(self, box: Box) -> Any:
        """The numbers of the boxes that share rows of pixels with a box."""
        return self._order[self._near(box)]

    def _near(self, box: Box) -> slice:
        return slice(*np.searchsorted(self._boxes[1], (box[1] - self._tallest, box[1] + box[3])))

    def _apart(self, near: slice, box: Box) -> Any:
        left, _, width, _ = self._boxes[:, near]
        return np.maximum(box[0] - left - width, left - box[0] - box[2])
