"""Allowed terms in documents: redaction and propagation keep them, and the second reading accepts them."""

import pytest

from pipeline.detect.detector import Detector
from pipeline.documents.document import Extraction, TextUnit
from pipeline.documents.edits import applied, by_unit
from pipeline.entities.findings import find, merge
from pipeline.verification.reading import Leftover, Passage, SecondReading
from pipeline.verification.verdict import leftovers
from schemas.entities import EntityType
from schemas.spans import Action, DetectOptions, MatchMode, Term, TermSet


@pytest.fixture(scope="module")
def detector() -> Detector:
    return Detector()


def options(*terms: Term) -> DetectOptions:
    return DetectOptions(strict_checksums=False, terms=(TermSet(terms),))


def allow(term: str, **more: object) -> Term:
    return Term(term, action=Action.ALLOW, **more)  # type: ignore[arg-type]


def document(*texts: str) -> Extraction:
    return Extraction(tuple(TextUnit(str(number), text) for number, text in enumerate(texts)))


def outcome(detector: Detector, asked: DetectOptions, *texts: str) -> tuple[list[str], list[str]]:
    """The texts redacted, and the surfaces that the verdict on them names."""
    extraction = document(*texts)
    findings = find(extraction, (), detector, asked)
    edits = by_unit(findings)
    written = [applied(unit.text, unit.id, edits) for unit in extraction.units]
    left = leftovers(SecondReading(tuple(map(Passage, written))), (), findings, detector, asked)
    return written, [leftover.surface for leftover in left]


NAMED = ("Contact: Mr. Noura Almithali, 0501234567", "Noura Almithali")
CASES = [
    # An allowed value stays everywhere, and all others are removed.
    ([allow("Noura Almithali")], NAMED, ["Contact: Mr. Noura Almithali, PHONE_01", "Noura Almithali"]),
    ([allow("noura  almithali"), allow("050-123 4567")], NAMED, list(NAMED)),
    ([allow("Noura")], NAMED, ["Contact: Mr. PERSON_NAME_01, PHONE_01", "PERSON_NAME_01"]),
    # A term to mask wins, in whatever set it is.
    ([allow("0501234567"), Term("0501234567")], ("call 0501234567",), ["call CUSTOM_TERM_01"]),
    # Allowed in one spelling alone: the other one goes, and takes nothing of the allowed one with it.
    (
        [allow("أحمد السالمي")],
        ("السيد أحمد السالمي", "السيد احمد السالمي", "أحمد السالمي"),
        ["السيد أحمد السالمي", "السيد PERSON_NAME_01", "أحمد السالمي"],
    ),
    # Allowed as a part of something else alone.
    (
        [allow("Noura Almithali Trading Est")],
        ("Mr. Noura Almithali signed", "to Noura Almithali Trading Est today"),
        ["Mr. PERSON_NAME_01 signed", "to Noura Almithali Trading Est today"],
    ),
    # Allowed in upper case alone.
    (
        [allow("NOURA ALMITHALI", case_sensitive=True)],
        ("Mr. Noura Almithali signed", "NOURA ALMITHALI"),
        ["Mr. PERSON_NAME_01 signed", "NOURA ALMITHALI"],
    ),
    # Allowed in Arabic lines alone.
    (
        [allow("Noura Almithali", locale="ar")],
        ("Mr. Noura Almithali signed", "وقعت Noura Almithali على العقد أمس في مكتب الشركة"),
        ["Mr. PERSON_NAME_01 signed", "وقعت Noura Almithali على العقد أمس في مكتب الشركة"],
    ),
    # For one type alone.
    ([allow("Noura Almithali", type=EntityType.PERSON)], NAMED[1:], ["Noura Almithali"]),
    ([allow("0501234567", type=EntityType.PERSON)], ("call 0501234567",), ["call PHONE_01"]),
]  # fmt: skip


@pytest.mark.parametrize(("terms", "texts", "written"), CASES)
def test_what_is_allowed_stays_and_both_readings_agree(
    detector: Detector, terms: list[Term], texts: tuple[str, ...], written: list[str]
) -> None:
    assert outcome(detector, options(*terms), *texts) == (written, [])


def test_an_allowed_term_hides_no_other_value(detector: Detector) -> None:
    asked = options(allow("Noura Almithali Trading Est"), allow("Noura"))
    findings = find(document("Mr. Noura Almithali, 0501234567"), (), detector, asked)
    for output, surfaces in (
        ("to Noura Almithali Trading Est", []),
        ("to Noura Almithali Trading Est and to Noura Almithali", ["Noura Almithali"]),
        ("to Noura Almithali", ["Noura Almithali"]),
        ("Noura 0501234567", ["0501234567"]),
    ):
        second = SecondReading((Passage(output),))
        assert {one.surface for one in leftovers(second, (), findings, detector, asked)} == set(surfaces)
        raw = SecondReading((), raw=(output,))
        assert {one.surface for one in leftovers(raw, (), findings, detector, asked)} == set(surfaces)


def test_what_the_second_reading_does_not_accept_goes_although_it_is_allowed(detector: Detector) -> None:
    asked, extraction = options(allow("Noura Almithali")), document("Mr. Noura Almithali", "Noura Almithali x")
    findings = find(extraction, (), detector, asked)
    assert findings.places == ()
    amended = merge(findings, [Leftover("PERSON", "Noura Almithali", known=False)], extraction, (), asked)
    edits = by_unit(amended)
    assert [applied(unit.text, unit.id, edits) for unit in extraction.units] == [
        "Mr. PERSON_NAME_01",
        "PERSON_NAME_01 x",
    ]


def test_another_round_for_something_else_leaves_the_allowed_alone(detector: Detector) -> None:
    asked = options(allow("Noura Almithali Trading Est"))
    extraction = document("Mr. Noura Almithali", "Noura Almithali Trading Est", "code ZX-99")
    findings = find(extraction, (), detector, asked)
    amended = merge(findings, [Leftover("MRN", "ZX-99", known=False)], extraction, (), asked)
    edits = by_unit(amended)
    assert [applied(unit.text, unit.id, edits) for unit in extraction.units] == [
        "Mr. PERSON_NAME_01",
        "Noura Almithali Trading Est",
        "code MRN_01",
    ]


def test_a_mode_that_cannot_hold_allows_nothing(detector: Detector) -> None:
    exact = allow("0501234567", match_mode=MatchMode.EXACT)
    assert outcome(detector, options(exact), "call 050 123 4567", "call 0501234567") == (
        ["call PHONE_01", "call 0501234567"],
        [],
    )
