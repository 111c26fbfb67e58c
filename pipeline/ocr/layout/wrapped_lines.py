"""What goes on in the next line of its column, in a page of several columns: numbers behind labels, names, addresses.

The text of such a page has lines of the other columns between them.
"""

import re
from collections.abc import Iterator, Sequence
from dataclasses import replace
from itertools import takewhile

from pipeline.detect.text.headings import has_known_label
from pipeline.documents.document import Word
from pipeline.geometry.rows import Rows
from pipeline.geometry.strip import Box
from pipeline.ocr.layout.headed_cells import LabelledValue
from pipeline.ocr.layout.table import cells_of

_LABEL, _VALUE = 4, 6  # words of a label and of a value, which may stand in groups
_DIGITS = 5  # of a value
_NAME, _LONG = 4, 12.0  # words of a part of a name; times the height of a line: the width of one that may go on
_STOPS = ".,،:؛)"
_BEGUN = re.compile(r"[\w.+%-]+@[\w.-]*", re.ASCII)  # an address whose domain may go on
_REST = re.compile(r"(?:[\w-]+\.)+[a-z]{2,}", re.ASCII)
_LEADING = 1.5  # times the height of a line: between it and the next
_SHARED = 0.5  # of the shorter of two lines of a column lies over the other


def wrapped_values(text: str, lines: Sequence[tuple[int, int, list[Word]]]) -> Iterator[LabelledValue]:
    """Each such number with the words that label it. `lines` as `words_by_line` gives them."""
    for upper, lower in _wrapped(text, lines):
        said = list(takewhile(lambda word: not _digits(text, word), reversed(upper[-_LABEL:])))[::-1]
        if not said or not has_known_label(_said(text, said)):
            continue
        value = [word for word in lower if any(map(str.isalnum, text[word.start : word.end]))][:_VALUE]
        if value and _digits(text, value[0]) >= _DIGITS:
            yield LabelledValue(_said(text, said), said, value)


def wrapped_names(text: str, lines: Sequence[tuple[int, int, list[Word]]]) -> Iterator[tuple[str, list[Word]]]:
    """The last words of a long line and the first ones of the next, as one, where both may be parts of a name."""
    for upper, lower in _wrapped(text, lines):
        _, _, width, height = _box(upper)
        letters = list(filter(str.isalpha, _said(text, upper)))
        is_arabic = 2 * sum(not letter.isascii() for letter in letters) > len(letters)
        tail, head = (sorted(words, key=lambda word: word.left, reverse=is_arabic) for words in (upper, lower))
        ends = _said(text, tail[-1:]), _said(text, head[:1]).rstrip(_STOPS)
        if width < _LONG * height or not all(map(str.isalpha, ends)):
            continue
        line, words = "", []
        for word in (*tail[-_NAME:], *head[:_NAME]):
            said = text[word.start : word.end]
            words.append(replace(word, start=len(line), end=len(line) + len(said)))
            line += f"{said} "
        yield line.rstrip(), words


def wrapped_addresses(text: str, lines: Sequence[tuple[int, int, list[Word]]]) -> Iterator[tuple[str, list[Word]]]:
    """The two parts of each e-mail address that goes on in the next line of its column, as one."""
    for upper, lower in _wrapped(text, lines, beside=True):
        last, first = max(upper, key=lambda word: word.left), min(lower, key=lambda word: word.left)
        said, rest = _said(text, [last]), _said(text, [first])
        if _BEGUN.fullmatch(said) and _REST.fullmatch(rest):
            words = replace(last, start=0, end=len(said)), replace(first, start=len(said), end=len(said + rest))
            yield said + rest, [*words]


def _wrapped(
    text: str, lines: Sequence[tuple[int, int, list[Word]]], *, beside: bool = False
) -> Iterator[tuple[Sequence[Word], Sequence[Word]]]:
    """The words of each cell and of the next line of its column, where the text has others between them.

    `beside`: also where it has none, because the lines of other columns follow.
    """
    own = [cell.words for line in lines for cell in cells_of(text, *line)]
    boxes = list(map(_box, own))
    rows = Rows(boxes)
    for number, words in enumerate(own):
        following = _next(number, boxes, rows)
        if following is not None and (beside or following != number + 1):  # detection sees both
            yield words, own[following]


def _next(number: int, boxes: Sequence[Box], rows: Rows) -> int | None:
    """The next line below one in its column."""
    left, top, width, height = boxes[number]
    below = (left, top + height // 2, width, int(height * (0.5 + _LEADING)))
    near = [
        other
        for other in rows.touching(below).tolist()
        if boxes[other][1] > top + height // 2
        and min(boxes[other][0] + boxes[other][2], left + width) - max(boxes[other][0], left)
        > _SHARED * min(boxes[other][2], width)
    ]
    return min(near, key=lambda other: boxes[other][1], default=None)


def _said(text: str, words: Sequence[Word]) -> str:
    return " ".join(text[word.start : word.end] for word in words)


def _digits(text: str, word: Word) -> int:
    return sum(map(str.isdigit, text[word.start : word.end]))


def _box(words: Sequence[Word]) -> Box:
    left, top = min(word.left for word in words), min(word.top for word in words)
    right, bottom = max(word.left + word.width for word in words), max(word.top + word.height for word in words)
    return left, top, right - left, bottom - top
