"""The kept vectors of words."""

import numpy as np
import pytest

from pipeline.detect.tagger import word_vectors
from pipeline.detect.tagger.word_vectors import Lookup, WordVectors

WIDTH = 3


def vector(word: str) -> list[float]:
    return [float(len(word)), float(ord(word[0])), float(ord(word[-1]))]


def vectors(words: list[str]) -> np.ndarray:
    return np.array([vector(word) for word in words], dtype=np.float32).reshape(-1, WIDTH)


def resolved(found: Lookup) -> list[list[float]]:
    """The vectors that a lookup stands for, the new ones computed."""
    table = np.concatenate([found.known, vectors(found.new)])
    return table[found.places].tolist()


def test_a_word_is_new_once_and_known_afterwards() -> None:
    kept = WordVectors(WIDTH)
    text = ["ab", "c", "ab", "d", "c"]
    first = kept.of(text)
    assert first.new == ["ab", "c", "d"]
    kept.keep(first.new, vectors(first.new))
    again = kept.of(["d", "new", *text])
    assert again.new == ["new"]
    assert resolved(first) == [vector(word) for word in text]
    assert resolved(again) == [vector(word) for word in ["d", "new", *text]]


def test_no_words_at_all() -> None:
    found = WordVectors(WIDTH).of([])
    assert found.known.shape == (0, WIDTH) and len(found.places) == 0 and found.new == []


def test_a_full_store_begins_anew_and_stays_right(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(word_vectors, "_KEPT", 5)
    kept = WordVectors(WIDTH)
    for begin in range(0, 60, 3):
        text = [f"w{number}" for number in range(begin, begin + 7)]
        found = kept.of(text)
        kept.keep(found.new, vectors(found.new))
        assert resolved(found) == [vector(word) for word in text]
        assert len(kept.of(text).new) < 7


def test_a_lookup_stays_right_when_the_store_begins_anew(monkeypatch: pytest.MonkeyPatch) -> None:
    """Its memory is used again while another thread still reads with what it looked up."""
    monkeypatch.setattr(word_vectors, "_KEPT", 4)
    kept = WordVectors(WIDTH)
    kept.keep(["ab", "c"], vectors(["ab", "c"]))
    found = kept.of(["c", "ab", "c"])
    for other in ("d", "efg", "h", "ijkl", "m"):
        kept.keep([other], vectors([other]))
    assert resolved(found) == [vector(word) for word in ["c", "ab", "c"]]
    assert kept.of(["ab"]).new == ["ab"]
