"""The interface of a recognizer: it reads a normalized text and returns the spans of its entity types."""

from collections.abc import Callable, Iterable
from dataclasses import dataclass
from typing import Protocol

from pipeline.detect.text.normalize import NormalizedText
from schemas.entities import RANK, EntityType
from schemas.spans import DetectOptions, Span


class Recognizer(Protocol):
    """One family of entities. Immutable after construction: many threads call `find` at once."""

    @property
    def name(self) -> str:
        """The value of `Span.recognizer`."""

    @property
    def types(self) -> frozenset[EntityType]:
        """The types that `find` can return. It is not called if none of them is enabled."""

    def find(self, text: NormalizedText, options: DetectOptions) -> Iterable[Span]:
        """Spans in offsets of `text.text` (normalized), in any order; they may overlap each other.

        Time must grow linearly with the text, whatever the text is.
        """


def span(start: int, end: int, type_: EntityType, score: float, recognizer: str) -> Span:
    """A span with the rank that the catalogue gives its type."""
    return Span(start, end, type_, score, recognizer, RANK[type_])


@dataclass(frozen=True, slots=True)
class Rule:
    """A recognizer made of one function."""

    name: str
    types: frozenset[EntityType]
    find: Callable[[NormalizedText, DetectOptions], Iterable[Span]]
