"""Chunks of words as numbers, which the taggers learn from."""

import random
from pathlib import Path

import numpy as np

from pipeline.detect.tagger.pieces import Pieces
from scripts.names import readings
from scripts.names.readings import CHUNK, chunks, joined

PIECES = Pieces(["<s>", "<pad>", "</s>", "<unk>", "\u2581", "\u2581to", "a", "b", "to"], [0.0] * 4 + [-1.0] * 5)


def sentences(seed: int) -> list[tuple[list[str], list[int]]]:
    """Random sentences, one of them longer than a chunk."""
    draw = random.Random(seed)
    lengths = [draw.randrange(1, 30) for _ in range(60)]
    lengths[draw.randrange(60)] = 3 * CHUNK
    return [
        ([draw.choice(["to", "ab", "abba", "toto"]) for _ in range(length)], [draw.randrange(7) for _ in range(length)])
        for length in lengths
    ]


def test_chunks_hold_all_words_in_order_each_with_its_pieces() -> None:
    for seed in range(5):
        told = sentences(seed)
        found = joined(chunks(PIECES, told))
        assert found.tags.tolist() == [tag for _, tags in told for tag in tags]
        assert found.piece_counts.max() <= CHUNK and found.piece_counts.sum() == len(found.rows)
        words = [word for texts, _ in told for word in texts]
        begins = np.repeat(np.cumsum(found.piece_counts) - found.piece_counts, found.word_counts)
        for word, begin, first in zip(words, begins, found.first, strict=True):
            rows = PIECES.rows(word)
            assert tuple(found.rows[begin + first : begin + first + len(rows)]) == rows
        assert (found.rows[np.cumsum(found.piece_counts) - found.piece_counts] == Pieces.BEGIN).all()


def test_a_sentence_is_cut_only_if_it_is_longer_than_a_chunk() -> None:
    told = [(["to"] * 100, [0] * 100), (["to"] * 100, [1] * 100), (["to"] * 400, [2] * 400)]
    assert joined(chunks(PIECES, told)).word_counts.tolist() == [100, 100, 159, 159, 82]


def test_chunks_are_kept_in_a_file(tmp_path: Path) -> None:
    found = joined(chunks(PIECES, sentences(9)))
    readings.save(found, tmp_path / "chunks.npz")
    for kept, made in zip(readings.load(tmp_path / "chunks.npz"), found, strict=True):
        assert kept.dtype == made.dtype and np.array_equal(kept, made)


def test_lines_of_a_few_words_teach_nothing(tmp_path: Path) -> None:
    path = tmp_path / "texts"
    path.write_text("one two three\none two three four\n", "utf-8")
    assert readings.unlabelled_lines(path) == ["one two three four"]
    assert readings.unlabelled_lines(None) == []
