"""What goes on in the next line of its column, in a page of several columns: numbers behind labels, names, addresses.

The text of such a page has lines of the other columns between them.
"""

import re
from collections.abc import Iterator, Sequence
from dataclasses import replace
from itertools import groupby, takewhile
from typing import Any, NamedTuple

import numpy as np

from pipeline.detect.text.headings import has_known_label, labels_of
from pipeline.documents.document import Word
from pipeline.geometry.rows import Rows
from pipeline.geometry.strip import Box
from pipeline.ocr.layout.headed_cells import LabelledValue
from pipeline.ocr.layout.table import cells_of

_LABEL, _VALUE = 4, 6  # words of a label and of a value, which may stand in groups
_DIGITS = 5  # of a value
_NAME, _LONG = 4, 12.0  # words of a part of a name; times the height of a line: the width of one that may go on
_STOPS = ".,،:؛)"
_PARENTHESES = ("(", ")")  # either at either end: in Arabic lines they are mirrored
_BEGUN = re.compile(r"[\w.+%-]+@[\w.-]*", re.ASCII)  # an address whose domain may go on
_REST = re.compile(r"(?:[\w-]+\.)+[a-z]{2,}", re.ASCII)
_LEADING = 1.5  # times the height of a line: between it and the next
_SHARED = 0.5  # of the shorter of two lines of a column lies over the other
_BESIDE = 20.0  # times the height of a line: to the next cell in its row


class LinePair(NamedTuple):
    """The words of a line of a column and of the next one.

    `is_parted`: the text has lines of other columns between them, so that detection does not see them together.
    `is_rest`: the lower line has fewer others beside it, as the second line of a cell has.
    """

    upper: Sequence[Word]
    lower: Sequence[Word]
    is_parted: bool
    is_rest: bool


def line_pairs(text: str, lines: Sequence[tuple[int, int, list[Word]]]) -> list[LinePair]:
    """The pairs of all columns. `lines` as `words_by_line` gives them."""
    own = [cell.words for line in lines for cell in cells_of(text, *line)]
    boxes = list(map(_box, own))
    rows, places = Rows(boxes), np.array(boxes, int).reshape(-1, 4)
    in_row = [len(rows.beside(box, _BESIDE * box[3])) for box in boxes]
    pairs = ((number, _next(box, places, rows)) for number, box in enumerate(boxes))
    return [
        LinePair(own[upper], own[lower], lower != upper + 1, in_row[lower] < in_row[upper])
        for upper, lower in pairs
        if lower is not None
    ]


def wrapped_values(text: str, pairs: Sequence[LinePair]) -> Iterator[LabelledValue]:
    """Each number below the words that label it."""
    for upper, lower, is_parted, _ in pairs:
        said = list(takewhile(lambda word: not _digits(text, word), reversed(upper[-_LABEL:])))[::-1]
        if not is_parted or not said or not has_known_label(_said(text, said)):
            continue
        value = [word for word in lower if any(map(str.isalnum, text[word.start : word.end]))][:_VALUE]
        if value and _digits(text, value[0]) >= _DIGITS:
            yield LabelledValue(_said(text, said), said, value)


def captioned_values(text: str, pairs: Sequence[LinePair]) -> Iterator[LabelledValue]:
    """Each number above its label in parentheses, as below the lines of a form."""
    for upper, lower, _, _ in pairs:
        said = _said(text, lower)
        if said[:1] in _PARENTHESES and said[-1:] in _PARENTHESES and any(_digits(text, word) for word in upper):
            for label in labels_of(said.strip("() ")):
                yield LabelledValue(label, lower, upper)


def wrapped_names(text: str, pairs: Sequence[LinePair]) -> Iterator[tuple[str, list[Word]]]:
    """The last words of a long line or a cell and the first ones of the next, as one, where both may be of a name."""
    for every, lower, is_parted, is_rest in pairs:
        upper = _letters_above(text, every, lower) if is_rest else every
        _, _, width, height = _box(upper)
        letters = list(filter(str.isalpha, _said(text, upper)))
        is_arabic = 2 * sum(not letter.isascii() for letter in letters) > len(letters)
        tail, head = (sorted(words, key=lambda word: word.left, reverse=is_arabic) for words in (upper, lower))
        ends = _said(text, tail[-1:]).removesuffix("-"), _said(text, head[:1]).rstrip(_STOPS)
        may_go_on = is_parted and width >= _LONG * height
        may_be_rest = is_rest and len(upper) > 1 and not all(text[word.start : word.end].islower() for word in head)
        if not (may_go_on or may_be_rest) or not all(map(str.isalpha, ends)):
            continue
        line, words = "", []
        for word in (*tail[-_NAME:], *head[:_NAME]):
            said = text[word.start : word.end]
            words.append(replace(word, start=len(line), end=len(line) + len(said)))
            line += said if said.endswith("-") else f"{said} "
        yield line.rstrip(), words


def _letters_above(text: str, upper: Sequence[Word], lower: Sequence[Word]) -> Sequence[Word]:
    """Of a line that may be several cells read as one: the words without digits most above the next line."""
    left, _, width, _ = _box(lower)
    ordered = sorted(upper, key=lambda word: word.left)
    runs = [list(run) for has_digits, run in groupby(ordered, lambda word: _digits(text, word) > 0) if not has_digits]

    def shared(run: Sequence[Word]) -> int:
        return min(run[-1].left + run[-1].width, left + width) - max(run[0].left, left)

    return max(runs, key=shared, default=upper)


def wrapped_addresses(text: str, pairs: Sequence[LinePair]) -> Iterator[tuple[str, list[Word]]]:
    """The two parts of each e-mail address as one."""
    for upper, lower, _, _ in pairs:
        last, first = max(upper, key=lambda word: word.left), min(lower, key=lambda word: word.left)
        said, rest = _said(text, [last]), _said(text, [first])
        if _BEGUN.fullmatch(said) and _REST.fullmatch(rest):
            words = replace(last, start=0, end=len(said)), replace(first, start=len(said), end=len(said + rest))
            yield said + rest, [*words]


def _next(box: Box, boxes: Any, rows: Rows) -> int | None:
    """The next line below a box in its column; `boxes`: those of all lines (n, 4)."""
    left, top, width, height = box
    near = rows.touching((left, top + height // 2, width, int(height * (0.5 + _LEADING))))
    lefts, tops, widths, _ = boxes[near].T
    shared = np.minimum(lefts + widths, left + width) - np.maximum(lefts, left)
    below = np.flatnonzero((tops > top + height // 2) & (shared > _SHARED * np.minimum(widths, width)))
    return int(near[below[tops[below].argmin()]]) if len(below) else None


def _said(text: str, words: Sequence[Word]) -> str:
    return " ".join(text[word.start : word.end] for word in words)


def _digits(text: str, word: Word) -> int:
    return sum(map(str.isdigit, text[word.start : word.end]))


def _box(words: Sequence[Word]) -> Box:
    left, top = min(word.left for word in words), min(word.top for word in words)
    right, bottom = max(word.left + word.width for word in words), max(word.top + word.height for word in words)
    return left, top, right - left, bottom - top
