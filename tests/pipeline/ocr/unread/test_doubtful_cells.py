"""Cells of columns of numbers in which nobody saw a digit, and somebody doubts a word."""

import pytest

from pipeline.documents.document import Engine, Word
from pipeline.ocr.unread.doubtful_cells import doubtful_cells

HEIGHT, WIDE = 30, 20


def burned(*rows: str, doubted: str = "") -> str:
    """What of these rows goes; two blanks part cells, 400 pixels apart. `doubted`: words that nobody is sure of."""
    text, words = "", []
    for number, row in enumerate(rows):
        for column, cell in enumerate(row.split("  ")):
            left = 100 + 400 * column
            for word in cell.split():
                confidence = 50.0 if word in doubted.split() else 99.0
                box = (left, 100 + 60 * number, WIDE * len(word), HEIGHT)
                words.append(Word(len(text), len(text) + len(word), *box, confidence, Engine.LINE_RECOGNIZER))
                text += f"{word} "
                left += WIDE * (len(word) + 1)
            text = f"{text.rstrip()}\t"
        text = f"{text.rstrip()}\n"
    said = {(word.left, word.top): text[word.start : word.end] for word in words}
    return " ".join(said[left, top] for left, top, _, _ in doubtful_cells(text, words))


def test_all_of_a_plate_goes_whose_letters_are_in_doubt() -> None:
    rows = ("Plate No  National ID", "uqqn B Q  1058374925", "7998 B Q  1058374925")
    assert burned(*rows, doubted="Q") == "uqqn B Q"
    assert burned(*rows) == ""


@pytest.mark.parametrize("heading", ["Order No", "Name", "Remark"])
def test_cells_of_other_columns_stay(heading: str) -> None:
    assert burned(f"{heading}  National ID", "some words Q  1058374925", doubted="Q") == ""


def test_what_stands_below_a_label_of_a_form_stays() -> None:
    assert burned("Plate No", "some words Q", doubted="Q") == ""
