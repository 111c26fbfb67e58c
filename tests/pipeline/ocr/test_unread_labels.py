"""Numbers beside or below words that nobody could read."""

import pytest

from pipeline.documents.document import Engine, Word
from pipeline.ocr.unread_labels import numbers_without_label

NUMBER, HEIGHT = "844946176", 30
PLACE = (500, 100, 180, HEIGHT)


def found(unread: list[tuple[int, int, int, int]], said: str = NUMBER, label: tuple[int, int] | None = None) -> bool:
    """Whether the number goes. `label`: left and top of a word that was read."""
    text, words = said, [Word(0, len(said), *PLACE, 99.0, Engine.PP_OCR)]
    if label is not None:
        words.append(Word(len(text) + 1, len(text) + 7, *label, 100, HEIGHT, 99.0, Engine.TESSERACT))
        text += " amount"
    boxes = numbers_without_label(text, words, unread)
    assert boxes in ([], [PLACE])
    return bool(boxes)


@pytest.mark.parametrize("left_and_top", [(300, 95), (760, 110), (520, 40)])
def test_a_number_whose_label_is_unread_is_unread(left_and_top: tuple[int, int]) -> None:
    assert found([(*left_and_top, 100, HEIGHT)])


@pytest.mark.parametrize(
    ("box", "label"),
    [
        ((300, 300, 100, HEIGHT), None),  # far below
        ((520, 160, 100, HEIGHT), None),  # below it, where the next label is
        ((300, 95, 20, HEIGHT), None),  # a speck
        ((100, 95, 100, HEIGHT), (300, 100)),  # a label that was read is nearer
        ((PLACE[0], PLACE[1], 40, HEIGHT), None),  # in it
    ],
)
def test_other_numbers_stay(box: tuple[int, int, int, int], label: tuple[int, int] | None) -> None:
    assert not found([box], label=label)


@pytest.mark.parametrize("said", ["4,500.00", "1234", "order", "12:30"])
def test_amounts_times_and_short_numbers_stay(said: str) -> None:
    assert not found([(300, 95, 100, HEIGHT)], said)
