"""Numbers without a form of their own whose label may be words that nobody could read.

`844946176` is an insurance number below `رقم التأمينات`; detection must read the label to know. Where nobody could, the
number is as unread as the label: beside it, below it, and in all of the column that it heads.
"""

import re
from collections.abc import Iterator, Sequence
from typing import Any

import numpy as np

from pipeline.documents.document import Engine, Reading, Word
from pipeline.geometry.strip import Box
from pipeline.ocr.layout.lines import words_by_line
from pipeline.ocr.layout.table import MOST_CELLS, Cell, Table, cells_of
from pipeline.ocr.unread.ink import is_confident

_NUMBER = re.compile(r"[A-Za-z]{0,2} ?(?:\d[-/ ]?){5,24}")
_PLATE = re.compile(r"(?:[A-Z] ?){1,3}\d{1,4}|\d{1,4} ?(?:[A-Z] ?){1,3}|(?:[ء-ي] ){1,3}\d{1,4}|\d{1,4}(?: [ء-ي]){1,3}")
_LEAST = 1.5  # times its height: the width of unread ink that may be a word
_SAME_ROW = 0.5  # of the lower height, which two boxes of a row share
_BESIDE, _ABOVE = 20.0, 3.0  # times the height of the number: how far away its label may be
_DIGITS = 3  # of a cell that is no heading: engines read single ones in unread words
_MOST = 4_000  # numbers of a page that are looked at; more are unread


def numbers_without_label(text: str, words: Sequence[Word], unread: Sequence[Box], table: Table) -> list[Box]:
    """The boxes (left, top, width, height) of numbers of which what stands next on a side, or above, is unread ink.

    Also those of numbers and plates in columns under unread headings. `table`: that of the text.
    """
    labels = [box for box in unread if box[2] >= _LEAST * box[3]]
    said = [(word, text[word.start : word.end]) for word in words]
    reliable = [(_box(word), one) for word, one in said if is_confident(one, word.confidence)]
    numbers = list(dict.fromkeys(box for box, one in reliable if _NUMBER.fullmatch(one)))
    if not labels:
        return []
    boxes = np.array([*labels, *(box for box, _ in reliable)], float)
    is_unread = np.arange(len(boxes)) < len(labels)
    beside = (box for box in numbers[:_MOST] if _is_labelled_by_unread(np.array(box), boxes, is_unread))
    return list(dict.fromkeys((*beside, *numbers[_MOST:], *_below_unread_headings(text, words, labels, table))))


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


def _below_unread_headings(text: str, words: Sequence[Word], unread: Sequence[Box], table: Table) -> Iterator[Box]:
    """The boxes of the words of such values; of all numbers and plates where the cells are too many to follow."""
    middles = (table.boxes[:, :2] + table.boxes[:, 2:]) / 2
    drawn = [Cell("", [Word(0, 0, *box, 0.0, Engine.CODE)]) for box in unread if not _inside(middles, box).any()]
    if len(table.cells) + len(drawn) > MOST_CELLS or (words and not table.cells):
        lines = words_by_line(Reading("", text, tuple(words)))
        cells = (cell for line in lines for cell in cells_of(text, *line))
        yield from (box for cell in cells if _is_value(cell.text) for box in map(_box, cell.words))
        return
    table = table.with_cells(drawn)
    middles = (table.boxes[:, :2] + table.boxes[:, 2:]) / 2
    is_unread = np.zeros(len(table.cells), bool)
    for box in unread:
        is_unread |= _inside(middles, box)
    numbers = [sum(map(str.isdigit, cell.text)) >= _DIGITS for cell in table.cells]
    table = table._replace(has_digits=np.array(numbers, bool))
    is_unread &= ~table.has_digits
    table = table._replace(is_label=table.is_label | is_unread)
    among_numbers = is_unread.copy()
    headings = [heading for heading in np.flatnonzero(is_unread).tolist() if table.is_among_headings(heading)]
    among_numbers[headings] = False
    table = table._replace(is_label=table.is_label & ~among_numbers)
    for heading in headings:
        for _, value in table.values(heading):
            if _is_value(" ".join([text[word.start : word.end] for word in value])):
                yield from map(_box, value)


def _is_value(said: str) -> bool:
    return bool(_NUMBER.fullmatch(said) or _PLATE.fullmatch(said))


def _inside(points: Any, box: Box) -> Any:
    """Which points (n, 2) lie in a box."""
    left, top, width, height = box
    return ((points >= (left, top)) & (points < (left + width, top + height))).all(axis=1)


def _box(word: Word) -> Box:
    return word.left, word.top, word.width, word.height
