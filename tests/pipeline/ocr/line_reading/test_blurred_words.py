"""A word in ink that is too blurred to be read has little confidence, whoever read it."""

from collections.abc import Callable

import cv2
import numpy as np
import pytest
from PIL import Image, ImageDraw, ImageFont

from pipeline.ocr.line_reading.blurred_words import without_blurred
from tests.pipeline.documents import papers
from tests.pipeline.ocr.words import LineWord

ARABIC = papers.FONTS / "truetype/noto/NotoNaskhArabic-Regular.ttf"
TEXTS = ("Identity number", "1012345672", "المراجعة", "٠٥٠١٢٣٤٥٦٧")
Marked = Callable[[np.ndarray], None]


def line(text: str, size: int = 40) -> np.ndarray:
    """A line of text, as high as one."""
    font = ImageFont.truetype(str(papers.DEJAVU if text.isascii() else ARABIC), size)
    picture = Image.new("L", (size * len(text), 3 * size), 255)
    ImageDraw.Draw(picture).text((size, size), text, 0, font)
    pixels = np.array(picture)
    rows, columns = np.nonzero(pixels < 128)
    return pixels[rows.min() - 4 : rows.max() + 5, columns.min() - 4 : columns.max() + 5]


def confidence(cut: np.ndarray) -> float:
    """Of a word in all of a line, which an engine is sure of."""
    (word,) = without_blurred(cut, [LineWord("word", 0, cut.shape[1], 96.0)])
    return word.confidence


@pytest.mark.parametrize("text", TEXTS)
@pytest.mark.parametrize(("share", "expected"), [(0.02, 96.0), (0.04, 96.0), (0.1, 50.0), (0.13, 50.0)])
@pytest.mark.parametrize("contrast", [0.2, 1.0])
def test_blur_in_heights_of_the_line(text: str, share: float, expected: float, contrast: float) -> None:
    cut = line(text)
    blurred = cv2.GaussianBlur(cut, (0, 0), share * len(cut))
    assert confidence((255 - (255 - blurred) * contrast).astype(np.uint8)) == expected


@pytest.mark.parametrize("size", [8, 12, 16, 120])
@pytest.mark.parametrize("text", TEXTS)
def test_sharp_letters_of_any_size(text: str, size: int) -> None:
    assert confidence(line(text, size)) == 96.0


def speck(cut: np.ndarray) -> None:
    cut[len(cut) // 2, cut.shape[1] // 2] = 0


def rule(cut: np.ndarray) -> None:
    cut[-3:-1] = 0


def sides(cut: np.ndarray) -> None:
    cut[:, :2] = cut[:, -2:] = 0


def noise(cut: np.ndarray) -> None:
    drawn = np.random.default_rng(5).normal(0, 20, cut.shape)
    cut[:] = np.clip(cut + drawn, 0, 255).astype(np.uint8)


@pytest.mark.parametrize("mark", [speck, rule, sides, noise])
def test_what_is_sharp_beside_blurred_ink(mark: Marked) -> None:
    cut = line("٠٥٠١٢٣٤٥٦٧")
    cut = cv2.GaussianBlur(cut, (0, 0), 0.12 * len(cut))
    mark(cut)
    assert confidence(cut) == 50.0


def test_each_word_by_its_own_ink() -> None:
    cut = line("Identity number")
    half = cut.shape[1] // 2
    cut[:, half:] = cv2.GaussianBlur(cut[:, half:], (0, 0), 0.12 * len(cut))
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
