"""A slash between two words that were read surely is read; one beside digits or unsure words is not."""

import pytest

from pipeline.ocr.line_reading.separators import with_slashes
from tests.pipeline.ocr.words import LineWord

HEIGHT = 40


def confidences(*parts: tuple[str, float], gap: float = 12) -> list[float]:
    """Of the words of a line, given with their own."""
    words, left = [], 0.0
    for text, confidence in parts:
        words.append(LineWord(text, left, left + 15 * len(text), confidence))
        left += 15 * len(text) + gap
    return [word.confidence for word in with_slashes(words, lambda word: word.confidence >= 80, HEIGHT)]


def test_a_slash_between_two_labels_is_read() -> None:
    assert confidences(("Name", 97), ("/", 50), ("الاسم", 91)) == [97, 90, 91]
    assert confidences(("Name", 97), ("/", 96), ("الاسم", 91)) == [97, 96, 91]
    assert confidences(("E-mail", 97), ("/", 50), ("بريد", 91), ("/", 40), ("No", 99)) == [97, 90, 91, 90, 99]


@pytest.mark.parametrize(
    "parts",
    [
        (("Name", 97), ("/", 50), ("الاسم", 50)),
        (("Name", 50), ("/", 50), ("الاسم", 91)),
        (("101", 97), ("/", 50), ("الاسم", 91)),
        (("Name", 97), ("/", 50), ("٢٣٤٥", 99)),
        (("ا", 97), ("/", 50), ("الاسم", 91)),
        (("Name", 97), ("/", 50)),
        (("/", 50), ("Name", 97)),
        (("Name", 97), ("1", 50), ("الاسم", 91)),
    ],
)
def test_other_signs_and_places_stay_doubtful(parts: tuple[tuple[str, float], ...]) -> None:
    assert confidences(*parts) == [confidence for _, confidence in parts]


def test_words_far_away_do_not_count() -> None:
    assert confidences(("Name", 97), ("/", 50), ("الاسم", 91), gap=45) == [97, 50, 91]
