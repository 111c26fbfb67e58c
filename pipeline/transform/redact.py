"""Redaction, the irreversible transform: every entity becomes a placeholder, a generalized value or a stand-in."""

from collections import Counter
from collections.abc import Collection
from datetime import date
from typing import NamedTuple

from pipeline.detect.text.equivalence import canonical
from pipeline.transform.generalize import Generalizer
from pipeline.transform.synthetic.replacement import Synthesizer
from schemas.entities import PREFIX, EntityType
from schemas.spans import Detection


class StandIn(NamedTuple):
    """The place of a synthetic value in the redacted text."""

    start: int
    end: int
    type: EntityType


class Redacted(NamedTuple):
    """`pii_count` and `entity_counts` (by redact prefix) count distinct values; `generalized_count` counts spans."""

    text: str
    pii_count: int
    entity_counts: dict[str, int]
    generalized_count: int
    synthetic: tuple[StandIn, ...] = ()


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


def redact(
    detection: Detection, transforms: Collection[EntityType], today: date, synthetic_key: bytes | None = None
) -> Redacted:
    """Replace every entity by its placeholder, or for a type in `transforms` by a generalized value where that is safe.

    `today` is the date at which ages are computed. With a `synthetic_key` what is not generalized becomes a stand-in
    under that key, and a placeholder only where there is none.
    """
    text = detection.text
    numbers, generalizer = PlaceholderNumbers(), Generalizer(detection, transforms, today)
    synthesizer = None if synthetic_key is None else Synthesizer(detection, synthetic_key)
    values: dict[tuple[EntityType, str], None] = {}
    pieces: list[str] = []
    standing: list[StandIn] = []
    position = generalized = written = 0
    for span in detection.spans:
        value = canonical(span.type, text[span.start : span.end])
        values[span.type, value] = None
        general = generalizer.value(span)
        generalized += general is not None
        stand_in = None if general or synthesizer is None else synthesizer.value(span)
        shown = general or stand_in or numbers.placeholder(span.type, value)
        written += span.start - position
        if stand_in:
            standing.append(StandIn(written, written + len(shown), span.type))
        written += len(shown)
        pieces += (text[position : span.start], shown)
        position = span.end
    pieces.append(text[position:])
    counts = Counter(PREFIX[type_] for type_, _ in values)
    return Redacted("".join(pieces), len(values), dict(counts), generalized, tuple(standing))
