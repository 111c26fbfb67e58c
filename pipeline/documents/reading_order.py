"""Turns what stands on a line from left to right into the order in which it is read, Arabic included.

A page stores glyphs where the eye sees them; detection needs them in logical order. This is the reverse of the Unicode
Bidirectional Algorithm (UAX 9) as far as a page can tell: numbers and Latin words read left to right inside an Arabic
line. Groups of a number (`055 123 4567`) are read left to right, whatever line they stand in; number_groups.py reads
them in the other order.
"""

import unicodedata
from collections.abc import Sequence
from enum import Enum
from functools import lru_cache


class Direction(Enum):
    """What a piece of text says about direction."""

    LEFT_TO_RIGHT = 1  # has a Latin or other left-to-right letter
    RIGHT_TO_LEFT = 2  # has an Arabic or Hebrew letter
    NUMBER = 3  # digits, no letter
    NEUTRAL = 4  # blanks and punctuation


_OF_CLASS = {
    "L": Direction.LEFT_TO_RIGHT,
    "R": Direction.RIGHT_TO_LEFT,
    "AL": Direction.RIGHT_TO_LEFT,
    "EN": Direction.NUMBER,
    "AN": Direction.NUMBER,
}
_READS_RIGHTWARD = (Direction.LEFT_TO_RIGHT, Direction.NUMBER)
_ARABIC_STOPS = "،؛؟"  # end a left-to-right run: what follows is a new part of the Arabic sentence
_OPENING = "([{<«"
_CLOSING = ")]}>»"
MIRRORED = {**dict(zip(_OPENING, _CLOSING, strict=True)), **dict(zip(_CLOSING, _OPENING, strict=True))}


@lru_cache(maxsize=1 << 14)
def direction(text: str) -> Direction:
    """The direction of a character or word: its letters decide (Arabic before Latin), then its digits."""
    seen = {_OF_CLASS.get(unicodedata.bidirectional(character), Direction.NEUTRAL) for character in text}
    for candidate in (Direction.RIGHT_TO_LEFT, Direction.LEFT_TO_RIGHT, Direction.NUMBER):
        if candidate in seen:
            return candidate
    return Direction.RIGHT_TO_LEFT if any(stop in text for stop in _ARABIC_STOPS) else Direction.NEUTRAL


def is_right_to_left(items: Sequence[str]) -> bool:
    """Whether a line of these pieces is an Arabic one: most of its letters are."""
    return sum(map(_leaning, items)) > 0


@lru_cache(maxsize=1 << 14)
def _leaning(text: str) -> int:
    """Right-to-left letters less left-to-right ones."""
    found = [_OF_CLASS.get(unicodedata.bidirectional(character)) for character in text]
    return found.count(Direction.RIGHT_TO_LEFT) - found.count(Direction.LEFT_TO_RIGHT)


def logical_order(items: Sequence[str], *, right_to_left: bool) -> list[int]:
    """Indices of `items` (given from left to right) in the order in which they are read."""
    kinds = [direction(item) for item in items]
    return (_rtl if right_to_left else _ltr)(items, kinds, 0, len(items))


def _ltr(items: Sequence[str], kinds: Sequence[Direction], start: int, end: int) -> list[int]:
    order: list[int] = []
    position = start
    while position < end:
        if kinds[position] is not Direction.RIGHT_TO_LEFT:
            order.append(position)
            position += 1
            continue
        last, ahead = position, position
        while ahead < end and kinds[ahead] is not Direction.LEFT_TO_RIGHT:
            last = ahead if kinds[ahead] is Direction.RIGHT_TO_LEFT else last
            ahead += 1
        order.extend(_rtl(items, kinds, position, last + 1))
        position = last + 1
    return order


def _rtl(items: Sequence[str], kinds: Sequence[Direction], start: int, end: int) -> list[int]:
    order: list[int] = []
    position = end - 1
    while position >= start:
        if kinds[position] not in _READS_RIGHTWARD:
            order.append(position)
            position -= 1
            continue
        first, ahead = position, position
        while ahead >= start and kinds[ahead] is not Direction.RIGHT_TO_LEFT:
            first = ahead if kinds[ahead] in _READS_RIGHTWARD else first
            ahead -= 1
        first = _with_lead(items, start, first, position)
        order.extend(range(first, position + 1))
        position = first - 1
    return order


def _with_lead(items: Sequence[str], start: int, first: int, last: int) -> int:
    """The run's first index, with a plus sign or the bracket that opens it: `+966…`, `(011) 123`."""
    if first <= start:
        return first
    before = items[first - 1]
    if before == "+":
        return first - 1
    if before in MIRRORED and before in _OPENING:
        run = "".join(items[first : last + 1])
        if run.count(MIRRORED[before]) > run.count(before):
            return first - 1
    return first
