"""Exchanges names in labelled sentences for others of their kind, so that a tagger learns contexts, not names by heart.

Mention replacement, after Dai and Adel 2020 (arXiv:2010.11683).
"""

import random
from collections import defaultdict
from collections.abc import Iterable, Iterator, Sequence

from scripts.names.sentences.corpora import inside

_SHARE = 0.15  # of the names
_USER_MARK = "@"


class Mentions:
    """The names of labelled sentences, by label and script."""

    def __init__(self, sentences: Iterable[tuple[Sequence[str], Sequence[int]]]) -> None:
        pools: dict[tuple[int, bool], dict[tuple[str, ...], None]] = defaultdict(dict)
        for words, tags in sentences:
            for first, last in _names(words, tags):
                name = tuple(words[first:last])
                pools[_kind(name, tags[first])][name] = None
        self._pools = {kind: list(names) for kind, names in pools.items()}

    def exchanged(self, words: Sequence[str], tags: Sequence[int], draw: random.Random) -> tuple[list[str], list[int]]:
        """A copy in which some names are others of the same label and script."""
        new_words: list[str] = []
        new_tags: list[int] = []
        at = 0
        for first, last in _names(words, tags):
            name, tag = tuple(words[first:last]), tags[first]
            if draw.random() < _SHARE:
                name = draw.choice(self._pools[_kind(name, tag)])
            new_words += [*words[at:first], *name]
            new_tags += [*tags[at:first], tag, *[inside(tag)] * (len(name) - 1)]
            at = last
        return [*new_words, *words[at:]], [*new_tags, *tags[at:]]


def _names(words: Sequence[str], tags: Sequence[int]) -> Iterator[tuple[int, int]]:
    """First and last word (exclusive) of each name but user names."""
    first = 0
    while first < len(words):
        last = first + 1
        if tags[first] > 0 and tags[first] % 2:
            while last < len(words) and tags[last] == inside(tags[first]):
                last += 1
            if words[first] != _USER_MARK and (first == 0 or words[first - 1] != _USER_MARK):
                yield first, last
        first = last


def _kind(name: Sequence[str], tag: int) -> tuple[int, bool]:
    return tag, not name[0].isascii()
