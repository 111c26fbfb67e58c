"""Ink of a line that belongs to no reliable word, to the character."""

import numpy as np
import pytest

from pipeline.ocr.unread.rest_of_line import unread_rest
from tests.pipeline.ocr.words import LineWord

HEIGHT, PITCH = 40, 24


def line(*signs: int) -> np.ndarray:
    """A line of signs, each a box in the given cell of 24 pixels."""
    cut = np.full((HEIGHT, 600), 255, np.uint8)
    for sign in signs:
        cut[8:32, sign * PITCH + 4 : sign * PITCH + 20] = 0
    return cut


def word(text: str, first: int, last: int, confidence: float = 95.0) -> LineWord:
    return LineWord(text, first * PITCH + 4.0, last * PITCH + 20.0, confidence)


def test_a_line_that_is_read_whole_has_no_rest() -> None:
    words = [word("12345", 0, 4), word("name", 6, 9)]
    assert unread_rest(line(0, 1, 2, 3, 4, 6, 7, 8, 9), words, words) == []


def test_digits_beside_a_number_that_was_read_in_part_are_unread() -> None:
    words = [word("234567", 1, 6)]
    assert unread_rest(line(0, 1, 2, 3, 4, 5, 6, 7), words, words) == [(4, 20), (7 * PITCH + 4, 7 * PITCH + 20)]


def test_a_letter_beside_a_word_belongs_to_it() -> None:
    words = [word("ريا", 1, 3)]
    assert unread_rest(line(1, 2, 3), [word("ريا", 1, 2)], [word("ريا", 1, 2)]) == []
    assert unread_rest(line(1, 2, 3, 8), words, words) == [(8 * PITCH + 4, 8 * PITCH + 20)]


def test_all_of_a_line_that_is_hardly_read_is_unread() -> None:
    words = [word("059", 0, 2), word("4647", 3, 6, 40.0)]
    assert unread_rest(line(0, 1, 2, 3, 4, 5, 6), words, words[:1]) == [(0, 600)]
    assert unread_rest(line(0, 1, 2), [], []) == [(0, 600)]


def test_a_label_stays_beside_a_number_that_nobody_read() -> None:
    label = word("label", 8, 12)
    assert unread_rest(line(0, 1, 2, 3, 4, 5, 8, 9, 10, 11, 12), [label], [label]) == [(4, 5 * PITCH + 20)]


def test_light_ink_in_a_gap_between_dark_words_is_unread() -> None:
    words = [word("label", 0, 5), word("label", 14, 19)]
    cut = line(0, 1, 2, 3, 4, 14, 15, 16, 17, 18)
    assert unread_rest(cut, words, words) == []
    light = cut.copy()
    light[10:34, 8 * PITCH : 11 * PITCH] = 200
    ((left, right),) = unread_rest(light, words, words)
    assert left <= 8 * PITCH + 1 and right >= 11 * PITCH - 1
    grainy = cut - np.random.default_rng(3).integers(0, 30, cut.shape, np.uint8)
    assert unread_rest(np.minimum(grainy, cut), words, words) == []


@pytest.mark.parametrize("level", [0, 255])
def test_blank_lines_frames_and_specks_are_no_characters(level: int) -> None:
    cut = np.full((HEIGHT, 300), level, np.uint8)
    assert unread_rest(cut, [], []) == []
    cut = np.full((HEIGHT, 600), 255, np.uint8)
    cut[:, 10:12] = 0
    cut[37:39] = 0
    cut[20:24, 300:304] = 0
    assert unread_rest(cut, [], []) == []
