"""The input and output of detection: terms and options, spans and the reasons for them."""

import json
from collections.abc import Iterable, Mapping
from dataclasses import dataclass, field
from enum import StrEnum
from typing import NamedTuple

from schemas.entities import ALL_TYPES, EntityType


class Span(NamedTuple):
    """One entity: `text[start:end]`, counted in code points of the text before normalization.

    `score` is 0..1, the recognizer's confidence; `rank` decides overlaps (a glossary term keeps 110 whatever its type).
    """

    start: int
    end: int
    type: EntityType
    score: float
    recognizer: str
    rank: int


class MatchMode(StrEnum):
    """How a glossary term is matched."""

    EXACT = "exact"
    WORD_BOUNDARY = "word_boundary"
    SUBSTRING = "substring"


class Action(StrEnum):
    """What happens where a glossary term is found: `mask` replaces it, `allow` leaves it."""

    MASK = "mask"
    ALLOW = "allow"


@dataclass(frozen=True, slots=True)
class Term:
    """A glossary term: always detected, as `type`, at rank 110.

    With `allow` it makes no span. Instead it removes spans whose whole surface is the term, of any type; only of `type`
    when that is not CUSTOM_TERM.
    """

    term: str
    type: EntityType = EntityType.CUSTOM_TERM
    match_mode: MatchMode = MatchMode.WORD_BOUNDARY
    case_sensitive: bool = False
    locale: str | None = None
    action: Action = Action.MASK


@dataclass(frozen=True, slots=True, eq=False, weakref_slot=True)
class TermSet:
    """Terms that are matched together: one version of a glossary, or the list of one request.

    Sets are compared by identity, so that the compiled form of a set is found without comparing its terms.
    """

    terms: tuple[Term, ...]


def dump_terms(terms: Iterable[Term]) -> bytes:
    """The terms in their order as a JSON array, without the default action `mask`. UnicodeEncodeError for a lone
    surrogate.
    """
    return json.dumps([_row(term) for term in terms], ensure_ascii=False, separators=(",", ":")).encode()


def load_terms(raw: bytes) -> tuple[Term, ...]:
    """The terms of `dump_terms`, also of versions without actions."""
    return tuple(
        Term(
            term=row["term"],
            type=EntityType(row["type"]),
            match_mode=MatchMode(row["match_mode"]),
            case_sensitive=row["case_sensitive"],
            locale=row["locale"],
            action=Action(row.get("action", Action.MASK)),
        )
        for row in json.loads(raw)
    )


def _row(term: Term) -> dict[str, object]:
    row: dict[str, object] = {
        "term": term.term,
        "type": term.type,
        "match_mode": term.match_mode,
        "case_sensitive": term.case_sensitive,
        "locale": term.locale,
    }
    return row if term.action is Action.MASK else {**row, "action": term.action}


@dataclass(frozen=True, slots=True)
class DetectOptions:
    """How one detection runs.

    `enabled`: the types to look for (CUSTOM_TERM and glossary hits are never filtered).
    `strict_checksums`: False keeps identifier-shaped numbers whose check fails (CREDIT_CARD is never relaxed).
    `terms`: the glossaries that apply; of two terms at one place, that of the earlier set wins.
    `context`: a label that logically precedes the text, such as the heading of its table column; cue words in it count.
    `from_pixels`: the text was read from pixels: a long number behind a label counts in any form.
    `explain`: the detection has the reason for each span.
    `min_score`: entities with a lower score are left out, except terms and numbers whose check digits hold.
    """

    enabled: frozenset[EntityType] = field(default=ALL_TYPES)
    strict_checksums: bool = True
    terms: tuple[TermSet, ...] = ()
    context: str = ""
    explain: bool = False
    min_score: float = 0.0
    from_pixels: bool = False


class Cue(NamedTuple):
    """A context word that was required for a span or raised its score: `text[start:end]` of the original text.

    `certain`: it is a label or title, which names the type of the value next to it.
    """

    start: int
    end: int
    certain: bool


class Why(NamedTuple):
    """The reasons for a span: the `shape` of its recognizer, the name of the checksum that it passed, the cue word.

    `whole`: False for the part that an overlapping span of higher rank left. `outranked`: spans that it displaced.
    """

    shape: str
    check: str | None = None
    cue: Cue | None = None
    whole: bool = True
    outranked: tuple[Span, ...] = ()


class Detection(NamedTuple):
    """The entities of a text after overlap resolution, by position and without overlaps.

    `why`: the reasons for each span and each displaced one, with `DetectOptions.explain`. `judge_model`: the model of
    the judge whose verdict was applied.
    """

    text: str
    spans: tuple[Span, ...]
    why: Mapping[Span, Why] | None = None
    judge_model: str | None = None
