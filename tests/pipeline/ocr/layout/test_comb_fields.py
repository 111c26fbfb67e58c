"""A field with a cell for each character that was read in part is burned as a whole; rows of other things are not."""

import pytest

from pipeline.documents.document import Word
from pipeline.geometry.strip import Box
from pipeline.ocr.layout.comb_fields import comb_fields
from tests.pipeline.ocr import words as made

STEP, WIDE, HIGH = 52, 14, 26  # pixels
NUMBER = "1447507011"


def field(characters: str, step: int = STEP, slope: float = 0.0) -> tuple[str, list[Word], list[Box]]:
    """Its text, its words, and its unread ink: `?` is an unread character, `_` a dot that nobody saw."""
    words, unread = [], []
    for place, character in enumerate(characters):
        left, top = 300 + place * step, round(400 + slope * place * step)
        if character == "?":
            unread.append((left, top, WIDE, HIGH))
        elif character != "_":
            words.append(made.Word(place, place + 1, left, top, WIDE, HIGH, 99.0))
    return characters, words, unread


def is_covered(x: float, y: float, boxes: list[Box]) -> bool:
    return any(left <= x < left + width and top <= y < top + height for left, top, width, height in boxes)


@pytest.mark.parametrize("slope", [0.0, 0.05, -0.05])
@pytest.mark.parametrize(
    "characters", ["14475?7011", "?447507011", "1_4750?011", "_44750701?", "144_507011", "14r7ه07011"]
)
def test_all_characters_of_a_field_are_covered(characters: str, slope: float) -> None:
    boxes = comb_fields(*field(characters, slope=slope))
    for place in range(len(characters)):
        for x in (0, WIDE - 1):
            for y in (0, HIGH - 1):
                assert is_covered(300 + place * STEP + x, 400 + slope * place * STEP + y, boxes)


@pytest.mark.parametrize(
    ("characters", "step"),
    [
        (NUMBER, STEP),
        ("+966501234567", STEP),
        ("1447?", STEP),
        ("abcdef?hij", STEP),
        ("???????", STEP),
        ("14475?7011", 400),
    ],
    ids=["all read", "with its sign", "too short", "letters", "no digit", "far apart"],
)
def test_other_rows_stay(characters: str, step: int) -> None:
    assert comb_fields(*field(characters, step)) == []


def test_a_short_word_far_before_a_field_is_none_of_its_cells() -> None:
    text, words, unread = field("14475?7011")
    label = made.Word(0, 2, 300 - 5 * STEP, 400, 2 * WIDE, 2 * HIGH, 99.0)
    boxes = comb_fields("ID" + text[2:], [label, *words], unread)
    assert boxes
    assert not is_covered(label.left + WIDE, 410, boxes)


def test_uneven_steps_are_no_field() -> None:
    text, words, unread = field("14475?7011")
    shifted = [made.Word(w.start, w.end, w.left + 11 * w.start**2 % 47, w.top, WIDE, HIGH, 99.0) for w in words]
    assert comb_fields(text, shifted, unread) == []


def test_wide_unread_ink_and_words_are_no_cells() -> None:
    text, words, _ = field("144750701_")
    assert comb_fields(text, words, [(300 + 9 * STEP, 400, 8 * HIGH, HIGH)]) == []


def test_many_specks_take_time_in_proportion() -> None:
    specks = [(x, y, 5, 5) for x in range(0, 2000, 20) for y in range(0, 2000, 20)]
    assert comb_fields("", [], specks) == []
