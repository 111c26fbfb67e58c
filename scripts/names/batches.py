"""Packs labelled words into chunks of pieces, and chunks into batches of similar length."""

import random
from collections.abc import Iterable, Iterator, Sequence
from typing import NamedTuple

import numpy as np
import torch
from torch import Tensor

from pipeline.detect.tagger.pieces import LINE_BREAK, Pieces
from scripts.names.sentences.corpora import IGNORED, Sentence
from scripts.names.sentences.mentions import Mentions
from scripts.names.sentences.noise import varied

CHUNK = 160  # pieces
_BATCH = 2_560  # pieces


class Chunk(NamedTuple):
    """Rows of pieces, and for each word the index of its first piece and its tag."""

    rows: list[int]
    first: list[int]
    tags: list[int]


class Batch(NamedTuple):
    """Tensors of (batch, pieces) or (batch, words); padded words have the tag IGNORED."""

    rows: Tensor
    is_piece: Tensor
    first: Tensor
    tags: Tensor


def chunks(pieces: Pieces, labelled: Iterable[tuple[Sequence[str], Sequence[int]]]) -> Iterator[Chunk]:
    """Chunks of consecutive sentences; a sentence is cut only if it is longer than a chunk."""
    current = Chunk([pieces.BEGIN], [], [])
    for words, tags in labelled:
        cut = [pieces.rows(word) for word in words]
        if len(current.rows) > 1 and len(current.rows) + sum(map(len, cut)) > CHUNK:
            yield current
            current = Chunk([pieces.BEGIN], [], [])
        for rows, tag in zip(cut, tags, strict=True):
            if len(current.rows) + len(rows) > CHUNK:
                yield current
                current = Chunk([pieces.BEGIN], [], [])
            current.first.append(len(current.rows))
            current.tags.append(tag)
            current.rows.extend(rows)
    if current.first:
        yield current


def batches(all_chunks: Iterable[Chunk], draw: random.Random | None) -> Iterator[Batch]:
    """Batches of similar length, in random order; without `draw` in the order of length."""
    ordered = sorted(all_chunks, key=lambda chunk: len(chunk.rows))
    groups: list[list[Chunk]] = [[]]
    for chunk in ordered:
        if groups[-1] and (len(groups[-1]) + 1) * len(chunk.rows) > _BATCH:
            groups.append([])
        groups[-1].append(chunk)
    if draw is not None:
        draw.shuffle(groups)
    return (batch(group) for group in groups if group)


def batch(group: Sequence[Chunk]) -> Batch:
    """One padded batch."""
    length, words = max(len(chunk.rows) for chunk in group), max(len(chunk.first) for chunk in group)
    rows = np.full((len(group), length), Pieces.PAD)
    is_piece = np.zeros((len(group), length), bool)
    first = np.zeros((len(group), words), np.int64)
    tags = np.full((len(group), words), IGNORED)
    for number, chunk in enumerate(group):
        rows[number, : len(chunk.rows)] = chunk.rows
        is_piece[number, : len(chunk.rows)] = True
        first[number, : len(chunk.first)] = chunk.first
        tags[number, : len(chunk.tags)] = chunk.tags
    return Batch(*map(torch.from_numpy, (rows, is_piece, first, tags)))


def training_sentences(
    corpus: Sequence[Sentence], times: float, mentions: Mentions, draw: random.Random
) -> Iterator[tuple[list[str], list[int]]]:
    """The sentences of a corpus in order from a random start, varied, `times` times (a fraction takes a part).

    Some of their names are replaced by others.
    """
    count = round(times * len(corpus))
    start = draw.randrange(len(corpus))
    for number in range(count):
        sentence = corpus[(start + number) % len(corpus)]
        words, tags = mentions.exchanged(sentence.words, sentence.tags, draw)
        if draw.random() < 0.6:
            words, tags = varied(words, tags, draw)
        if draw.random() < 0.3:
            words, tags = [*words, LINE_BREAK], [*tags, 0]
        yield words, tags
