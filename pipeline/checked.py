"""Checks of plain data that came from elsewhere: each gives the value back with its type, or raises Malformed."""

import re
from collections.abc import Iterable, Sequence

MAX_ID = 512  # characters of a unit's or raster's id
MAX_TEXT = 128 * 1024 * 1024  # characters of one text

SURROGATE = re.compile("[\ud800-\udfff]")


class Malformed(ValueError):
    """The JSON is not what it should be. Names the place, never the value."""


def object_of(raw: object, *keys: str) -> list[object]:
    """The values of an object that has exactly these keys, in their order."""
    if not isinstance(raw, dict) or raw.keys() != set(keys):
        raise Malformed("/".join(keys))
    return [raw[key] for key in keys]


def row_of(raw: object, length: int, where: str) -> list[object]:
    """An array of that length."""
    if not isinstance(raw, list) or len(raw) != length:
        raise Malformed(where)
    return raw


def list_of(raw: object, most: int, where: str) -> Sequence[object]:
    """An array of at most that many items."""
    if not isinstance(raw, list) or len(raw) > most:
        raise Malformed(where)
    return raw


def text_of(raw: object, where: str) -> str:
    """A string without lone surrogates."""
    if not isinstance(raw, str) or len(raw) > MAX_TEXT or SURROGATE.search(raw):
        raise Malformed(where)
    return raw


def name_of(raw: object, where: str) -> str:
    """A string that may be an id."""
    name = text_of(raw, where)
    if not 0 < len(name) <= MAX_ID:
        raise Malformed(where)
    return name


def integer_of(raw: object, least: int, most: int, where: str) -> int:
    """A whole number in bounds; booleans are none."""
    if type(raw) is not int or not least <= raw <= most:  # bool is an int, but not here
        raise Malformed(where)
    return raw


def boolean_of(raw: object) -> bool:
    """True or false."""
    if type(raw) is not bool:
        raise Malformed("boolean")
    return raw


def range_of(start: object, end: object, length: int, where: str) -> tuple[int, int]:
    """A start and a later end, both within the length."""
    first = integer_of(start, 0, length, where)
    last = integer_of(end, 0, length, where)
    if first >= last:
        raise Malformed(where)
    return first, last


def unique(names: Iterable[str], where: str) -> None:
    """Nothing, when no name stands twice."""
    listed = list(names)
    if len(set(listed)) != len(listed):
        raise Malformed(where)
