"""Turns the tag scores of words into entities: the best sequence of BIO tags (Viterbi 1967), with a score for each."""

from collections.abc import Iterator, Sequence
from typing import NamedTuple

import numpy as np
from numpy.typing import NDArray

Scores = NDArray[np.float32]
_SURELY_OUTSIDE = 0.995  # probability of O
_LIKELIEST = 0.5  # a tag of a higher probability is likelier than all others together
_PERSON = "PER"


class Entity(NamedTuple):
    """Words `first` to `last` (inclusive) are one entity. `score`: mean probability of its label, 0 to 1."""

    first: int
    last: int
    label: str
    score: float


def probabilities(scores: Scores, temperature: float) -> Scores:
    """Softmax of each row of `scores` (words, tags), made softer by a temperature above 1 (Guo et al. 2017)."""
    scaled = scores / temperature
    powers = np.exp(scaled - scaled.max(axis=1, keepdims=True))
    return np.asarray(powers / powers.sum(axis=1, keepdims=True), dtype=np.float32)


class Decoder:
    """For one set of tags: `O`, then `B-X` and `I-X` for each label X."""

    def __init__(self, tags: Sequence[str]) -> None:
        self._tags = tuple(tags)
        self.tags = len(self._tags)
        self.labels = tuple(tag[2:] for tag in tags if tag.startswith("B-"))
        allowed = [
            [not after.startswith("I-") or before[2:] == after[2:] for after in tags] for before in tags
        ]  # an I tag follows only a B or I tag of its label
        self._moves = np.where(allowed, 0.0, -np.inf).astype(np.float32)
        self._first = np.array([-np.inf if tag.startswith("I-") else 0.0 for tag in tags], dtype=np.float32)

    def columns(self, label: str) -> list[int]:
        """The tags of a label."""
        return [index for index, tag in enumerate(self._tags) if tag[2:] == label]

    def entities(self, shares: Scores, lean: float = 1.0) -> list[Entity]:
        """The entities of the best tag sequence, by position. `shares`: (words, tags), each row sums to 1.

        A word that is almost surely O is O; the sequences between such words are independent of each other. Where O is
        the likeliest tag of every word, it is the best sequence. `lean`: from 1; a word that could sooner be part of a
        person than of another entity is O only if that is so many times likelier than all else.
        """
        found: list[Entity] = []
        if (shares[:, 0] > lean / (1 + lean)).all():
            return found
        leant = shares if lean == 1 else self._leant(shares, lean)
        open_words = np.flatnonzero(leant[:, 0] < _SURELY_OUTSIDE)
        for run in np.split(open_words, np.flatnonzero(np.diff(open_words) > 1) + 1) if len(open_words) else ():
            if leant[run, 0].min() <= _LIKELIEST:
                found += self._entities_of_run(shares, leant, int(run[0]), int(run[-1]) + 1)
        return found

    def _leant(self, shares: Scores, lean: float) -> Scores:
        by_label = np.stack([shares[:, self.columns(label)].sum(axis=1) for label in self.labels])
        leant = shares.copy()
        leant[by_label.argmax(axis=0) == self.labels.index(_PERSON), 0] /= lean
        return np.asarray(leant / leant.sum(axis=1, keepdims=True))

    def _entities_of_run(self, shares: Scores, leant: Scores, begin: int, end: int) -> Iterator[Entity]:
        """`shares`: for the scores; `leant`: for the sequence."""
        path = self._best_path(np.log(leant[begin:end] + 1e-9))
        first = 0
        while first < len(path):
            label = self._tags[path[first]][2:]
            last = first
            if label:
                inside = self._tags.index(f"I-{label}")
                while last + 1 < len(path) and path[last + 1] == inside:
                    last += 1
                columns = self.columns(label)
                score = float(shares[begin + first : begin + last + 1, columns].sum(axis=1).mean())
                yield Entity(begin + first, begin + last, label, score)
            first = last + 1

    def _best_path(self, scores: Scores) -> list[int]:
        best = scores[0] + self._first
        back = np.empty(scores.shape, dtype=np.int8)
        for index in range(1, len(scores)):
            reached = best[:, None] + self._moves
            back[index] = reached.argmax(axis=0)
            best = reached.max(axis=0) + scores[index]
        tag = int(best.argmax())
        path = [tag]
        for index in range(len(scores) - 1, 0, -1):
            tag = int(back[index, tag])
            path.append(tag)
        return path[::-1]
