"""Chunks of words on the device that trains: batches are gathered there, so that it never waits for Python."""

import random
from collections.abc import Iterator
from itertools import pairwise
from typing import NamedTuple

import numpy as np
import torch
from numpy.typing import NDArray
from torch import Tensor

from pipeline.detect.tagger.pieces import Pieces
from pipeline.detect.tagger.word_rows import ROW
from scripts.names.readings import Chunks
from scripts.names.sentences.corpora import IGNORED

_STEP = 16  # batches have lengths of so many pieces and words: a device plans its work anew for each length


class Batch(NamedTuple):
    """Padded tensors of some chunks; padded words have the tag IGNORED."""

    rows: Tensor  # (batch, pieces)
    is_piece: Tensor  # (batch, pieces)
    first: Tensor  # (batch, words): the first piece of each word
    tags: Tensor  # (batch, words)
    is_word: Tensor  # (batch, words)
    word_rows: Tensor  # (batch, words, ROW)
    places: Tensor  # (batch, words): of the words in the pool; 0 for padding


class Pool:
    """All chunks of some readings. `shares`: what teachers say of each word, (words, tags), once they were asked."""

    def __init__(self, chunks: Chunks, device: torch.device) -> None:
        self.device = device
        self._rows = torch.from_numpy(chunks.rows).to(device)
        self._first = torch.from_numpy(chunks.first).to(device)
        self._tags = torch.from_numpy(chunks.tags).to(device)
        self._word_rows = torch.from_numpy(chunks.word_rows).to(device)
        self.piece_counts, self.word_counts = chunks.piece_counts, chunks.word_counts
        self._piece_ends = torch.from_numpy(np.cumsum(chunks.piece_counts)).to(device)
        self._word_ends = torch.from_numpy(np.cumsum(chunks.word_counts)).to(device)
        self._pieces = torch.from_numpy(chunks.piece_counts).to(device)
        self._words = torch.from_numpy(chunks.word_counts).to(device)
        self._no_word = torch.tensor([0, *[Pieces.PAD] * (ROW - 1)], dtype=torch.int32, device=device)
        self.shares: Tensor | None = None

    @property
    def tags(self) -> Tensor:
        """The tags of all words."""
        return self._tags

    @property
    def words(self) -> int:
        """How many words there are."""
        return len(self._tags)

    def groups(self, pieces: int, draw: random.Random | None) -> list[NDArray[np.int64]]:
        """All chunks in groups of similar length, of about so many pieces, in random order.

        Without `draw`: by length.
        """
        noise = np.random.default_rng(draw.getrandbits(64)).random(len(self.piece_counts)) * 8 if draw else 0
        order = np.argsort(self.piece_counts + noise, kind="stable")
        edges, length = [0], 0
        for at, longest in enumerate(self.piece_counts[order].tolist()):
            length = max(length, longest)
            if at > edges[-1] and (at + 1 - edges[-1]) * length > pieces:
                edges.append(at)
                length = longest
        found = [order[first:last] for first, last in pairwise([*edges, len(order)])]
        if draw:
            draw.shuffle(found)
        return found

    def batch(self, group: NDArray[np.int64]) -> Batch:
        """The chunks of one group."""
        chunks = torch.from_numpy(group).to(self.device)
        at, is_piece = self._places(self._piece_ends, self._pieces, chunks, self.piece_counts[group])
        rows = torch.where(is_piece, self._rows[at], Pieces.PAD).long()
        at, is_word = self._places(self._word_ends, self._words, chunks, self.word_counts[group])
        first = torch.where(is_word, self._first[at], 0).long()
        tags = torch.where(is_word, self._tags[at], IGNORED).long()
        word_rows = torch.where(is_word[..., None], self._word_rows[at], self._no_word).long()
        return Batch(rows, is_piece, first, tags, is_word, word_rows, at)

    def _places(
        self, ends: Tensor, counts: Tensor, chunks: Tensor, lengths: NDArray[np.int32]
    ) -> tuple[Tensor, Tensor]:
        longest = -int(-lengths.max() // _STEP) * _STEP
        steps = torch.arange(longest, device=self.device)[None]
        is_one = steps < counts[chunks][:, None]
        return torch.where(is_one, (ends[chunks] - counts[chunks])[:, None] + steps, 0), is_one


def endless(pool: Pool, pieces: int, draw: random.Random) -> Iterator[Batch]:
    """Batches of about so many pieces: all chunks, then all again in another order, for ever."""
    while True:
        for group in pool.groups(pieces, draw):
            yield pool.batch(group)
