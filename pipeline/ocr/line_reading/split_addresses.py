"""Mail addresses that were read as two words: an underscore was seen as a blank, or a wide font left one.

`naif alahmadi@example.com` would be an address without its first name, which then stays on the page.
"""

import re
from collections.abc import Sequence
from typing import Any

import cv2
import numpy as np

from pipeline.ocr.engines.line_word import LineWord

_ADDRESS = re.compile(r"[\w.+-]+@[\w.-]{3,}", re.ASCII)
_FIRST_PART = re.compile(r"[\w.+-]*[^\W_][\w.+-]*", re.ASCII)
_SHORTEST = 2  # characters before the at sign: with fewer, what stands before the blank belongs to them
_FARTHEST = 1.2  # times the height of the line: an underscore is no longer
_BELOW = 0.55  # of the height: an underscore stands lower
_LEAST_INK = 0.7  # of the columns of a gap that an underscore fills


def with_whole_addresses(cut: Any, words: Sequence[LineWord]) -> list[LineWord]:
    """The words of a line (its grayscale array) from left to right, the parts of each mail address as one word.

    A whole one is as sure as its less sure part.
    """
    whole: list[LineWord] = []
    for word in words:
        joint = _joint(cut, whole[-1], word) if whole else None
        if joint is None:
            whole.append(word)
        else:
            first = whole.pop()
            text, confidence = first.text + joint + word.text, min(first.confidence, word.confidence)
            whole.append(word._replace(text=text, left=first.left, confidence=confidence))
    return whole


def _joint(cut: Any, first: LineWord, word: LineWord) -> str | None:
    """What stands between the two parts of an address; None if they are no parts of one."""
    if not _ADDRESS.fullmatch(word.text) or not _FIRST_PART.fullmatch(first.text):
        return None
    if word.left - first.right > _FARTHEST * len(cut):
        return None
    if word.text.index("@") < _SHORTEST:
        return ""
    return "_" if _has_underscore(cut, first, word) else None


def _has_underscore(cut: Any, first: LineWord, word: LineWord) -> bool:
    """Whether low ink fills the widest gap between the middles of two words: their ends are not exact."""
    start = max(0, int(first.left + first.right) // 2)
    part = cut[:, start : int(word.left + word.right) // 2 + 1]
    if not part.size:
        return False
    threshold, _ = cv2.threshold(part, 0, 255, cv2.THRESH_BINARY | cv2.THRESH_OTSU)
    is_ink = part <= threshold
    low = int(len(cut) * _BELOW)
    is_free = ~is_ink[:low].any(axis=0)
    borders = np.flatnonzero(np.diff(is_free.astype(np.int8), prepend=0, append=0))
    gaps = list(zip(borders[::2], borders[1::2], strict=True))
    if not gaps:
        return False
    left, right = max(gaps, key=lambda gap: gap[1] - gap[0])
    return bool(is_ink[low:, left:right].any(axis=0).mean() >= _LEAST_INK)
