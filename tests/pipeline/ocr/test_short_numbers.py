"""A likely short number counts as read where no other digits stand beside it, so that it is no part of a longer one."""

from collections.abc import Sequence

from pipeline.networks.text_line import TextLine
from pipeline.ocr.engines.line_word import LineWord
from pipeline.ocr.short_numbers import with_short_numbers

LINE = TextLine(left=30.0, top=100.0, along=(1.0, 0.0), width=1000.0, height=40.0, score=0.9)


def likely(text: str, left: float, confidence: float = 97.0) -> LineWord:
    """A number as the network gives it."""
    return LineWord(text, left, left + 20 * len(text), confidence)


def read(*numbers: LineWord) -> list[float]:
    """The confidence of each in a line where nobody was sure of them."""
    return [word.confidence for word in read_lines((LINE, numbers))[0]]


def read_lines(*lines: tuple[TextLine, Sequence[LineWord]]) -> list[list[LineWord]]:
    """The words of lines where nobody was sure of them."""
    places, numbers = zip(*lines, strict=True)
    return with_short_numbers(places, [[one._replace(confidence=50.0) for one in own] for own in numbers], numbers)


def test_a_likely_short_number_alone_in_its_place_counts_as_read() -> None:
    assert read(likely("350", 100)) == [90.0]
    assert read(likely("٣٥٠٠", 100)) == [90.0]
    assert read(likely("350", 100), LineWord("SAR", 165, 220, 97.0)) == [90.0, 50.0]


def test_longer_and_less_likely_ones_do_not() -> None:
    assert read(likely("35042", 100)) == [50.0]
    assert read(likely("3", 100, confidence=96.0)) == [50.0]
    assert read(likely("350", 100, confidence=89.0)) == [50.0]
    assert read(likely("3-50", 100)) == [50.0]


def test_groups_of_a_longer_number_do_not() -> None:
    assert read(likely("1012", 100), likely("3456", 200)) == [50.0, 50.0]
    assert read(likely("1012", 100), LineWord("SA45", 230, 300, 60.0)) == [50.0, 50.0]
    assert read(likely("1012", 100), likely("3456", 400)) == [90.0, 90.0]


def test_a_word_that_another_engine_read_there_stays_doubtful() -> None:
    word = LineWord("VA", 100, 140, 50.0)
    assert with_short_numbers([LINE], [[word]], [[likely("٧٨", 100)]]) == [[word]]


def test_a_likely_digit_among_words_counts_as_read_where_nothing_like_a_digit_stands_in_any_direction() -> None:
    floor, digit = LineWord("الدور", 140, 220, 97.0), likely("٣", 100, 98.0)
    letter, dot = LineWord("ا", 225, 235, 99.0), likely("٠", 240, 98.0)
    below, far, low = (LINE._replace(top=LINE.top + down) for down in (150.0, 300.0, 15.0))
    assert read(digit, floor) == [90.0, 50.0]
    assert read(digit) == [50.0]
    assert read(digit, floor, letter) == [50.0, 50.0, 50.0]
    assert read(digit, floor, likely("٤", 230, 98.0)) == [50.0, 50.0, 50.0]
    for place, confidence in ((below, 50.0), (far, 90.0)):
        assert [own[0].confidence for own in read_lines((LINE, [digit, floor]), (place, [digit]))] == [confidence, 50.0]
    assert [own[0].confidence for own in read_lines((LINE, [digit, floor]), (low._replace(height=10.0), [dot]))] == [
        50.0
    ] * 2
    assert with_short_numbers([], [], []) == []
