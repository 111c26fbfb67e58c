"""What a spreadsheet shows of a number: formats, dates of both systems, and the literal text in a format."""

from decimal import Decimal

import pytest

from pipeline.documents.ooxml.number_format import digits, format_number, is_date, literals, number


@pytest.mark.parametrize(
    ("value", "code", "expected"),
    [
        ("1058374925", "General", "1058374925"),
        ("1.058374925E9", "General", "1058374925"),
        ("1058374925.0", "General", "1058374925"),
        ("551234567", "0000000000", "0551234567"),
        ("551234567", '"+966 "00 000 0000', "+966 55 123 4567"),
        ("536221234", "000-00-0000", "536-22-1234"),
        ("1058374925", "#,##0", "1,058,374,925"),
        ("1058374925", "0.00E+00", "1058374925"),
        ("1234.5", "#,##0.00", "1,234.50"),
        ("48750", '#,##0 "SAR"', "48,750 SAR"),
        ("48750", "[$SAR-409] #,##0", "SAR 48,750"),
        ("-5", "0;(0)", "(5)"),
        ("-5", "0.0", "-5.0"),
        ("0", '0;-0;"none"', "none"),
        ("7", '[>5]"much";"little"', "much"),
        ("3", '[>5]"much";"little"', "little"),
        ("0.255", "0.0%", "25.5%"),
        ("1234567", '0.0,,"M"', "1.2M"),
        ("1.5", "0.##", "1.5"),
        ("5", "\\A\\-0", "A-5"),
        ("33005", "yyyy-mm-dd", "1990-05-12"),
        ("33005", "dd/mm/yyyy", "12/05/1990"),
        ("33005", "[$-401]dd/mm/yyyy;@", "12/05/1990"),
        ("33005", "dddd, mmmm d, yyyy", "Saturday, May 12, 1990"),
        ("33005", "d-mmm-yy", "12-May-90"),
        ("33005.75", "yyyy-mm-dd hh:mm", "1990-05-12 18:00"),
        ("33005", "mmm yy", "1990-05-12"),  # in full: the cell keeps the day that its format hides
        ("33005", "yyyymmdd", "1990-05-12"),
        ("33005.5", "h:mm", "1990-05-12 12:00:00"),
        ("0.5", "h:mm AM/PM", "12:00:00"),
        ("1.5", "[h]:mm:ss", "36:00:00"),
        ("1", "yyyy-mm-dd", "1900-01-01"),
        ("59", "yyyy-mm-dd", "1900-02-28"),
        ("61", "yyyy-mm-dd", "1900-03-01"),
        ("1058374925", "yyyy-mm-dd", "1058374925"),  # no date at all
        ("-1", "yyyy-mm-dd", "-1"),
    ],
)
def test_a_number_as_its_cell_shows_it(value: str, code: str, expected: str) -> None:
    assert format_number(Decimal(value), code, is_1904=False) == expected


def test_dates_counted_from_1904() -> None:
    assert format_number(Decimal(31543), "yyyy-mm-dd", is_1904=True) == "1990-05-12"


@pytest.mark.parametrize(
    "code", ["", ";", ";;;", '"', "[", "\\", "_", "*", "0" * 300, "#,", "E+", "?/?", "[h", '"a', "%%%"]
)
def test_odd_formats_break_nothing(code: str) -> None:
    assert isinstance(format_number(Decimal("1058374925.25"), code, is_1904=False), str)


@pytest.mark.parametrize("value", ["1E999", "1e-999", "9" * 400])
def test_numbers_beyond_measure_are_not_written_out(value: str) -> None:
    spelled = number(value)
    assert spelled is None or len(digits(spelled)) < 500
    assert spelled is None or isinstance(format_number(spelled, "0.00%", is_1904=False), str)


@pytest.mark.parametrize("text", ["", "abc", "1,5", "0x10", "1e9999", "NaN", "Infinity", "١٢٣x"])
def test_what_is_no_number(text: str) -> None:
    assert number(text) is None


def test_which_formats_are_dates() -> None:
    assert all(map(is_date, ("yyyy", "d/m", "[h]:mm", "[$-401]dd", "mmm")))
    assert not any(map(is_date, ("General", "0.00", '"day "0', "[Red]0", "@", "#,##0\\d")))


def test_the_literal_texts_of_a_format() -> None:
    assert [text for _, _, text in literals('"Fahad "\\A0" b";[$SAR-409]0')] == ["Fahad A", " b", "SAR"]
