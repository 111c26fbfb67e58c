"""Replaces words of labelled sentences by other words of the vocabulary, so that a network learns what a teacher knows.

Most words of the vocabulary stand in no labelled corpus; in the place of others the teacher is asked about them.
"""

import random
import re
from collections import defaultdict
from collections.abc import Iterable, Sequence

from pipeline.detect.tagger.pieces import WORD_START
from scripts.names.sentences.corpora import IGNORED

_SHARE = 0.12  # of the words
_KINDS = (re.compile("[\u0621-\u064a]{3,}"), re.compile("[A-Z][a-z]{2,}"), re.compile("[a-z]{3,}"))


class OtherWords:
    """The whole words of a vocabulary by kind: Arabic, with a capital, in small letters."""

    def __init__(self, pieces: Iterable[str]) -> None:
        self._words: dict[int, list[str]] = defaultdict(list)
        for piece in pieces:
            word = piece.removeprefix(WORD_START)
            kind = _kind(word)
            if kind is not None and word != piece:
                self._words[kind].append(word)

    def exchanged(self, words: Sequence[str], tags: Sequence[int], draw: random.Random) -> tuple[list[str], list[int]]:
        """A copy in which some words are others of their kind, whose tag is IGNORED."""
        new_words, new_tags = list(words), list(tags)
        for at, word in enumerate(words):
            if draw.random() < _SHARE:
                kind = _kind(word)
                if kind is not None:
                    new_words[at], new_tags[at] = draw.choice(self._words[kind]), IGNORED
        return new_words, new_tags


def _kind(word: str) -> int | None:
    return next((number for number, kind in enumerate(_KINDS) if kind.fullmatch(word)), None)
