"""Numbers without a form of their own beside or below words that nobody could read, which may be their label.

`844946176` is an insurance number below `رقم التأمينات`; detection must read the label to know. Where nobody could, the
number is as unread as the label.
"""

import re
from collections.abc import Iterable, Sequence
from typing import Any

import numpy as np

from pipeline.documents.document import Word
from pipeline.geometry.strip import Box
from pipeline.ocr.unread_ink import is_confident

_NUMBER = re.compile(r"[A-Za-z]{0,2}(?:\d[-/]?){5,24}")
_LEAST = 1.5  # times its height: the width of unread ink that may be a word
_SAME_ROW = 0.5  # of the lower height, which two boxes of a row share
_BESIDE, _ABOVE = 20.0, 3.0  # times the height of the number: how far away its label may be
_MOST = 4_000  # numbers of a page that are looked at


def numbers_without_label(text: str, words: Iterable[Word], unread: Sequence[Box]) -> list[Box]:
    """The boxes (left, top, width, height) of numbers of which what stands next on a side, or above, is unread ink."""
    said = [(word, text[word.start : word.end]) for word in words]
    reliable = [(_box(word), one) for word, one in said if is_confident(one, word.confidence)]
    numbers = [box for box, one in reliable if _NUMBER.fullmatch(one)]
    labels = [box for box in unread if box[2] >= _LEAST * box[3]]
    if not labels or len(numbers) > _MOST:
        return []
    boxes = np.array([*labels, *(box for box, _ in reliable)], float)
    is_unread = np.arange(len(boxes)) < len(labels)
    return [box for box in dict.fromkeys(numbers) if _is_labelled_by_unread(np.array(box), boxes, is_unread)]


def _is_labelled_by_unread(number: Any, boxes: Any, is_unread: Any) -> bool:
    left, top, width, height = number
    lefts, tops, widths, heights = boxes.T
    shared_rows = np.minimum(tops + heights, top + height) - np.maximum(tops, top)
    shared_columns = np.minimum(lefts + widths, left + width) - np.maximum(lefts, left)
    in_row = shared_rows >= _SAME_ROW * np.minimum(heights, height)
    sides = (
        (in_row, left - lefts - widths, _BESIDE),
        (in_row, lefts - left - width, _BESIDE),
        (shared_columns > 0, top - tops - heights, _ABOVE),
    )
    for is_there, apart, reach in sides:
        near = np.flatnonzero(is_there & (apart >= -_SAME_ROW * height) & (apart <= reach * height))
        if len(near) and is_unread[near[apart[near].argmin()]]:
            return True
    return False


def _box(word: Word) -> Box:
    return word.left, word.top, word.width, word.height
