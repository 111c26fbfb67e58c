"""Keeps the vectors of words that the fast tagger has read, so that a frequent word is computed once per process."""

import threading
from collections.abc import Sequence
from typing import NamedTuple

import numpy as np
from numpy.typing import NDArray

Vectors = NDArray[np.float32]
_KEPT = 1 << 14  # words


class Lookup(NamedTuple):
    """The vectors of n words, where they are kept.

    The vector of word i is row `places[i]` of `known` (n, width) with the vectors of the words `new` below it.
    """

    known: Vectors
    places: NDArray[np.int64]
    new: list[str]


class WordVectors:
    """Safe from many threads. When it is full it begins anew."""

    def __init__(self, width: int) -> None:
        self._width = width
        self._lock = threading.Lock()
        self._kept = self._empty()

    def of(self, words: Sequence[str]) -> Lookup:
        """What is known of these words."""
        row_of, table = self._kept
        rows = np.array([row_of.get(word, -1) for word in words], dtype=np.int64)
        places = np.arange(len(words))
        missing = np.flatnonzero(rows < 0).tolist()
        new: dict[str, int] = {}
        for at in missing:
            places[at] = len(words) + new.setdefault(words[at], len(new))
        return Lookup(table[rows], places, list(new))

    def keep(self, words: Sequence[str], vectors: Vectors) -> None:
        """Keep the vectors of words, a row each."""
        with self._lock:
            row_of, table = self._kept
            for word, vector in zip(words, vectors, strict=True):
                if word not in row_of:
                    if len(row_of) == _KEPT:
                        row_of, table = self._empty()
                    table[len(row_of)] = vector
                    row_of[word] = len(row_of)  # readers do not lock: they see the word only now
            self._kept = row_of, table

    def _empty(self) -> tuple[dict[str, int], Vectors]:
        return {}, np.zeros((_KEPT, self._width), dtype=np.float32)
