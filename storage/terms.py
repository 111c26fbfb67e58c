"""The serialized form of glossary terms before they are sealed: a JSON array of objects."""

import json
from collections.abc import Iterable

from schemas.entities import EntityType
from schemas.spans import Action, MatchMode, Term


def dump_terms(terms: Iterable[Term]) -> bytes:
    """The terms in their order, without the default action `mask`. UnicodeEncodeError for a lone surrogate."""
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
