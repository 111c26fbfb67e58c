"""Exchanging names and words of labelled sentences."""

import random

from scripts.names.sentences.corpora import IGNORED, TAG, TAGS, Sentence, without_unlabelled_users
from scripts.names.sentences.mentions import Mentions
from scripts.names.sentences.other_words import OtherWords


def tagged(*pairs: str) -> tuple[list[str], list[int]]:
    """Words and tags of `word/TAG`; without a tag O."""
    words, tags = [], []
    for pair in pairs:
        word, _, tag = pair.partition("/")
        words.append(word)
        tags.append(TAG[tag or "O"])
    return words, tags


def test_names_are_exchanged_for_others_of_their_label_and_script() -> None:
    english = tagged("met", "Ann/B-PER", "Lee/I-PER", "in", "Paris/B-LOC")
    arabic = tagged("قابلت", "نورة/B-PER", "في", "جدة/B-LOC")
    more = tagged("Omar/B-PER", "and", "New/B-LOC", "York/I-LOC")
    mentions = Mentions([english, arabic, more])
    seen = set()
    for seed in range(300):
        words, tags = mentions.exchanged(*english, random.Random(seed))
        assert len(words) == len(tags) and words[0] == "met" and "in" in words
        names = tuple(f"{word}/{TAGS[tag]}" for word, tag in zip(words, tags, strict=True) if tag)
        seen.add(names)
    people, places = ("Ann/B-PER", "Lee/I-PER"), ("Paris/B-LOC",)
    others, cities = ("Omar/B-PER",), ("New/B-LOC", "York/I-LOC")
    assert seen == {people + places, others + places, people + cities, others + cities}


def test_user_names_are_not_exchanged() -> None:
    post = tagged("@/B-PER", "dune/B-PER", "_", "cat", "hi")
    mentions = Mentions([post, tagged("Omar/B-PER")])
    assert all(mentions.exchanged(*post, random.Random(seed)) == post for seed in range(50))


def test_words_are_exchanged_for_others_of_their_kind_and_ignored() -> None:
    other = OtherWords(["\u2581Table", "\u2581stone", "\u2581حجر", "ing", "\u25817", "\u2581UN"])
    sentence = tagged("Dana/B-PER", "walked", "إلى", "NASA/B-ORG", "at", "10")
    seen: set[tuple[str, int]] = set()
    for seed in range(400):
        seen |= set(zip(*other.exchanged(*sentence, random.Random(seed)), strict=True))
    new = {("Table", IGNORED), ("stone", IGNORED), ("حجر", IGNORED)}
    assert seen == new | set(zip(*sentence, strict=True))


def test_user_names_without_a_label_teach_nothing() -> None:
    words = ["@", "dune", "_", "cat", "met", "@", "omar", "and", "Omar", "@", "CNN"]
    tags = [TAG[tag] for tag in ("O", "O", "O", "O", "O", "B-PER", "B-PER", "O", "B-PER", "O", "O")]
    found = without_unlabelled_users(Sentence(words, tags, [1, 3, 1, 1, 1, 1, 1, 2]))
    assert found.tags == [*[IGNORED] * 4, *tags[4:9], IGNORED, IGNORED]
