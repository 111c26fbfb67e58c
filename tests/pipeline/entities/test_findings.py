"""A document's findings: one number per value, and a value found once is removed everywhere."""

from collections.abc import Sequence

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from pipeline.detect.detector import Detector
from pipeline.documents.document import Extraction, Finding, Findings, FoundValue, Reading, TextUnit
from pipeline.documents.edits import applied, by_unit
from pipeline.entities.findings import find, merge
from pipeline.entities.occurrences import MatchScope, OccurrenceFinder, SearchValue
from pipeline.entities.values import is_distinctive
from pipeline.verification.reading import Leftover
from schemas.entities import EntityType
from schemas.spans import Detection, DetectOptions, MatchMode, Span, Term, TermSet

ID = "1000000008"
OPTIONS = DetectOptions()


@pytest.fixture(scope="module")
def detector() -> Detector:
    return Detector()


def document(*texts: str | tuple[str, str]) -> Extraction:
    """Units `0`, `1` …; a pair is a text and its context."""
    units = [(text, "") if isinstance(text, str) else text for text in texts]
    return Extraction(tuple(TextUnit(str(n), text, context) for n, (text, context) in enumerate(units)))


def redacted(extraction: Extraction, findings: Findings) -> list[str]:
    edits = by_unit(findings)
    return [applied(unit.text, unit.id, edits) for unit in extraction.units]


class Cued(Detector):
    """Finds each value only directly after its cue, as a detector does with ambiguous values."""

    def __init__(self, *rows: tuple[EntityType, str, str], rank: int = 50) -> None:
        super().__init__()
        self.rows, self.rank = rows, rank

    def detect(self, text: str, options: DetectOptions = DetectOptions()) -> Detection:
        spans = []
        for type_, cue, surface in self.rows:
            at = text.find(cue + surface)
            if at >= 0:
                spans.append(Span(at + len(cue), at + len(cue + surface), type_, 1.0, "cued", self.rank))
        return Detection(text, tuple(sorted(spans)))


T = EntityType


def test_equal_values_share_a_number_in_order_of_first_appearance(detector: Detector) -> None:
    extraction = document(f"IDs 2000000006 and {ID}", "١٠٠٠٠٠٠٠٠٨ and 1000-000-008", "mail a.b@example.com")
    assert redacted(extraction, find(extraction, (), detector, OPTIONS)) == [
        "IDs RESIDENCE_PERMIT_01 and NATIONAL_ID_01",
        "NATIONAL_ID_01 and NATIONAL_ID_01",
        "mail EMAIL_01",
    ]


def test_slashes_part_identifiers_and_only_group_telephone_numbers() -> None:
    policies = Cued((T.INSURANCE_POLICY, "a ", "12/345678"), (T.INSURANCE_POLICY, "b ", "1/2345678"))
    assert len(find(document("a 12/345678", "b 1/2345678"), (), policies, OPTIONS).values) == 2
    phones = Cued((T.PHONE_NUMBER, "a ", "050/123.4567"), (T.PHONE_NUMBER, "b ", "(050) 1234567"))
    assert len(find(document("a 050/123.4567", "b (050) 1234567"), (), phones, OPTIONS).values) == 1


def test_numbers_have_two_digits_until_they_need_more(detector: Detector) -> None:
    texts = [f"u{number}@example.com" for number in range(101)]
    findings = find(document(*texts), (), detector, OPTIONS)
    assert [value.placeholder for value in findings.values][::50] == ["EMAIL_01", "EMAIL_51", "EMAIL_101"]


def test_the_context_of_a_unit_counts(detector: Detector) -> None:
    extraction = document(("55512", "MRN"), ("55512", "Total"), ("A1234567", "رقم الجواز"))
    assert redacted(extraction, find(extraction, (), detector, OPTIONS))[::2] == ["MRN_01", "PASSPORT_01"]


def test_checksums_are_lenient_and_every_type_is_on_whatever_the_options_say(detector: Detector) -> None:
    narrow = DetectOptions(enabled=frozenset({T.PERSON}), strict_checksums=True)
    extraction = document("رقم الهوية 1000000000", "SAR 1,250.00", "card 4111111111111112")
    assert redacted(extraction, find(extraction, (), detector, narrow)) == [
        "رقم الهوية NATIONAL_ID_01",
        "AMOUNT_01",
        "card 4111111111111112",  # a card number keeps its check
    ]


def test_readings_are_read_after_units(detector: Detector) -> None:
    reading = Reading("picture", f"no. {ID} and 2000000006", ())
    findings = find(document(f"id {ID}"), [reading], detector, OPTIONS)
    assert [(place.unit, place.placeholder) for place in findings.places] == [
        ("0", "NATIONAL_ID_01"),
        ("picture", "NATIONAL_ID_01"),
        ("picture", "RESIDENCE_PERMIT_01"),
    ]


def test_a_value_found_thanks_to_a_cue_is_removed_in_every_spelling() -> None:
    cued = Cued((T.PASSPORT, "passport ", "A12345678"), (T.PERSON, "Name: ", "Sara Al-Example"))
    extraction = document(
        "see a-123 456 78, xA12345678x, A\u200b12345678, Ａ１２٣٤٥٦78",
        "passport A12345678",
        "Name: Sara Al-Example",
        "SARA  AL EXAMPLE wrote; sara\nal-example; saraalexample@x",
    )
    assert redacted(extraction, find(extraction, (), cued, OPTIONS)) == [
        "see PASSPORT_01, xPASSPORT_01x, PASSPORT_01, PASSPORT_01",
        "passport PASSPORT_01",
        "Name: PERSON_NAME_01",
        "PERSON_NAME_01 wrote; PERSON_NAME_01; PERSON_NAME_01@x",
    ]


def test_arabic_names_are_removed_behind_clitics_and_in_careless_spelling() -> None:
    cued = Cued((T.PERSON, "الاسم: ", "فاطمة الأنصاري"))
    extraction = document("الاسم: فاطمة الأنصاري", "وفاطمه الانصارى، لِفَاطِمَة الأنْصـاري", "ﻓﺎطمة الأنصاري")
    assert redacted(extraction, find(extraction, (), cued, OPTIONS)) == [
        "الاسم: PERSON_NAME_01",
        "وPERSON_NAME_01، لِPERSON_NAME_01",
        "PERSON_NAME_01",
    ]


@pytest.mark.parametrize(
    ("type_", "surface"), [(T.DATE_TIME, "May 5"), (T.PERSON, "Sara"), (T.MRN, "12"), (T.MONETARY_AMOUNT, "500000 SAR")]
)
def test_short_and_ordinary_values_are_not_spread(type_: EntityType, surface: str) -> None:
    extraction = document(f"cue {surface}", f"a {surface} b")
    assert redacted(extraction, find(extraction, (), Cued((type_, "cue ", surface)), OPTIONS))[1] == f"a {surface} b"


def test_a_line_that_says_nothing_but_a_known_value_goes() -> None:
    cued = Cued((T.PERSON, "Name: ", "Sara"), (T.MRN, "MRN ", "4821"))
    extraction = document("Name: Sara", "sara", "Dear\nSARA \nhello", "MRN 4821", "4821", "48210")
    assert redacted(extraction, find(extraction, (), cued, OPTIONS)) == [
        "Name: PERSON_NAME_01", "PERSON_NAME_01", "Dear\nPERSON_NAME_01 \nhello", "MRN MRN_01", "MRN_01", "48210",
    ]  # fmt: skip


def test_codes_of_medium_length_go_as_tokens_only() -> None:
    extraction = document("MRN 482133", "file 482133.pdf, 482-133", "14821330, x482133")
    assert redacted(extraction, find(extraction, (), Cued((T.MRN, "MRN ", "482133")), OPTIONS)) == [
        "MRN MRN_01",
        "file MRN_01.pdf, MRN_01",
        "14821330, x482133",
    ]


def test_glossary_hits_stay_where_their_match_mode_says(detector: Detector) -> None:
    term = Term("Falcon Project 2030", EntityType.CUSTOM_TERM, MatchMode.EXACT, case_sensitive=True)
    extraction = document("the Falcon Project 2030 plan", "the falcon project 2030 plan")
    findings = find(extraction, (), detector, DetectOptions(terms=(TermSet((term,)),)))
    assert redacted(extraction, findings) == ["the CUSTOM_TERM_01 plan", "the falcon project 2030 plan"]
    assert [value.distinctive for value in findings.values] == [False]


def test_detected_places_win_and_the_rest_of_a_value_goes_too() -> None:
    cued = Cued((T.PERSON, "Name: ", "Sara Example Third"), (T.PERSON, "mr ", "Third Fourth"))
    extraction = document("Name: Sara Example Third", "mr Third Fourth", "Sara Example mr Third Fourth")
    assert redacted(extraction, find(extraction, (), cued, OPTIONS))[2] == "PERSON_NAME_01 mr PERSON_NAME_02"
    extraction = document("Name: Sara Example Third", "mr Third Fourth", "Sara Example Third Fourth")
    assert redacted(extraction, find(extraction, (), cued, OPTIONS))[2] == "PERSON_NAME_01 Fourth"


def test_a_part_of_a_longer_value_of_its_type_is_not_parted_from_it() -> None:
    """One mention, one placeholder; a value of another type inside stays one of its own."""
    for inner, expected in ((T.PERSON, "PERSON_NAME_01 spoke"), (T.LOCATION, "PERSON_NAME_01 LOCATION_01 spoke")):
        cued = Cued((T.PERSON, "by ", "Mr. Exampleby"), (inner, "dear Mr. ", "Exampleby"))
        extraction = document("by Mr. Exampleby", "dear Mr. Exampleby spoke")
        found = redacted(extraction, find(extraction, (), cued, OPTIONS))
        assert found == ["by PERSON_NAME_01", f"dear {expected}"]


@pytest.mark.parametrize(
    ("type_", "surface", "expected"),
    [
        (T.NATIONAL_ID, ID, True),
        (T.NATIONAL_ID, "1 0000 00008", True),
        (T.PASSPORT, "A1234567", True),
        (T.VEHICLE_PLATE, "ABD 1234", False),
        (T.MRN, "482133", False),
        (T.EMAIL_ADDRESS, "s@example.com", True),
        (T.EMAIL_ADDRESS, "aaaa@aaa-aaaaaa.aa", False),
        (T.NATIONAL_ID, "1111111111", False),
        (T.PERSON, "Sara Example", True),
        (T.PERSON, "Sara", False),
        (T.PERSON, "Al Ba", False),
        (T.ADDRESS, "7878 Eastern Ring Rd", True),
        (T.LOCATION, "Saudi Arabia", False),
        (T.DATE_TIME, "2024-03-15", False),
        (T.CUSTOM_TERM, "Falcon Project", False),
    ],
)
def test_what_is_distinctive(type_: EntityType, surface: str, expected: bool) -> None:
    assert is_distinctive(type_, surface) is expected


def test_merging_what_a_second_reading_found() -> None:
    cued = Cued((T.PERSON, "Name: ", "Sara Example"))
    extraction = document("Name: Sara Example", "with Omar there, Omary here", "Sara,Exa")
    first = find(extraction, (), cued, OPTIONS)
    merged = merge(first, [Leftover("PERSON", "Omar", known=False)], extraction, ())
    assert redacted(extraction, merged) == [
        "Name: PERSON_NAME_01", "with PERSON_NAME_02 there, Omary here", "PERSON_NAME_01,Exa",
    ]  # fmt: skip
    assert merge(first, [], extraction, ()) == first


def test_a_leftover_goes_also_where_the_first_reading_saw_no_blank_in_it() -> None:
    """In tight lines one reader drops blanks that another keeps."""
    extraction = document("PranavRajpurkar, JianZhang, and", "Name: Jian Zhang", "JianZhangs")
    left = [Leftover("PERSON", "Jian Zhang", known=False)]
    merged = merge(find(extraction, (), Cued(), OPTIONS), left, extraction, ())
    assert redacted(extraction, merged) == [
        "PranavRajpurkar, PERSON_NAME_01, and",
        "Name: PERSON_NAME_01",
        "JianZhangs",
    ]


def test_a_leftover_that_two_cells_make_up_goes_word_by_word() -> None:
    cued = Cued((T.PERSON, "Name: ", "Sara Example"))
    extraction = document("Name: Sara Example", "Sara", "Example", "Samples")
    first = find(extraction, (), cued, OPTIONS)
    merged = merge(first, [Leftover("PERSON", "Sara Example", known=True)], extraction, ())
    assert redacted(extraction, merged) == [
        "Name: PERSON_NAME_01", "PERSON_NAME_01", "PERSON_NAME_01", "Samples",
    ]  # fmt: skip


def test_an_empty_document_has_no_findings(detector: Detector) -> None:
    assert find(Extraction(()), (), detector, OPTIONS) == Findings(())
    assert find(document("", "  ", "\n"), (), detector, OPTIONS) == Findings(())


ALPHABET = "1٢3aبSé \u200b-_\u064b\ufefb\n.ß"


@settings(max_examples=150)
@given(
    st.lists(st.text(st.sampled_from(ALPHABET), max_size=12), min_size=1, max_size=5),
    st.lists(st.text(st.sampled_from(ALPHABET), min_size=1, max_size=6), max_size=4),
)
def test_places_are_in_order_and_overlap_nowhere(texts: Sequence[str], values: Sequence[str]) -> None:
    kinds = [T.PERSON, T.MRN, T.NATIONAL_ID]
    rows = [(kinds[n % 3], "", value) for n, value in enumerate(values)]

    class First(Cued):
        def detect(self, text: str, options: DetectOptions = DetectOptions()) -> Detection:
            spans, end = [], 0
            for span in super().detect(text, options).spans:
                if span.start >= end:
                    spans.append(span)
                    end = span.end
            return Detection(text, tuple(spans))

    extraction = document(*texts)
    findings = find(extraction, (), First(*rows), OPTIONS)
    by_id = {unit.id: unit.text for unit in extraction.units}
    last: dict[str, int] = {}
    for place in findings.places:
        assert last.get(place.unit, 0) <= place.start < place.end <= len(by_id[place.unit])
        last[place.unit] = place.end
    assert {place.placeholder for place in findings.places} == {value.placeholder for value in findings.values}


@settings(max_examples=150)
@given(st.text(st.sampled_from("ab 1-"), max_size=20), st.lists(st.text("ab1", min_size=1, max_size=4), min_size=1))
def test_every_occurrence_of_every_value_loses_a_part(text: str, surfaces: Sequence[str]) -> None:
    finder = OccurrenceFinder(SearchValue(n, surface, True, MatchScope.ANYWHERE) for n, surface in enumerate(surfaces))
    kept = list(text)
    for hit in finder.hits(text):
        kept[hit.start : hit.end] = "#" * (hit.end - hit.start)
    left = "".join(c for c in kept if c.isalnum() or c == "#")
    assert not any(surface in left for surface in surfaces)


@pytest.mark.slow
def test_a_hundred_thousand_units(detector: Detector) -> None:
    extraction = document(*((f"{1_000_000_000 + n}", "رقم الهوية") for n in range(100_000)))
    findings = find(extraction, (), detector, OPTIONS)
    assert len(findings.places) == 100_000
    assert findings.places[-1] == Finding("99999", 0, 10, "NATIONAL_ID", "NATIONAL_ID_100000")
    assert isinstance(findings.values[0], FoundValue)


@pytest.mark.parametrize(
    ("texts", "expected"),
    [
        (
            ("السيد محمد العتيبي", "Otaibi, M. came. Please ask Mr. Otaibi.", "Mohammed Alotaibi signed"),
            ["السيد PERSON_NAME_01", "PERSON_NAME_01. came. Please ask Mr. PERSON_NAME_01.", "PERSON_NAME_02 signed"],
        ),
        (("Mr Salman Aldossari signed", "وصل الدوسري أمس"), ["Mr PERSON_NAME_01 signed", "وصل PERSON_NAME_01 أمس"]),
    ],
)
def test_a_part_of_a_name_in_the_other_script(detector: Detector, texts: Sequence[str], expected: list[str]) -> None:
    """A part gets the person's number; a full name in the other script has a number of its own."""
    extraction = document(*texts)
    assert redacted(extraction, find(extraction, (), detector, OPTIONS)) == expected
