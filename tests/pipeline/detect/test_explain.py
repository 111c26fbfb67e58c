"""Explanations are true: without the cue or the checksum that an explanation names, the span is not found."""

from pathlib import Path

import pytest
from hypothesis import given
from hypothesis import strategies as st

from pipeline.detect.detector import RECOGNIZERS, Detector
from pipeline.detect.explain import SHAPES, shape_of
from schemas.entities import EntityType
from schemas.spans import DetectOptions, Span, Term, TermSet, Why

ROOT = Path(__file__).parents[3]
T = EntityType
EXPLAIN = DetectOptions(explain=True)
# The names that a recognizer's spans carry, where they differ from its own.
SPANS_OF = {"ip": ("ipv4", "ipv6"), "glossary": ("glossary",)}


@pytest.fixture(scope="module")
def detector() -> Detector:
    return Detector()


def explained(detector: Detector, text: str, surface: str, type_: EntityType) -> tuple[Span, Why]:
    detection = detector.detect(text, EXPLAIN)
    assert detection.why is not None
    found = [span for span in detection.spans if (text[span.start : span.end], span.type) == (surface, type_)]
    assert found, [(text[span.start : span.end], span.type) for span in detection.spans]
    return found[0], detection.why[found[0]]


# text, value, type, recognizer, its cue
CUES = [
    ("MRN: 664120", "664120", T.MRN, "mrn", "MRN"),
    ("رقم الجواز: A12345678", "A12345678", T.PASSPORT, "passport", "رقم الجواز"),
    ("1010203040 is our CR number", "1010203040", T.BUSINESS_ID, "business", "CR number"),
    ("MRN,passport\n664120,A12345678\n664121,A12345679", "A12345679", T.PASSPORT, "passport", "passport"),
    ("my ID: 10-00-00-0008", "10-00-00-0008", T.NATIONAL_ID, "identity", "ID"),
    ("license 7710233", "7710233", T.MEDICAL_LICENSE, "license_labelled", "license"),
    ("plate: SAR 1234", "SAR 1234", T.VEHICLE_PLATE, "plate_labelled", "plate"),
    ("Date of birth: 12/5", "12/5", T.DATE_TIME, "dates", "Date of birth"),
    ("الساعة التاسعة", "التاسعة", T.DATE_TIME, "clock", "الساعة"),
    ("Mr. Xander Whitfox came", "Xander Whitfox", T.PERSON, "lexical", "Mr"),
    ("Dear Noor, hello", "Noor", T.PERSON, "lexical", "Dear"),
    ("then my wife Zuhra left", "Zuhra", T.PERSON, "lexical", "my wife"),
    ("I am Basma", "Basma", T.PERSON, "lexical", "I am"),
    ("well, Omar said", "Omar", T.PERSON, "lexical", "said"),
    ("Name: Quxa Zed", "Quxa Zed", T.PERSON, "lexical", "Name"),
    ("mr salem", "salem", T.PERSON, "lexical", "mr"),
    ("تواصل مع رائد اليوم", "رائد", T.PERSON, "lexical", "تواصل مع"),
    ("الاسم: سلمى", "سلمى", T.PERSON, "lexical", "الاسم"),
    ("يسكن في حائل", "حائل", T.LOCATION, "lexical", "في"),
    ("يسكن بحائل", "حائل", T.LOCATION, "lexical", "ب"),
    ("works at KSU", "KSU", T.ORGANIZATION, "lexical", "at"),
    ("Address: Al Narjis, Riyadh", "Al Narjis, Riyadh", T.ADDRESS, "lexical", "Address"),
    ("Use short address RHGA3693 now", "RHGA3693", T.ADDRESS, "lexical", "address"),
]  # fmt: skip


@pytest.mark.parametrize(("text", "value", "type_", "recognizer", "cue"), CUES)
def test_the_cue_word_made_it(
    detector: Detector, text: str, value: str, type_: EntityType, recognizer: str, cue: str
) -> None:
    span, why = explained(detector, text, value, type_)
    assert span.recognizer == recognizer and why.cue is not None
    assert text[why.cue.start : why.cue.end] == cue
    without = text[: why.cue.start] + "\u2588" * len(cue) + text[why.cue.end :]
    left = [other for other in detector.detect(without).spans if other[:3] == span[:3]]
    assert not left or left[0].score < span.score


@pytest.mark.parametrize(
    ("text", "type_"),
    [
        ("1000000008", T.NATIONAL_ID),
        ("noura@example.com", T.EMAIL_ADDRESS),
        ("call 0501234567", T.PHONE_NUMBER),
        ("ID: 1000000008", T.NATIONAL_ID),  # a label stands there, but is not needed
        ("card 4111 1111 1111 1111", T.CREDIT_CARD),
        ("VAT no. 300000000000003", T.TAX_ID),
        ("license SCFHS-1234567", T.MEDICAL_LICENSE),
        ("الساعة ٩ ص", T.DATE_TIME),
        ("Mr. Ahmed bin Salem", T.PERSON),
        ("in Riyadh", T.LOCATION),
    ],
)
def test_what_needs_no_cue_shows_none(detector: Detector, text: str, type_: EntityType) -> None:
    detection = detector.detect(text, EXPLAIN)
    (span,) = (span for span in detection.spans if span.type is type_)
    assert detection.why is not None and detection.why[span].cue is None


@pytest.mark.parametrize(
    ("text", "type_", "check"),
    [
        ("1000000008", T.NATIONAL_ID, "luhn"),
        ("1-0000-00008", T.NATIONAL_ID, "luhn"),
        ("2000000006", T.RESIDENCE_PERMIT, "luhn"),
        ("4111 1111 1111 1111", T.CREDIT_CARD, "luhn"),
        ("SA03 8000 0000 6080 1016 7519", T.IBAN, "mod97"),
        ("L898902C36UTO7408122F1204159ZE184226B<<<<<10", T.PASSPORT, "icao9303"),
    ],
)
def test_the_check_was_passed(detector: Detector, text: str, type_: EntityType, check: str) -> None:
    (span,), why = (detection := detector.detect(text, EXPLAIN)).spans, detection.why
    assert span.type is type_ and why is not None and why[span].check == check
    wrong = text[:-1] + str((int(text[-1]) + 1) % 10)
    assert all(other.type is not type_ for other in detector.detect(wrong).spans)


def test_a_check_that_fails_is_none_where_files_keep_the_number(detector: Detector) -> None:
    (span,), why = (
        (detection := detector.detect("1000000009", DetectOptions(explain=True, strict_checksums=False))).spans,
        detection.why,
    )
    assert why is not None and why[span].check is None


def test_types_without_a_checksum_show_none(detector: Detector) -> None:
    for text, type_ in (("300000000000003", T.TAX_ID), ("0501234567", T.PHONE_NUMBER), ("10.0.0.7", T.IP_ADDRESS)):
        assert explained(detector, text, text, type_)[1].check is None


def test_what_it_outranked(detector: Detector) -> None:
    text = "Salman Alharbi and 2000000006"
    options = DetectOptions(explain=True, terms=(TermSet((Term("Salman"),)),))
    detection = detector.detect(text, options)
    assert detection.why is not None
    term, rest, permit = detection.spans
    assert [(lost.type, lost.start, lost.end) for lost in detection.why[term].outranked] == [(T.PERSON, 0, 14)]
    assert (detection.why[rest].whole, detection.why[rest].outranked) == (False, ())
    labelled = detector.detect("CR number 2000000006", EXPLAIN)
    assert labelled.why is not None
    (found,) = labelled.spans
    assert [(lost.type, lost.start, lost.end) for lost in labelled.why[found].outranked] == [(T.BUSINESS_ID, 10, 20)]
    assert permit.type is found.type is T.RESIDENCE_PERMIT


def test_offsets_are_those_of_the_text_as_sent(detector: Detector) -> None:
    text = "🙂\u200f\u200d الا\u200dسم: سل\u200dمى ﷲ وبعد MRN\u200f: 66\u200d4120"
    detection = detector.detect(text, EXPLAIN)
    assert detection.why is not None
    cues = [text[why.cue.start : why.cue.end] for span in detection.spans if (why := detection.why[span]).cue]
    assert cues == ["الا\u200dسم", "MRN"]


def test_every_recognizer_says_what_it_looks_for() -> None:
    for recognizer in RECOGNIZERS:
        for name in SPANS_OF.get(recognizer.name, (recognizer.name,)):
            for type_ in recognizer.types:
                assert shape_of(name, type_).text != name, (name, type_)


def test_the_check_is_one_that_can_be_redone() -> None:
    assert {shape.check for shape in SHAPES.values()} == {None, "luhn", "mod97", "icao9303"}


def lines() -> list[str]:
    text = (ROOT / "benchmarks/labelled/messages.txt").read_text("utf-8")
    return [line for line in text.splitlines() if line]


def whole(detector: Detector, text: str, options: DetectOptions = EXPLAIN) -> None:
    """Explanations change no span, and what they say of each span is true."""
    detection = detector.detect(text, options)
    plain = detector.detect(text, DetectOptions(terms=options.terms))
    assert plain.why is None and plain.spans == detection.spans
    assert detection.why is not None
    for span in detection.spans:
        why = detection.why[span]
        assert why.shape
        if why.cue is not None:
            assert 0 <= why.cue.start < why.cue.end <= len(text)
            assert why.cue.end <= span.start or span.end <= why.cue.start
        for lost in why.outranked:
            assert lost.start < span.end and span.start < lost.end and lost[:3] != span[:3]


@pytest.mark.parametrize("start", range(0, len(lines()), 40))
def test_explaining_changes_nothing(detector: Detector, start: int) -> None:
    for text in (*lines()[start : start + 40], "\n".join(lines()[start : start + 40])):
        whole(detector, text)


PIECES = st.sampled_from(
    ["Dear ", "Mr. ", "Noor ", "Salman ", "Alharbi ", "الاسم: ", "سلمى ", "MRN ", "664120 ", "1000000008 ", "in ",
     "Hail ", "address ", "RHGA3693 ", ", ", "\n", "\u200d", "ﷲ", "ﻻ", "id|mrn|name\n", "1|2|3\n",
     "12/5 ", "birth date "]
)  # fmt: skip


@given(st.lists(PIECES, max_size=14).map("".join))
def test_whatever_the_text(text: str) -> None:
    whole(DETECTOR, text, DetectOptions(explain=True, terms=(TermSet((Term("Salman"), Term("ID"))),)))


DETECTOR = Detector()
