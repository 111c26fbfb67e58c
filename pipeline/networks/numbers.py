"""Numbers among the characters that a network of ours read in a line of text: their text, place and confidence."""

import math
from collections.abc import Sequence
from itertools import pairwise
from statistics import median
from typing import NamedTuple

_ASCII, _EASTERN = "0123456789", "٠١٢٣٤٥٦٧٨٩"
_CAPITALS = "ABCDEFGHIJKLMNOPQRSTUVWXYZ"
# Other characters end a number.
OF_NUMBERS = frozenset(_ASCII + _EASTERN + _CAPITALS + "/-.:,+()%*#")
# A digit alone may be a letter that looks like one: it is never sure.
MIN_SURE_DIGITS = 2
# From one digit to the next: so many such steps tell how far it is, and further than this times them lies a blank.
_MIN_STEPS, _MAX_STEP = 4, 1.3
# Signs that belong to a number at its start and end, where others are punctuation.
_FIRST, _LAST = "+%*#", "%*"


class Character(NamedTuple):
    """A character, left and right in pixels of the line. `text` is `□` where the network knows no name for it."""

    text: str
    left: float
    right: float
    probability: float


class Number(NamedTuple):
    """Digits with the separators and capitals among them, in the order in which they are drawn.

    `left` and `right` are pixels of the line; `confidence` is the probability that the whole text is right.
    """

    text: str
    left: int
    right: int
    confidence: float

    @property
    def is_eastern(self) -> bool:
        """Whether it holds Eastern Arabic digits."""
        return any(character in _EASTERN for character in self.text)


def without_false_blanks(characters: Sequence[Character], middles: Sequence[float]) -> list[Character]:
    """The characters without blanks between two digits that stand as near as others do in the line.

    `middles`: of the characters, in one unit from left to right. A true blank makes it 1.4 times as far and more; fonts
    with wide digits make a network see one where there is none, at 1.1 to 1.25 times.
    """
    is_digit = [character.text in _ASCII + _EASTERN for character in characters]
    steps = [middles[n + 1] - middles[n] for n, pair in enumerate(pairwise(is_digit)) if all(pair)]
    if len(steps) < _MIN_STEPS:
        return list(characters)
    most = _MAX_STEP * median(steps)
    false = {
        n
        for n in range(1, len(characters) - 1)
        if characters[n].text == " " and is_digit[n - 1] and is_digit[n + 1] and middles[n + 1] - middles[n - 1] <= most
    }
    return [character for n, character in enumerate(characters) if n not in false]


def numbers_of(characters: Sequence[Character]) -> list[Number]:
    """The numbers among the characters of a line, from left to right."""
    found = []
    start = 0
    for end in range(len(characters) + 1):
        if end == len(characters) or characters[end].text not in OF_NUMBERS:
            number = _number(characters, start, end)
            if number is not None:
                found.append(number)
            start = end + 1
    return found


def _number(characters: Sequence[Character], start: int, end: int) -> Number | None:
    """The number in characters without a space, less the punctuation around it. None where no digit is."""
    own = _ASCII + _EASTERN + _CAPITALS
    while start < end and characters[start].text not in own + _FIRST:
        start += 1
    while start < end and characters[end - 1].text not in own + _LAST:
        end -= 1
    run = characters[start:end]
    text = "".join(character.text for character in run)
    if not any(character in _ASCII + _EASTERN for character in text):
        return None
    # the characters beside it say where it ends, so they count
    beside = characters[max(0, start - 1) : end + 1]
    confidence = math.prod(character.probability for character in beside)
    return Number(text, math.floor(run[0].left), math.ceil(run[-1].right), confidence)
