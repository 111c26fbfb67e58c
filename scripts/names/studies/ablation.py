"""What the rules of names still do behind a tagger: each kind of them left out in turn.

    python -m scripts.names.studies.ablation

Prints a table for docs/models/names.md. On held-back text (see combine.py) it counts the words of persons, places and
organizations that are found no more, and the false ones that are spared; on the real documents of benchmarks/pages.py
distinct persons. Rules beside a label, and those of addresses, stay.
"""

import re
from collections import Counter
from collections.abc import Callable, Iterable, Iterator
from typing import NamedTuple
from unittest.mock import patch

import numpy as np

from benchmarks import pages
from pipeline.detect.detector import Detector
from pipeline.detect.recognizers import tagged
from pipeline.detect.recognizers.named_entities import LexicalRecognizer
from pipeline.detect.recognizers.tagged import TYPE, is_sure
from pipeline.detect.text.normalize import NormalizedText
from schemas.entities import EntityType
from schemas.spans import DetectOptions, Span
from scripts.names.combine import labelled_texts
from scripts.names.generator.messages import Labelled
from scripts.names.sentences.labelled import UNJUDGED

TIERS = ("accurate", "fast")
_WORD = re.compile(r"[^\W\d_]+")
_NO_CHECKS = DetectOptions(strict_checksums=False)

Left = Callable[[Span, str], bool]
"""Whether a span of the rules, with its surface, is left out."""


def _of(type_: EntityType, *, latin: bool | None = None) -> Left:
    def is_left(found: Span, surface: str) -> bool:
        is_kind = found.type == type_ and not is_sure(found)
        return is_kind and (latin is None or surface.isascii() == latin)

    return is_left


LATIN, ARABIC = _of(EntityType.PERSON, latin=True), _of(EntityType.PERSON, latin=False)
PLACES, ORGANIZATIONS = _of(EntityType.LOCATION), _of(EntityType.ORGANIZATION)
KINDS: dict[str, tuple[Left, ...]] = {
    "none": (),
    "persons in Latin letters": (LATIN,),
    "persons in Arabic letters": (ARABIC,),
    "places": (PLACES,),
    "organizations": (ORGANIZATIONS,),
    "all of these": (LATIN, ARABIC, PLACES, ORGANIZATIONS),
}


class Without(LexicalRecognizer):
    """The rules without some of their spans."""

    def __init__(self, left: tuple[Left, ...]) -> None:
        super().__init__()
        self._left = left

    def find(self, text: NormalizedText, options: DetectOptions) -> Iterator[Span]:
        """The spans that are not left out."""
        for found in super().find(text, options):
            surface = text.text[found.start : found.end]
            if not any(is_left(found, surface) for is_left in self._left):
                yield found


class Words(NamedTuple):
    """How many words of each type were found rightly, and how many falsely."""

    true: Counter[EntityType]
    false: Counter[EntityType]


def count(texts: Iterable[Labelled], detector: Detector) -> Words:
    """Compares what a detector finds with the labels, word by word."""
    counted = Words(Counter(), Counter())
    for message in texts:
        gold = {label: np.zeros(len(message.text), dtype=bool) for label in (*TYPE, UNJUDGED)}
        for start, end, label in message.spans:
            gold[label][start:end] = True
        for found in detector.detect(message.text, _NO_CHECKS).spans:
            labels = [label for label, type_ in TYPE.items() if type_ == found.type]
            for word in _WORD.finditer(message.text, found.start, found.end) if labels else ():
                if not gold[UNJUDGED][word.start() : word.end()].any():
                    is_true = gold[labels[0]][word.start() : word.end()].mean() >= 0.5
                    (counted.true if is_true else counted.false)[found.type] += 1
    return counted


def main() -> None:
    """Print the table."""
    texts = [message for _, message in labelled_texts()]
    documents, labels = list(pages.read_documents()), pages.read_labels()
    print("| tier | rules left out | words found | false words | persons in documents | false ones | recall |")
    print("| --- | --- | --- | --- | --- | --- | --- |")
    for tier in TIERS:
        for kind, left in KINDS.items():
            with patch.object(tagged, "LEXICAL", Without(left)):
                detector = Detector(names=tier)
                words = count(texts, detector)
                read = pages.measure(documents, {tier: detector}, labels).counts[tier, EntityType.PERSON.value]
            cells = [words.true.total(), words.false.total(), read.true, read.false]
            recall = f"{read.covered / max(read.labelled, 1):.3f}"
            print(f"| {tier} | {kind} | {' | '.join(map(str, cells))} | {recall} |", flush=True)


if __name__ == "__main__":
    main()
