"""Overlaps: ranks, ties, and the remainders of names and addresses."""

from itertools import pairwise

from hypothesis import given
from hypothesis import strategies as st

from pipeline.detect.resolve import outside_values, resolve
from schemas.entities import GLOSSARY_RANK, RANK, EntityType
from schemas.spans import Span

T = EntityType
TEXT = "Salman bin Fahad Alharbi lives at 7878 King Road Riyadh 12345"


def _span(surface: str, type_: EntityType, score: float = 0.8, rank: int | None = None) -> Span:
    start = TEXT.index(surface)
    return Span(start, start + len(surface), type_, score, "test", RANK[type_] if rank is None else rank)


def _surfaces(*spans: Span) -> list[tuple[str, str]]:
    return [(span.type.value, TEXT[span.start : span.end]) for span in resolve(spans, TEXT)]


def test_the_higher_rank_survives() -> None:
    assert _surfaces(_span("Riyadh", T.LOCATION), _span("King Road Riyadh 12345", T.ADDRESS)) == [
        ("ADDRESS", "King Road Riyadh 12345")
    ]


def test_ties_go_to_the_score_then_the_length_then_the_position() -> None:
    assert _surfaces(_span("12345", T.MRN, 0.9), _span("Riyadh 12345", T.MRN, 0.8)) == [("MRN", "12345")]
    assert _surfaces(_span("12345", T.MRN), _span("Riyadh 12345", T.MRN)) == [("MRN", "Riyadh 12345")]
    assert _surfaces(_span("King Road", T.MRN), _span("Road Riya", T.MRN)) == [("MRN", "King Road")]


def test_a_term_inside_a_name_leaves_the_rest_as_names() -> None:
    term = _span("Fahad", T.CUSTOM_TERM, 1.0, GLOSSARY_RANK)
    assert _surfaces(_span("Salman bin Fahad Alharbi", T.PERSON), term) == [
        ("PERSON", "Salman bin"),
        ("CUSTOM_TERM", "Fahad"),
        ("PERSON", "Alharbi"),
    ]


def test_a_word_that_is_cut_is_no_rest_and_other_types_leave_none() -> None:
    term = _span("Alhar", T.CUSTOM_TERM, 1.0, GLOSSARY_RANK)
    assert _surfaces(_span("Fahad Alharbi", T.PERSON), term) == [("PERSON", "Fahad"), ("CUSTOM_TERM", "Alhar")]
    assert _surfaces(_span("Riyadh 12345", T.MRN), _span("Riyadh", T.CUSTOM_TERM, 1.0, GLOSSARY_RANK)) == [
        ("CUSTOM_TERM", "Riyadh")
    ]


def test_an_equal_rank_leaves_no_rest() -> None:
    assert _surfaces(_span("Salman bin Fahad", T.PERSON, 0.9), _span("Fahad Alharbi", T.PERSON)) == [
        ("PERSON", "Salman bin Fahad")
    ]


SPANS = st.lists(
    st.builds(
        lambda start, length, type_, score: Span(start, min(start + length, len(TEXT)), type_, score, "x", RANK[type_]),
        st.integers(0, len(TEXT) - 2),
        st.integers(1, 20),
        st.sampled_from(list(EntityType)),
        st.sampled_from([0.5, 0.8, 0.9]),
    ),
    max_size=20,
)


@given(SPANS)
def test_survivors_overlap_nowhere_and_the_order_of_input_does_not_matter(spans: list[Span]) -> None:
    survivors = resolve(spans, TEXT)
    assert all(left.end <= right.start for left, right in pairwise(survivors))
    assert resolve(list(reversed(spans)), TEXT) == survivors


@given(SPANS)
def test_nothing_of_the_highest_rank_is_lost(spans: list[Span]) -> None:
    survivors = resolve(spans, TEXT)
    for span in spans:
        assert any(other.start < span.end and other.end > span.start for other in survivors)


def test_a_name_that_is_read_on_a_value_gives_way_and_keeps_its_other_words() -> None:
    value, number = _span("7878", T.MRN), _span("12345", T.MRN)
    read = _span("Fahad Alharbi lives at 7878", T.PERSON)._replace(recognizer="reader")
    inside = _span("12345", T.PERSON)._replace(recognizer="reader")
    kept = outside_values([value, number, read, inside], TEXT, "reader")
    assert [TEXT[span.start : span.end] for span in kept] == ["7878", "12345", "Fahad Alharbi lives at"]


def test_only_the_names_of_the_reader_give_way_and_none_to_a_term_or_a_place() -> None:
    ruled, term, place = (
        _span("Riyadh 12345", T.PERSON),
        _span("Fahad", T.CUSTOM_TERM, 1, GLOSSARY_RANK),
        _span("Road", T.LOCATION),
    )
    read = _span("Salman bin Fahad Alharbi", T.PERSON)._replace(recognizer="reader")
    spans = [_span("12345", T.MRN), ruled, term, place, read]
    assert outside_values(spans, TEXT, "reader") == spans
