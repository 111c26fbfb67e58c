"""Reads the groups of digits of Arabic lines in the other order: from right to left, as UAX 9 lays them.

The Unicode Bidirectional Algorithm sets `٠٥٥ ٤٤٣ ٣٢٢١` in an Arabic paragraph with its first group at the right; blanks
part the groups of any number, hyphens those of Arabic digits and of European ones that follow an Arabic letter (rules
W2, W4, N1). Programs that lay out lines by themselves set them as in English. The eye knows a number by its looks; a
page does not say which order was meant, so both are looked at.
"""

import re
import unicodedata
from collections.abc import Iterator, Set
from typing import NamedTuple

from pipeline.documents.reading_order import MIRRORED, Direction, direction

# Signs of these classes between digits make one number of them (W4): `14/03/1987`, and `055-443` where no Arabic letter
# stands before it.
_JOINING = (frozenset({"CS"}), frozenset({"CS", "ES"}))
_NEUTRAL = " -.:/#+()"  # may stand between a word and its number
_GROUPS = re.compile(r"\d(?:[^\w\n\t]{0,3}\d)+")


class Turned(NamedTuple):
    """A text with its groups turned round, and for each of its characters the place in the text that was given."""

    text: str
    places: tuple[int, ...]


def other_orders(text: str) -> list[Turned]:
    """`text`, in reading order with groups as in English, with the groups of its Arabic lines from right to left.

    Without those that change nothing. Lines without letters belong to the lines around them.
    """
    if not any(direction(sign) is Direction.RIGHT_TO_LEFT or _is_arabic_digit(sign) for sign in set(text)):
        return []
    found = [_turned(text, joining) for joining in _JOINING]
    return [order for order in dict.fromkeys(found) if order.text != text]


def _turned(text: str, joining: Set[str]) -> Turned:
    said, places = list(text), list(range(len(text)))
    end = 0
    for line in text.split("\n"):
        start, end = end, end + len(line) + 1
        if _may_be_arabic(line):
            for first, last in _runs(line):
                order = [start + place for place in _order(line, first, last, joining)]
                said[start + first : start + last] = [MIRRORED.get(text[place], text[place]) for place in order]
                places[start + first : start + last] = order
    return Turned("".join(said), tuple(places))


def _is_arabic_digit(sign: str) -> bool:
    return unicodedata.bidirectional(sign) == "AN"


def _may_be_arabic(line: str) -> bool:
    kinds = set(map(direction, set(line)))
    has_arabic = Direction.RIGHT_TO_LEFT in kinds or any(map(_is_arabic_digit, line))
    return has_arabic or Direction.LEFT_TO_RIGHT not in kinds


def _runs(line: str) -> Iterator[tuple[int, int]]:
    """Where groups of digits stand; European digits that follow a Latin letter read as that does (W7)."""
    for match in _GROUPS.finditer(line):
        before = line[: match.start()].rstrip(_NEUTRAL)
        is_latin = direction(before[-1:]) is Direction.LEFT_TO_RIGHT
        if not is_latin or _is_arabic_digit(match[0][0]):
            yield match.span()


def _order(line: str, first: int, last: int, joining: Set[str]) -> Iterator[int]:
    """The places `first` to `last`, the last number first; digits keep their order, what parts numbers turns round."""
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
