"""Finds the captions of a text: labels that stand alone in the line under their value, as on cards and printed forms.

`442900178` / `Student ID`. A block of lines is read so if values and captions take turns in it and a value is first.
"""

import re
from collections.abc import Sequence
from typing import NamedTuple

from pipeline.detect.text.triggers import Trigger

_BLANK_LINES = re.compile(rb"\n[ \t\r]*\n\s*")
_DIGIT = re.compile(rb"\d")
_LONGEST_CAPTION = 40  # characters; a longer line is prose
_MOST_LINES = 60  # of one block; a longer one is a text or a list
_BLANKS = b" \t\r"
_COLON = b":"
_LONGEST_CLITIC = 4  # letters before the label, as in `الرقم`


class Caption(NamedTuple):
    """The offsets of the line of a label that stands under its value, and of the line above it."""

    line: tuple[int, int]
    above: tuple[int, int]


def captions(shadow: bytes, labels: Sequence[Trigger]) -> dict[int, Caption]:
    """The captions, by the start of each label in them."""
    found: dict[int, Caption] = {}
    start, index = 0, 0
    for end in (*(match.end() for match in _BLANK_LINES.finditer(shadow)), len(shadow)):
        first = index
        while index < len(labels) and labels[index].start < end:
            index += 1
        if index > first:
            _read(shadow, start, end, labels[first:index], found)
        start = end
    return found


def _read(shadow: bytes, start: int, end: int, labels: Sequence[Trigger], found: dict[int, Caption]) -> None:
    """Adds the captions of the block `start:end`, which has `labels`."""
    end = start + len(shadow[start:end].rstrip())
    count = shadow.count(b"\n", start, end) + 1
    if count % 2 or count > _MOST_LINES:
        return
    lines: list[tuple[int, int]] = []
    for piece in shadow[start:end].split(b"\n"):
        lines.append((start, start + len(piece)))
        start += len(piece) + 1
    label_lines = [_label_line(shadow, line, labels) for line in lines]
    is_value_first = not label_lines[0] and (not label_lines[1] or _DIGIT.search(shadow, *lines[0]))
    if not is_value_first or any(label_lines[::2]):
        return
    for above, line, starts in zip(lines[::2], lines[1::2], label_lines[1::2], strict=True):
        found.update((label, Caption(line, above)) for label in starts)


def _label_line(shadow: bytes, line: tuple[int, int], labels: Sequence[Trigger]) -> list[int]:
    """The starts of the labels of a line that consists of labels; none if it is another line."""
    first, last = line
    surface = shadow[first:last].strip(_BLANKS)
    if len(surface) > _LONGEST_CAPTION or surface.endswith(_COLON) or _DIGIT.search(surface):
        return []
    inside = [label for label in labels if first <= label.start < last]
    return [label.start for label in inside] if inside and inside[0].start - first <= _LONGEST_CLITIC else []
