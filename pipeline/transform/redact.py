"""Redaction, the irreversible transform: every entity becomes a numbered placeholder, or a generalized value."""

from collections import Counter
from collections.abc import Collection
from datetime import date
from typing import NamedTuple

from pipeline.detect.text.equivalence import canonical
from pipeline.transform.generalize import Generalizer
from schemas.entities import PREFIX, EntityType
from schemas.spans import Detection


class Redacted(NamedTuple):
    """`pii_count` and `entity_counts` (by redact prefix) count distinct values; `generalized_count` counts spans."""

    text: str
    pii_count: int
    entity_counts: dict[str, int]
    generalized_count: int


class PlaceholderNumbers:
    """Placeholder numbers: from 01 within each type, by first appearance, one for each distinct canonical value."""

    def __init__(self) -> None:
        self._numbers: dict[tuple[EntityType, str], int] = {}
        self._last: Counter[EntityType] = Counter()

    def placeholder(self, type_: EntityType, value: str) -> str:
        """`{PREFIX}_{NN}` of a canonical value."""
        number = self._numbers.get((type_, value))
        if number is None:
            self._last[type_] += 1
            number = self._numbers[type_, value] = self._last[type_]
        return f"{PREFIX[type_]}_{number:02d}"


def redact(detection: Detection, transforms: Collection[EntityType], today: date) -> Redacted:
    """Replace every entity by its placeholder, or for a type in `transforms` by a generalized value where that is safe.

    `today` is the date at which ages are computed.
    """
    text = detection.text
    numbers, generalizer = PlaceholderNumbers(), Generalizer(detection, transforms, today)
    values: dict[tuple[EntityType, str], None] = {}
    pieces: list[str] = []
    position = generalized = 0
    for span in detection.spans:
        value = canonical(span.type, text[span.start : span.end])
        values[span.type, value] = None
        general = generalizer.value(span)
        generalized += general is not None
        pieces += (text[position : span.start], general or numbers.placeholder(span.type, value))
        position = span.end
    pieces.append(text[position:])
    counts = Counter(PREFIX[type_] for type_, _ in values)
    return Redacted("".join(pieces), len(values), dict(counts), generalized)
