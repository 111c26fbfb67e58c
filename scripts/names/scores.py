"""Token scores of a tagger on a labelled corpus: recall, precision and F1 for each label."""

from collections import Counter
from collections.abc import Callable, Sequence
from typing import NamedTuple

from scripts.names.sentences.corpora import LABELS, TAGS, Sentence


class Score(NamedTuple):
    """Shares from 0 to 1."""

    recall: float
    precision: float
    f1: float


def scores(sentences: Sequence[Sentence], tagged: Callable[[Sequence[Sentence]], list[list[int]]]) -> dict[str, Score]:
    """By label. A token counts as found if any of its words has the label."""
    right, gold, found = Counter[str](), Counter[str](), Counter[str]()
    for sentence, tags in zip(sentences, tagged(sentences), strict=True):
        at = 0
        for count in sentence.token_words:
            gold_labels = {TAGS[tag][2:] for tag in sentence.tags[at : at + count] if tag}
            found_labels = {TAGS[tag][2:] for tag in tags[at : at + count] if tag}
            at += count
            gold.update(gold_labels)
            found.update(found_labels)
            right.update(gold_labels & found_labels)
    return {label: _score(right[label], gold[label], found[label]) for label in LABELS}


def _score(right: int, gold: int, found: int) -> Score:
    recall, precision = right / max(gold, 1), right / max(found, 1)
    return Score(recall, precision, 2 * right / max(gold + found, 1))
