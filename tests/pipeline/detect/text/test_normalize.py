"""Normalization: the tables agree with those of Unicode, and the offset mapping holds for any string."""

import unicodedata

import pytest
from hypothesis import given
from hypothesis import strategies as st

from pipeline.detect.text import characters
from pipeline.detect.text.normalize import normalize
from pipeline.detect.text.shadow import shadow_of

# Text of the kinds that matter: letters and digits of several scripts, marks, invisible characters, ligatures.
TEXTS = st.text(
    alphabet=st.one_of(
        st.sampled_from("abZ 019٠٩۵\n.-@+:,،هويةألا"),
        st.sampled_from(sorted(characters.INVISIBLE)),
        st.sampled_from(sorted(characters.MARKS)),
        st.sampled_from("ﻻﷲﷺ﷼ﮎﻫ０９Ａ\u00a0\u2011’\u20c1👍\U0001d7d9"),
        st.characters(),
    ),
    max_size=60,
)


def test_every_format_character_of_unicode_is_deleted() -> None:
    for code in range(0x110000):
        if unicodedata.category(chr(code)) == "Cf":
            assert characters.FOLD[code] == characters.DELETED, hex(code)


def test_default_ignorable_characters_are_deleted() -> None:
    for character in "\u034f\u115f\u1160\u17b4\u180b\u180e\u180f\u3164\uffa0\ufe00\ufe0f\U000e0100\u2065\ufff0":
        assert normalize(f"1{character}2").text == "12", hex(ord(character))


def test_every_decimal_digit_of_unicode_folds_to_ascii() -> None:
    for code in range(0x110000):
        if unicodedata.category(chr(code)) == "Nd":
            assert normalize(chr(code)).text == str(unicodedata.digit(chr(code))), hex(code)


def test_presentation_forms_are_their_letters_and_the_riyal_sign_stays() -> None:
    assert normalize("ﺍﻟﺮﻳﺎﺽ").text == "الرياض"
    assert normalize("ﻻ").text == "لا"
    assert normalize("﷼").text == "﷼"
    assert normalize("مـحـمّـد").text == "محمد"


def test_a_span_begins_and_ends_at_visible_characters_and_keeps_its_vowel_marks() -> None:
    original = "x\u200fخَالِدٌ\u200f y"
    normalized = normalize(original)
    start = normalized.text.index("خ")
    first, last = normalized.original_span(start, start + 4)
    assert original[first:last] == "خَالِدٌ"


@given(TEXTS, st.data())
def test_an_original_slice_normalizes_to_the_matched_surface(text: str, data: st.DataObject) -> None:
    normalized = normalize(text)
    if not normalized.text:
        return
    start = data.draw(st.integers(0, len(normalized.text) - 1))
    end = data.draw(st.integers(start + 1, len(normalized.text)))
    start, end = normalized.widened(start, end)
    first, last = normalized.original_span(start, end)
    assert normalize(text[first:last]).text == normalized.text[start:end]
    assert text[first] not in characters.INVISIBLE
    assert text[last - 1] not in characters.INVISIBLE


@given(TEXTS)
def test_normalizing_twice_changes_nothing(text: str) -> None:
    once = normalize(text).text
    assert normalize(once).text == once


@given(TEXTS)
def test_the_shadow_has_one_byte_per_character(text: str) -> None:
    assert len(shadow_of(text)) == len(text)
    assert len(normalize(text).shadow) == len(normalize(text).text)


def test_lone_surrogates_and_nul_pass_through() -> None:
    assert normalize("a\ud800b\x00é").text == "a\ud800b\x00é"


@pytest.mark.parametrize(
    ("text", "read"),
    [
        (r"ID:\n1012345672", "ID: \n1012345672"),
        (r"الهوية\t١٠١٢٣٤٥٦٧٢\r\n", "الهوية \t1012345672 \n \n"),
        (r"twice \\nAli", "twice \\ \nAli"),
        (r"CORP\tariq and C:\new", r"CORP\tariq and C:\new"),
        (r"name:\nmohammed", "name: \nmohammed"),
        (r"id:\r\nsara", "id: \n \nsara"),
        (r"hi\nahmed\nbye", "hi \nahmed \nbye"),
        (r"hi\nahmed", r"hi\nahmed"),
        (r"CORP\nasser and CORP\tariq", r"CORP\nasser and CORP\tariq"),
        (r"D:\new\reports: \temp", r"D:\new\reports: \temp"),
        (r'{"note": "hi\nahmed"}', '{"note": "hi \nahmed"}'),
        (r'{"user": "CORP\nasser"}', r'{"user": "CORP\nasser"}'),
        (r'{"path": "C:\\users\\nasser"}', r'{"path": "C:\\users\\nasser"}'),
    ],
)
def test_layout_as_json_writes_it_is_layout(text: str, read: str) -> None:
    normalized = normalize(text)
    assert (normalized.original, normalized.text) == (text, read)
    assert normalized.original_span(2, 3) == (2, 3)
