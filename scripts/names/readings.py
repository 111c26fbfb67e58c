"""Readings of all that the taggers learn from, each varied in another way, as chunks of numbered words."""

import random
from collections.abc import Iterable, Iterator, Sequence
from functools import cache
from pathlib import Path
from typing import NamedTuple

import numpy as np
from numpy.typing import NDArray

from pipeline.detect.tagger.pieces import LINE_BREAK, Pieces, words
from pipeline.detect.tagger.word_rows import ROW, word_row
from scripts.names.generator.messages import generate
from scripts.names.sentences import corpora, written
from scripts.names.sentences.corpora import IGNORED, Sentence, split
from scripts.names.sentences.labelled import sentence_of
from scripts.names.sentences.mentions import Mentions
from scripts.names.sentences.noise import varied
from scripts.names.sentences.other_words import OtherWords

# How often a reading holds each corpus.
TIMES = {
    "ar-anercorp.train": 1.0,
    "ar-aqmar.train": 2.0,
    "en-btc.train": 1.0,
    "en-re3d.train": 0.5,
    "en-uner-ewt.train": 1.0,
    "en-wikigold.train": 2.0,
    "en-wnut17.train": 0.7,
}
CHUNK = 160  # pieces
_VARIED = 0.35  # share of the messages
_KNOWN_MESSAGES, _KNOWN_SEED = 4000, 7

LabelledWords = tuple[Sequence[str], Sequence[int]]


class Chunks(NamedTuple):
    """Chunks of consecutive words, one after the other."""

    rows: NDArray[np.int32]  # (pieces,): of all chunks, each begins with Pieces.BEGIN
    first: NDArray[np.int16]  # (words,): the first piece of each word, counted in its chunk
    tags: NDArray[np.int8]  # (words,)
    word_rows: NDArray[np.int32]  # (words, ROW): see word_rows.py
    piece_counts: NDArray[np.int32]  # (chunks,)
    word_counts: NDArray[np.int32]  # (chunks,)


class Plan(NamedTuple):
    """What one reading holds."""

    seed: int
    generated: int = 6000  # messages
    written: int = 2  # how often it holds the messages written by hand
    share: float = 1.0  # of the corpora
    unlabelled: float = 0.0  # share of the unlabelled lines
    other_words: bool = False  # whether some words are replaced by others of the vocabulary


class Vocabulary(NamedTuple):
    """The pieces of the taggers with their log probabilities, and unlabelled lines to read."""

    pieces: list[str]
    scores: list[float]
    lines: list[str]


def known_texts(data: dict[str, list[Sentence]]) -> Iterator[LabelledWords]:
    """The sentences of corpora, the messages written by hand, and generated ones: whose names and words are known."""
    for sentences in data.values():
        yield from ((sentence.words, sentence.tags) for sentence in sentences)
    for message in [*generate(_KNOWN_SEED, _KNOWN_MESSAGES), *written.training()]:
        yield sentence_of(message)


@cache
def _sources() -> tuple[dict[str, list[Sentence]], Mentions]:
    train = split(corpora.training())[0]
    return train, Mentions(known_texts(train))


def reading(plan: Plan, vocabulary: Vocabulary) -> Chunks:
    """The chunks of one reading. The same plan and vocabulary give the same chunks."""
    draw = random.Random(plan.seed)
    pieces = Pieces(vocabulary.pieces, vocabulary.scores)
    train, mentions = _sources()
    sources: list[Iterable[LabelledWords]] = []
    for name, sentences in train.items():
        source = training_sentences(sentences, TIMES[name] * plan.share, mentions, draw)
        if plan.other_words:
            other_words = OtherWords(vocabulary.pieces)
            source = (other_words.exchanged(*sentence, draw) for sentence in source)
        sources.append(source)
    sources.extend([sentence] for sentence in _messages(plan, mentions, draw))
    sources.extend([line] for line in _lines(vocabulary.lines, plan.unlabelled, draw))
    return joined(chunk for source in sources for chunk in chunks(pieces, source))


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
        texts, tags = mentions.exchanged(sentence.words, sentence.tags, draw)
        if draw.random() < 0.6:
            texts, tags = varied(texts, tags, draw)
        if draw.random() < 0.3:
            texts, tags = [*texts, LINE_BREAK], [*tags, 0]
        yield texts, tags


def _messages(plan: Plan, mentions: Mentions, draw: random.Random) -> Iterator[LabelledWords]:
    for message in generate(draw.randrange(1 << 30), plan.generated):
        yield _maybe_varied(*sentence_of(message), draw)
    for _ in range(plan.written):
        for message in written.training():
            yield _maybe_varied(*mentions.exchanged(*sentence_of(message), draw), draw)


def _lines(lines: Sequence[str], share: float, draw: random.Random) -> Iterator[LabelledWords]:
    for line in draw.sample(lines, round(share * len(lines))):
        texts = words(line).texts
        yield _maybe_varied(texts, [IGNORED] * len(texts), draw)


def _maybe_varied(texts: list[str], tags: list[int], draw: random.Random) -> LabelledWords:
    return varied(texts, tags, draw) if draw.random() < _VARIED else (texts, tags)


def chunks(pieces: Pieces, labelled: Iterable[LabelledWords]) -> Iterator[Chunks]:
    """One at a time: chunks of consecutive sentences; a sentence is cut only if it is longer than a chunk."""
    chunk = _Chunk(pieces)
    for texts, tags in labelled:
        cut = [pieces.rows(word) for word in texts]
        if chunk.texts and len(chunk.rows) + sum(map(len, cut)) > CHUNK:
            yield chunk.numbers()
            chunk = _Chunk(pieces)
        for word, rows, tag in zip(texts, cut, tags, strict=True):
            if len(chunk.rows) + len(rows) > CHUNK:
                yield chunk.numbers()
                chunk = _Chunk(pieces)
            chunk.add(word, rows, tag)
    if chunk.texts:
        yield chunk.numbers()


class _Chunk:
    def __init__(self, pieces: Pieces) -> None:
        self._pieces = pieces
        self.rows = [Pieces.BEGIN]
        self.texts: list[str] = []
        self._first: list[int] = []
        self._tags: list[int] = []

    def add(self, word: str, rows: Sequence[int], tag: int) -> None:
        self.texts.append(word)
        self._first.append(len(self.rows))
        self._tags.append(tag)
        self.rows.extend(rows)

    def numbers(self) -> Chunks:
        return Chunks(
            np.array(self.rows, np.int32),
            np.array(self._first, np.int16),
            np.array(self._tags, np.int8),
            np.array([word_row(self._pieces, word) for word in self.texts], np.int32).reshape(-1, ROW),
            np.array([len(self.rows)], np.int32),
            np.array([len(self.texts)], np.int32),
        )


def joined(parts: Iterable[Chunks]) -> Chunks:
    """Chunks one after the other."""
    return Chunks(*(np.concatenate(column) for column in zip(*parts, strict=True)))


def save(chunks: Chunks, path: Path) -> None:
    """Keep chunks in a file."""
    np.savez(path, **chunks._asdict())


def load(path: Path) -> Chunks:
    """What `save` kept."""
    with np.load(path) as file:
        return Chunks(**file)


def unlabelled_lines(path: Path | None) -> list[str]:
    """The lines of a text with more than a few words; none without a path."""
    lines = path.read_text("utf-8", "replace").splitlines() if path else []
    return [line for line in lines if len(line.split()) > 3]
