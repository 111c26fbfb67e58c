"""Replies of the sandbox are untrusted: every invalid shape is refused with the name of the field."""

import json
from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st

from pipeline.codec import MAX_PIXELS, MAX_SLANTED, MAX_STRIPS, Malformed, decode, dump, encode, load
from pipeline.documents.document import (
    Engine,
    Extraction,
    Finding,
    Findings,
    FoundValue,
    Fragment,
    JoinedText,
    Raster,
    Reading,
    TextUnit,
    Word,
)
from pipeline.geometry.strip import Strip
from pipeline.verification.reading import Passage, SecondReading

RASTER = Raster("page/0", 800, 600, 300, 2)
UNITS = (TextUnit("1:2", "هوية 1012345672", "رقم", False, True), TextUnit("e", ""), TextUnit("1:3", "tail"))
JOINT = JoinedText((Fragment("1:2", 5, 15), Fragment("1:3", 0, 4)), "", "label", flows=True)
EXTRACTION = Extraction(UNITS, (RASTER,), 3, joints=(JOINT,))
READING = Reading(
    "page/0",
    "six kinds of words in the raster",
    (
        *(Word(5 * n, 5 * n + 4, 40 * n, 2, 30, 9, 18.5 * n, engine) for n, engine in enumerate(Engine)),
        Word(0, 3, 1, 2, 35, 15, 90.0, Engine.PP_OCR, Strip(1.5, 6.5, 30.0, 4.0, 9.0)),
    ),
    ((1, 2, 3, 4),),
    (Strip(1.5, 2.0, 30.0, -4.5, 9.0), Strip(0.0, 5.0, 0.0, 60.0, 8.0, True)),
)
FINDINGS = Findings(
    (Finding("1:2", 5, 15, "NATIONAL_ID", "NATIONAL_ID_01"),),
    (FoundValue("NATIONAL_ID", "1012345672", "1012345672", "NATIONAL_ID_01", True),),
    dismissed=(("PERSON", "Structural Elements"),),
)
SECOND = SecondReading((Passage("said", "heading"), Passage("")), (RASTER,), ("<w:t>raw</w:t>",))
KINDS = {Extraction: EXTRACTION, Reading: READING, Findings: FINDINGS, SecondReading: SECOND, Raster: RASTER}


@pytest.mark.parametrize("kind", KINDS)
def test_what_is_dumped_loads_as_the_same(kind: type):
    assert load(kind, dump(KINDS[kind])) == KINDS[kind]


def test_a_level_word_is_the_row_that_versions_before_slanted_words_stored():
    row = [0, 4, 3, 5, 40, 12, 50.0, "code"]
    (word,) = decode(Reading, reading(words=[row])).words
    assert word.strip is None
    assert encode(Reading("r", "code", (word,)))["words"] == [row]


@given(st.text(), st.text())
def test_any_text_goes_there_and_back(text: str, context: str):
    extraction = Extraction((TextUnit("u", text, context),))
    assert load(Extraction, dump(extraction)) == extraction


def test_lone_surrogates_keep_their_place_and_nothing_else():
    text = "a\ud83d\udc00b\udc00"  # two lone ones side by side would join on the way and shift every offset
    (unit,) = load(Extraction, dump(Extraction((TextUnit("u", text),)))).units
    assert unit.text == "a\ufffd\ufffdb\ufffd"
    assert len(unit.text) == len(text)


@pytest.mark.parametrize("kind", KINDS)
@pytest.mark.parametrize(
    "data", [b"", b"{", b"null", b"[]", b"NaN", b"{}", b'"x"', b"\xff\xfe", b"[" * 100_000, b"9" * 10_000]
)
def test_what_is_no_such_thing_is_refused(kind: type, data: bytes):
    with pytest.raises(Malformed):
        load(kind, data)


@pytest.mark.parametrize("kind", KINDS)
def test_missing_and_unknown_fields_are_refused(kind: type):
    raw = encode(KINDS[kind])
    for name in raw:
        with pytest.raises(Malformed):
            decode(kind, {key: value for key, value in raw.items() if key != name})
    with pytest.raises(Malformed):
        decode(kind, {**raw, "more": 1})


def extraction(**changes: object) -> dict[str, Any]:
    return {**encode(EXTRACTION), "joints": [], **changes}


def joint(*pieces: object, **changes: object) -> dict[str, Any]:
    """The extraction with one joined text of these pieces."""
    row = {"pieces": list(pieces), "glue": " ", "context": "", "flows": False, **changes}
    return extraction(joints=[list(row.values())])


def reading(**changes: object) -> dict[str, Any]:
    return {**encode(READING), **changes}


def findings(**changes: object) -> dict[str, Any]:
    return {**encode(FINDINGS), **changes}


SLANTED = [0, 4, 0, 0, 1, 1, 50.0, "code", [1.0, 2.0, 30.0, -4.5, 9.0, False]]
REFUSED = [
    ("a unit's text that is a number", Extraction, extraction(units=[["a", 5, "", True]])),
    ("a unit without an id", Extraction, extraction(units=[["", "text", "", True]])),
    ("a unit whose id is a book", Extraction, extraction(units=[["x" * 600, "text", "", True]])),
    ("a flag that is a number", Extraction, extraction(units=[["a", "text", "", 1]])),
    ("a row too short", Extraction, extraction(units=[["a", "text", ""]])),
    ("units that are an object", Extraction, extraction(units={"a": "text"})),
    ("two units of one id", Extraction, extraction(units=[["a", "x", "", True], ["a", "y", "", True]])),
    ("a unit and a raster of one id", Extraction, extraction(units=[["page/0", "x", "", True]])),
    ("lone surrogates", Extraction, extraction(units=json.loads('[["a", "\\ud800", "", true]]'))),
    ("a joint of one piece", Extraction, joint(["1:2", 0, 4])),
    ("pieces of one unit that overlap", Extraction, joint(["1:2", 0, 2], ["1:2", 1, 4])),
    ("a joint of an unknown unit", Extraction, joint(["1:2", 0, 4], ["z", 0, 4])),
    ("a piece past its text", Extraction, joint(["1:2", 0, 4], ["1:3", 0, 5])),
    ("a piece of no length", Extraction, joint(["1:2", 0, 4], ["1:3", 2, 2])),
    ("a joint glued with words", Extraction, joint(["1:2", 0, 4], ["1:3", 0, 4], glue="and")),
    ("a joint whose flag is a number", Extraction, joint(["1:2", 0, 4], ["1:3", 0, 4], flows=1)),
    ("pages below zero", Extraction, extraction(pages=-1)),
    ("pages that are true", Extraction, extraction(pages=True)),
    ("pages that are a fraction", Extraction, extraction(pages=1.0)),
    ("a raster without width", Extraction, extraction(rasters=[["r", 0, 5, 0, 0]])),
    ("a raster beyond all paper", Extraction, extraction(rasters=[["r", 90_000, MAX_PIXELS // 90_000 + 1, 0, 0]])),
    ("a word past the text", Reading, reading(words=[[4, 33, 0, 0, 1, 1, 50.0, "code"]])),
    ("a word that ends before it starts", Reading, reading(words=[[4, 4, 0, 0, 1, 1, 50.0, "code"]])),
    ("a word before the text", Reading, reading(words=[[-1, 4, 0, 0, 1, 1, 50.0, "code"]])),
    ("a word left of the raster", Reading, reading(words=[[0, 4, -5, 0, 1, 1, 50.0, "code"]])),
    ("a confidence above all", Reading, reading(words=[[0, 4, 0, 0, 1, 1, 100.5, "code"]])),
    ("a confidence that is true", Reading, reading(words=[[0, 4, 0, 0, 1, 1, True, "code"]])),
    ("a word of an unknown engine", Reading, reading(words=[[0, 4, 0, 0, 1, 1, 50.0, "SHOE_SIZE"]])),
    ("a word whose engine is a list", Reading, reading(words=[[0, 4, 0, 0, 1, 1, 50.0, ["code"]]])),
    ("a word that nobody read", Reading, reading(words=[[0, 4, 0, 0, 1, 1, 50.0, None]])),
    ("a word of before engines were kept", Reading, reading(words=[[0, 4, 0, 0, 1, 1, 50.0]])),
    (
        "a word along no strip",
        Reading,
        reading(words=[[0, 4, 0, 0, 1, 1, 50.0, "code", [1.0, 2.0, 0.0, 0.0, 9.0, False]]]),
    ),
    ("slanted words without end", Reading, reading(words=[SLANTED] * (MAX_SLANTED + 1))),
    ("a box of three sides", Reading, reading(unread=[[1, 2, 3]])),
    ("a strip without length", Reading, reading(unread_lines=[[1.0, 2.0, 0.0, 0.0, 9.0, False]])),
    ("a strip that is not a number", Reading, reading(unread_lines=[[1.0, 2.0, float("nan"), 0.0, 9.0, False]])),
    ("strips without end", Reading, reading(unread_lines=[[1.0, 2.0, 30.0, 0.0, 9.0, False]] * (MAX_STRIPS + 1))),
    ("an unknown type", Findings, findings(places=[["a", 0, 1, "SHOE_SIZE", "SHOE_01"]])),
    ("a place of no length", Findings, findings(places=[["a", 1, 1, "IBAN", "IBAN_01"]])),
    ("a place without placeholder", Findings, findings(places=[["a", 0, 1, "IBAN", ""]])),
    ("a dismissed name of an unknown type", Findings, findings(dismissed=[["SHOE_SIZE", "a"]])),
    ("a dismissed name that is a number", Findings, findings(dismissed=[["PERSON", 5]])),
    ("a passage that is a string", SecondReading, {"texts": ["said"], "rasters": [], "raw": []}),
]


@pytest.mark.parametrize(("kind", "raw"), [row[1:] for row in REFUSED], ids=[row[0] for row in REFUSED])
def test_out_of_range_is_refused_and_not_repeated(kind: type, raw: object):
    with pytest.raises(Malformed) as refusal:
        decode(kind, raw)
    assert "SHOE_SIZE" not in str(refusal.value)
