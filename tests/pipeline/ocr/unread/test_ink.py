"""Unread ink is found in horizontal and vertical lines."""

import numpy as np
import pytest

from pipeline.documents.raster.ink import ink_of
from pipeline.ocr.unread.ink import unread_ink
from tests.pipeline.documents import papers
from tests.pipeline.ocr.words import Word


@pytest.mark.parametrize("quarters", [0, 1, 2, 3])
def test_lines_that_nobody_read_are_unread_on_pages_scanned_sideways(quarters: int) -> None:
    pixels = papers.picture("Mobile number 0501234567", "Identity number 1012345672", width=700)
    turned = np.ascontiguousarray(np.rot90(pixels, quarters))
    covered = np.zeros_like(turned, bool)
    for left, top, width, height in unread_ink(turned, ink_of(turned, 200), "", ()):
        covered[top : top + height, left : left + width] = True
    assert covered[turned < 128].mean() > 0.9


def test_digits_that_ocr_dropped_out_of_a_number_are_unread() -> None:
    pixels = papers.picture("1562408987", width=500)
    left, top = np.argwhere(pixels < 128).min(axis=0)[::-1]
    right, bottom = np.argwhere(pixels < 128).max(axis=0)[::-1] + 1
    digit, height = (right - left) // 10, bottom - top
    words = (
        Word(0, 3, left, top, 4 * digit, height, 94.0),
        Word(4, 5, right - 4 * digit, top, 4 * digit, height, 87.0),
    )
    covered = np.zeros_like(pixels, bool)
    for x, y, wide, high in unread_ink(pixels, ink_of(pixels, 200), "156\t7", words):
        covered[y : y + high, x : x + wide] = True
    assert covered[pixels < 128].all()


@pytest.mark.parametrize("said", ["1562408987", "1,562.08", "12/03/1985", "25%", "A-4471"])
def test_numbers_that_were_read_whole_are_read(said: str) -> None:
    pixels = papers.picture(said, width=500)
    (left, top), (right, bottom) = (f(np.argwhere(pixels < 128)[:, ::-1], axis=0) for f in (np.min, np.max))
    word = Word(0, len(said), left, top, right - left + 1, bottom - top + 1, 94.0)
    assert unread_ink(pixels, ink_of(pixels, 200), said, (word,)) == ()
