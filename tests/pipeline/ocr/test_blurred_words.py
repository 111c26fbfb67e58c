"""A word in ink that is too blurred to be read has little confidence, whoever read it."""

import cv2
import numpy as np
import pytest

from pipeline.ocr.engines.line_word import LineWord
from pipeline.ocr.line_reading.blurred_words import without_blurred
from tests.pipeline.documents import papers


def line() -> np.ndarray:
    """A line of text, as high as one."""
    pixels = papers.picture("Identity number")
    rows, columns = np.nonzero(pixels < 128)
    return pixels[rows.min() - 4 : rows.max() + 5, columns.min() - 4 : columns.max() + 5]


def confidence(cut: np.ndarray) -> float:
    """Of a word in all of a line, which an engine is sure of."""
    (word,) = without_blurred(cut, [LineWord("word", 0, cut.shape[1], 96.0)])
    return word.confidence


@pytest.mark.parametrize(("share", "expected"), [(0.02, 96.0), (0.05, 96.0), (0.09, 50.0), (0.13, 50.0)])
@pytest.mark.parametrize("contrast", [0.2, 1.0])
def test_blur_in_heights_of_the_line(share: float, expected: float, contrast: float) -> None:
    cut = line()
    blurred = cv2.GaussianBlur(cut, (0, 0), share * len(cut))
    assert confidence((255 - (255 - blurred) * contrast).astype(np.uint8)) == expected


def test_each_word_by_its_own_ink() -> None:
    cut = line()
    half = cut.shape[1] // 2
    cut[:, half:] = cv2.GaussianBlur(cut[:, half:], (0, 0), 0.1 * len(cut))
    words = [LineWord("one", 0, half - 20, 96.0), LineWord("two", half + 20, cut.shape[1] + 9, 96.0)]
    assert [word.confidence for word in without_blurred(cut, [*words, words[1]._replace(confidence=20.0)])] == [
        96,
        50,
        20,
    ]


def test_where_nothing_is() -> None:
    assert without_blurred(np.zeros((30, 0), np.uint8), []) == []
    assert confidence(np.full((30, 50), 255, np.uint8)) == 96.0
    outside = LineWord("word", 60, 70, 96.0)
    assert without_blurred(np.full((30, 50), 255, np.uint8), [outside]) == [outside]
