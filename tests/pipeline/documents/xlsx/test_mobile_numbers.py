"""Numbers that are mobiles without their zero: what is redacted, what stays, and that the verifier finds the same."""

import pytest

from pipeline.verification.ooxml import xlsx as second
from schemas.files import Format
from tests.hiding_places.proof.inspection import said
from tests.hiding_places.proof.running import run
from tests.hiding_places.xlsx.workbook import GROUPED, book, number, row, text

FIRST, OTHER = "551234567", "541234568"


def _sheet(label: str, *values: str, style: int = 0) -> bytes:
    """A list of three columns, whose middle one has a label."""
    rows = row(1, text("A1", "Item"), text("B1", label), text("C1", "Crop"))
    for index, value in enumerate(values, start=2):
        rows += row(index, text(f"A{index}", "Seed"), number(f"B{index}", value, style), text(f"C{index}", "-"))
    return book(rows)


FOUND = {
    "a heading": _sheet("Mobile", FIRST),
    "a heading in one word": _sheet("MobileNo", FIRST),
    "a heading of contacts": _sheet("Emergency contact", FIRST),
    "an Arabic heading": _sheet("رقم محمول", FIRST),
    "a heading among other numbers": _sheet("جوال", FIRST, "12", "7000"),
    "a column of nothing else": _sheet("Details", FIRST, OTHER),
    "a whole mobile in the column": _sheet("Details", FIRST, "966541234568", "12"),
    "alone": book(row(1, number("A1", FIRST))),
    "a list without a heading": book(row(1, number("A1", FIRST)) + row(2, number("A2", OTHER))),
}
STAYING = {
    "an amount": _sheet("Amount", FIRST, OTHER),
    "revenue on the right of its label": book(row(1, text("A1", "Revenue"), number("B1", FIRST))),
    "among other numbers": _sheet("Details", FIRST, "12000", "7"),
    "one number under a heading": _sheet("Details", FIRST),
    "an Arabic amount": _sheet("المبلغ", FIRST, OTHER),
    "digits in groups": _sheet("Details", FIRST, OTHER, style=GROUPED),
    "no prefix of mobiles": _sheet("Details", "511234567", "521234567"),
}


def _second_reading_finds(data: bytes) -> bool:
    reading, _ = second.read(data)
    return any(passage.text == FIRST and "Phone" in passage.context.split("\n") for passage in reading.texts)


@pytest.mark.parametrize("data", FOUND.values(), ids=FOUND)
def test_a_mobile_without_its_zero_is_redacted(data: bytes) -> None:
    text_of_output = said(Format.XLSX, run(Format.XLSX, data).clean)
    assert FIRST not in text_of_output
    assert "PHONE_01" in text_of_output
    assert _second_reading_finds(data)


@pytest.mark.parametrize("data", STAYING.values(), ids=STAYING)
def test_an_amount_of_nine_digits_stays(data: bytes) -> None:
    numbers = said(Format.XLSX, run(Format.XLSX, data).clean)
    assert FIRST in numbers.replace(",", "") or "511234567" in numbers
    assert not _second_reading_finds(data)
