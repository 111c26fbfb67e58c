"""A likely short number counts as read where no other digits stand beside it, so that it is no part of a longer one."""

from pipeline.ocr.line_reading.short_numbers import with_short_numbers
from tests.pipeline.ocr.words import LineWord

HEIGHT = 40


def likely(text: str, left: float, confidence: float = 99.0) -> LineWord:
    """A number as the network gives it."""
    return LineWord(text, left, left + 20 * len(text), confidence)


def read(*numbers: LineWord) -> list[float]:
    """The confidence of each in a line where nobody was sure of them."""
    words = [number._replace(confidence=50.0) for number in numbers]
    return [word.confidence for word in with_short_numbers(words, numbers, HEIGHT)]


def test_a_likely_short_number_alone_in_its_place_counts_as_read() -> None:
    assert read(likely("350", 100)) == [90.0]
    assert read(likely("٣٥٠٠", 100)) == [90.0]
    assert read(likely("350", 100), LineWord("SAR", 165, 220, 97.0)) == [90.0, 50.0]


def test_longer_less_likely_and_single_ones_do_not() -> None:
    assert read(likely("35042", 100)) == [50.0]
    assert read(likely("3", 100)) == [50.0]
    assert read(likely("350", 100, confidence=97.6)) == [50.0]
    assert read(likely("3-50", 100)) == [50.0]


def test_zeros_alone_do_not() -> None:
    assert read(likely("00", 100)) == read(likely("000", 100)) == [50.0]
    assert read(likely("²³", 100)) == [50.0]
    assert read(likely("100", 100)) == [90.0]


def test_groups_of_a_longer_number_do_not() -> None:
    assert read(likely("1012", 100), likely("3456", 200)) == [50.0, 50.0]
    assert read(likely("1012", 100), LineWord("SA45", 230, 300, 60.0)) == [50.0, 50.0]
    assert read(likely("1012", 100), likely("3456", 400)) == [90.0, 90.0]


def test_a_word_that_another_engine_read_there_stays_doubtful() -> None:
    word = LineWord("VA", 100, 140, 50.0)
    assert with_short_numbers([word], [likely("٧٨", 100)], HEIGHT) == [word]
