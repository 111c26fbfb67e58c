"""Cells of columns of numbers in which nobody saw a digit, and somebody doubts a word."""

import pytest

from pipeline.ocr.layout.table import table_of
from pipeline.ocr.unread.doubtful_cells import doubtful_cells
from tests.pipeline.ocr.words import table


def burned(*rows: str, doubted: str = "") -> str:
    """What of these rows goes."""
    text, words = table(rows, doubted=doubted)
    said = {(word.left, word.top): text[word.start : word.end] for word in words}
    return " ".join(said[left, top] for left, top, _, _ in doubtful_cells(text, table_of(text, words)))


def test_all_of_a_plate_goes_whose_letters_are_in_doubt() -> None:
    rows = ("Plate No  National ID", "uqqn B Q  1058374925", "7998 B Q  1058374925")
    assert burned(*rows, doubted="Q") == "uqqn B Q"
    assert burned(*rows) == ""


@pytest.mark.parametrize("heading", ["Order No", "Name", "Remark"])
def test_cells_of_other_columns_stay(heading: str) -> None:
    assert burned(f"{heading}  National ID", "some words Q  1058374925", doubted="Q") == ""


def test_what_stands_below_a_label_of_a_form_stays() -> None:
    assert burned("Plate No", "some words Q", doubted="Q") == ""
