"""Numbers beside a label that stands in two lines, as in the narrow cells of a form.

The text of the page has one line of the label in the row of the number, and the other in the next row.
"""

from collections.abc import Iterator, Sequence
from itertools import pairwise

from pipeline.detect.text.headings import has_known_label
from pipeline.documents.document import Word
from pipeline.geometry.rows import Rows
from pipeline.geometry.strip import Box
from pipeline.ocr.layout.headed_cells import LabelledValue

_GAP = 1.0  # times the height of a word: between two that stand apart
_WORDS = 3  # of a line of a label
_LEADING = (-0.3, 0.8)  # times the height of its first line: between that and the second
_SHARED = 0.5  # of the shorter line lies below or above the other
_DIGITS = 5  # of a number
_BESIDE = 20.0  # times the height of a line: between the label and its number
_MOST = 3_000  # groups of words that are looked at


class _Group(tuple[Word, ...]):
    """Words of a line close to each other, from left to right."""

    __slots__ = ()

    @property
    def box(self) -> Box:
        """Left, top, width and height."""
        left, top = self[0].left, min(word.top for word in self)
        right, bottom = max(word.left + word.width for word in self), max(word.top + word.height for word in self)
        return left, top, right - left, bottom - top


def stacked_labels(text: str, lines: Sequence[tuple[int, int, list[Word]]]) -> Iterator[LabelledValue]:
    """Each such number with its label. `lines` as `words_by_line` gives them."""
    groups = [group for _, _, words in lines for group in _groups(text, words)][:_MOST]
    boxes = [group.box for group in groups]
    rows = Rows(boxes)
    is_number = [_digits(text, group) >= _DIGITS for group in groups]
    may_be_label = [not _digits(text, group) and len(group) <= _WORDS for group in groups]
    for upper, (left, top, width, height) in enumerate(boxes):
        if not may_be_label[upper] or has_known_label(_said(text, groups[upper])):
            continue
        area = (left, int(top + height * (1 + _LEADING[0])), width, int(height * (_LEADING[1] - _LEADING[0])))
        for lower in rows.touching(area).tolist():
            if not may_be_label[lower] or not _is_below(boxes[upper], boxes[lower]):
                continue
            label = " ".join(_said(text, groups[one]) for one in (upper, lower))
            if not has_known_label(label):
                continue
            bottom = boxes[lower][1] + boxes[lower][3]
            around = (min(left, boxes[lower][0]), top, max(width, boxes[lower][2]), bottom - top)
            for beside in _beside(around, height, boxes, rows, (upper, lower)):
                if is_number[beside]:
                    yield LabelledValue(label, groups[upper], groups[beside])


def _groups(text: str, words: Sequence[Word]) -> Iterator[_Group]:
    """The groups of a line; a number and other words are never one."""
    ordered = sorted(words, key=lambda word: word.left)
    start = 0
    for place, (before, after) in enumerate(pairwise(ordered), 1):
        is_apart = after.left - before.left - before.width > _GAP * min(before.height, after.height)
        if is_apart or bool(_digits(text, [before])) != bool(_digits(text, [after])):
            yield _Group(ordered[start:place])
            start = place
    if ordered:
        yield _Group(ordered[start:])


def _is_below(upper: Box, lower: Box) -> bool:
    """Whether a line stands directly below another."""
    leading = (lower[1] - upper[1] - upper[3]) / upper[3]
    shared = min(upper[0] + upper[2], lower[0] + lower[2]) - max(upper[0], lower[0])
    return _LEADING[0] <= leading <= _LEADING[1] and shared > _SHARED * min(upper[2], lower[2])


def _beside(label: Box, height: int, boxes: Sequence[Box], rows: Rows, own: tuple[int, int]) -> Iterator[int]:
    """The nearest group at each side of a label, in one of its rows."""
    left, _, width, _ = label
    near = [one for one in rows.touching(label).tolist() if one not in own]
    sides = (
        {one: boxes[one][0] - left - width for one in near},
        {one: left - boxes[one][0] - boxes[one][2] for one in near},
    )
    for side in sides:
        reached = [one for one, gap in side.items() if 0 <= gap <= _BESIDE * height]
        if reached:
            yield min(reached, key=side.__getitem__)


def _said(text: str, words: Sequence[Word]) -> str:
    """In the order of the text."""
    return " ".join(text[word.start : word.end] for word in sorted(words, key=lambda word: word.start))


def _digits(text: str, words: Sequence[Word]) -> int:
    return sum(sum(map(str.isdigit, text[word.start : word.end])) for word in words)
