"""Arabic words that are known, with what is written before them."""

import pytest

from pipeline.ocr.engines.arabic_vocabulary import WORDS, is_known


@pytest.mark.parametrize("word", ["المملكة", "وزارة", "والوزارة", "بالوزارة", "للوزارة", "ووزارة"])
def test_known(word: str) -> None:
    assert is_known(word)


@pytest.mark.parametrize("word", ["", "ا", "ال", "الممنكة", "وزثرة", "ظظظ", "وو", "Riyadh", "ا" * 100_000])
def test_unknown(word: str) -> None:
    assert not is_known(word)


def test_the_list_holds_words_alone() -> None:
    words = WORDS.read_text("utf-8").splitlines()
    assert words == sorted(set(words))
    assert all(len(word) >= 3 and word.isalpha() for word in words)
