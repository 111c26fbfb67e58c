"""Columns and spaced rows of characters: partly read numbers are unread, read columns joined, ordinary ones stay."""

from collections.abc import Sequence
from typing import Any

import numpy as np
import pytest
from PIL import Image, ImageDraw

from pipeline.documents.raster.ink import Mark, ink_of
from pipeline.ocr.layout.columns import counts, with_column_lines
from pipeline.ocr.unread.ink import unread_ink
from tests.pipeline import low_contrast_images
from tests.pipeline.ocr.words import Word

NATIONAL_ID = "1058374925"


def stacked(signs: str, step: int = 84) -> Any:
    """A column of characters on the left of a page with a line of text above."""
    picture = Image.new("L", (640, 80 + step * len(signs)), 255)
    draw = ImageDraw.Draw(picture)
    for number, sign in enumerate(signs):
        draw.text((40, 60 + step * number), sign, font=low_contrast_images.font(28), fill=0)
    return np.asarray(picture)


def read(image: Any, signs: str, which: range) -> tuple[str, tuple[Word, ...]]:
    """A reading in which these characters were read with confidence, one per line."""
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


def test_two_zeros_that_are_dots_leave_a_number_one() -> None:
    """Eastern zeros are too small for characters."""
    image = stacked("10583  492")
    assert [box[3] >= 9 * 84 for box in unread_ink(image, ink_of(image, 200), "", ())] == [True]


@pytest.mark.parametrize("signs", ["□□□□□□□□", "●●●●●●●●", "□■□■■□□■", "12345"], ids=str)
def test_check_boxes_bullets_and_short_columns_stay(signs: str) -> None:
    assert unread(signs) == ()


def test_row_numbers_of_which_some_were_read_stay() -> None:
    assert unread("123456789", range(5)) == ()


def test_what_was_read_whole_is_left_to_detection() -> None:
    image = stacked(NATIONAL_ID)
    text, words = read(image, NATIONAL_ID, range(10))
    assert unread_ink(image, ink_of(image, 200), text, words) == ()
    said, every = with_column_lines(text, words)
    assert said == f"{text}\n{NATIONAL_ID}"
    assert [said[word.start : word.end] for word in every[10:]] == list(NATIONAL_ID)
    assert [word.top for word in every[10:]] == [word.top for word in words]


def test_a_column_that_was_read_around_an_empty_place_goes_whole() -> None:
    """An Eastern zero is a dot, and no mark: what was read is not all of the number."""
    image = stacked("1058 74925")
    text, words = read(image, "105874925", range(9))
    assert [box[3] >= 9 * 84 for box in unread_ink(image, ink_of(image, 200), text, words)] == [True]


def test_digits_that_stand_beside_each_other_are_no_column() -> None:
    words = tuple(Word(2 * n, 2 * n + 1, 40 * n, 10, 18, 25, 96.0) for n in range(8))
    assert with_column_lines("1 2 3 4 5 6 7 8", words) == ("1 2 3 4 5 6 7 8", words)


MARKS = ("ABCDEFGHIJ", "5858455218", "9424865366", "0795585224", "4404522749")


def table(columns: Sequence[str], apart: int = 150) -> Any:
    """Columns of characters side by side."""
    picture = Image.new("L", (80 + apart * len(columns), 80 + 70 * max(map(len, columns))), 255)
    draw = ImageDraw.Draw(picture)
    for place, signs in enumerate(columns):
        for number, sign in enumerate(signs):
            draw.text((40 + apart * place, 60 + 70 * number), sign, font=low_contrast_images.font(26), fill=0)
    return np.asarray(picture)


def read_in(image: Any, columns: Sequence[str], whole: Sequence[int], least: int, doubtful: Sequence[int] = ()) -> Any:
    """A reading of these columns completely, and of the first characters of the others."""
    boxes = sorted((tuple(map(int, box)) for box in ink_of(image, 200).boxes), key=lambda box: (box[0] // 150, box[1]))
    text, words = "", []
    for place, signs in enumerate(columns):
        column, boxes = boxes[: len(signs)], boxes[len(signs) :]
        for number, (left, top, right, bottom) in enumerate(column):
            if place in whole or number < least:
                sure = 40.0 if place in doubtful and number > 3 else 96.0
                word = Word(len(text), len(text) + 1, left, top, right - left, bottom - top, sure)
                words.append(word)
                text += signs[number] + "\n"
    return text, tuple(words)


@pytest.mark.parametrize("signs", ["9876543210", "987654321", "0246802468", "8901234567", "ABCDEFGHIJ", "ابجدهوزحطي"])
@pytest.mark.parametrize("missed", [1, 2], ids=str)
def test_what_counts_or_stands_in_the_order_of_the_alphabet_stays(signs: str, missed: int) -> None:
    """Arabic letters and their dots are several marks, so only the reading decides."""
    column = [Mark(40, 60 + 70 * n, 16, 22) for n in range(len(signs))]
    said = {n: sign for n, sign in enumerate(signs) if n not in (4, 7)[:missed]}
    assert counts(column, said)
    assert not counts(column, {**said, 2: said[3]})


def test_a_count_stays_a_count_where_a_row_was_not_seen() -> None:
    column = [Mark(40, 60 + 70 * n, 16, 22) for n in range(9) if n != 4]
    assert counts(column, dict(enumerate("98764321"[:4])) | {4: "4", 5: "3", 6: "2", 7: "1"})


@pytest.mark.parametrize("signs", ["9876543210", "0123456789", "987654321"])
@pytest.mark.parametrize("which", [range(0), range(3), range(8)], ids=["none", "three", "eight"])
def test_the_numbers_at_an_axis_stay(signs: str, which: range) -> None:
    assert unread(signs, which) == ()


def test_a_number_of_ten_different_digits_that_was_read_in_part_goes() -> None:
    assert len(unread("1047825936", range(3))) == 1


def test_letters_stay_in_any_order() -> None:
    assert unread("CFDGHNRKPC", range(7)) == ()


def test_letters_that_digits_are_misread_as_are_no_letters() -> None:
    image = stacked(NATIONAL_ID)
    _, words = read(image, NATIONAL_ID, range(8))
    assert len(unread_ink(image, ink_of(image, 200), "\n".join("VASEOWIT"), words)) == 1


def test_a_table_of_single_digits_stays() -> None:
    image = table(MARKS)
    assert unread_ink(image, ink_of(image, 200), *read_in(image, MARKS, (0,), 8)) == ()
    assert unread_ink(image, ink_of(image, 200), "", ()) == ()


def test_two_columns_are_no_table() -> None:
    image = table(MARKS[1:3])
    assert len(unread_ink(image, ink_of(image, 200), "", ())) == 2


def test_an_identity_number_in_a_table_goes_alone() -> None:
    columns = (*MARKS[:2], NATIONAL_ID, *MARKS[2:])
    image = table(columns)
    text, words = read_in(image, columns, (2,), 8, doubtful=(2,))
    tall = [box for box in unread_ink(image, ink_of(image, 200), text, words) if box[3] > 600]
    assert [box[0] // 150 for box in tall] == [2]


def test_of_a_table_only_what_check_digits_prove_is_put_together() -> None:
    columns = (*MARKS[:2], NATIONAL_ID, *MARKS[2:])
    text, words = read_in(table(columns), columns, range(5), 0)
    assert with_column_lines(text, words)[0] == f"{text}\n{NATIONAL_ID}"


def test_a_count_that_was_read_whole_is_not_put_together() -> None:
    image = stacked("9876543210")
    text, words = read(image, "9876543210", range(10))
    assert with_column_lines(text, words) == (text, words)


def in_a_row(*rows: str, step: int = 70) -> Any:
    """Characters beside each other with room between them, below a line of text."""
    picture = Image.new("L", (80 + step * max(map(len, rows)), 160 + 90 * len(rows)), 255)
    draw = ImageDraw.Draw(picture)
    draw.text((40, 20), "Identity number", font=low_contrast_images.font(28), fill=0)
    for line, signs in enumerate(rows):
        for place, sign in enumerate(signs):
            draw.text((40 + step * place, 120 + 90 * line), sign, font=low_contrast_images.font(28), fill=0)
    return np.asarray(picture)


def left_of_row(image: Any, signs: str, missed: Sequence[int] = range(10)) -> list[int]:
    """The places of which ink is left, of a row in which all but these were read with confidence."""
    ink = ink_of(image, 200)
    boxes = sorted((tuple(map(int, box)) for box in ink.boxes if 110 < box[1] < 200), key=lambda box: box[0])
    places = [place for place, sign in enumerate(signs) if sign != " "]
    text, words = "Identity number", [Word(0, 15, 40, 20, 240, 40, 96.0)]
    for place, (left, top, right, bottom) in zip(places, boxes, strict=True):
        if place not in missed:
            text += "\t" + signs[place]
            words.append(Word(len(text) - 1, len(text), left, top, right - left, bottom - top, 96.0))
    burned = unread_ink(image, ink, text, words)
    return [
        place
        for place, (left, top, right, bottom) in zip(places, boxes, strict=True)
        if not any(x <= left and y <= top and right <= x + w and bottom <= y + h for x, y, w, h in burned)
    ]


@pytest.mark.parametrize("step", [60, 70, 100])
@pytest.mark.parametrize("missed", [range(10), (2,), (0, 5, 9)], ids=["all", "one", "three"])
def test_a_number_with_room_between_its_digits_that_was_not_read_whole_goes_whole(
    step: int, missed: Sequence[int]
) -> None:
    assert left_of_row(in_a_row(NATIONAL_ID, step=step), NATIONAL_ID, missed) == []


def test_a_number_with_room_in_which_a_digit_is_no_mark_goes_whole() -> None:
    """Eastern zeros are dots; what was read around them is not all of the number."""
    assert left_of_row(in_a_row("1 58374925"), "1 58374925", ()) == []


@pytest.mark.parametrize(
    ("signs", "missed"),
    [
        (NATIONAL_ID, ()),  # read whole: detection decides
        ("1234567890", (3, 4)),  # the marks of an axis
        ("CFDGHNRKPC", (8, 9)),
        ("□□□□□□□□□□", range(10)),
        ("12345", range(5)),
    ],
    ids=str,
)
def test_other_rows_with_room_stay(signs: str, missed: Sequence[int]) -> None:
    assert left_of_row(in_a_row(signs), signs, missed) == list(range(len(signs)))


def test_rows_of_a_table_of_single_digits_stay() -> None:
    image = in_a_row("5858455218", "9424865366", "0795585224", "4404522749")
    assert unread_ink(image, ink_of(image, 200), "Identity number", [Word(0, 15, 40, 20, 240, 40, 96.0)]) == ()


@pytest.mark.parametrize("slope", [0.0, 0.04], ids=["level", "slanted"])
@pytest.mark.parametrize(
    ("beside", "is_table"), [(("ink", "4.50"), True), (("ink",), False), (("a column of prose in many words",), False)]
)
def test_a_column_in_rows_with_other_cells_is_none_that_may_be_a_number(
    beside: Sequence[str], is_table: bool, slope: float
) -> None:
    """Quantities between items and prices are; beside one column of words a number may stand."""
    image, said, words = stacked(NATIONAL_ID), "", []
    for row in range(len(NATIONAL_ID)):
        for cell, text in enumerate(beside):
            for number, word in enumerate(text.split()):
                left = 200 + 200 * cell + 50 * number
                start = len(said)
                said += f"{word} "
                words.append(
                    Word(start, start + len(word), left, int(64 + 84 * row + slope * (left - 40)), 40, 24, 96.0)
                )
    found = unread_ink(image, ink_of(image, 200), said, tuple(words), slope)
    assert any(box[3] > 600 for box in found) is not is_table
