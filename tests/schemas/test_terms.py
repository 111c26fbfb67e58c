"""Terms as they are stored: every field comes back, and what was stored before terms had an action still reads."""

import json

import pytest

from schemas.entities import EntityType
from schemas.spans import Action, MatchMode, Term, dump_terms, load_terms

TERMS = (
    Term("Zephyr"),
    Term("مشروع \U00010400 \"'\\", EntityType.ORGANIZATION, MatchMode.EXACT, case_sensitive=True, locale="ar"),
    Term("Noura", match_mode=MatchMode.SUBSTRING, locale="en", action=Action.ALLOW),
)


def test_every_field_comes_back() -> None:
    assert load_terms(dump_terms(TERMS)) == TERMS
    assert load_terms(dump_terms(())) == ()


def test_rows_from_before_there_was_an_action() -> None:
    row = {"term": "x", "type": "CUSTOM_TERM", "match_mode": "exact", "case_sensitive": False, "locale": None}
    assert load_terms(json.dumps([row]).encode()) == (Term("x", match_mode=MatchMode.EXACT),)
    assert json.loads(dump_terms([Term("x", match_mode=MatchMode.EXACT)])) == [row]


def test_a_character_is_stored_as_itself() -> None:
    assert len(dump_terms([Term("\U00010400" * 200)])) < 1000


@pytest.mark.parametrize("field", ["type", "match_mode", "action"])
def test_what_is_no_term_does_not_pass_for_one(field: str) -> None:
    row = {"term": "x", "type": "CUSTOM_TERM", "match_mode": "exact", "case_sensitive": False, "locale": None}
    with pytest.raises(ValueError, match="other"):
        load_terms(json.dumps([{**row, field: "other"}]).encode())
