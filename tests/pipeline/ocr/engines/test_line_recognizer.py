"""Words in lines of Arabic and Latin text, read by our network."""

from itertools import pairwise

import numpy as np
import pytest

from pipeline.networks.numbers import Character
from pipeline.ocr.engines.line_recognizer import is_sure, reader, words_of
from pipeline.ocr.engines.line_word import LineWord
from pipeline.ocr.engines.text_detector import text_map
from tests.pipeline.documents import papers

TEXTS = ("الاسم: أحمد سالم الحربي", "صدرت من مكتب الرياض", "والسلام عليكم ورحمة الله")


def cuts(*texts: str) -> list[np.ndarray]:
    pixels = papers.picture(*texts)
    return [line.cut(pixels) for line in text_map(pixels).lines()]


def read(*lines: np.ndarray) -> list[list[LineWord]]:
    return [words_of(characters) for characters in reader().read_lines(lines)]


def test_each_line_gets_its_own_words() -> None:
    found = read(*cuts(*TEXTS))
    assert [" ".join(word.text for word in reversed(words)) for words in found] == list(TEXTS)
    assert all(is_sure(word) for words in found for word in words)


def test_words_are_placed_from_left_to_right_in_pixels_of_their_line() -> None:
    (line,) = cuts(TEXTS[1])
    (words,) = read(line)
    assert [word.left for word in words] == sorted(word.left for word in words)
    assert all(0 <= word.left < word.right <= line.shape[1] for word in words)
    dark = (line < 128).any(axis=0)
    for word in words:
        assert dark[int(word.left) : int(word.left) + 8].any()
        assert dark[int(word.right) - 8 : int(word.right)].any()
    assert not any(dark[int(one.right) + 2 : int(two.left) - 2].any() for one, two in pairwise(words))
    (large,) = read(np.kron(line, np.ones((2, 2), np.uint8)))
    assert all(abs(one.left * 2 - two.left) < len(line) for one, two in zip(words, large, strict=True))


def test_a_line_of_both_scripts_has_all_words() -> None:
    (words,) = read(*cuts("السيد Ahmed Salem من مكتب الرياض"))
    assert {word.text for word in words} == {"السيد", "Ahmed", "Salem", "من", "مكتب", "الرياض"}


def test_blank_lines_have_no_words() -> None:
    assert read() == []
    assert read(np.full((40, 300), 255, np.uint8), np.zeros((1, 1), np.uint8)) == [[], []]


@pytest.mark.parametrize(
    ("shown", "texts"),
    [
        ("باسم"[::-1], ["باسم"]),
        ("(" + "باسم"[::-1] + ")", ["(باسم)"]),
        (":" + "الاسم"[::-1] + " 12", ["الاسم:", "12"]),
        ("باسم"[::-1] + " Ahmed's", ["باسم", "Ahmed's"]),
        ("(12)ب", ["ب(12)"]),
        ("1 (a)", ["1", "(a)"]),
        ("  ", []),
    ],
)
def test_words_are_in_logical_order(shown: str, texts: list[str]) -> None:
    line = [Character(one, 10.0 * at, 10.0 * at + 9, 0.9) for at, one in enumerate(shown)]
    assert [word.text for word in words_of(line)] == texts


@pytest.mark.parametrize(
    ("torn", "words"),
    [
        ("ر قم", ["رقم"]),
        ("ر قم:", ["رقم:"]),
        ("(ا لطبى)", ["(الطبى)"]),  # known with another yeh
        ("ا لملف", ["الملف"]),
        ("الإجر اءات المقر رة", ["الإجراءات", "المقررة"]),
        ("أ حمد", ["أ", "حمد"]),  # a title and a name
        ("دار سعد", ["دار", "سعد"]),
        ("ر: قم", ["ر:", "قم"]),
        ("ر :قم", ["ر", ":قم"]),
        ("ر قم7", ["ر", "قم7"]),
        ("تع ريف", ["تع", "ريف"]),  # the letter before the gap connects
        ("ر", ["ر"]),
    ],
)
def test_words_that_wide_fonts_tear_are_mended(torn: str, words: list[str]) -> None:
    shown = torn[::-1].translate(str.maketrans("()", ")("))
    found = words_of([Character(sign, 10 * place, 10 * place + 10, 0.9) for place, sign in enumerate(shown)])
    assert [word.text for word in reversed(found)] == words
    assert found[-1].right == 10 * len(shown)
    assert found[0].left == 0


def test_the_confidence_is_of_the_whole_word_and_none_where_a_character_has_no_name() -> None:
    line = [Character(one, 10.0 * at, 10.0 * at + 9, 0.9) for at, one in enumerate("ab □c □□")]
    whole, partly = words_of(line)
    assert whole.confidence == pytest.approx(81)
    assert (partly.text, partly.confidence) == ("c", 0)
    assert (whole.left, whole.right) == (0, 19)
