"""Light ink that dark ink crosses, as a watermark under text: engines read the dark ink, and pass over the rest.

The second reading looks for narrow strokes by itself, without OpenCV (`verification.image.invisible_ink`).
"""

from typing import Any

import cv2
import numpy as np

from pipeline.documents.raster.levels import not_brighter

_DARK, _PAPER = 0.01, 0.9  # shares of the pixels of a page that are not brighter than its text, or than its paper
_MIN_RANGE = 96  # gray levels between these: with less there is no room for a lighter ink
_EDGE = np.ones((5, 5), np.uint8)  # around dark ink: its smooth edges are as light as light ink
_BLURRED = np.ones((3, 3), np.uint8)  # around these: the edges of blurred ink are broader
_LIGHT = 24  # gray levels between light ink and paper
_NOISE = (3, 3)  # pixels whose mean counts
_CONTRAST = 14  # gray levels between such a mean in a stroke and on both sides of it
_STROKE = np.ones((21, 21), np.uint8)  # strokes are narrower, drawings broader; shading has no other side
_SHORTEST = 10  # pixels of a stroke; dots of letters are smaller
_LEAST, _MOST = 2e-4, 0.1  # share of a page that light strokes cover: fewer do not count, more are a picture
_BLANK = 0.5  # least share of a page that is blank paper
_AROUND = 2.0  # pixels: standard deviation of the distance from which dark ink takes the levels of what is beside it
_NOTHING = 1e-3  # weight of what is beside dark ink that is too broad for this: paper takes its place
_HALO = 12  # gray levels by which all is lighter then: the smooth edges of dark ink are paper, too


def without_dark_ink(gray: Any) -> Any | None:
    """A grayscale array in which strokes of light ink go on under dark ink, which is not there.

    None where no light strokes remain, or a photograph or shading.
    """
    shares = not_brighter(gray)
    dark, paper = (int(level) for level in np.searchsorted(shares, (_DARK, _PAPER)))
    if paper - dark < _MIN_RANGE or shares[paper - _LIGHT] > 1 - _BLANK:
        return None
    covered = cv2.dilate((gray < (dark + paper) // 2).astype(np.uint8), _EDGE)
    if not _LEAST * gray.size <= _area_of_strokes(gray, covered) <= _MOST * gray.size:
        return None
    return np.minimum(_filled(gray, covered, paper), paper - _HALO) + _HALO


def is_dark(gray: Any, light: Any) -> Any:
    """Where a page, or a part of it, has dark ink. `light`: the same without dark ink."""
    return gray.astype(np.int16) < light.astype(np.int16) - _HALO


def _area_of_strokes(gray: Any, covered: Any) -> int:
    """How many pixels narrow strokes of light ink have, which nothing covers."""
    even = cv2.blur(gray, _NOISE)
    cv2.copyTo(cv2.dilate(even, _STROKE), covered, even)  # the paper around
    stroked = cv2.morphologyEx(even, cv2.MORPH_BLACKHAT, _STROKE) > _CONTRAST
    stroked &= cv2.dilate(covered, _BLURRED) == 0
    *_, width, height, area = cv2.connectedComponentsWithStats(stroked.astype(np.uint8), connectivity=8)[2][1:].T
    return int(area[np.maximum(width, height) >= _SHORTEST].sum())


def _filled(gray: Any, covered: Any, paper: int) -> Any:
    """The array with the weighted mean of the pixels around in the place of covered ones."""
    known = (1 - covered).astype(np.float32)
    weights, levels = (cv2.GaussianBlur(one, (0, 0), _AROUND) for one in (known, known * gray))
    around = np.where(weights > _NOTHING, levels / np.maximum(weights, _NOTHING), paper)
    return np.where(covered, around.astype(np.uint8), gray)
