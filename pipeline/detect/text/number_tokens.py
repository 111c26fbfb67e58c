"""Finds the numbers of a text once, by their shape, so that no recognizer has to scan for them.

A token is a run of digits or several with separators. A chain is a row of digit groups with blanks or the like between;
`grouped_numbers` joins neighbouring groups of a chain to numbers that have the length of an identifier.
"""

from collections import defaultdict
from itertools import pairwise
from typing import NamedTuple

import numpy as np
from numpy.typing import NDArray

_DIGITS = b"0123456789"
_SHORTEST_CHAIN = 9  # characters: a date with one blank in it, 1/ 2/1985
_SHORTEST_ATOM = 8  # digits that may be an identifier by themselves inside a longer token
_WIDEST_GAP = 3  # characters between two groups of a chain

Token = tuple[int, int]


def _class(members: bytes) -> NDArray[np.bool_]:
    return np.isin(np.arange(256), np.frombuffer(members, dtype=np.uint8))


_IS_DIGIT = _class(_DIGITS)
_JOINS_TOKEN = _class(b"/.:-")  # without a blank: dates, clock times, addresses of hosts, codes
_BETWEEN_GROUPS = b" -./()"  # phones, cards, spaced identifiers
_JOINS_CHAIN = _class(_BETWEEN_GROUPS)


class Numbers:
    """The tokens of one shadow.

    `plain[n]`: the starts of unbroken runs of n digits; from 8 digits on also inside longer tokens.
    `shaped[separators]`: the tokens by the separators between their digit groups, such as b"//" or b"...".
    `chains`: the offsets of the groups of each chain.
    """

    __slots__ = ("chains", "plain", "shaped")

    def __init__(self, shadow: bytes) -> None:
        self.plain: dict[int, list[int]] = defaultdict(list)
        self.shaped: dict[bytes, list[Token]] = defaultdict(list)
        self.chains: list[list[Token]] = []
        characters = np.frombuffer(shadow, dtype=np.uint8)
        inside = np.zeros(len(characters) + 2, dtype=bool)
        inside[1:-1] = _IS_DIGIT[characters]
        edges = np.flatnonzero(inside[1:] != inside[:-1])
        if not len(edges):
            return
        runs: list[Token] = list(zip(edges[::2].tolist(), edges[1::2].tolist(), strict=True))
        ends, gaps = edges[1:-1:2], np.diff(edges)[1::2]
        first = characters[ends]
        self._read_tokens(shadow, runs, np.flatnonzero((gaps == 1) & _JOINS_TOKEN[first]).tolist())
        near = np.flatnonzero((gaps <= _WIDEST_GAP) & _JOINS_CHAIN[first]).tolist()
        self._read_chains(runs, [i for i in near if not shadow[runs[i][1] : runs[i + 1][0]].strip(_BETWEEN_GROUPS)])

    def _read_tokens(self, shadow: bytes, runs: list[Token], joined: list[int]) -> None:
        """`joined`: the runs with only a separator before the next run, ascending."""
        plain = self.plain
        position = 0
        for first, last in _stretches(joined):
            for start, end in runs[position:first]:
                plain[end - start].append(start)
            position = last + 1
            start, end = runs[first][0], runs[last][1]
            self.shaped[shadow[start:end].translate(None, _DIGITS)].append((start, end))
            for left, right in runs[first:position]:
                if right - left >= _SHORTEST_ATOM:
                    plain[right - left].append(left)
        for start, end in runs[position:]:
            plain[end - start].append(start)

    def _read_chains(self, runs: list[Token], joined: list[int]) -> None:
        """`joined`: the runs with only blanks or the like before the next run, ascending."""
        for first, last in _stretches(joined):
            if runs[last][1] - runs[first][0] >= _SHORTEST_CHAIN:
                self.chains.append(runs[first : last + 1])


def _stretches(joined: list[int]) -> list[tuple[int, int]]:
    """The first and last run of each row in which every run but the last is in `joined`."""
    found: list[tuple[int, int]] = []
    for index in joined:
        if found and found[-1][1] == index:
            found[-1] = (found[-1][0], index + 1)
        else:
            found.append((index, index + 1))
    return found


# The first digits of numbers by length: SSN, identity numbers, cards and tax numbers.
_LEADS = {9: "012345678", 10: "12", 14: "3", 15: "3", 16: "2345689"}
_LONGEST = max(_LEADS)
_MOST_GROUPS = 8


class GroupedNumber(NamedTuple):
    """The `digits` of an identifier in groups of `sizes` at `start:end`. `alone`: the chain has no other groups."""

    start: int
    end: int
    digits: str
    sizes: tuple[int, ...]
    separator: str
    alone: bool


def grouped_numbers(text: str, chains: list[list[Token]]) -> list[GroupedNumber]:
    """The runs of groups with the same separator between them that together have a known length.

    There are 2 to 8 groups, or only single digits, as in the boxes of a form.
    """
    found: list[GroupedNumber] = []
    for chain in chains:
        sizes = [end - start for start, end in chain]
        gaps = [text[left[1] : right[0]] for left, right in pairwise(chain)]
        final = len(chain) - 1
        for first, gap in enumerate(gaps):
            start, total = chain[first][0], sizes[first]
            for last in range(first + 1, final + 1):
                total += sizes[last]
                groups = last - first + 1
                if gaps[last - 1] != gap or total > _LONGEST or (groups > _MOST_GROUPS and total > groups):
                    break
                if total in _LEADS and text[start] in _LEADS[total]:
                    digits = "".join(text[left:right] for left, right in chain[first : last + 1])
                    alone = first == 0 and last == final
                    found.append(
                        GroupedNumber(start, chain[last][1], digits, tuple(sizes[first : last + 1]), gap, alone)
                    )
    return found


def is_separate_number(shadow: bytes, start: int, end: int) -> bool:
    """Whether the number at `start:end` is not part of a word, a decimal or a longer number.

    `1012345672.0` is no decimal: programs write whole numbers so when they keep them as floating-point numbers.
    """
    before, after = shadow[max(0, start - 2) : start], shadow[end : end + 2]
    if before[-1:].isalnum() or after[:1].isalnum() or before[-1:] == b"+":
        return False
    if before[-1:] == b"." and before[:1].isdigit():
        return False
    return not (after[:1] == b"." and after[1:].isdigit()) or is_written_as_float(shadow, end)


def is_written_as_float(shadow: bytes, end: int) -> bool:
    """Whether a whole number that ends here goes on with `.0`, and that is all."""
    return (
        shadow.startswith(b".0", end) and not shadow[end + 2 : end + 3].isalnum() and shadow[end + 2 : end + 3] != b"."
    )
