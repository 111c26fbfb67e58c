"""Slanted pages are read level."""

import math
from collections.abc import Callable

import cv2
import numpy as np
import pytest

from pipeline import rereading
from pipeline.documents.document import Raster, Reading
from pipeline.networks.text_line import TextLine
from pipeline.networks.text_map import TextMap, Thresholds
from pipeline.ocr import recognition
from pipeline.ocr.hidden_text import Shown
from pipeline.ocr.orientation.skew import skew
from pipeline.ocr.page import Page, deskewing
from tests.pipeline.documents import papers
from tests.pipeline.documents.papers import NATIONAL_ID


def lines(*degrees: float, width: float = 300.0) -> list[TextLine]:
    angles = map(math.radians, degrees)
    return [TextLine(50, 50, (math.cos(angle), math.sin(angle)), width, 30, 0.9) for angle in angles]


@pytest.mark.parametrize(
    ("angles", "expected"),
    [
        ((), 0),
        ((14, 14, 15), 14),
        ((-30,), -30),
        ((0, 0, 0, 30), 0),  # a note across a page
        ((20, 20, 20, 0), 20),
        ((100, 100, 101), 10),  # on its side
        ((-80, 10, 10), 10),
        ((44, 44, -45), 44),
        ((5, -20, 33, 12, -40), 0),  # leaves and branches
    ],
)
def test_most_lines_tell_the_angle(angles: tuple[float, ...], expected: float) -> None:
    assert skew(lines(*angles)) == pytest.approx(expected, abs=0.5)


def test_short_lines_have_no_angle() -> None:
    assert skew([*lines(20, 20, 20, 20, width=80), *lines(3)]) == pytest.approx(3)


def test_a_large_watermark_is_no_more_than_a_line() -> None:
    (watermark,) = lines(40, width=1500)
    assert skew([watermark._replace(height=150), *lines(0, 0, 1)]) == pytest.approx(0, abs=1)


def slanted(page: np.ndarray, degrees: float) -> np.ndarray:
    height, width = page.shape
    side = int(math.hypot(height, width)) + 40
    place = cv2.getRotationMatrix2D((width / 2, height / 2), -degrees, 1.0)
    place[:, 2] += (side - width) / 2, (side - height) / 2
    return cv2.warpAffine(page, place, (side, side), borderValue=255)


@pytest.mark.parametrize("degrees", [-20, 9])
@pytest.mark.parametrize("read", [recognition.read, pytest.param(rereading.read_again, marks=pytest.mark.slow)])
def test_a_label_and_its_value_are_one_line_of_a_slanted_page(
    read: Callable[[Raster, bytes], Reading], degrees: float
) -> None:
    rows = [("Name", "Sara Salem"), ("Number", NATIONAL_ID), ("Office", "Second floor"), ("Date", "Monday morning")]
    page = np.hstack([papers.picture(*texts, width=700) for texts in zip(*rows, strict=True)])
    stored = slanted(page, degrees)
    reading = read(papers.raster(stored, 200), papers.encoded(stored))
    said = [line.split() for line in reading.text.splitlines()]
    assert all(f"{label} {value}".split() in said for label, value in rows)
    (word,) = (word for word in reading.words if reading.text[word.start : word.end] == NATIONAL_ID)
    stored[word.top : word.top + word.height, word.left : word.left + word.width] = 255
    assert NATIONAL_ID not in read(papers.raster(stored, 200), papers.encoded(stored)).text


@pytest.mark.parametrize(("shape", "is_turned"), [((2000, 1500), True), ((200, 9000), False)])
def test_a_long_strip_of_paper_stays_as_it_is(shape: tuple[int, int], is_turned: bool) -> None:
    """Level, it would have many times as many pixels."""
    probabilities = np.zeros(shape, np.float32)
    for left in range(50, shape[1] - 400, 400):
        cv2.line(probabilities, (left, 60), (left + 300, 120), 1.0, 16)
    where = TextMap(probabilities, shape, Thresholds(0.3, 0.1, 0.5))
    page = Page(Shown(np.zeros(shape, np.uint8)), where, where.lines(), skew(where.lines()), ())
    assert (deskewing(page) is not None) == is_turned
