"""Headings of columns: what is a label, and what is one but for a letter."""

import pytest

from pipeline.detect.text.headings import labels_of


@pytest.mark.parametrize("heading", ["National ID", "رقم الهوية", "اسم الموظف", "Patient name", "الموظف", "IBAN No."])
def test_a_label_is_itself(heading: str) -> None:
    assert labels_of(heading) == (heading,)


@pytest.mark.parametrize(
    ("heading", "label"),
    [
        ("جوان السفر", "جواز السفر"),
        ("الابيان", "الايبان"),
        ("Passpont number", "passport number"),
        ("رقم الهوبة", "رقم الهويه"),
        ("IIospital no", "hospital no"),
        ("رقى اللوح", "رقم اللوحه"),
        ("Medlcal recurd no", "medical record no"),
    ],
)
def test_one_wrong_letter_is_made_good(heading: str, label: str) -> None:
    assert label in labels_of(heading)


@pytest.mark.parametrize(
    "heading", ["", "Total", "المبلغ", "Salary", "Passxxrt number", "x" * 41, "National ID " * 9, "جوا"]
)
def test_other_words_are_no_label(heading: str) -> None:
    assert labels_of(heading) == ()


def test_what_may_be_two_labels_is_both() -> None:
    assert {"الجوال", "الجواز"} <= set(labels_of("الجوار"))
