"""The redacted file's name: its own values replaced by the document's placeholders."""

import re

import pytest

from pipeline.detect.detector import Detector
from pipeline.documents.document import Extraction, TextUnit
from pipeline.entities.findings import find
from pipeline.entities.output_name import folder_names, output_name, with_name, without_name
from schemas.spans import DetectOptions

DETECTOR = Detector()


def named(filename: str, *texts: str) -> str:
    units = tuple(TextUnit(f"u{number}", text) for number, text in enumerate(texts))
    findings = find(with_name(Extraction(units), filename), (), DETECTOR, DetectOptions())
    assert all(place.unit.startswith("u") for place in without_name(findings).places)
    return output_name(filename, findings)


@pytest.mark.parametrize(
    ("filename", "expected"),
    [
        ("report.pdf", "report.pdf"),
        ("1012345672.pdf", "NATIONAL_ID_01.pdf"),
        ("salary_1012345672_2000000006.csv", "salary_NATIONAL_ID_01_RESIDENCE_PERMIT_01.csv"),
        ("هوية ١٠١٢٣٤٥٦٧٢.png", "هوية NATIONAL_ID_01.png"),
        ("0501234567", "PHONE_01"),
        ("untitled", "untitled"),
        ("", ""),
        (".csv", ".csv"),
        ("archive.tar.gz", "archive.tar.gz"),
        ("../../etc/1012345672.csv", "NATIONAL_ID_01.csv"),
        ("report.1012345672", "report.NATIONAL_ID_01"),
        ("noura@example.com", "EMAIL_01"),
        ("for_noura@example.com.PDF", "for EMAIL_01.PDF".replace(" ", "_")),
        ("Noura-Salem-Almithali.pdf", "PERSON_NAME_01.pdf"),
        ("050-123-4567.csv", "PHONE_01.csv"),
        ("v1.2-final+notes.docx", "v1.2-final+notes.docx"),
        ("a" * 9000 + "_1012345672.csv", "a" * 9000 + "_NATIONAL_ID_01.csv"),
    ],
)
def test_values_in_the_name_become_placeholders(filename: str, expected: str) -> None:
    assert named(filename) == expected


def test_a_value_has_the_number_that_it_has_inside() -> None:
    assert named("2 - 1012345672.docx", "first 1000000008", "then 1012345672") == "2 - NATIONAL_ID_02.docx"


def test_a_value_known_from_inside_is_found_in_the_name_without_its_cue() -> None:
    assert named("T7654321.docx", "Passport number: T7654321, issued in Riyadh") == "PASSPORT_01.docx"


def test_of_two_readings_that_overlap_nothing_stays() -> None:
    assert named("+966-50-123-4567 Noura-Salem-Almithali.csv") == "PHONE_01 PERSON_NAME_01.csv"


def test_a_name_joined_by_dots() -> None:
    assert re.fullmatch(r"PERSON_NAME_\d\d\.docx", named("Noura.Salem.Almithali.docx"))


def test_folders_share_one_numbering() -> None:
    names = ["Noura Salem Almithali", "1012345672", "reports", "copy_of_Noura_Salem_Almithali"]
    redacted = folder_names(names, lambda extraction: find(extraction, (), DETECTOR, DetectOptions()))
    assert redacted == {
        "Noura Salem Almithali": "PERSON_NAME_01",
        "1012345672": "NATIONAL_ID_01",
        "reports": "reports",
        "copy_of_Noura_Salem_Almithali": "copy_of_PERSON_NAME_01",
    }


def test_the_name_is_not_billed() -> None:
    assert not with_name(Extraction(()), "one two three.csv").units[-1].billed
