"""Rasters are turned by any angle, and places in them found in the stored raster."""

import cv2
import numpy as np
import pytest

from pipeline.documents.document import Engine, Reading
from pipeline.geometry.strip import Strip
from pipeline.ocr.layout.lines import OcrWord
from pipeline.ocr.orientation.rotation import Rotation
from tests.pipeline.ocr.words import Word


@pytest.mark.parametrize(("degrees", "quarters"), [(90, -1), (180, 2), (270, 1)])
def test_quarter_turns_are_exact(degrees: int, quarters: int) -> None:
    stored = np.random.default_rng(3).integers(0, 256, (40, 101), np.uint8)
    assert (Rotation(degrees, stored.shape).image(stored) == np.rot90(stored, quarters)).all()


@pytest.mark.parametrize("degrees", [90, 180, 270])
def test_places_come_back_from_a_quarter_turn(degrees: int) -> None:
    stored = np.zeros((40, 100), np.uint8)
    stored[5:12, 60:90] = 1
    rotation = Rotation(degrees, stored.shape)
    rows, columns = np.nonzero(rotation.image(stored))
    left, top = int(columns.min()), int(rows.min())
    width, height = int(np.ptp(columns)) + 1, int(np.ptp(rows)) + 1
    middle = {
        90: Strip(left + width / 2, top, 0, height, width),
        180: Strip(left + width, top + height / 2, -width, 0, height),
        270: Strip(left + width / 2, top + height, 0, -height, width),
    }[degrees]
    box = (left, top, width, height)
    found = rotation.in_stored(Reading("image", "value", (Word(0, 5, *box, 96.0),), (box,), (middle,)))
    assert found == Reading(
        "image", "value", (Word(0, 5, 60, 5, 30, 7, 96.0),), ((60, 5, 30, 7),), (Strip(60, 8.5, 30, 0, 7),)
    )


@pytest.mark.parametrize("degrees", [-44, -14, 5, 30])
def test_places_come_back_from_any_angle(degrees: float) -> None:
    """The word's box is the one around it, and its strip lies over it; boxes of unread ink cover little else."""
    stored = np.zeros((400, 600), np.uint8)
    rotation = Rotation(degrees, stored.shape)
    turned = np.zeros(rotation.shape, np.uint8)
    rows, columns = rotation.shape
    box = (columns // 2 - 100, rows // 2 + 30, 200, 24)
    turned[box[1] : box[1] + 24, box[0] : box[0] + 200] = 255
    drawn = Rotation(-degrees, turned.shape).image(turned)
    rows, columns = (side // 2 for side in drawn.shape)
    drawn = drawn[rows - 200 : rows + 200, columns - 300 : columns + 300] > 128
    found = rotation.in_stored(Reading("image", "value", (Word(0, 5, *box, 96.0),), (box,)))
    covered, (word,) = np.zeros_like(drawn), found.words
    for left, top, width, height in found.unread:
        covered[top : top + height, left : left + width] = True
    assert covered[drawn].mean() > 0.97 and covered.sum() < 2.2 * drawn.sum()
    there = cv2.boundingRect(drawn.astype(np.uint8))
    assert np.allclose((word.left, word.top, word.width, word.height), there, atol=2)
    over = np.zeros(drawn.shape, np.uint8)
    cv2.fillConvexPoly(over, np.rint(word.strip.corners).astype(np.int32), 1)
    assert over[drawn].mean() > 0.97 and over.sum() < 1.1 * drawn.sum()


def test_all_of_a_raster_stays_in_view_and_its_corners_are_paper() -> None:
    stored = np.full((300, 500), 200, np.uint8)
    stored[:20, :20] = stored[-20:, -20:] = 0
    turned = Rotation(30, stored.shape).image(stored)
    assert (turned < 100).sum() == pytest.approx(800, rel=0.05)
    assert (turned[[0, 0, -1, -1], [0, -1, 0, -1]] == 200).all()


def test_what_was_read_beyond_the_edge_is_placed_at_it() -> None:
    rotation = Rotation(20, (200, 300))
    reading = Reading("image", "value", (Word(0, 5, 0, 0, 9, 9, 50.0),), ((0, 0, 9, 9),))
    found = rotation.in_stored(reading)
    (word,) = found.words
    assert 0 <= word.left < word.left + word.width <= 300 and 0 <= word.top < word.top + word.height <= 200
    assert not found.unread


def test_upright_labels_stay_upright_around_their_place() -> None:
    rotation = Rotation(90, (200, 300))
    (label,) = rotation.turned([OcrWord("DATE_01", 10, 20, 100, 30, 96.0, Engine.LABEL)])
    assert label[1:5] == (200 - 35 - 50, 60 - 15, 100, 30)
