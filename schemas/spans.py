"""What detection says about a text: spans with their types, and the terms and options it was asked with."""

from collections.abc import Mapping
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


class Action(StrEnum):
    """What a glossary term asks for where it is found: `mask` it, or `allow` it to stay."""

    MASK = "mask"
    ALLOW = "allow"


@dataclass(frozen=True, slots=True)
class Term:
    """A glossary term: always detected, as `type`, at rank 110.

    With `allow` it makes no span but lets one stay whose whole surface it is: of any type, or of `type` alone where
    that is not CUSTOM_TERM.
    """

    term: str
    type: EntityType = EntityType.CUSTOM_TERM
    match_mode: MatchMode = MatchMode.WORD_BOUNDARY
    case_sensitive: bool = False
    locale: str | None = None
    action: Action = Action.MASK


@dataclass(frozen=True, slots=True, eq=False, weakref_slot=True)
class TermSet:
    """Terms that are looked for together: one glossary as it was saved, or one request's list.

    Equal to itself alone: what was compiled for a set is found again without looking at its terms.
    """

    terms: tuple[Term, ...]


@dataclass(frozen=True, slots=True)
class DetectOptions:
    """How one detection runs.

    `enabled`: the types to look for (CUSTOM_TERM and glossary hits are never filtered).
    `strict_checksums`: False keeps identifier-shaped numbers whose check fails (CREDIT_CARD is never relaxed).
    `terms`: the glossaries that apply; of two terms at one place, that of the earlier set is told.
    `context`: a label that stands logically before the text, such as a table column's heading; cue words count in it.
    `explain`: the detection also says what made each span.
    """

    enabled: frozenset[EntityType] = field(default=ALL_TYPES)
    strict_checksums: bool = True
    terms: tuple[TermSet, ...] = ()
    context: str = ""
    explain: bool = False


class Cue(NamedTuple):
    """A word that made a span or made it surer: `text[start:end]` of the original text, as the span's own offsets.

    `certain`: it is a label or a title, which names what stands beside it.
    """

    start: int
    end: int
    certain: bool


class Why(NamedTuple):
    """What made a span: the `shape` that was looked for, the checksum that holds (its name), the cue word.

    `whole`: False for what a span of higher rank left of this one. `outranked`: the spans that lost to it.
    """

    shape: str
    check: str | None = None
    cue: Cue | None = None
    whole: bool = True
    outranked: tuple[Span, ...] = ()


class Detection(NamedTuple):
    """The canonical entities of one text after overlap resolution, in order of position, overlapping nowhere.

    `why`: what made each of them, and each that lost to one of them, where `DetectOptions.explain` asked for it.
    `judge_model`: the judge that was heard about them.
    """

    text: str
    spans: tuple[Span, ...]
    why: Mapping[Span, Why] | None = None
    judge_model: str | None = None
