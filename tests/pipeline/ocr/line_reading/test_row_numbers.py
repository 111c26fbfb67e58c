"""Columns of numbers that count by one."""

import pytest

from pipeline.documents.document import Engine
from pipeline.networks.text_line import TextLine
from pipeline.ocr.engines.line_word import LineWord
from pipeline.ocr.line_reading.row_numbers import with_row_numbers

HEIGHT = 30
DOUBT = 50.0


def sure(*texts: str, left: float = 0.0, wide: float = 15.0, pitch: int = 60, beside: str = "Chair") -> str:
    """A letter for each text in its row: `y` where it counts as read, `n` where it stays in doubt."""
    places = [TextLine(100, 100 + pitch * row, (1.0, 0.0), 400, HEIGHT, 1.0) for row in range(len(texts))]
    words = [
        [
            LineWord(text, left, left + wide, DOUBT, Engine.LINE_RECOGNIZER),
            LineWord(beside, left + 200, left + 300, DOUBT, Engine.LINE_RECOGNIZER),
        ]
        for text in texts
    ]
    found = with_row_numbers(places, words)
    assert all(own[1].confidence == DOUBT for own in found)
    return "".join("y" if own[0].confidence > DOUBT else "n" for own in found)


@pytest.mark.parametrize("texts", [("١", "٢", "٣"), ("9", "10", "11", "12"), ("١", "٢", "0", "٤", "٥")])
def test_a_column_that_counts_confirms_itself(texts: tuple[str, ...]) -> None:
    assert sure(*texts) == "y" * len(texts)


@pytest.mark.parametrize(
    "texts",
    [
        ("١", "٢"),
        ("1", "3", "5", "7"),
        ("4", "0", "2", "9", "1"),
        ("1234", "1235", "1236"),
        ("1", "9", "8", "7", "5", "6"),
    ],
)
def test_other_columns_do_not(texts: tuple[str, ...]) -> None:
    assert sure(*texts) == "n" * len(texts)


def test_what_lies_before_the_first_and_behind_the_last_stays_in_doubt() -> None:
    assert sure("8", "2", "3", "4", "5", "0") == "nyyyyn"


def test_wide_numbers_and_digits_of_a_longer_one_count_nothing() -> None:
    assert sure("1", "2", "3", wide=3.0 * HEIGHT) == "nnn"
    assert sure("1", "2", "3", left=190.0, beside="1012345672") == "yyy"
    places = [TextLine(100, 100 + 60 * row, (1.0, 0.0), 400, HEIGHT, 1.0) for row in range(3)]
    close = [
        [LineWord(str(row + 1), 0, 15, DOUBT, Engine.PP_OCR), LineWord("055", 25, 70, DOUBT, Engine.PP_OCR)]
        for row in range(3)
    ]
    assert with_row_numbers(places, close) == close
