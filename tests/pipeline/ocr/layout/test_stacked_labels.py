"""Numbers beside a label in two lines, as in the narrow cells of a form."""

import pytest

from pipeline.documents.document import Reading
from pipeline.ocr.layout.labelled_values import with_labelled_values
from pipeline.ocr.layout.lines import compose, join_rows
from tests.pipeline.ocr.words import OcrWord, words_in_line


def again(*lines: list[OcrWord]) -> list[str]:
    before = Reading("page", *compose(join_rows(lines)))
    return with_labelled_values(before).text[len(before.text) :].split("\n")[1:]


@pytest.mark.parametrize("number_top", [100, 112, 122])
def test_a_number_beside_both_lines_of_its_label_has_it(number_top: int) -> None:
    lines = again(
        words_in_line("Patient", 40, 112),
        words_in_line("Sara bint", 240, 100),
        words_in_line("Example", 240, 122),
        words_in_line("Medical", 480, 100),
        words_in_line("File No.", 480, 122),
        words_in_line("65335", 640, number_top),
    )
    assert "Medical File No:\t65335" in lines


def test_arabic_labels_stand_at_the_right() -> None:
    lines = again(
        words_in_line("65335", 100, 112), words_in_line("الرقم", 300, 100), words_in_line("الجامعي", 280, 122)
    )
    assert any(line.endswith(":\t65335") and "الجامعي" in line for line in lines)


def test_other_numbers_beside_two_lines_stay() -> None:
    number = words_in_line("65335", 700, 100)
    assert not again(words_in_line("Medical", 480, 100), words_in_line("File No.", 480, 180), number)  # far below
    assert not again(words_in_line("Total", 480, 100), words_in_line("of chairs", 480, 122), number)
    between = words_in_line("other", 600, 100)
    assert not again(words_in_line("Medical", 480, 100), words_in_line("File No.", 480, 122), between, number)
