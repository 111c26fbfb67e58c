"""The whole stage: invisible characters, tokens of earlier calls, toggles, threads, offsets, hostile input."""

import string
import time
from concurrent.futures import ThreadPoolExecutor

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from pipeline.detect.text import characters
from pipeline.detect.text.normalize import normalize
from schemas.entities import EntityType
from schemas.spans import DetectOptions
from tests.conftest import every
from tests.pipeline.detect.marked import STRUCTURED, detector, found

# One value of every structured type, in a sentence that holds its label where it needs one.
VALUES = [
    ("رقم الهوية {} شكرا", "1012345672", EntityType.NATIONAL_ID),
    ("iqama {} ok", "2123456788", EntityType.RESIDENCE_PERMIT),
    ("IBAN {} ok", "SA0380000000608010167519", EntityType.IBAN),
    ("on {} ok", "SA03 8000 0000 6080 1016 7519", EntityType.IBAN),
    ("passport {} ok", "A12345678", EntityType.PASSPORT),
    ("to {} ok", "ahmed.ali@example.com.sa", EntityType.EMAIL_ADDRESS),
    ("VAT {} ok", "300710482300003", EntityType.TAX_ID),
    ("لوحة {} ok", "ر ص ك 901", EntityType.VEHICLE_PLATE),
    ("plate {} ok", "RBX 6120", EntityType.VEHICLE_PLATE),
    ("جوال {} ok", "0501234567", EntityType.PHONE_NUMBER),
    ("call {} ok", "+966 50 123 4567", EntityType.PHONE_NUMBER),
    ("CR {} ok", "4030608472", EntityType.BUSINESS_ID),
    ("no. {} ok", "SCFHS-7710233", EntityType.MEDICAL_LICENSE),
    ("Policy no. {} ok", "POL-2026-91863", EntityType.INSURANCE_POLICY),
    ("Student ID {} ok", "442900178", EntityType.STUDENT_ID),
    ("key {} ok", "ghp_" + "K9abDCAAOOc1t3E9lh1OQltFyltRcz5MQCjT", EntityType.API_KEY),
    ("MRN {} ok", "664120", EntityType.MRN),
    ("card {} ok", "4123 4567 8901 2349", EntityType.CREDIT_CARD),
    ("SSN {} ok", "349-22-8107", EntityType.SSN),
    ("بمبلغ {} ok", "1,250.50 ريال", EntityType.MONETARY_AMOUNT),
    ("paid {} ok", "SAR 4,500", EntityType.MONETARY_AMOUNT),
    ("on {} ok", "15 March 2024", EntityType.DATE_TIME),
    ("في {} ok", "1446/05/12 هـ", EntityType.DATE_TIME),
    ("from {} ok", "188.54.12.9", EntityType.IP_ADDRESS),
    ("from {} ok", "2001:16a2:c0ff::10", EntityType.IP_ADDRESS),
]
# Variation selectors (one Mongolian), combining grapheme joiner, Hangul fillers, joiners, bidi marks, soft hyphen, BOM.
INVISIBLE = (
    "\ufe0f\ufe00\U000e0100\u180b\u180e\u034f\u3164\u115f\uffa0"
    "\u200d\u200c\u200b\u200e\u200f\u061c\u2066\u00ad\ufeff\u2060"
)


@pytest.mark.parametrize("invisible", every(5, INVISIBLE), ids=lambda character: f"U+{ord(character):04X}")
@pytest.mark.parametrize(("sentence", "value", "kind"), VALUES, ids=lambda part: str(part)[:24])
def test_an_invisible_character_inside_a_value_changes_nothing(
    sentence: str, value: str, kind: EntityType, invisible: str
) -> None:
    before = sentence.index("{}")
    for position in range(1, len(value)):
        text = sentence.format(value[:position] + invisible + value[position:])
        spans = detector().detect(text, DetectOptions(enabled=STRUCTURED)).spans
        assert [(span.start, span.end, span.type) for span in spans] == [(before, before + len(value) + 1, kind)], (
            position
        )


@pytest.mark.parametrize(("sentence", "value", "kind"), VALUES, ids=lambda part: str(part)[:24])
def test_every_type_reads_eastern_and_persian_digits(sentence: str, value: str, kind: EntityType) -> None:
    if kind is EntityType.API_KEY:
        return
    for zero in ("٠", "۰", "０"):
        written = "".join(chr(ord(zero) + int(c)) if c.isdigit() else c for c in value)
        assert found(sentence.format(written)) == [(kind.value, written)]


def test_tokens_and_placeholders_are_never_detected_inside() -> None:
    for text in (
        "<MASKED_EMAIL_ADDRESS_ab12cd34> replied; CARD_01 was removed.",
        "MASKED_PERSON_ab12cd34 and PERSON_NAME_01",
        "<MASKED_NATIONAL_ID_12345678> <MASKED_PHONE_NUMBER_05012345>",
    ):
        assert detector().detect(text).spans == ()
    assert found("NATIONAL_ID_01 و 1012345672") == [("NATIONAL_ID", "1012345672")]


def test_a_type_that_is_off_hides_nothing() -> None:
    text = "Commercial registration 1010123451"
    assert found(text) == [("NATIONAL_ID", "1010123451")]
    enabled = STRUCTURED - {EntityType.NATIONAL_ID}
    assert found(text, DetectOptions(enabled=enabled)) == [("BUSINESS_ID", "1010123451")]
    assert found(text, DetectOptions(enabled=frozenset())) == []


def test_many_threads_get_the_same_answer() -> None:
    texts = [sentence.format(value) for sentence, value, _ in VALUES] * 4
    alone = [detector().detect(text) for text in texts]
    with ThreadPoolExecutor(8) as pool:
        for _ in range(3):
            assert list(pool.map(detector().detect, texts)) == alone


PIECES = st.sampled_from(
    [part for sentence, value, _ in VALUES for part in (sentence.format(value), value, sentence)]
    + list(INVISIBLE)
    + ["ﻻ", "ﷺ", " ", "\n", "،", "َ", "<MASKED_PERSON_ab12cd34>", "٠٥", "@", "+", "Ahmed", "محمد بن علي", "الرياض"]
)


@settings(max_examples=150)
@given(st.lists(PIECES, max_size=12).map("".join))
def test_spans_lie_in_order_inside_the_text_and_slice_to_what_was_matched(text: str) -> None:
    spans = detector().detect(text, DetectOptions(strict_checksums=False)).spans
    reached = 0
    for span in spans:
        assert reached <= span.start < span.end <= len(text)
        reached = span.end
        surface = text[span.start : span.end]
        assert surface[0] not in characters.INVISIBLE
        assert surface[-1] not in characters.INVISIBLE
        assert normalize(surface).text.strip() == normalize(surface).text != ""


@settings(max_examples=100)
@given(st.text(max_size=200))
def test_any_string_gets_an_answer(text: str) -> None:
    detector().detect(text)


HOSTILE = {
    "digits": "1",
    "digit groups": "1 ",
    "grouped by hyphens": "12-",
    "dotted": "1.",
    "colons": "1:",
    "slashes": "1/",
    "at signs": "@",
    "at and letters": "a@",
    "local parts": "a.b-c+",
    "letters": "a",
    "capitals": "A B ",
    "blanks": " ",
    "newlines": "\n",
    "plus": "+",
    "plus digits": "+9",
    "hyphens": "-",
    "arabic letters": "ا",
    "arabic apart": "ا ب ",
    "arabic words": "محمد بن ",
    "labels": "MRN policy no ",
    "arabic labels": "رقم الملف ",
    "label and digits": "رقم الهوية 12 ",
    "currency": "SAR ",
    "currency digits": "5 ريال ",
    "number words": "خمسون ألف ",
    "english number words": "two hundred ",
    "months": "March ",
    "days and months": "3 مارس ",
    "iban heads": "SA03",
    "iban spaced": "sa 1 ",
    "key heads": "sk-",
    "colon hex": "a:",
    "double colons": "::",
    "brackets": "(",
    "number brackets": "1(",
    "mrz fill": "<",
    "tokens": "MASKED_A_",
    "vowel marks": "ا\u064b",
    "only marks": "\u064b",
    "ligatures": "ﷺ",
    "invisible": "\u200c",
    "emoji": "👍",
    "commas": "1,",
    "names": "Ahmed ",
    "units": "2 days ",
    "heading rows": "MRN|x\n",
    "tables": "mrn,a\n1,2\n",
    "tables of many rows": "mrn\t7\n",
    "augusts": "1 آب ",
    "quarters": "q1 2",
    "passports": "passport a1 ",
}


def _seconds(text: str) -> float:
    best = float("inf")
    for _ in range(2):
        began = time.process_time()
        detector().detect(text)
        best = min(best, time.process_time() - began)
    return best


@pytest.mark.slow
@pytest.mark.parametrize("piece", HOSTILE.values(), ids=HOSTILE.keys())
def test_time_grows_with_the_text_and_not_faster(piece: str) -> None:
    """Four times the text may take four times as long, with room for a busy machine's noise; quadratic is sixteen."""
    small, large = piece * (50_000 // len(piece)), piece * (200_000 // len(piece))
    assert _seconds(large) < 10 * _seconds(small) + 0.25


def test_ordinary_text_full_of_near_misses_is_linear_too() -> None:
    line = f"{string.ascii_lowercase} 1012345671 a@b 12/13/ SA00 +000 رقم MRN: :: 1.2.3 ٣ ريا\n"
    small, large = line * (50_000 // len(line)), line * (200_000 // len(line))
    assert _seconds(large) < 10 * _seconds(small) + 0.25


def test_a_placeholder_labels_nothing() -> None:
    """As the heading of a column in a file that was redacted before, it makes no names of numbers and months."""
    told = DetectOptions(context="PERSON_NAME_02")
    assert not detector().detect("Jan", told).spans
    assert detector().detect("Jan", DetectOptions(context="PERSON_NAME_02\nFirst name")).spans
