"""Identifiers written in groups of digits: which neighbouring groups of a chain make one number of a known length."""

from itertools import pairwise
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
    found: list[Grouped] = []
    for chain in chains:
        sizes = [end - start for start, end in chain]
        gaps = [text[left[1] : right[0]] for left, right in pairwise(chain)]
        final = len(chain) - 1
        for first, gap in enumerate(gaps):
            start, total = chain[first][0], sizes[first]
            for last in range(first + 1, min(first + _MOST_GROUPS, final + 1)):
                total += sizes[last]
                if gaps[last - 1] != gap or total > _LONGEST:
                    break
                if total in _LEADS and text[start] in _LEADS[total]:
                    digits = "".join(text[left:right] for left, right in chain[first : last + 1])
                    alone = first == 0 and last == final
                    found.append(Grouped(start, chain[last][1], digits, tuple(sizes[first : last + 1]), gap, alone))
    return found


def stands_alone(shadow: bytes, start: int, end: int) -> bool:
    """Whether the number at `start:end` is no part of a word, a decimal or a longer number."""
    before, after = shadow[max(0, start - 2) : start], shadow[end : end + 2]
    if before[-1:].isalnum() or after[:1].isalnum() or before[-1:] == b"+":
        return False
    if before[-1:] == b"." and before[:1].isdigit():
        return False
    return not (after[:1] == b"." and after[1:].isdigit())
