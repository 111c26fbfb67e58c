"""Turns glyphs in visual order, from left to right, into reading order, also in Arabic lines.

A page stores glyphs where they are seen; detection needs them in logical order. This reverses the Unicode Bidirectional
Algorithm (UAX 9) as far as a page allows: numbers and Latin words read left to right inside an Arabic line. Groups of a
number (`055 123 4567`) are read from left to right in every line; `other_orders` reads them from right to left.

UAX 9 sets `٠٥٥ ٤٤٣ ٣٢٢١` in an Arabic paragraph with its first group at the right: blanks separate the groups of any
number, hyphens those of Arabic digits and of European digits that follow an Arabic letter (rules W2, W4, N1). Programs
with a layout of their own set the groups as in English. A page does not say which order was meant, so both are
searched.
"""

import re
import unicodedata
from collections.abc import Iterator, Sequence, Set
from enum import Enum
from functools import lru_cache
from typing import NamedTuple


class Direction(Enum):
    """The direction of a piece of text."""

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
_ARABIC_STOPS = "،؛؟"  # end a left-to-right run: the Arabic sentence goes on behind them
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
    """Whether most letters of a line are right-to-left."""
    return sum(map(_leaning, items)) > 0


@lru_cache(maxsize=1 << 14)
def _leaning(text: str) -> int:
    """The number of right-to-left letters minus that of left-to-right letters."""
    found = [_OF_CLASS.get(unicodedata.bidirectional(character)) for character in text]
    return found.count(Direction.RIGHT_TO_LEFT) - found.count(Direction.LEFT_TO_RIGHT)


def logical_order(items: Sequence[str], *, right_to_left: bool) -> list[int]:
    """Indices of `items` (given from left to right) in reading order."""
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


# Bidirectional classes whose signs join digits to one number (rule W4): `14/03/1987`, and `055-443` where no Arabic
# letter precedes it.
_JOINING = (frozenset({"CS"}), frozenset({"CS", "ES"}))
_NEUTRAL = " -.:/#+()"  # may stand between a word and its number
_GROUPS = re.compile(r"\d(?:[^\w\n\t]{0,3}\d)+")


class Turned(NamedTuple):
    """A text with its groups of digits reversed, and for each character its index in the original text."""

    text: str
    places: tuple[int, ...]


def other_orders(text: str) -> list[Turned]:
    """`text` with the groups of digits of its Arabic lines from right to left, in each way that differs from `text`.

    Lines without letters belong to the lines around them.
    """
    if not any(direction(sign) is Direction.RIGHT_TO_LEFT or _is_arabic_digit(sign) for sign in set(text)):
        return []
    found = [_turned(text, joining) for joining in _JOINING]
    return [order for order in dict.fromkeys(found) if order.text != text]


def _turned(text: str, joining: Set[str]) -> Turned:
    characters, places = list(text), list(range(len(text)))
    end = 0
    for line in text.split("\n"):
        start, end = end, end + len(line) + 1
        if _may_be_arabic(line):
            for first, last in _runs(line):
                order = [start + place for place in _order(line, first, last, joining)]
                characters[start + first : start + last] = [MIRRORED.get(text[place], text[place]) for place in order]
                places[start + first : start + last] = order
    return Turned("".join(characters), tuple(places))


def _is_arabic_digit(sign: str) -> bool:
    return unicodedata.bidirectional(sign) == "AN"


def _may_be_arabic(line: str) -> bool:
    kinds = set(map(direction, set(line)))
    has_arabic = Direction.RIGHT_TO_LEFT in kinds or any(map(_is_arabic_digit, line))
    return has_arabic or Direction.LEFT_TO_RIGHT not in kinds


def _runs(line: str) -> Iterator[tuple[int, int]]:
    """Spans of groups of digits; European digits after a Latin letter are left out (rule W7)."""
    for match in _GROUPS.finditer(line):
        before = line[: match.start()].rstrip(_NEUTRAL)
        is_latin = direction(before[-1:]) is Direction.LEFT_TO_RIGHT
        if not is_latin or _is_arabic_digit(match[0][0]):
            yield match.span()


def _order(line: str, first: int, last: int, joining: Set[str]) -> Iterator[int]:
    """The indices `first` to `last` with the last number first; digits inside a number keep their order."""
    number: list[int] = []
    for place in range(last - 1, first - 1, -1):
        if line[place].isdigit() or _joins(line, place, joining):
            number.append(place)
            continue
        yield from reversed(number)
        yield place
        number = []
    yield from reversed(number)


def _joins(line: str, place: int, joining: Set[str]) -> bool:
    is_inside = line[place - 1].isdigit() and line[place + 1].isdigit()
    return is_inside and unicodedata.bidirectional(line[place]) in joining
