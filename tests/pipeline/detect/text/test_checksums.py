"""Equal values in different spellings, and check digits against published examples."""

import pytest

from pipeline.detect.text.checksums import luhn, mod97, mrz
from pipeline.detect.text.equivalence import canonical
from schemas.entities import EntityType

T = EntityType

SAME = [
    (T.NATIONAL_ID, "1012345672", "١٠١٢٣٤٥٦٧٢"),
    (T.NATIONAL_ID, "1012345672", "1 0123 45672"),
    (T.IBAN, "SA0380000000608010167519", "sa03 8000 0000 6080 1016 7519"),
    (T.NATIONAL_ID, "1012.345.672", "١/٠١٢٣/٤٥٦٧٢"),
    (T.CREDIT_CARD, "4123/4567/8901/2349", "4123.4567.8901.2349"),
    (T.CREDIT_CARD, "4123 4567 8901 2349", "4123-4567-8901-2349"),
    (T.PHONE_NUMBER, "+966 50 123 4567", "00966501234567"),
    (T.VEHICLE_PLATE, "ABD 1234", "A B D-1234"),
    (T.EMAIL_ADDRESS, "A.B@example.com", "a.b@example.com"),
    (T.PERSON, "محمّد  العلي", "محمد العلي"),
    (T.PERSON, "Sara\u200b Ali", "Sara\u00a0Ali"),
    (T.DATE_TIME, "١٥/٠٣/٢٠٢٤", "15/03/2024"),
]
DIFFERENT = [
    (T.PERSON, "Sara Ali", "SaraAli"),
    (T.PERSON, "sara", "Sara"),
    (T.NATIONAL_ID, "1012345672", "1112345671"),
    (T.PASSPORT, "A1234567", "B1234567"),
]


@pytest.mark.parametrize(("kind", "left", "right"), SAME)
def test_spellings_of_one_value_are_equal(kind: EntityType, left: str, right: str) -> None:
    assert canonical(kind, left) == canonical(kind, right)


@pytest.mark.parametrize(("kind", "left", "right"), DIFFERENT)
def test_different_values_differ(kind: EntityType, left: str, right: str) -> None:
    assert canonical(kind, left) != canonical(kind, right)


def test_luhn() -> None:
    assert all(luhn(number) for number in ("1000000008", "1012345672", "2000000006", "4111111111111111"))
    assert not any(luhn(number) for number in ("1000000000", "1012345671", "1234567890", "2123456789"))


def test_mod97() -> None:
    assert mod97("SA0380000000608010167519")
    assert not mod97("SA0380000000608010167518")


def test_mrz_check_digits() -> None:
    assert mrz("M640376<<", "4")
    assert mrz("<" * 14, "<")
    assert not mrz("M640376<<", "5")
