"""Identifiers written in groups of digits: which neighbouring groups of a chain make one number of a known length."""

from collections.abc import Iterator
from typing import NamedTuple

from pipeline.detect.numbers import Token

# How many digits, and with which one they begin: SSN, identity numbers, cards and tax numbers.
_LEADS = {9: "012345678", 10: "12", 14: "3", 15: "3", 16: "2345689"}
_LONGEST = max(_LEADS)
_MOST_GROUPS = 8


class Grouped(NamedTuple):
    """`digits` of an identifier in groups of `sizes` at `start:end`; `alone`: no group joins it on either side."""

    start: int
    end: int
    digits: str
    sizes: tuple[int, ...]
    separator: str
    alone: bool


def groups_of(text: str, chains: list[list[Token]]) -> list[Grouped]:
    """Runs of 2 to 8 groups with one and the same separator between them, whose digits add up to a known length."""
    return [found for chain in chains for first in range(len(chain) - 1) for found in _from(text, chain, first)]


def _from(text: str, chain: list[Token], first: int) -> Iterator[Grouped]:
    start, end = chain[first]
    total = end - start
    separator = text[end : chain[first + 1][0]]
    for last in range(first + 1, min(first + _MOST_GROUPS, len(chain))):
        if text[end : chain[last][0]] != separator:
            return
        end = chain[last][1]
        total += end - chain[last][0]
        if total > _LONGEST:
            return
        if total in _LEADS and text[start] in _LEADS[total]:
            groups = chain[first : last + 1]
            digits = "".join(text[left:right] for left, right in groups)
            sizes = tuple(right - left for left, right in groups)
            yield Grouped(start, end, digits, sizes, separator, first == 0 and last == len(chain) - 1)


def stands_alone(shadow: bytes, start: int, end: int) -> bool:
    """Whether the number at `start:end` is no part of a word, a decimal or a longer number."""
    before, after = shadow[max(0, start - 2) : start], shadow[end : end + 2]
    if before[-1:].isalnum() or after[:1].isalnum() or before[-1:] == b"+":
        return False
    if before[-1:] == b"." and before[:1].isdigit():
        return False
    return not (after[:1] == b"." and after[1:].isdigit())
