"""Arabic words in lines of text, of which Tesseract gets a stack."""

import numpy as np
import pytest

from pipeline.documents.document import Engine
from pipeline.ocr.engines.arabic_recognizer import arabic_words, is_sure
from pipeline.ocr.engines.line_word import LineWord
from pipeline.ocr.engines.text_detector import text_map
from tests.pipeline.documents import papers

TEXTS = ("الاسم: أحمد سالم الحربي", "صدرت من مكتب الرياض", "والسلام عليكم ورحمة الله")


def cuts(*texts: str) -> list[np.ndarray]:
    pixels = papers.picture(*texts)
    return [line.cut(pixels) for line in text_map(pixels).lines()]


def test_each_line_gets_its_own_words() -> None:
    found = arabic_words(cuts(*TEXTS))
    assert [" ".join(word.text for word in reversed(words)) for words in found] == list(TEXTS)
    assert all(is_sure(word) for words in found for word in words if len(word.text) > 2)


@pytest.mark.parametrize(
    ("text", "confidence", "expected"),
    [
        ("الرياض", 60, True),
        ("الرياض", 59, False),
        ("بام", 79, False),  # ٥٧
        ("على", 80, True),
        ("من", 99, False),
        ("رقم٤", 99, False),
    ],
)
def test_short_words_may_be_numbers(text: str, confidence: float, expected: bool) -> None:
    assert is_sure(LineWord(text, 0, 50, confidence, Engine.TESSERACT)) == expected


def test_words_are_placed_from_left_to_right_in_pixels_of_their_line() -> None:
    (line,) = cuts(TEXTS[1])
    (words,) = arabic_words([line])
    assert [word.left for word in words] == sorted(word.left for word in words)
    assert all(-5 <= word.left < word.right <= line.shape[1] + 5 for word in words)
    (large,) = arabic_words([np.kron(line, np.ones((2, 2), np.uint8))])
    assert all(abs(one.left * 2 - two.left) < len(line) for one, two in zip(words, large, strict=True))


def test_a_line_of_both_scripts_keeps_its_arabic() -> None:
    (words,) = arabic_words(cuts("السيد Ahmed Salem من مكتب الرياض"))
    assert {"السيد", "مكتب", "الرياض"} <= {word.text for word in words}


def test_blank_lines_have_no_words() -> None:
    assert arabic_words([]) == []
    assert arabic_words([np.full((40, 300), 255, np.uint8), np.zeros((1, 1), np.uint8)]) == [[], []]
