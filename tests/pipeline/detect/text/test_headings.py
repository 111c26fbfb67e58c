"""Headings of columns: what is a label, and what is one but for a letter."""

import pytest

from pipeline.detect.text.headings import label_runs, labels_of


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
    "heading", ["", "Total", "المبلغ", "Salary", "Passxxrt number", "x" * 41, "National ID " * 9, "جوا", "الوحدة"]
)
def test_other_words_are_no_label(heading: str) -> None:
    assert labels_of(heading) == ()


def test_what_may_be_two_labels_is_both() -> None:
    assert {"الجوال", "الجواز"} <= set(labels_of("الجوار"))


@pytest.mark.parametrize(
    ("words", "runs"),
    [
        ("National ID Passport No", [(0, 2, True), (2, 4, True)]),
        ("رقم الهوية رقم الملف الطبي ا العدد تاريخ الميلاد", [(0, 2, True), (2, 5, True), (5, 7, False), (7, 9, True)]),
        ("the total of all", [(0, 4, False)]),
        ("", []),
    ],
)
def test_words_are_parted_into_labels(words: str, runs: list[tuple[int, int, bool]]) -> None:
    assert label_runs(words.split()) == runs
