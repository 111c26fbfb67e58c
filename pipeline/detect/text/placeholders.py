"""Finds the output of earlier calls in a text: tokens (`<MASKED_PERSON_ab12cd34>`) and placeholders (`PHONE_01`).

Nothing is detected inside them. A value that only begins like one is not one: `MASKED_CARD_4111111111111111`,
`PERSON_NAME_01@example.com`. If the number of a placeholder may begin a value, as in `PHONE_966 50 123 4567` or
`DATE_12 May 1990`, only its letters count as the placeholder, so that the value is detected.
"""

import re
from collections.abc import Iterator
from string import ascii_lowercase, ascii_uppercase, digits

from schemas.entities import PREFIX, EntityType

# The ends, which are rare, are searched for and read backwards. With an `@` and a letter after it is an e-mail address.
_TAIL = re.compile(
    r"_(?:(?P<token>[a-f0-9]{8})|(?:0[1-9]|[1-9][0-9]{1,5}))"
    r"(?:(?<=[a-f0-9]{8})>|(?!\w|[\w.+%'-]{0,64}@[^\W_]))"
)
_MASKED = "MASKED_"
_TYPES, _PREFIXES = frozenset(EntityType), frozenset(PREFIX.values())
_CAPITALS = f"{ascii_uppercase}_"
_SMALL = frozenset(ascii_lowercase + digits)
_LONGEST_HEAD = 40  # characters
_GROUP = re.compile(r"(?: {1,3}| ?[-/()+]{1,2} ?|[.:])[0-9(]")  # a number's next group
_WORD = re.compile(r"[ .,/-]{1,2}[^\W\d_]")
# Values of these types may continue with a word after their first number: `12 May`, `1234 ABJ`, `16-R-M-…`.
_WITH_WORDS = frozenset(
    PREFIX[type_]
    for type_ in (EntityType.DATE_TIME, EntityType.VEHICLE_PLATE, EntityType.ADDRESS, EntityType.MEDICAL_LICENSE)
)


def find_placeholders(text: str) -> Iterator[tuple[int, int]]:
    """The offsets of tokens and placeholders, by position."""
    for tail in _TAIL.finditer(text):
        begin = (_token if tail["token"] else _placeholder)(text, tail.start())
        if begin is not None:
            yield begin, tail.start() if _goes_on(text, begin, tail) else tail.end()


def _token(text: str, end: int) -> int | None:
    """The start, with its bracket, of the token whose type ends at `end`; None if there is none."""
    begin = text.rfind(_MASKED, max(0, end - _LONGEST_HEAD), end)
    if begin < 0 or text[begin + len(_MASKED) : end] not in _TYPES:
        return None
    return begin - text.startswith("<", begin - 1) if begin else begin


def _placeholder(text: str, end: int) -> int | None:
    """The start of the placeholder whose prefix ends at `end`; None if there is none."""
    before = text[max(0, end - _LONGEST_HEAD) : end]
    rest = before.rstrip(_CAPITALS)
    if before[len(rest) :] not in _PREFIXES or rest[-1:] in _SMALL:
        return None
    return end - len(before) + len(rest)


def _goes_on(text: str, begin: int, tail: re.Match[str]) -> bool:
    """Whether the number may begin a longer value."""
    if not tail[0][1:].isdecimal():
        return False
    if _GROUP.match(text, tail.end()):
        return True
    return text[begin : tail.start()] in _WITH_WORDS and _WORD.match(text, tail.end()) is not None
