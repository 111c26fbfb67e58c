"""Lines that are drawn to teach: what they say from left to right, and what is left of it for a reader of numbers."""

import random
from itertools import pairwise
from pathlib import Path

import pytest

from scripts.scans.content import Word, line
from scripts.scans.drawing import Drawn, Mark, Typefaces, drawn, numbers_only

FONTS = Path("/usr/share/fonts/truetype")
FACES = Typefaces(FONTS / "noto/NotoNaskhArabic-Regular.ttf", FONTS / "dejavu/DejaVuSans.ttf", False)


def write(*words: Word) -> Drawn:
    return drawn(words, FACES, 40, random.Random(1))


def said(marks: list[Mark]) -> str:
    return "".join(mark.text for mark in marks)


@pytest.mark.parametrize(
    ("words", "shown"),
    [
        ([Word("باسم", "arabic"), Word("12", "number")], "باسم"[::-1] + " 12"),
        ([Word("(الاسم):", "arabic")], ":(" + "الاسم"[::-1] + ")"),
        ([Word("غرفة12أ", "arabic")], "أ12" + "غرفة"[::-1]),
        ([Word("عـــلي", "arabic")], "علي"[::-1]),
        ([Word("Ahmed", "latin"), Word("٢٠", "number"), Word("ب", "arabic", joined=True)], "Ahmed ٢٠ب"),
    ],
)
def test_a_line_says_what_is_drawn_from_left_to_right(words: list[Word], shown: str) -> None:
    made = write(*words)
    assert said(made.marks) == shown
    assert all(one.middle < two.middle for one, two in pairwise(made.marks))


def test_marks_lie_on_their_ink() -> None:
    made = write(Word("1", "number"), Word("باسم", "arabic"), Word("M", "latin"))
    dark = (made.image < 128).any(axis=0)
    for mark in made.marks:
        place = int(mark.middle)
        assert dark[place - 6 : place + 7].any() == (mark.text != " ")
    assert [mark.text for mark in made.marks if not mark.exact] == list("باسم"[::-1])


def test_letters_without_a_name_are_others() -> None:
    assert said(write(Word("پا", "arabic")).marks) == "ا□"
    assert said(write(Word("é", "latin")).marks) == "□"


def test_of_letters_a_reader_of_numbers_learns_where_they_are() -> None:
    marks = [Mark(text, 10.0 * at) for at, text in enumerate("SA12 abc 3م")]
    kept = numbers_only(marks)
    assert said(kept) == "SA12 □ 3□"
    assert kept[5].middle == 60


def test_phrases_come_from_the_sentences() -> None:
    draw = random.Random(4)
    sentences = ["صدر العقد رقم 17 من Example Trading Company في الرياض", "The contract was signed in Riyadh"]
    known = {word for text in sentences for word in text.split()}
    lines = [[word.text for word in line(draw, sentences)] for _ in range(400)]
    assert ["Example", "Trading", "Company"] in [words[at : at + 3] for words in lines for at in range(len(words))]
    assert sum(len(words) > 3 and known.issuperset(words) for words in lines) > 20
