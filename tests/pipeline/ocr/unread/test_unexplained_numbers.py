"""Long numbers without a form of their own stay only where a label says that they are of a thing."""

import pytest

from pipeline.ocr.layout.table import table_of
from pipeline.ocr.unread.unexplained_numbers import unexplained_numbers
from tests.pipeline.ocr.words import table


def burned(*rows: str) -> str:
    """What of these rows goes."""
    text, words = table(rows)
    said = {(word.left, word.top): text[word.start : word.end] for word in words}
    return " ".join(said[left, top] for left, top, _, _ in unexplained_numbers(text, words, table_of(text, words)))


@pytest.mark.parametrize(
    "number", ["844946176", "٨٤٤٩٤٦١٧٦", "569398654", "A12345678", "4471823", "844 946 176", "14-65335", "K-0012345"]
)
@pytest.mark.parametrize("before", ["", "the member", "GOSI No"])
def test_a_long_number_goes_without_a_label_of_a_thing(before: str, number: str) -> None:
    assert burned(f"{before} {number} was")[-len(number) :] == number


@pytest.mark.parametrize(
    "label", ["Invoice No", "order number", "رقم الفاتورة", "GOSI No 844 Order No", "the Invoice No. of ours:"]
)
def test_it_stays_behind_a_label_of_a_thing(label: str) -> None:
    assert burned(f"{label} 7740034") == ""


def test_a_label_of_another_number_counts_for_that_one() -> None:
    assert burned("Invoice No 7740034 member 844946176") == "844946176"


def test_it_stays_below_the_heading_of_things_alone() -> None:
    assert burned("Order No  Member", "7740034  844946176", "7740035  844946177") == "844946176 844946177"


def test_a_heading_of_two_lines_is_one_label() -> None:
    assert burned("Member  Subscription No", "name  of the member", "Sara  844946176") == "844946176"
    assert burned("Member  رقم الاشتراك", "name  في التأمينات", "Sara  844946176") == "844946176"
    assert burned("Member  رقم الاشتراك", "Sara  844946176") == ""


@pytest.mark.parametrize(
    "said",
    [
        "01/02/1990",
        "1,250,000.00",
        "2024-11-30",
        "30-11-2024",
        "2019-2024",
        "12-34",
        "123456",
        "1058374925",
        "0551234567",
        "+966551234567",
    ],
)
def test_dates_amounts_short_numbers_and_those_with_a_form_are_none(said: str) -> None:
    assert burned(f"total {said}") == ""
