"""Glossary terms: match modes, clitics, case, locale, rank."""

import gc
from weakref import ref

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from pipeline.detect.glossary.folding import Folded, folded
from pipeline.detect.glossary.terms import _CHUNK, TooManyOccurrences, compiled
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
    (
        "ISTANBUL ıstanbul İstanbul i\u0307stanbul",
        Term("istanbul"),
        ["ISTANBUL", "ıstanbul", "İstanbul", "i\u0307stanbul"],
    ),
    ("Straße STRASSE straẞe", Term("strasse"), ["Straße", "STRASSE", "straẞe"]),
    ("Straße", Term("stras", match_mode=MatchMode.SUBSTRING), []),
    ("Straße", Term("S", match_mode=MatchMode.SUBSTRING, case_sensitive=True), ["S"]),
    ("ΟΔΟΣ και οδος", Term("Οδος"), ["ΟΔΟΣ", "οδος"]),
    ("Café Cafe\u0301 CAFÉ cafe", Term("cafe\u0301"), ["Café", "Cafe\u0301", "CAFÉ"]),
    ("Cafe\u0301 Café cafe", Term("cafe", match_mode=MatchMode.SUBSTRING), ["cafe"]),
    ("CAFÉ Cafe\u0301", Term("Café", case_sensitive=True), ["Cafe\u0301"]),
    (
        "see Orion\r\n  Deck, Orion \u00a0Deck and Orion\n\nDeck",
        Term("Orion Deck"),
        ["Orion\r\n  Deck", "Orion \u00a0Deck"],
    ),
    ("للمشروع وللمشروع فللمشروع بالمشروع لمشروع", Term("المشروع"), ["لمشروع", "لمشروع", "لمشروع", "المشروع"]),
    ("للغة واللغة لغة", Term("اللغة"), ["لغة", "اللغة"]),
    ("للمشروع", Term("المشروع", match_mode=MatchMode.EXACT), []),
    ("كالمشروع سيمشروع أمشروع", Term("مشروع"), ["مشروع"]),
    ("والOrion بOrion xOrion", Term("Orion"), ["Orion", "Orion"]),
    ("الفنار_2 الفنار-2 الفنارات", Term("الفنار"), ["الفنار"]),
    ("مشروع", Term("مَشْرُوع", match_mode=MatchMode.EXACT), []),
    ("٤٢ 42", Term("42", match_mode=MatchMode.SUBSTRING), ["٤٢", "42"]),
    ("٤٢ 42 ４２", Term("٤٢", match_mode=MatchMode.EXACT), ["٤٢"]),
    ("Falcon FALCON", Term("falcon", match_mode=MatchMode.EXACT), ["Falcon", "FALCON"]),
    ("Falcon FALCON", Term("Falcon", match_mode=MatchMode.EXACT, case_sensitive=True), ["Falcon"]),
    ("ﻣﺸﺮﻭﻉ", Term("مشروع"), ["ﻣﺸﺮﻭﻉ"]),
    ("سلام abc Orion", Term("Orion", locale="en"), []),
    ("سلا abc Orion", Term("Orion", locale="en"), ["Orion"]),
    ("سلا abc Orion", Term("Orion", locale="ar"), []),
    ("١٢٣ — Orion — ٤٥٦", Term("Orion", locale="ar"), []),
    ("١٢٣ — Orion — ٤٥٦", Term("Orion", locale="en"), ["Orion"]),
    ("12 :: 34", Term("::", locale="en"), []),
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


def test_offsets_hold_in_a_long_text_whatever_stands_before() -> None:
    unit = "ẞİ é ﷲ\u200b x  y\n"
    term = Term("Grüne  Straße")
    for before in (0, *range(540, 620), 1171, 4000):
        text = unit * before + "GRU\u0308NE\n STRASSE " + unit
        assert _found(text, term) == [("CUSTOM_TERM", "GRU\u0308NE\n STRASSE")]
    for start in range(_CHUNK - 25, _CHUNK + 5):
        assert _found("." * start + "Grüne Straße" + "." * 20000, term) == [("CUSTOM_TERM", "Grüne Straße")]


def test_a_long_term_is_found_by_all_its_letters() -> None:
    head = "abcdefgh " * 5
    terms = [Term(f"{head}{number:03d}" + "z" * 140) for number in range(50)]
    text = " ".join((terms[7].term, terms[8].term[:-1], terms[9].term + "z", terms[41].term.upper()))
    assert [surface for _, surface in _found(text, *terms)] == [terms[7].term, terms[41].term.upper()]


def test_an_earlier_set_tells_its_type() -> None:
    first, second = (TermSet((Term("Orion", type=type_),)) for type_ in (EntityType.PERSON, EntityType.ADDRESS))
    for sets, type_ in (((first, second), EntityType.PERSON), ((second, first), EntityType.ADDRESS)):
        (span,) = detector().detect("Orion", DetectOptions(enabled=frozenset(), terms=sets)).spans
        assert span.type is type_


def test_terms_that_match_without_end_are_refused() -> None:
    terms = [Term("a" * length, match_mode=MatchMode.SUBSTRING) for length in range(1, 200)]
    with pytest.raises(TooManyOccurrences):
        _found("a" * 20_000, *terms)
    same = [Term("A", case_sensitive=True, type=type_, locale="ar") for type_ in EntityType] * 20
    assert _found("a " * 20_000, *same[:5]) == []
    with pytest.raises(TooManyOccurrences):
        _found("a " * 20_000, *same)


def test_a_set_is_compiled_once_and_forgotten_with_its_last_holder() -> None:
    terms = TermSet((Term("Orion"),))
    first = compiled(terms)
    assert compiled(terms) is first
    assert compiled(TermSet((Term("Orion"),))) is not first
    gone = ref(terms)
    del terms
    gc.collect()
    assert gone() is None


@settings(max_examples=150)
@given(
    st.lists(st.text(st.sampled_from("aAbß سلم\n"), min_size=1, max_size=4), min_size=1, max_size=6),
    st.text(st.sampled_from("aAbßSs سلم\n."), max_size=40),
)
def test_every_place_of_a_substring_is_covered(words: list[str], text: str) -> None:
    terms = [Term(word.strip(), match_mode=MatchMode.SUBSTRING) for word in words if word.strip()]
    spans = detector().detect(text, DetectOptions(enabled=frozenset(), terms=(TermSet(tuple(terms)),))).spans
    covered = {index for span in spans for index in range(span.start, span.end)}
    form = Folded(text)
    for term in terms:
        start = form.text.find(folded(term.term))
        place = form.source(start, start + len(folded(term.term))) if start >= 0 else None
        if place is not None:  # it is marked, or something that overlaps it is
            assert not covered.isdisjoint(range(*place))
