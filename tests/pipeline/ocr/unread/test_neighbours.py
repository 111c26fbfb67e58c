"""Words beside unread ink."""

from dataclasses import replace

import pytest

from pipeline.ocr.unread.neighbours import words_beside
from tests.pipeline.ocr.words import Word

TEXT = "059 4647 name SAR"
PARTS = Word(0, 3, 100, 10, 60, 30, 95.0), Word(4, 8, 180, 10, 80, 30, 95.0)
NAME, CURRENCY = Word(9, 13, 270, 10, 80, 30, 95.0), Word(14, 17, 400, 10, 60, 30, 95.0)
WORDS = (*PARTS, NAME, CURRENCY)


def boxes(*words: Word) -> list[tuple[int, int, int, int]]:
    return [(word.left, word.top, word.width, word.height) for word in words]


def test_each_part_of_a_number_leads_to_the_next_and_words_stay() -> None:
    assert words_beside(TEXT, WORDS, [(60, 8, 30, 34)]) == boxes(*PARTS)
    assert words_beside(TEXT, WORDS, [(352, 8, 30, 34)]) == []


@pytest.mark.parametrize(
    ("said", "box", "taken"),
    [
        ("2345 67", (20, 8, 30, 34), True),
        ("SA03 80", (20, 8, 30, 34), False),  # four digits
        ("SA03 800", (20, 8, 30, 34), True),
        ("2345 67", (20, 20, 30, 12), False),  # a mark or a comma
        ("2345 6.7", (20, 8, 30, 34), False),
        ("1,234.50 a", (20, 8, 30, 34), False),
        ("0501234567 a", (20, 8, 30, 34), False),
        ("2345 67", (20, 50, 30, 34), False),
    ],
)
def test_groups_of_digits_are_taken_over_wider_gaps(said: str, box: tuple[int, int, int, int], taken: bool) -> None:
    middle = said.index(" ")
    first, second = Word(0, middle, 120, 10, 60, 30, 95.0), Word(middle + 1, len(said), 260, 10, 30, 30, 95.0)
    assert words_beside(said, [first, second, first], [box]) == (boxes(first, second) if taken else [])
    other_row = replace(second, top=60)
    assert words_beside(said, [first, other_row], [box]) == []


def test_a_short_word_is_taken_where_it_is_closer() -> None:
    assert words_beside(TEXT, WORDS, [(465, 8, 30, 34)]) == boxes(CURRENCY)


@pytest.mark.parametrize(
    ("said", "confidence", "taken"),
    [("من", 95.0, False), ("the", 95.0, False), ("من", 70.0, True), ("بن", 95.0, True), ("لا", 95.0, True)],
)
def test_particles_stay_where_they_were_read_surely(said: str, confidence: float, taken: bool) -> None:
    word = Word(0, len(said), 100, 10, 40, 30, confidence)
    assert words_beside(said, [word], [(145, 8, 80, 34)]) == (boxes(word) if taken else [])


def test_another_row_another_cell_and_large_areas_take_nothing() -> None:
    for box in ((60, 60, 30, 30), (0, 8, 8, 34), (20, 0, 75, 300)):
        assert words_beside(TEXT, WORDS, [box]) == []
    assert words_beside(TEXT, WORDS, []) == []


def test_a_word_that_is_one_run_with_unread_ink_is_taken_unless_it_was_read_surely() -> None:
    sure, unsure = Word(0, 4, 200, 10, 90, 30, 95.0), Word(0, 4, 200, 10, 90, 30, 64.5)
    touching, apart, over = (112, 8, 88, 34), (112, 8, 80, 34), (190, 8, 40, 34)
    assert words_beside("عامر", [unsure], [touching]) == boxes(unsure)
    assert words_beside("عامر", [sure], [touching]) == []
    assert words_beside("عامر", [unsure], [apart]) == []
    assert words_beside("عامر", [unsure], [over]) == []


def test_it_is_linear_in_words_and_boxes() -> None:
    """Nothing quadratic survives the timeout."""
    text = " ".join(["2345"] * 20_000)
    words = [Word(5 * n, 5 * n + 4, 100 + 400 * (n % 4), 40 * (n // 4), 60, 30, 95.0) for n in range(20_000)]
    found = words_beside(text, words, [(20, 40 * n, 30, 30) for n in range(5000)])
    assert len(found) == 0
    found = words_beside(text, words, [(162 + 400 * (n % 4), 40 * (n // 4), 30, 30) for n in range(20_000)])
    assert len(found) == 20_000


def test_a_line_of_a_passport_goes_with_its_unread_rest() -> None:
    said = "P<PHLEXAMPLE words"
    line, other = Word(0, 12, 100, 10, 240, 30, 95.0), Word(13, 18, 100, 60, 100, 30, 95.0)
    assert words_beside(said, [line, other], [(342, 8, 300, 34), (202, 60, 300, 34)]) == boxes(line)
