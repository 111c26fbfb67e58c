"""Light ink that dark ink crosses, as a watermark under text: engines read the dark ink, and pass over the rest."""

from typing import Any

import cv2
import numpy as np

_DARK, _PAPER = 0.01, 0.9  # shares of the pixels of a page that are not brighter than its text, or than its paper
_MIN_RANGE = 96  # gray levels between these: with less there is no room for a lighter ink
_EDGE = np.ones((5, 5), np.uint8)  # around dark ink: its smooth edges are as light as light ink
_BLURRED = np.ones((3, 3), np.uint8)  # around these: the edges of blurred ink are broader
_LIGHT = 24  # gray levels between light ink and paper
_STROKE = np.ones((21, 21), np.uint8)  # strokes are narrower, shading and drawings broader
_LEAST, _MOST = 2e-4, 0.1  # share of a page that light strokes cover: fewer do not count, more are a picture
_BLANK = 0.5  # least share of a page that is blank paper
_LEVELS = 256


def without_dark_ink(gray: Any) -> Any | None:
    """A grayscale array in which dark ink is paper. None where nothing else remains, or a photograph or shading."""
    not_brighter = cv2.calcHist([gray], [0], None, [_LEVELS], [0, _LEVELS]).ravel().cumsum()
    dark, paper = (int(level) for level in np.searchsorted(not_brighter, np.array((_DARK, _PAPER)) * gray.size))
    is_page = paper - dark >= _MIN_RANGE and not_brighter[paper - _LIGHT] <= (1 - _BLANK) * gray.size
    if not is_page:
        return None
    is_dark = cv2.dilate((gray < (dark + paper) // 2).astype(np.uint8), _EDGE)
    light = np.where(is_dark, np.uint8(paper), gray)
    is_light = (light < paper - _LIGHT) & (cv2.dilate(is_dark, _BLURRED) == 0)
    strokes = is_light & (cv2.morphologyEx(is_light.astype(np.uint8), cv2.MORPH_OPEN, _STROKE) == 0)
    return light if _LEAST <= float(strokes.mean()) <= _MOST else None
