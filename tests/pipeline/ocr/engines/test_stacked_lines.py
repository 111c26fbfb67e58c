"""Lines that Tesseract reads in one picture, and in several where they are too many for it."""

import numpy as np

from pipeline.ocr.engines.stacked_lines import words_of_lines
from tests.pipeline.documents import papers


def test_more_lines_than_a_picture_of_tesseract_may_be_high_are_read() -> None:
    """A noisy page has so many that may be text, and was refused."""
    blank = np.full((50, 120), 255, np.uint8)
    page = papers.picture("Identity 1012345672", width=500)
    rows = np.flatnonzero((page < 128).any(axis=1))
    written = page[rows[0] - 12 : rows[-1] + 13]
    lines = [written, *[blank] * 348, written]
    found = words_of_lines(lines, "eng")
    assert [" ".join(word.text for word in words) for words in (found[0], found[-1])] == ["Identity 1012345672"] * 2
    assert len(found) == len(lines)
