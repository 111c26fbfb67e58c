"""Finds numbers that end where their ground does: on the other one, a part of a picture, further digits may stand.

So may they where a number reaches the edge of the raster, as of a photograph that shows a part of a card.
"""

from collections.abc import Iterable, Iterator
from typing import Any

import numpy as np

from pipeline.documents.document import Word
from pipeline.geometry.strip import Box

_LONG = 5  # digits of a number that may be a part of an identifier
_NEAR, _FAR = 0.1, 0.7  # times the height of a number: where its ground is looked at beyond its ends
_INSET = 0.2  # times its height: above and below, where other lines may be
_OTHER = 24  # gray levels between two grounds
_ALIKE = 17  # gray levels of one ground
_PLAIN = 0.75  # of the pixels of a plain ground that are of its level, beside those of a letter


def cut_numbers(image: Any, text: str, words: Iterable[Word]) -> Iterator[Box]:
    """The boxes (left, top, width, height) of long numbers beside another ground, or the edge, in a grayscale array."""
    for word in words:
        if sum(map(str.isdigit, text[word.start : word.end])) < _LONG:
            continue
        near, far, inset = (int(share * word.height) for share in (_NEAR, _FAR, _INSET))
        rows = image[word.top + inset : word.top + word.height - inset]
        own = rows[:, word.left : word.left + word.width]
        right = word.left + word.width
        beyond = rows[:, max(0, word.left - far) : max(0, word.left - near)], rows[:, right + near : right + far]
        if not own.size:
            continue
        median, most = float(np.median(own)), _most(own)
        is_at_edge = word.left <= near or right + near >= image.shape[1]
        if is_at_edge or any(side.size and _is_other(side, median, most) for side in beyond):
            yield word.left, word.top, word.width, word.height


def _is_other(side: Any, median: float, most: float) -> bool:
    """Whether what is beside a number is another ground than its own.

    `median` gray level of the number's box, and the level of `most` of its pixels. It is the same ground if it is plain
    and of that level: the median of bold digits lies on the edges of their strokes.
    """
    if (np.abs(side - most) < _OTHER).mean() >= _PLAIN:
        return False
    beside = float(np.median(side))
    return max(abs(beside - median), abs(beside - most)) >= _OTHER


def _most(area: Any) -> float:
    """The gray level around which most pixels lie, the middle one of several."""
    near = np.convolve(np.bincount(area.ravel(), minlength=256), np.ones(_ALIKE), "same")
    return float(np.flatnonzero(near == near.max()).mean())
