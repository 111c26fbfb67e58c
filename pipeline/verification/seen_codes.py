"""Adds the codes that the second reading saw in a raster to what it read there."""

from collections.abc import Iterable, Iterator, Sequence
from dataclasses import replace

from pipeline.documents.document import Engine, Reading, Word
from pipeline.geometry.strip import Box
from pipeline.verification.codes.reader import SeenCode

_CERTAIN = 100.0  # confidence of the content of a code
_KNOWN = frozenset({Engine.CODE, Engine.LABEL})  # of words whose boxes hold no unread code
_ALIKE = 0.3  # of a side: how much two ends of one code may differ
_COVERED = 0.7  # share of a located pattern inside a code that was read


def with_seen_codes(reading: Reading, codes: Sequence[SeenCode]) -> Reading:
    """The reading with the content of the codes at its end; its unread ink is the codes that nobody has read.

    The verdict judges the content like any text, and a value in it is burned with its code.
    """
    text, words = reading.text, list(reading.words)
    located = [code.box for code in codes if not code.text.strip()]
    unread = [box for box in located if not any(_holds(word, box) for word in reading.words)]
    for content, box in codes:
        if content.strip():
            text += "\n\n" if text else ""
            words.append(Word(len(text), len(text) + len(content), *box, _CERTAIN, Engine.CODE))
            text += content
    return replace(reading, text=text, words=tuple(words), unread=tuple(_joined(unread)))


def _joined(boxes: Iterable[Box]) -> Iterator[Box]:
    """The boxes, two beside each other as one: a PDF417 code has a pattern at each end."""
    groups: list[list[Box]] = []
    for box in dict.fromkeys(boxes):
        group = next((group for group in groups if any(_are_ends(box, other) for other in group)), None)
        if group is None:
            groups.append([box])
        else:
            group.append(box)
    for group in groups:
        left, top = min(box[0] for box in group), min(box[1] for box in group)
        right, bottom = max(box[0] + box[2] for box in group), max(box[1] + box[3] for box in group)
        yield left, top, right - left, bottom - top


def _are_ends(one: Box, other: Box) -> bool:
    return any(
        abs(one[at] - other[at]) + abs(one[at + 2] - other[at + 2]) <= _ALIKE * max(one[at + 2], other[at + 2])
        for at in (0, 1)
    )


def _holds(word: Word, box: Box) -> bool:
    """Whether a word is the content of a code that covers a box, or a label that redaction printed over it."""
    left, top, width, height = box
    across = min(word.left + word.width, left + width) - max(word.left, left)
    down = min(word.top + word.height, top + height) - max(word.top, top)
    area = width * height
    return word.engine in _KNOWN and across > 0 and down > 0 and across * down >= _COVERED * area
