"""Boxes that are burned in addition to the findings."""

import cv2
import numpy as np
import pytest

from pipeline.documents.document import Finding, Findings, Reading
from pipeline.documents.raster.burn import Box, boxes_to_burn, burn
from pipeline.ocr.dark_places import dark_places, without_dark_places
from pipeline.ocr.orientation.rotation import Rotation
from tests.pipeline.ocr.words import Word

_UNREAD = (575, 255, 334, 100)


@pytest.mark.parametrize(
    ("text", "left", "unread", "goes"),
    [
        ("007", 919, _UNREAD, True),  # the end of a number whose beginning nobody could read
        ("007", 560, (740, 255, 334, 100), True),  # the beginning of one
        ("007", 990, _UNREAD, False),  # another word
        ("river", 919, _UNREAD, False),
        ("007", 919, (900, 255, 6, 100), False),  # the rule of a table
    ],
)
def test_digits_that_continue_what_nobody_could_read_are_burned(
    text: str, left: int, unread: tuple[int, int, int, int], goes: bool
) -> None:
    word = Word(0, len(text), left, 239, 138 if left > 700 else 170, 74, 93.0)
    boxes = boxes_to_burn([Reading("image", text, (word,), (unread,))], Findings(()))
    assert any(box.left <= word.left and box.right >= word.left + word.width for box in boxes) is goes


def _burned(*boxes: Box) -> np.ndarray:
    pixels = np.full((200, 1700), 200, np.uint8)
    burn(pixels, boxes)
    return pixels


def test_labels_of_overlapping_boxes_do_not_overlap() -> None:
    narrow, wide = Box(100, 50, 330, 100, "ADDRESS_01"), Box(100, 50, 800, 100, "ADDRESS_02")
    both = _burned(wide, narrow)
    assert np.array_equal(both[:, :330], _burned(Box(100, 50, 800, 100), narrow)[:, :330])
    assert (both[:, 330:] == 255).any()
    assert np.array_equal(_burned(narrow, narrow._replace(label="ADDRESS_02")), _burned(narrow))


LABELLED = Box(100, 50, 330, 100, "DATE_01")


@pytest.mark.parametrize(
    ("other", "joined"),
    [
        (Box(98, 54, 332, 96), (98, 50, 332, 100)),  # as large, and a little elsewhere
        (Box(326, 56, 440, 98), (100, 50, 440, 100)),  # beside it
        (Box(330, 50, 440, 70), None),  # of another line
        (Box(300, 98, 500, 140), None),
        (Box(334, 50, 440, 100), None),  # apart
    ],
)
def test_boxes_that_nearly_are_a_rectangle_become_one(other: Box, joined: tuple[int, int, int, int] | None) -> None:
    burned = _burned(LABELLED, other)
    if joined is None:
        apart = np.full_like(burned, 200)
        for box in (LABELLED, other):
            apart[box.top : box.bottom, box.left : box.right] = 0
        assert np.array_equal(burned == 200, apart == 200)
    else:
        assert np.array_equal(burned == 200, _burned(Box(*joined)) == 200)
        ((text, *_),) = without_dark_places(burned, dark_places(burned))[1]
        assert text == "DATE_01"


def test_a_high_area_keeps_its_outline() -> None:
    pixels = np.full((400, 600), 200, np.uint8)
    burn(pixels, [Box(100, 50, 330, 350), Box(98, 60, 332, 340)])
    assert (pixels[50:60, 98:100] == 200).all()


def test_a_label_in_a_large_box_is_no_larger_than_in_a_line_of_text() -> None:
    rows = np.flatnonzero((_burned(Box(0, 0, 1600, 200, "NATIONAL_ID_01")) == 255).any(axis=1))
    assert 10 < rows[-1] - rows[0] < 36


def test_overlapping_boxes_of_one_value_have_one_label() -> None:
    narrow, wide = Box(100, 50, 700, 100, "IBAN_01"), Box(98, 48, 704, 102, "IBAN_01")
    assert np.array_equal(_burned(wide, narrow), _burned(wide._replace(label=""), narrow))


@pytest.mark.parametrize("degrees", [-35, 12])
@pytest.mark.parametrize("shape", [(900, 1200), (900, 1200, 3), (900, 1200, 4)])
def test_slanted_words_are_burned_along_their_line_with_a_label_along_it(
    shape: tuple[int, ...], degrees: float
) -> None:
    rotation = Rotation(degrees, shape[:2])
    rows, columns = rotation.shape
    first, last = ((columns // 2 + left, rows // 2, 180, 40) for left in (-200, 20))
    words = (Word(0, 4, *first, 90.0), Word(5, 10, *last, 90.0))
    reading = rotation.in_stored(Reading("image", "Sara Salem", words))
    pixels = np.full(shape, 200, np.uint8)
    burn(pixels, boxes_to_burn([reading], Findings((Finding("image", 0, 10, "PERSON_NAME", "PERSON_NAME_01"),))))
    level = np.asarray(rotation.image(pixels if pixels.ndim == 2 else pixels[..., 0]))
    top, left = rows // 2, columns // 2 - 200
    burned = cv2.boundingRect((level < 100).astype(np.uint8))
    assert np.allclose(burned, (left - 5, top - 5, 410, 50), atol=3)
    ((text, *_),) = without_dark_places(level, dark_places(level))[1]
    assert text == "PERSON_NAME_01"
    assert pixels.ndim == 2 or pixels.shape[2] == 3 or (pixels[pixels[..., 0] < 100][..., 3] == 255).all()


def test_of_a_value_over_two_lines_each_part_is_burned() -> None:
    words = (Word(0, 4, 800, 100, 100, 40, 99.0), Word(5, 12, 100, 160, 150, 40, 99.0))
    found = Findings((Finding("image", 0, 12, "PERSON_NAME", "PERSON_NAME_01"),))
    boxes = boxes_to_burn([Reading("image", "Sara Example", words)], found)
    assert [(box.left, box.top, box.right, box.bottom) for box in boxes] == [(795, 95, 905, 145), (95, 155, 255, 205)]
    beside = (words[0], Word(5, 12, 920, 106, 150, 40, 99.0))
    assert len(boxes_to_burn([Reading("image", "Sara Example", beside)], found)) == 1
