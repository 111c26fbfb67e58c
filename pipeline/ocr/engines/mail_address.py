"""Mail addresses among what was read: their form, and the blanks inside them that no writer made.

Wide letters and the points between words make such blanks. A network that reads lines puts them where ink stands far
apart: `noura .salem@ example. com`.
"""

import re
from collections.abc import Sequence

from pipeline.detect.lexicons.loader import section

_LOCAL = frozenset("abcdefghijklmnopqrstuvwxyz0123456789._-+")
_DOMAIN = frozenset("abcdefghijklmnopqrstuvwxyz0123456789.-")
_JOINTS = frozenset(".@_-")  # before them no writer leaves a blank; after a point that ends a sentence, one does
# After a point in a domain, only these continue it: it may also be the end of a sentence.
_ENDINGS = section("context_words.txt", "top-level domain")
_OPEN = frozenset("@-")  # after them a domain goes on
_SHORTEST = 2  # characters on each side of the @
_ADDRESS = re.compile(r"[\w.+-]{2,}@(?:[a-z0-9-]{2,}\.)+[a-z]{2,}", re.ASCII | re.IGNORECASE)


def is_address(text: str) -> bool:
    """Whether a word has the form of a mail address."""
    return _ADDRESS.fullmatch(text) is not None


def inner_blanks(characters: Sequence[str], blanks: Sequence[bool], narrow: Sequence[bool]) -> set[int]:
    """The places of `characters` whose blank before them is no blank, because it lies in a mail address.

    `blanks`: whether a blank was seen before each character; `narrow`: whether it stands no farther from the one before
    than other characters do.
    """
    plain = [character.lower() for character in characters]
    inner: set[int] = set()
    for at, character in enumerate(plain):
        if character != "@":
            continue
        start = _start(plain, blanks, narrow, at)
        end = _end(plain, blanks, narrow, at)
        if at - start >= _SHORTEST and end - at > _SHORTEST:
            inner.update(place for place in range(start + 1, end) if blanks[place])
    return inner


def _start(plain: Sequence[str], blanks: Sequence[bool], narrow: Sequence[bool], at: int) -> int:
    place = at
    while place > 0 and plain[place - 1] in _LOCAL:
        if blanks[place] and not (narrow[place] or _JOINTS & {plain[place], plain[place - 1]}):
            break
        place -= 1
    return place


def _end(plain: Sequence[str], blanks: Sequence[bool], narrow: Sequence[bool], at: int) -> int:
    place = at + 1
    while place < len(plain) and plain[place] in _DOMAIN:
        if blanks[place] and not (
            narrow[place]
            or plain[place] == "."
            or plain[place - 1] in _OPEN
            or (plain[place - 1] == "." and _word(plain, blanks, place) in _ENDINGS)
        ):
            break
        place += 1
    return place


def _word(plain: Sequence[str], blanks: Sequence[bool], start: int) -> str:
    """The letters from a place to the next blank or point."""
    end = start
    while end < len(plain) and plain[end].isalpha() and (end == start or not blanks[end]):
        end += 1
    return "".join(plain[start:end])
