"""Values across line ends are found; values on lines of their own are not joined."""

import pytest

from pipeline.detect.detector import Detector
from pipeline.documents.document import Extraction, TextUnit
from pipeline.documents.edits import applied, by_unit
from pipeline.entities.findings import find
from schemas.spans import DetectOptions


@pytest.fixture(scope="module")
def detector() -> Detector:
    return Detector()


def redacted(text: str, detector: Detector) -> str:
    found = find(Extraction((TextUnit("page/0", text),)), (), detector, DetectOptions())
    return applied(text, "page/0", by_unit(found))


@pytest.mark.parametrize(
    ("text", "expected"),
    [
        (
            "We met yesterday with the engineer Mr. Fahad\nAlotaibi, and we went to the office to talk",
            "We met yesterday with the engineer Mr. PERSON_NAME_01, and we went to the office to talk",
        ),
        (
            "نفيدكم علما بأن الموظف السيد فهد\nالعتيبي قد حضر إلى مقر الشركة",
            "نفيدكم علما بأن الموظف السيد PERSON_NAME_01 قد حضر إلى مقر الشركة",
        ),
        ("IBAN: SA03 8000 0000\n6080 1016 7519", "IBAN: IBAN_01"),
        ("IBAN: SA038000000\n0608010167519", "IBAN: IBAN_01"),
        ("Card 4111 1111\n1111 1111", "Card CARD_01"),
        ("Number 1000\n000008 of", "Number NATIONAL_ID_01 of"),
        ("National ID\t1\t0\t1\t2\t3\t4\t5\t6\t7\t2", "National ID\tNATIONAL_ID_01"),  # a form's boxes
        ("IBAN: S A 0 3 8 0 0 0 0 0 0 0 6 0 8 0 1 0 1 6 7 5 1 9 end", "IBAN: IBAN_01 end"),
        ("write to ziyad@exam\nple.com today", "write to EMAIL_01 today"),
        ("Call our office at any time on 050 123\n4567 please", "Call our office at any time on PHONE_01 please"),
    ],
)
def test_a_value_that_a_line_break_cuts_is_found_whole(text: str, expected: str, detector: Detector) -> None:
    assert redacted(text, detector) == expected


@pytest.mark.parametrize(
    ("text", "expected"),
    [
        ("write to ziyad@example.com\nplease", "write to EMAIL_01\nplease"),
        ("Fahad Alotaibi\nSara Alqahtani", "PERSON_NAME_01\nPERSON_NAME_02"),
        (
            "Employee full name: Ziyad Bashraheel\nCity: none",
            "Employee full name: PERSON_NAME_01\nCity: none",
        ),
        ("Sales 1500 2000\n3000 4000\n5000 6000", "Sales 1500 2000\n3000 4000\n5000 6000"),
        ("Score\t3\t4\t5\t3\t4\t5\t5\t4\t3\t5", "Score\t3\t4\t5\t3\t4\t5\t5\t4\t3\t5"),
        ("Total\t1234\n567890\tpieces", "Total\t1234\n567890\tpieces"),  # ten digits that fail their check
    ],
)
def test_lines_that_only_follow_each_other_stay_apart(text: str, expected: str, detector: Detector) -> None:
    assert redacted(text, detector) == expected
