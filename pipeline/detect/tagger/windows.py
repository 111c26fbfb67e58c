"""Cuts a long text into overlapping windows of pieces, so that the tagger's time grows linearly with the text."""

from collections.abc import Iterator, Sequence
from typing import NamedTuple

LENGTH = 126  # pieces of one window, without its first
_OVERLAP = 30  # pieces that two neighbouring windows share


class Window(NamedTuple):
    """Words `first` to `last` (exclusive) are read together; tags are taken from it for `kept_from` to `kept_to`."""

    first: int
    last: int
    kept_from: int
    kept_to: int


def windows(sizes: Sequence[int]) -> Iterator[Window]:
    """The windows over words of these numbers of pieces. Each word is kept from exactly one window.

    A word of more pieces than a window is a window of its own.
    """
    first, kept_from = 0, 0
    while first < len(sizes):
        last, pieces = first, 0
        while last < len(sizes) and (last == first or pieces + sizes[last] <= LENGTH):
            pieces += sizes[last]
            last += 1
        if last == len(sizes):
            yield Window(first, last, kept_from, last)
            return
        following, shared = last, 0
        while following - 1 > first and shared + sizes[following - 1] <= _OVERLAP:
            following -= 1
            shared += sizes[following]
        kept_to = (following + last + 1) // 2
        yield Window(first, last, kept_from, kept_to)
        first, kept_from = following, kept_to
