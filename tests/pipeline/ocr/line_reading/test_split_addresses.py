"""A mail address of which an underscore was seen as a blank, or a letter split off, is one word again."""

import numpy as np
import pytest
from PIL import Image, ImageDraw, ImageFont

from pipeline.ocr.engines.line_word import LineWord as Reading
from pipeline.ocr.line_reading.split_addresses import with_whole_addresses
from tests.pipeline.documents import papers
from tests.pipeline.ocr.words import LineWord

SIZE = 40
FONT = ImageFont.truetype(str(papers.DEJAVU), SIZE)
DOMAIN = "alahmadi@example.com"


def drawn(text: str) -> np.ndarray:
    """A line of text, as high as one."""
    picture = Image.new("L", (int(FONT.getlength(text)) + SIZE, int(1.4 * SIZE)), 255)
    ImageDraw.Draw(picture).text((SIZE // 2, 0), text, 0, FONT)
    return np.array(picture)


def read_as(text: str, *parts: str, confidence: float = 97.0) -> list[Reading]:
    """The parts of a text as engines place them: a bit wide or narrow."""
    words = []
    for number, part in enumerate(parts):
        left = SIZE // 2 + FONT.getlength(text[: text.index(part)])
        shift = 2 if number % 2 else -2
        words.append(LineWord(part, left + shift, left + FONT.getlength(part) + shift, confidence))
    return words


def texts(cut: np.ndarray, words: list[Reading]) -> list[str]:
    """The words after all."""
    return [word.text for word in with_whole_addresses(cut, words)]


def test_an_underscore_that_was_seen_as_a_blank() -> None:
    line = f"E-mail: naif_{DOMAIN}"
    words = read_as(line, "E-mail:", "naif", DOMAIN)
    first, whole = with_whole_addresses(drawn(line), words)
    assert (first.text, whole.text) == ("E-mail:", f"naif_{DOMAIN}")
    assert (whole.left, whole.right) == (words[1].left, words[2].right)


def test_a_whole_address_is_as_sure_as_its_less_sure_part() -> None:
    line = f"naif_{DOMAIN}"
    first, second = read_as(line, "naif", DOMAIN)
    (whole,) = with_whole_addresses(drawn(line), [first._replace(confidence=50.0), second])
    assert whole.confidence == 50.0


@pytest.mark.parametrize("line", [f"to {DOMAIN}", f"from {DOMAIN} and", f"Please write {DOMAIN}"])
def test_a_blank_is_a_blank(line: str) -> None:
    words = line.split()
    assert texts(drawn(line), read_as(line, *words)) == words


def test_what_has_one_letter_before_its_sign_is_a_rest() -> None:
    line = "w.alahmadi i@example.com"
    assert texts(drawn(line), read_as(line, *line.split())) == ["w.alahmadii@example.com"]


@pytest.mark.parametrize("first", ["البريد", "E-mail:", "(", "—"])
def test_labels_and_signs_are_no_part_of_an_address(first: str) -> None:
    line = f"naif_{DOMAIN}"
    words = [
        word._replace(text=text) for word, text in zip(read_as(line, "naif", DOMAIN), (first, DOMAIN), strict=True)
    ]
    assert texts(drawn(line), words) == [first, DOMAIN]


def test_a_word_far_away_is_no_part_of_it() -> None:
    line = f"Contact {DOMAIN}"
    first, second = read_as(line, "Contact", "alahmadi@example.com")
    assert texts(drawn(line), [first, second.moved(3 * SIZE)._replace(text="i@example.com")]) == [
        "Contact",
        "i@example.com",
    ]


def test_an_empty_line_has_no_underscore() -> None:
    words = [LineWord("naif", 0, 1, 90.0), LineWord(DOMAIN, 1, 1, 90.0)]
    assert texts(np.full((40, 100), 255, np.uint8), words) == ["naif", DOMAIN]
    assert texts(np.full((40, 0), 255, np.uint8), words) == ["naif", DOMAIN]
