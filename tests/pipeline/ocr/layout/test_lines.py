"""Words in lines: order by box, separators, offsets and confidence."""

import pytest

from pipeline.ocr.layout.lines import compose
from pipeline.ocr.unread.ink import is_confident
from tests.pipeline.ocr.words import OcrWord


def seen(*words: tuple[str, int], width: int = 40) -> list[OcrWord]:
    return [OcrWord(text, left, 10, width, 20, 95.0) for text, left in words]


def test_arabic_lines_are_read_from_the_right_whatever_order_tesseract_gives() -> None:
    line = seen(("الهوية", 200), ("رقم", 250), ("1012345672", 100))
    for order in (line, line[::-1]):
        text, words = compose([order])
        assert text == "رقم الهوية\t1012345672"
        assert [text[word.start : word.end] for word in words] == ["رقم", "الهوية", "1012345672"]


def test_latin_words_and_numbers_inside_an_arabic_line_read_rightward() -> None:
    text, _ = compose([seen(("المحدودة", 10), ("ABC", 55), ("123", 100), ("شركة", 145))])
    assert text == "شركة ABC 123 المحدودة"


def test_lines_break_and_distant_words_are_cells() -> None:
    text, _ = compose([seen(("Name", 10), ("Salman", 300)), seen(("next", 10), ("line", 55))])
    assert text == "Name\tSalman\nnext line"


@pytest.mark.parametrize(
    ("word", "confidence", "believed"),
    [
        ("Identity", 90, True),
        ("Identity", 30, False),
        ("1012345672", 92, True),
        ("1012345672", 70, False),
        ("2026-03-01", 95, True),
        ("٧٨٧٨", 95, True),
        ("الرياض", 65, True),
    ],
)
def test_confidence(word: str, confidence: float, believed: bool) -> None:
    assert is_confident(word, confidence) is believed
