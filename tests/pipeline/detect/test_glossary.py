"""Glossary terms: match modes, clitics, case, locale, rank."""

import pytest

from schemas.entities import EntityType
from schemas.spans import DetectOptions, MatchMode, Term, TermSet
from tests.pipeline.detect.marked import detector


def _found(text: str, *terms: Term, enabled: frozenset[EntityType] = frozenset()) -> list[tuple[str, str]]:
    spans = detector().detect(text, DetectOptions(enabled=enabled, terms=(TermSet(terms),))).spans
    return [(span.type.value, text[span.start : span.end]) for span in spans]


CASES = [
    ("Share the Orion Deck with Basil", Term("Orion Deck"), ["Orion Deck"]),
    ("nova beats innovation and Novartis.", Term("Nova"), ["nova"]),
    ("هذا سر المهنة يا غسان", Term("سر المهنة"), ["سر المهنة"]),
    ("عن المشروع وبالمشروع ومشروعنا", Term("مشروع"), ["مشروع", "مشروع"]),
    ("وأفق وبأفق وسأفق", Term("أفق"), ["أفق", "أفق", "أفق"]),
    ("مَشْـرُوع أفق", Term("مشروع أفق"), ["مَشْـرُوع أفق"]),
    ("Pro\u200bject X", Term("project x"), ["Pro\u200bject X"]),
    ("code ١٢٣-أ", Term("123-أ"), ["١٢٣-أ"]),
    ("Falcon falcon", Term("Falcon", case_sensitive=True), ["Falcon"]),
    ("innovation", Term("nova", match_mode=MatchMode.SUBSTRING), ["nova"]),
    ("المشروع ومشروع", Term("مشروع", match_mode=MatchMode.EXACT), []),
    ("مَشروع مشروع", Term("مشروع", match_mode=MatchMode.EXACT), ["مشروع"]),
    ("code ١٢٣ 123", Term("123", match_mode=MatchMode.EXACT), ["123"]),
    ("C++ and c++", Term("C++"), ["C++", "c++"]),
    ("Orion في مشروع جديد تماما", Term("Orion", locale="en"), []),
    ("Orion في مشروع جديد تماما", Term("Orion", locale="ar"), ["Orion"]),
    ("Orion", Term("Orion", locale="en"), ["Orion"]),
    ("أفق\nthe Orion deck", Term("Orion", locale="en"), ["Orion"]),
    ("nothing here", Term("\u200b"), []),
    ("<MASKED_PERSON_ab12cd34>", Term("masked"), []),
    ("İstanbul Orion", Term("orion"), ["Orion"]),
]


@pytest.mark.parametrize(("text", "term", "surfaces"), CASES)
def test_terms_are_found_by_their_mode(text: str, term: Term, surfaces: list[str]) -> None:
    assert [surface for _, surface in _found(text, term)] == surfaces


def test_a_term_carries_its_type_outranks_everything_and_is_never_filtered() -> None:
    term = Term("1012345672", type=EntityType.ORGANIZATION)
    everything = frozenset(EntityType)
    assert _found("ID 1012345672", term, enabled=everything) == [("ORGANIZATION", "1012345672")]
    assert _found("ID 1012345672", term) == [("ORGANIZATION", "1012345672")]


def test_the_longer_of_two_terms_wins() -> None:
    assert _found("the Orion Deck", Term("Orion"), Term("Orion Deck")) == [("CUSTOM_TERM", "Orion Deck")]


def test_many_terms_are_one_scan() -> None:
    terms = tuple(Term(f"term{index}x") for index in range(1000))
    assert _found("see term7x and term999x", *terms) == [("CUSTOM_TERM", "term7x"), ("CUSTOM_TERM", "term999x")]
