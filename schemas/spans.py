"""What detection says about a text: spans with their types, and the terms and options it was asked with."""

from dataclasses import dataclass, field
from enum import StrEnum
from typing import NamedTuple

from schemas.entities import ALL_TYPES, EntityType


class Span(NamedTuple):
    """One entity: `text[start:end]` in Unicode code points of the original text, right-half-open.

    `score` is 0..1, the recognizer's confidence; `rank` decides overlaps (a glossary term keeps 110 whatever its type).
    """

    start: int
    end: int
    type: EntityType
    score: float
    recognizer: str
    rank: int


class MatchMode(StrEnum):
    """How a glossary term is found (decisions: exact, word_boundary, substring)."""

    EXACT = "exact"
    WORD_BOUNDARY = "word_boundary"
    SUBSTRING = "substring"


@dataclass(frozen=True, slots=True)
class Term:
    """A glossary term: always detected, as `type`, at rank 110."""

    term: str
    type: EntityType = EntityType.CUSTOM_TERM
    match_mode: MatchMode = MatchMode.WORD_BOUNDARY
    case_sensitive: bool = False
    locale: str | None = None


@dataclass(frozen=True, slots=True)
class DetectOptions:
    """How one detection runs.

    `enabled`: the types to look for (CUSTOM_TERM and glossary hits are never filtered).
    `strict_checksums`: False keeps identifier-shaped numbers whose check fails (CREDIT_CARD is never relaxed).
    `context`: a label that stands logically before the text, such as a table column's heading; cue words count in it.
    """

    enabled: frozenset[EntityType] = field(default=ALL_TYPES)
    strict_checksums: bool = True
    terms: tuple[Term, ...] = ()
    context: str = ""


class Detection(NamedTuple):
    """The canonical entities of one text after overlap resolution, in order of position, overlapping nowhere."""

    text: str
    spans: tuple[Span, ...]
