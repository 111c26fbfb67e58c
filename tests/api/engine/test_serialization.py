"""Every field of a message arrives in the text process as it was sent."""

from dataclasses import fields
from datetime import date

import pytest
from hypothesis import given
from hypothesis import strategies as st

from api.engine import serialization
from api.engine.text_work import MaskWork, RedactWork, Work
from api.llm.model import MaskingOptions, Provider
from schemas.entities import EntityType
from schemas.spans import Action, Cue, Detection, DetectOptions, MatchMode, Span, Term, TermSet, Why

TERMS = TermSet(
    (
        Term("plain"),
        Term("Ünïcode نورة", EntityType.PERSON, MatchMode.EXACT, True, "ar", Action.ALLOW),
        Term("sub", match_mode=MatchMode.SUBSTRING, locale="en"),
    )
)
OPTIONS = DetectOptions(
    frozenset({EntityType.IBAN, EntityType.SSN}), False, (TERMS, TermSet(())), "label", True, 0.5, True
)
SPANS = (
    Span(0, 4, EntityType.PERSON, 0.85, "lexical", 90),
    Span(70_000, 70_010, EntityType.CUSTOM_TERM, 1.0, "glossary", 110),
    Span(4_000_000_000, 4_000_000_001, EntityType.IP_ADDRESS, 0.1, "lexical", 5),
)
WHY = {
    SPANS[0]: Why("names", None, Cue(5, 9, True), False, (SPANS[2],)),
    SPANS[1]: Why("term"),
}


def test_the_samples_differ_from_every_default() -> None:
    """So the tests below fail for a new field that the serialization leaves out."""
    assert [f.name for f in fields(DetectOptions) if getattr(OPTIONS, f.name) == getattr(DetectOptions(), f.name)] == []
    plain, full = TERMS.terms[:2]
    assert [f.name for f in fields(Term) if getattr(plain, f.name) == getattr(full, f.name)] == []
    assert Why._fields == ("shape", "check", "cue", "whole", "outranked")
    assert Detection._fields == ("text", "spans", "why", "judge_model")


@pytest.mark.parametrize("text", ["", "x", "نورة 😀", "\x00", "lone \ud800 surrogate"])
def test_a_question(text: str) -> None:
    meta, blobs = serialization.pack_question(text, OPTIONS)
    arrived, options = serialization.unpack_question(meta, blobs)
    assert arrived == text
    for field in fields(DetectOptions):
        if field.name != "terms":
            assert getattr(options, field.name) == getattr(OPTIONS, field.name)
    assert [terms.terms for terms in options.terms] == [terms.terms for terms in OPTIONS.terms]


def test_a_prompt_to_mask() -> None:
    asked = MaskingOptions(
        Provider.OPENAI, bytes(range(32)), date(2026, 11, 22), (TERMS,), (EntityType.ADDRESS,), True, True, 0.5
    )
    raw, arrived = serialization.unpack_prompt_request(*serialization.pack_prompt_request(b"{\xff}", asked))
    assert raw == b"{\xff}"
    for field in fields(MaskingOptions):
        if field.name != "terms":
            assert getattr(arrived, field.name) == getattr(asked, field.name) != field.default
    assert [terms.terms for terms in arrived.terms] == [TERMS.terms]


def test_an_equal_set_of_terms_is_the_same_object() -> None:
    """So it is compiled once: sets are compared by identity."""
    first, second = (serialization.unpack_question(*serialization.pack_question("x", OPTIONS))[1] for _ in range(2))
    assert first.terms[0] is second.terms[0]


@pytest.mark.parametrize("why", [None, {}, WHY])
def test_a_detection(why: dict[Span, Why] | None) -> None:
    detection = Detection("text", SPANS, why, "judge")
    assert serialization.unpack_detection("text", *serialization.pack_detection(detection)) == detection


@given(
    st.lists(
        st.builds(
            Span, st.integers(0, 2**32 - 1), st.integers(0, 2**32 - 1), st.sampled_from(EntityType),
            st.floats(0, 1), st.text(max_size=5), st.integers(0, 255),
        )
    )
)  # fmt: skip
def test_any_spans(spans: list[Span]) -> None:
    detection = Detection("", tuple(spans))
    assert serialization.unpack_detection("", *serialization.pack_detection(detection)) == detection


@pytest.mark.parametrize(
    "work",
    [
        MaskWork("bearer", True, bytes(range(32)), True, "mask_01234567", 12345.678),
        MaskWork("bearer", False, None, False, "mask_01234567", 0.0),
        RedactWork(("DATE_TIME", "ADDRESS"), date(2026, 11, 21), "redact_01234567", 1.5),
    ],
)
def test_a_work(work: Work) -> None:
    assert serialization.unpack_work(serialization.pack_work(work)) == work
