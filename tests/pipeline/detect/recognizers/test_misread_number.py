"""Behind a label a long number counts in any form if the text was read from pixels, and only then. So do addresses."""

from dataclasses import replace

import pytest

from pipeline.detect.detector import Detector
from pipeline.documents.document import Extraction, Reading
from pipeline.entities.findings import find
from schemas.entities import EntityType
from schemas.spans import DetectOptions

_T = EntityType
DOCUMENT = DetectOptions(strict_checksums=False)
RASTER = replace(DOCUMENT, from_pixels=True)
MISREAD = [
    ("رقم الهوية\t٠٩٨ ٢٨١١٣٨٧", _T.NATIONAL_ID, "٠٩٨ ٢٨١١٣٨٧"),  # groups from the right, one gap unread
    ("ID No. 1447S07O12", _T.NATIONAL_ID, "1447S07O12"),
    ("Iqama No.: 34475070", _T.RESIDENCE_PERMIT, "34475070"),
    ("Plate No: ٦١١٩", _T.VEHICLE_PLATE, "٦١١٩"),
    ("رقم الحدود: 3002707692", _T.RESIDENCE_PERMIT, "3002707692"),
    ("جوال\t٠٨٧٣٦٩٦-٥٠-٩٦٦", _T.PHONE_NUMBER, "٠٨٧٣٦٩٦-٥٠-٩٦٦"),
    ("IBAN: 4420 0000 0123", _T.IBAN, "4420 0000 0123"),
    ("رقم اللوحة: ٥٨٥٢ عباص", _T.VEHICLE_PLATE, "٥٨٥٢ عباص"),
    ("write to khalid1@outlooksa", _T.EMAIL_ADDRESS, "khalid1@outlooksa"),
    ("E-mail address: sara 9228@example.com", _T.EMAIL_ADDRESS, "sara 9228@example.com"),
    ("the patient (File 0033523 ) attended", _T.MRN, "0033523"),
    ("Plate No. TSKLM 1234", _T.VEHICLE_PLATE, "TSKLM 1234"),
    ("Card No. 4457 8550 358", _T.CREDIT_CARD, "4457 8550 358"),
]


@pytest.fixture(scope="module")
def detector() -> Detector:
    return Detector()


def found(detector: Detector, text: str, options: DetectOptions) -> list[tuple[EntityType, str]]:
    return [(span.type, text[span.start : span.end]) for span in detector.detect(text, options).spans]


@pytest.mark.parametrize(("text", "type_", "number"), MISREAD)
def test_a_labelled_number_of_a_raster(detector: Detector, text: str, type_: EntityType, number: str) -> None:
    assert found(detector, text, RASTER) == [(type_, number)]
    assert (type_, number) not in found(detector, text, DOCUMENT)


@pytest.mark.parametrize(
    ("text", "spans"),
    [
        ("ID No. 1012345672", [(_T.NATIONAL_ID, "1012345672")]),
        ("Mobile: 0501234567", [(_T.PHONE_NUMBER, "0501234567")]),
        ("ID expires 12/09/2024", [(_T.DATE_TIME, "12/09/2024")]),
        ("ID No. 1234", []),
        ("Plate from 05/2019", [(_T.DATE_TIME, "05/2019")]),
        ("الهاتف المتحرك: 033878.00", []),
        ("order 34475070", []),
        ("E-mail: write to sara@example.com", [(_T.EMAIL_ADDRESS, "sara@example.com")]),
        ("follow us @example, 5 @ 20", []),
    ],
)
def test_what_has_a_form_keeps_its_type_and_what_has_no_label_stays(
    detector: Detector, text: str, spans: list[tuple[EntityType, str]]
) -> None:
    assert found(detector, text, RASTER) == spans


@pytest.mark.parametrize("plate", ["0661 T SK", "D AN 6001", "DA N 6001", "DAN 6001", "ر دق ٣٢٥١"])
def test_blanks_between_any_letters_of_a_labelled_plate(detector: Detector, plate: str) -> None:
    assert found(detector, f"Vehicle plate\t{plate}", DOCUMENT) == [(_T.VEHICLE_PLATE, plate)]


def test_a_misread_address_and_a_number_are_two_values() -> None:
    text = "Reem Example, mobile 0501234567\nreem1@example.com khalid1@outlooksa, ID No. 5 012 3456"
    found = find(Extraction(()), [Reading("page", text, ())], Detector(), DOCUMENT)
    assert {(value.type, value.surface) for value in found.values} >= {
        ("EMAIL_ADDRESS", "khalid1@outlooksa"), ("NATIONAL_ID", "5 012 3456"), ("PHONE_NUMBER", "0501234567"),
    }  # fmt: skip


def test_one_number_in_two_orders_of_its_groups_is_one_value() -> None:
    text = "رقم الجوال 3221 443 055\nرقم الجوال 055 443 3221"
    found = find(Extraction(()), [Reading("page", text, ())], Detector(), DOCUMENT)
    assert [value.surface for value in found.values] == ["055 443 3221"]
