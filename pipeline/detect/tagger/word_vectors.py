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
    """Safe from many threads. When it is full it begins anew, in the same memory."""

    def __init__(self, width: int) -> None:
        self._lock = threading.Lock()
        self._row_of: dict[str, int] = {}
        self._table: Vectors = np.zeros((_KEPT, width), dtype=np.float32)

    def of(self, words: Sequence[str]) -> Lookup:
        """What is known of these words."""
        with self._lock:
            rows = np.array([self._row_of.get(word, -1) for word in words], dtype=np.int64)
            known = self._table[rows]
        places = np.arange(len(words))
        missing = np.flatnonzero(rows < 0).tolist()
        new: dict[str, int] = {}
        for at in missing:
            places[at] = len(words) + new.setdefault(words[at], len(new))
        return Lookup(known, places, list(new))

    def keep(self, words: Sequence[str], vectors: Vectors) -> None:
        """Keep the vectors of words, a row each."""
        with self._lock:
            for word, vector in zip(words, vectors, strict=True):
                if word not in self._row_of:
                    if len(self._row_of) == _KEPT:
                        self._row_of.clear()
                    self._table[len(self._row_of)] = vector
                    self._row_of[word] = len(self._row_of)
