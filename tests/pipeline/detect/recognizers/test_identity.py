"""NATIONAL_ID, RESIDENCE_PERMIT and SSN: what is found and what must not be."""

import pytest

from schemas.entities import EntityType
from schemas.spans import DetectOptions
from tests.pipeline.detect.marked import STRUCTURED, found, unmarked

IDENTITY = [
    "+1 2123456788".replace("+1 2123456788", "[[PHONE_NUMBER +1 2123456788]]"),
    "رقم هويتي [[NATIONAL_ID 1012345672]] وأحتاج تحديث بياناتي",
    "هويتي[[NATIONAL_ID 1012345672]]",
    "رقم السجل المدني\n[[NATIONAL_ID ١٠١٢٣٤٥٦٧٢]]",
    "الهوية: [[NATIONAL_ID ۱۰۱۲۳۴۵۶۷۲]]، الجوال غير متوفر",
    "mixed digits [[NATIONAL_ID 1٠12٣٤5٦7٢]]",
    "ID [[NATIONAL_ID 1012345672]], thanks",
    "ID:[[NATIONAL_ID 1012345672]]",
    "id=[[NATIONAL_ID 1012345672]]&x=1",
    "ID[[NATIONAL_ID 1012345672]]",
    "my id is [[NATIONAL_ID 1012345672]].",
    "Ali,[[NATIONAL_ID 1012345672]],Jubail",
    "[[NATIONAL_ID 1012345672]]/[[RESIDENCE_PERMIT 2123456788]]",
    "[[NATIONAL_ID 1012345672]] [[RESIDENCE_PERMIT 2123456788]] [[NATIONAL_ID 1112345671]]",
    "[[NATIONAL_ID 1012345672]]\n[[NATIONAL_ID 1112345671]]",
    "(الإقامة [[RESIDENCE_PERMIT ٢١٢٣٤٥٦٧٨٨]])",
    "iqama no. [[RESIDENCE_PERMIT 2123456788]] expires soon",
    '{"iqama":"[[RESIDENCE_PERMIT 2412345676]]"}',
    "رقم الكفيل [[NATIONAL_ID 1112345671]]",
    "National ID [[NATIONAL_ID 1-0123-45672]]",
    "رقم الهوية: [[NATIONAL_ID 1 0123 45672]]",
    "say it as [[NATIONAL_ID 101-234-5672]] please",
    "رقم الهوية [[NATIONAL_ID 10 1234 5672]]",
    "id １０１２３４５６７２".replace("１０１２３４５６７２", "[[NATIONAL_ID １０１２３４５６７２]]"),
    "commercial registration [[NATIONAL_ID 1010123451]]",
    "هوية[[NATIONAL_ID 1012345672]]وجواله غير معروف",
    # With a label any one sign groups the digits, as people write and scanners read.
    "National ID: [[NATIONAL_ID 1012.345.672]].",
    "رقم الهوية [[NATIONAL_ID ١/٠١٢٣/٤٥٦٧٢]] وتاريخها",
    "Iqama No. [[RESIDENCE_PERMIT 2,123,456,788]], valid",
    "ID [[NATIONAL_ID 1.0123.45672]], later [[NATIONAL_ID 1.0123.45672]] and [[NATIONAL_ID 1012/345/672]] again",
    "ID [[NATIONAL_ID 1\\012\\345\\672]]",
    "id: [[NATIONAL_ID 1012 - 345 - 672]]",
    "هوية رقم [[NATIONAL_ID ١٠١٢٬٣٤٥٬٦٧٢]]",
    "ID [[NATIONAL_ID 10:1234:5672]] | ID [[NATIONAL_ID 1112_345_671]]",
    # In the boxes of a form, as a keycap, and as programs write floating-point numbers.
    "رقم الهوية: [[NATIONAL_ID 1 0 1 2 3 4 5 6 7 2]]",
    "[[NATIONAL_ID ١-٠-١-٢-٣-٤-٥-٦-٧-٢]] is mine",
    "id [[NATIONAL_ID 1\ufe0f\u20e30\ufe0f\u20e31\ufe0f\u20e32345672]]",
    "national id: [[NATIONAL_ID 1012345672]].0",
    # What only looks like a country code before it: the numbers of rows, a sum.
    r'{"note": "ID:\n[[NATIONAL_ID 1012345672]]\n\t[[RESIDENCE_PERMIT 2123456788]]"}',
    "002 [[NATIONAL_ID 1012345672]] Ahmad",
    "0012 [[RESIDENCE_PERMIT 2123456788]]",
    "002) [[NATIONAL_ID ١٠١٢٣٤٥٦٧٢]]",
    "+999 [[NATIONAL_ID 101-234-5672]]",
    "5+1 [[RESIDENCE_PERMIT 2123456788]]",
]
NO_IDENTITY = [
    "رقم الشحنة 1012345671 لم يصل",
    "id 1012345671",
    "iqama 2123456789",
    "1234567890 2123456789",
    "AB1012345672X",
    "101234567200",
    "0.1012345672",
    "1012345672.50",
    "1012345672.00",
    "1012345672.0.1",
    "1 1 1 2 3 4 5 6 7 1 4",
    "1 1 1 2 3 4 5 6 7 2",
    "3012345672",
    "serial 9 1012 34567",
    "2024 10 1234",
    "1,012,345,672 people",
    "ID 1012.345.671",
    "ID 1012.345.672.8",
    "ID 7.1012.345.672",
    "ID 1012.345,672",
    "version 1012.345.672",
    "hash a1012345672b",
    "1012345672e5",
]
SSN = [
    "my social is [[SSN 349228107]]",
    "SS# [[SSN 349228107]]",
    "SSN [[SSN 349-22-8107]] for the applicant",
    "social security [[SSN 422 90 1187]]",
    "SSN: [[SSN 349228107]]",
    "his social security number is [[SSN 349228107]]",
    "[[SSN 219-09-9999]]",
    "SSN ٣٤٩-٢٢-٨١٠٧".replace("٣٤٩-٢٢-٨١٠٧", "[[SSN ٣٤٩-٢٢-٨١٠٧]]"),
]
NO_SSN = [
    "social distancing 349228107",
    "Part 88-201-4471",
    "SSN 000-12-3456",
    "SSN 666-12-3456",
    "SSN 912-12-3456",
    "SSN 349-00-8107",
    "SSN 349-22-0000",
    "349228107 units",
    "349-22-81078",
    "1-349-22-8107",
    "A349-22-8107",
]


@pytest.mark.parametrize("row", IDENTITY + NO_IDENTITY + SSN + NO_SSN)
def test_finds_exactly_what_is_marked(row: str) -> None:
    text, entities = unmarked(row)
    assert found(text) == entities


def test_without_telephone_numbers_a_country_code_hides_no_identity_number() -> None:
    text = "+1 2123456788"
    assert found(text, DetectOptions(enabled=STRUCTURED - {EntityType.PHONE_NUMBER})) == [
        ("RESIDENCE_PERMIT", "2123456788")
    ]


@pytest.mark.parametrize("number", ["1012345671", "2123456789"])
def test_a_failing_check_digit_counts_only_in_files(number: str) -> None:
    lenient = DetectOptions(enabled=STRUCTURED, strict_checksums=False)
    assert found(f"number {number} here") == []
    assert [surface for _, surface in found(f"number {number} here", lenient)] == [number]
