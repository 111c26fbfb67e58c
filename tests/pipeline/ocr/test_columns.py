"""Characters one to a line: half-read numbers go whole, read ones are put together, ordinary columns stay."""

from typing import Any

import numpy as np
import pytest
from PIL import Image, ImageDraw

from pipeline.documents.document import Word
from pipeline.documents.ink import ink_of
from pipeline.ocr.columns import spelled
from pipeline.ocr.unread import unread_ink
from tests.pipeline import hues

NATIONAL_ID = "1058374925"


def stacked(signs: str, step: int = 84) -> Any:
    """Signs one to a line, at the left of a page with a line of text above."""
    picture = Image.new("L", (640, 80 + step * len(signs)), 255)
    draw = ImageDraw.Draw(picture)
    for number, sign in enumerate(signs):
        draw.text((40, 60 + step * number), sign, font=hues.font(28), fill=0)
    return np.asarray(picture)


def read(image: Any, signs: str, which: range) -> tuple[str, tuple[Word, ...]]:
    """A reading in which those signs were read with confidence, each a line of its own."""
    boxes = sorted((tuple(box) for box in ink_of(image, 200).boxes), key=lambda box: box[1])
    words = []
    for place, number in enumerate(which):
        left, top, right, bottom = map(int, boxes[number])
        words.append(Word(2 * place, 2 * place + 1, left, top, right - left, bottom - top, 96.0))
    return "\n".join(signs[number] for number in which), tuple(words)


def unread(signs: str, which: range = range(0), step: int = 84) -> tuple[tuple[int, int, int, int], ...]:
    image = stacked(signs, step)
    return unread_ink(image, ink_of(image, 200), *read(image, signs, which))


@pytest.mark.parametrize("step", [48, 84, 110])
@pytest.mark.parametrize("which", [range(0), range(5), range(0, 10, 2)], ids=["none", "half", "every other"])
def test_a_number_one_digit_to_a_line_that_was_not_read_whole_goes_whole(which: range, step: int) -> None:
    boxes = unread(NATIONAL_ID, which, step)
    tallest = max(boxes, key=lambda box: box[3])
    assert tallest[1] <= 70 and tallest[1] + tallest[3] >= 60 + 9 * step + 20


@pytest.mark.parametrize("signs", ["□□□□□□□□", "●●●●●●●●", "□■□■■□□■", "12345"], ids=str)
def test_check_boxes_bullets_and_short_columns_stay(signs: str) -> None:
    assert unread(signs) == ()


def test_row_numbers_of_which_some_were_read_stay() -> None:
    assert unread("123456789", range(5)) == ()


def test_what_was_read_whole_is_left_to_detection() -> None:
    image = stacked(NATIONAL_ID)
    text, words = read(image, NATIONAL_ID, range(10))
    assert unread_ink(image, ink_of(image, 200), text, words) == ()
    said, every = spelled(text, words)
    assert said == f"{text}\n{NATIONAL_ID}"
    assert [said[word.start : word.end] for word in every[10:]] == list(NATIONAL_ID)
    assert [word.top for word in every[10:]] == [word.top for word in words]


def test_digits_that_stand_beside_each_other_are_no_column() -> None:
    words = tuple(Word(2 * n, 2 * n + 1, 40 * n, 10, 18, 25, 96.0) for n in range(8))
    assert spelled("1 2 3 4 5 6 7 8", words) == ("1 2 3 4 5 6 7 8", words)
