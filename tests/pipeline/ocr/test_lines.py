"""Words in lines: order by box, separators, offsets, confidence, and corrections that check digits prove."""

import pytest

from pipeline.ocr.corrections import corrected
from pipeline.ocr.lines import OcrWord, compose
from pipeline.ocr.unread_ink import is_confident


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


@pytest.mark.parametrize(
    ("read", "meant"),
    [
        ("IBAN 5403 8000 0000 6080 1016 7519", "IBAN SA03 8000 0000 6080 1016 7519"),
        ("S403 8000 0000 6080 1016 7519", "SA03 8000 0000 6080 1016 7519"),
        ("5A0380000000608010167519", "SA0380000000608010167519"),
        ("5803 8000 0000 6080 1016 7519", "SA03 8000 0000 6080 1016 7519"),
        ("IBAN: 54803 8000 0000 6080 1016 7519", "IBAN: SA03 8000 0000 6080 1016 7519"),
        ("SAO3 8000 0000 6080 1016 7519", "SA03 8000 0000 6080 1016 7519"),
        ("IBAN: SA 03 8000 0000 6080 1016 7519", "IBAN: SA 03 8000 0000 6080 1016 7519"),
        ("IBAN:5803 8000 0000 6080 1016 7519", "IBAN:SA03 8000 0000 6080 1016 7519"),
        ("IBAN: 5803 8000 0000 6080 1016 7518", "IBAN: SA03 8000 0000 6080 1016 7518"),  # a further digit misread
        ("رقم الآيبان 5803 8000 0000 6080 1016 7518", "رقم الآيبان SA03 8000 0000 6080 1016 7518"),
        ("5403 8000 0000 6080 1016 7518", "5403 8000 0000 6080 1016 7518"),  # the check digits do not hold
        ("5403 8000", "5403 8000"),
        ("10l2345672", "1012345672"),
        ("1O12345672", "1012345672"),
        ("+966551234S67", "+966551234567"),
        ("B12345678", "B12345678"),  # a passport's leading letter stays
        ("12B", "12B"),
        ("SA03 8000 0000 6080 1016 7519", "SA03 8000 0000 6080 1016 7519"),
        ("", ""),
    ],
)
def test_corrections(read: str, meant: str) -> None:
    assert corrected(read.split()) == meant.split()
