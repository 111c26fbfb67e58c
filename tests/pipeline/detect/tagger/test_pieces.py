"""Words and pieces of the tagger."""

import pytest

from pipeline.detect.tagger.pieces import Pieces, folded, words

PIECES = ["<s>", "<pad>", "</s>", "<unk>", "\u2581", "\u2581mo", "ham", "med", "\u2581moham", "m", "\u25810", "0000"]
SCORES = [0.0, 0.0, 0.0, 0.0, -5.0, -3.0, -3.0, -2.0, -8.0, -4.0, -4.0, -6.0]


@pytest.mark.parametrize(
    ("text", "expected"),
    [
        ("Al-Harbi, F.", ["Al-Harbi", ",", "F", "."]),
        ("Yousef's car", ["Yousef's", "car"]),
        ("الاسم: مُحَمَّد\nأحمد", ["الاسم", ":", "مُحَمَّد", "\n", "أحمد"]),
        ("a_b@c", ["a", "_", "b", "@", "c"]),
        (" \t ", []),
    ],
)
def test_words(text: str, expected: list[str]) -> None:
    found = words(text)
    assert found.texts == expected
    assert [text[start:end] for start, end in found.spans] == expected


def test_a_word_that_a_hyphen_divides_at_the_end_of_a_line_is_one() -> None:
    text = "Bran-\n caster's, Natu- \nral Al-\nHarbi 1-\n2"
    found = words(text)
    assert found.texts == ["Brancaster's", ",", "Natural", "Al", "-", "\n", "Harbi", "1", "-", "\n", "2"]
    assert [text[start:end] for start, end in found.spans][:3] == ["Bran-\n caster's", ",", "Natu- \nral"]


@pytest.mark.parametrize(("word", "expected"), [("12", "00"), ("1012345672", "0000"), ("٠٥٠", "000"), ("ﬁsh", "fish")])
def test_folded(word: str, expected: str) -> None:
    assert folded(word) == expected


def test_the_most_probable_pieces_are_chosen() -> None:
    pieces = Pieces(PIECES, SCORES)
    assert pieces.rows("mohammed") == (5, 6, 7)  # not moham + med: -8 - 2 < -3 - 3 - 2


def test_unknown_letters_and_line_breaks() -> None:
    pieces = Pieces(PIECES, SCORES)
    assert pieces.rows("mox") == (5, Pieces.UNKNOWN)
    assert pieces.rows("\n") == (Pieces.END,)


def test_a_word_has_a_bounded_number_of_pieces() -> None:
    assert len(Pieces(PIECES, SCORES).rows("x" * 100_000)) == 24
