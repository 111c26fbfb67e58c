"""Rotated text is read, and its words have their boxes in the stored raster."""

from collections.abc import Callable
from dataclasses import replace

import numpy as np
import pytest

from pipeline import rereading
from pipeline.documents.document import Raster, Reading
from pipeline.documents.raster.burn import Box, burn
from pipeline.ocr import recognition
from pipeline.ocr.orientation import quarter_turns
from tests.pipeline.documents import papers
from tests.pipeline.documents.papers import NATIONAL_ID
from tests.pipeline.ocr.words import Word


@pytest.mark.parametrize("quarters", [1, 2])
def test_digits_on_their_head_are_read_and_placed(quarters: int) -> None:
    page = papers.picture(f"Identity number {NATIONAL_ID} valid", width=1000)
    stored = np.rot90(page, quarters).copy()
    reading = recognition.read(papers.raster(stored, 200), papers.encoded(stored))
    (sure,) = (word for word in reading.words if reading.text[word.start : word.end] == NATIONAL_ID)
    assert sure.confidence >= 90
    covered = stored.copy()
    covered[sure.top : sure.top + sure.height, sure.left : sure.left + sure.width] = 255
    upright = np.rot90(covered, -quarters).copy()
    said = recognition.read(papers.raster(upright, 200), papers.encoded(upright)).text
    assert NATIONAL_ID not in said and "Identity" in said and "valid" in said


@pytest.mark.parametrize("read", [recognition.read, pytest.param(rereading.read_again, marks=pytest.mark.slow)])
def test_a_page_with_upright_labels_of_an_earlier_redaction_is_turned(read: Callable[[Raster, bytes], Reading]) -> None:
    """Labels are read surely in whatever direction the page lies: they say nothing about it."""
    page = papers.picture(*["Issued in the office at noon"] * 4, f"Identity number {NATIONAL_ID} valid", width=1000)
    stored = np.vstack([np.rot90(page, 2), np.full((900, 1000), 255, np.uint8)])
    burn(stored, [Box(100, top, 700, top + 50, "NATIONAL_ID_01") for top in range(len(page), len(page) + 800, 80)])
    reading = read(papers.raster(stored, 200), papers.encoded(stored))
    assert reading.text.count("NATIONAL_ID_01") >= 10
    assert NATIONAL_ID in reading.text


def test_what_the_turned_page_does_not_explain_follows() -> None:
    """A junk line of the page on its head goes; one that stands elsewhere stays with all its words."""
    turned = Reading("r", "office", (Word(0, 6, 10, 10, 100, 20, 90.0),), ((1, 2, 3, 4),))
    stored = Reading(
        "r",
        "eciffo\n\nhere 12",
        (
            Word(0, 6, 12, 11, 95, 18, 70.0),
            Word(8, 12, 10, 50, 60, 20, 90.0),
            Word(13, 15, 15, 12, 20, 20, 40.0),
        ),
        ((5, 6, 7, 8),),
    )
    found = quarter_turns.with_rest(turned, stored)
    assert found.text == "office\nhere 12"
    assert [found.text[word.start : word.end] for word in found.words] == ["office", "here", "12"]
    assert found.unread == turned.unread
    unsure = replace(turned, words=(Word(0, 6, 10, 10, 100, 20, 59.0),))
    assert quarter_turns.with_rest(unsure, stored).text == "office\neciffo\nhere 12"


@pytest.mark.slow
@pytest.mark.parametrize("read", [recognition.read, rereading.read_again])
@pytest.mark.parametrize("quarters", [1, 2])
def test_a_turned_page_says_no_more_than_an_upright_one(
    read: Callable[[Raster, bytes], Reading], quarters: int
) -> None:
    page = papers.picture("Issued in the office at noon", f"Identity number {NATIONAL_ID} valid", width=1000)
    upright, turned = (
        read(papers.raster(pixels, 200), papers.encoded(pixels)) for pixels in (page, np.rot90(page, quarters).copy())
    )
    assert sorted(turned.text.split()) == sorted(upright.text.split())


def test_only_a_sure_answer_turns_a_page() -> None:
    answer = "Page number: 0\nOrientation in degrees: 180\nRotate: 180\nOrientation confidence: {}\nScript: Latin\n"
    assert quarter_turns.rotation_from_osd(answer.format("2.17")) == 180
    assert quarter_turns.rotation_from_osd(answer.format("0.30")) == 0
    assert quarter_turns.rotation_from_osd(answer.replace("180", "0").format("9.00")) == 0
    assert quarter_turns.rotation_from_osd("") == 0


def test_well_read_pages_are_not_turned() -> None:
    sure, unsure, wrong = (Word(0, 8, 0, 0, 9, 9, confidence) for confidence in (96.0, 70.0, 50.0))
    assert not quarter_turns.may_be_rotated([])
    assert not quarter_turns.may_be_rotated([sure, sure, unsure])
    assert not quarter_turns.may_be_rotated([sure, wrong])
    assert quarter_turns.may_be_rotated([sure, wrong, wrong])
