"""Cuts a page into two parts between lines of text, so that two processes can read it at the same time."""

from typing import Any

import cv2
import numpy as np

_REACH = 5  # pixels in which the contrast of a place is measured
_LEAST_CONTRAST = 16  # gray levels: ink has so much more than paper, which has noise
_MOST_NOISE = 24  # gray levels
_SAMPLED = 4  # every fourth pixel tells the noise
_FRAME = 0.03  # of the width, on both sides: what is seen beside a photographed page
_MIN_GAP = 8  # rows of paper between the parts
_MIDDLE = 0.3  # of the rows with ink: so much of them each part gets at least
_MIN_ROWS = 300  # with ink: smaller pages stay whole


def halves(image: Any) -> list[tuple[int, Any]]:
    """The parts of a grayscale array from top to bottom, each with the row of the array at which it begins.

    Only one if no row of paper in the middle goes from side to side.
    """
    contrast = cv2.morphologyEx(image, cv2.MORPH_GRADIENT, np.ones((_REACH, _REACH), np.uint8))
    noise = min(float(np.median(contrast[::_SAMPLED, ::_SAMPLED])), _MOST_NOISE)
    frame = int(_FRAME * image.shape[1])
    within = contrast[:, frame : image.shape[1] - frame]
    inked = np.flatnonzero(within.max(axis=1, initial=0) > _LEAST_CONTRAST + noise)
    if len(inked) < _MIN_ROWS:
        return [(0, image)]
    gaps = np.flatnonzero(np.diff(inked) > _MIN_GAP)
    shares = (gaps + 1) / len(inked)
    middle = gaps[(shares >= _MIDDLE) & (shares <= 1 - _MIDDLE)]
    if not len(middle):
        return [(0, image)]
    best = int(middle[abs(middle + 1 - len(inked) / 2).argmin()])
    cut = int(inked[best] + inked[best + 1] + 1) // 2
    return [(0, image[:cut]), (cut, image[cut:])]
