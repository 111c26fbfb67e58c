"""Latin words and ASCII digits in lines of text; everything else is nothing sure."""

import numpy as np
import pytest
from PIL import Image, ImageDraw

from pipeline.ocr.engines.latin_recognizer import is_sure, latin_words
from pipeline.ocr.engines.text_detector import text_map
from tests.pipeline import low_contrast_images
from tests.pipeline.documents import papers
from tests.pipeline.ocr.words import LineWord


def line_of(text: str) -> np.ndarray:
    pixels = papers.picture(text, width=1300)
    (line,) = text_map(pixels).lines()
    return line.cut(pixels)


@pytest.mark.parametrize(
    "text",
    [
        "Identity number 1012345672 valid",
        "IBAN SA03 8000 0000 6080 1016 7519",
        "y.alnamothaji@example.com",
        "Employer's national ID: 1072645185",
        "14/08/1989 at 11:11, total 1,411.10",
    ],
)
def test_words_are_read_with_their_blanks(text: str) -> None:
    words = latin_words(line_of(text))
    assert [word.text for word in words] == text.split()
    assert all(map(is_sure, words))


def test_words_stand_where_their_ink_is() -> None:
    cut = line_of("Identity number 1012345672")
    first, second, third = latin_words(cut)
    assert first.right < second.left < second.right < third.left
    ink = np.flatnonzero((cut < 128).any(axis=0))
    assert abs(first.left - ink[0]) < len(cut) / 2 and abs(third.right - ink[-1]) < len(cut) / 2


@pytest.mark.parametrize("text", ["رقم الهوية للعميل", "١٠١٢٣٤٥٦٧٢", "٧٨٧٨", "٠٥٥١٢٣٤٥٦٧"])
def test_other_scripts_are_nothing_sure(text: str) -> None:
    assert not any(map(is_sure, latin_words(line_of(text))))


@pytest.mark.parametrize(
    ("text", "confidence", "expected"),
    [
        ("reem.alshammari@example.com", 90, True),
        ("majed38@mail.example.com.sa", 41, True),
        ("majed38@mail.example.com.sa", 39, False),
        ("reem.alshammari", 90, False),
        ("r@e", 90, False),
        ("VAVA@VAVA", 90, False),
    ],
)
def test_a_whole_mail_address_is_latin_by_its_form(text: str, confidence: float, expected: bool) -> None:
    assert is_sure(LineWord(text, 0, 100, confidence)) is expected


@pytest.mark.parametrize("shape", [(1, 1), (2, 5000), (300, 1), (20, 40)])
@pytest.mark.parametrize("level", [0, 128, 255])
def test_blank_lines_of_any_shape_hold_no_sure_word(shape: tuple[int, int], level: int) -> None:
    assert not any(map(is_sure, latin_words(np.full(shape, level, np.uint8))))


@pytest.mark.parametrize("points", [16, 20, 26])
@pytest.mark.parametrize("text", ["851.50", "881.75", "1,111.11", "341.10"])
def test_a_one_before_a_point_ends_no_number(text: str, points: int) -> None:
    """Digits are of one width in most fonts, with much room beside a one."""
    font = low_contrast_images.font(points)
    _, top, right, bottom = map(int, font.getbbox(text))
    picture = Image.new("L", (right + 8, bottom - top + 4), 255)
    ImageDraw.Draw(picture).text((4, 2 - top), text, 0, font)
    assert [word.text for word in latin_words(np.asarray(picture))] == [text]
