"""Reading and varying labelled sentences."""

import random
from pathlib import Path

import pytest

from pipeline.detect.tagger.pieces import LINE_BREAK
from scripts.names.sentences.corpora import TAG, TAGS, inside, read
from scripts.names.sentences.noise import varied


def test_tokens_become_words(tmp_path: Path) -> None:
    path = tmp_path / "x.tsv"
    path.write_text("J.\tB-PER\nAl-Harbi\tI-PER\nof\tO\nABC\tB-MISC\n\n(Riyadh)\tB-LOC\n", "utf-8")
    first, second = read(path)
    assert first.words == ["J", ".", "Al-Harbi", "of", "ABC"]
    assert [TAGS[tag] for tag in first.tags] == ["B-PER", "I-PER", "I-PER", "O", "O"]
    assert first.token_words == [2, 1, 1, 1]
    assert second.words == ["(", "Riyadh", ")"]


@pytest.mark.parametrize("seed", range(200))
def test_varied_words_keep_their_tags(seed: int) -> None:
    """However words change, each keeps its tag; only line breaks are added, inside a name with the name's tag."""
    words = ["قال", "محمد", "بن", "أحمد", "in", "New", "York", "today"]
    tags = [TAG[tag] for tag in ("O", "B-PER", "I-PER", "I-PER", "O", "B-LOC", "I-LOC", "O")]
    new_words, new_tags = varied(words, tags, random.Random(seed))
    assert len(new_words) == len(new_tags)
    kept = [tag for word, tag in zip(new_words, new_tags, strict=True) if word != LINE_BREAK]
    assert kept == tags
    for before, (word, tag) in zip([0, *new_tags], zip(new_words, new_tags, strict=True), strict=False):
        assert word != LINE_BREAK or tag == 0 or (tag == inside(tag) and inside(before) == tag)


def test_the_tag_inside() -> None:
    assert [TAGS[inside(TAG[tag])] for tag in ("O", "B-PER", "I-PER", "B-ORG")] == ["O", "I-PER", "I-PER", "I-ORG"]
