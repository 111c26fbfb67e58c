"""Reads the labelled corpora of ../shared/data/ner: sentences of words with BIO tags."""

from collections.abc import Iterator
from pathlib import Path
from typing import NamedTuple

from pipeline.detect.tagger.pieces import words

ROOT = Path(__file__).parents[3]
CORPORA = ROOT / "../shared/data/ner"
LABELS = ("PER", "LOC", "ORG")
TAGS = ("O", *(f"{edge}-{label}" for label in LABELS for edge in "BI"))
TAG = {tag: index for index, tag in enumerate(TAGS)}


IGNORED = -100  # the tag of a word that teaches nothing

_HELD_BACK = 0.04  # the last part of each Arabic and Wikipedia corpus chooses thresholds
_SOCIAL = ("en-btc.train", "en-wnut17.train")
_HELD_CORPORA = ("ar-anercorp.train", "ar-aqmar.train", "en-wikigold.train")


class Sentence(NamedTuple):
    """Words and, for each, the index of its tag in TAGS; `gold_words` counts the words of each token of the corpus."""

    words: list[str]
    tags: list[int]
    token_words: list[int]


def read(path: Path) -> Iterator[Sentence]:
    """The sentences of a corpus. A token of the corpus may be several words here; MISC counts as no entity."""
    for block in path.read_text("utf-8").split("\n\n"):
        sentence = Sentence([], [], [])
        for line in block.split("\n"):
            token, _, label = line.partition("\t")
            if not label:
                continue
            tag = TAG.get(label.strip(), 0)
            cut = words(token).texts
            sentence.words.extend(cut)
            sentence.tags.extend(tag if number == 0 else inside(tag) for number in range(len(cut)))
            sentence.token_words.append(len(cut))
        if sentence.words:
            yield sentence


def inside(tag: int) -> int:
    """The I tag of the label of a B or I tag; O stays."""
    return tag + tag % 2


def without_unlabelled_users(sentence: Sentence) -> Sentence:
    """The sentence, with the words of user names (`@example`) ignored where they have no label.

    WNUT 2017 and a part of the Broad Twitter Corpus do not label them, the other part does.
    """
    tags, at, is_user = list(sentence.tags), 0, False
    for count in sentence.token_words:
        token = sentence.words[at : at + count]
        if (is_user or token[0] == "@") and not any(tags[at : at + count]):
            tags[at : at + count] = [IGNORED] * count
        is_user = token == ["@"]
        at += count
    return sentence._replace(tags=tags)


def training(folder: Path = CORPORA) -> dict[str, list[Sentence]]:
    """The sentences of the training parts by corpus."""
    data = {path.stem: list(read(path)) for path in sorted(folder.glob("*.train.tsv"))}
    for name in _SOCIAL:
        data[name] = [without_unlabelled_users(sentence) for sentence in data[name]]
    return data


def split(data: dict[str, list[Sentence]]) -> tuple[dict[str, list[Sentence]], dict[str, list[Sentence]]]:
    """Training sentences and held-back sentences by corpus."""
    train, held = dict(data), {}
    for name in _HELD_CORPORA:
        count = int(len(data[name]) * _HELD_BACK)
        train[name], held[name] = data[name][:-count], data[name][-count:]
    return train, held
