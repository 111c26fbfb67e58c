"""Several engines read one line: who is believed, and what nobody is believed about."""

import pytest

from pipeline.ocr.line_reading.agreement import put_together
from tests.pipeline.ocr.words import LineWord


def sure(text: str, left: float, right: float, confidence: float = 99.0) -> tuple[LineWord, bool]:
    return LineWord(text, left, right, confidence), True


def unsure(text: str, left: float, right: float, confidence: float = 60.0) -> tuple[LineWord, bool]:
    return LineWord(text, left, right, confidence), False


def reliable(*engines) -> list[str]:
    """The words that somebody is sure of; the others have at most 50."""
    words = put_together(*engines)
    assert all(word.confidence >= 60 or word.confidence <= 50 for word in words)
    return [word.text for word in words if word.confidence >= 60]


def test_each_engine_reads_its_own_part_of_a_line() -> None:
    latin = [sure("IBAN", 0, 40), unsure("VAVA", 50, 90, 55)]
    numbers = [sure("٧٨٧٨", 50, 90)]
    arabic = [unsure("3ل", 50, 90, 20), sure("رقم", 100, 140, 92.0)]
    assert reliable(latin, numbers, arabic) == ["IBAN", "٧٨٧٨", "رقم"]


def test_a_number_is_sure_where_both_readers_say_the_same() -> None:
    assert reliable([sure("1012345672", 0, 100)], [sure("1012345672", 0, 100)], []) == ["1012345672"]
    assert reliable([sure("K48201937", 0, 100)], [sure("48201937", 12, 100)], []) == ["K48201937"]


def test_readers_that_contradict_each_other_are_not_believed() -> None:
    assert reliable([sure("1012345672", 0, 100)], [sure("1012345612", 0, 100)], []) == []


def test_a_part_of_a_number_contradicts_nothing() -> None:
    assert reliable([sure("1012345672", 0, 100)], [sure("2345", 20, 60), unsure("672", 70, 100)], []) == ["1012345672"]


def test_an_unsure_number_contradicts_nobody() -> None:
    assert reliable([sure("1012345672", 0, 100)], [unsure("1012345612", 0, 100)], []) == ["1012345672"]


@pytest.mark.parametrize("claim", [sure, unsure])
def test_capitals_that_may_be_eastern_digits_are_not_believed(claim) -> None:
    assert "VAVA" not in reliable([sure("VAVA", 0, 40)], [claim("٧٨٧٨", 0, 40)], [])


def test_a_word_in_small_letters_is_no_number() -> None:
    assert reliable([sure("valley", 0, 40)], [sure("٧٨", 0, 15)], []) == ["valley"]


def test_a_sign_beside_a_sure_word_or_number_may_be_a_digit_and_stays() -> None:
    own, arabic = [sure("الخطاب", 0, 60)], [unsure("ا", 58, 66), unsure("|", 130, 134)]
    assert [word.text for word in put_together([], [], own, arabic)] == ["الخطاب", "ا", "|"]
    assert [word.text for word in put_together([], [sure("٠٥٠١٢٣٤٥٦", 0, 60)], [], [unsure("|", 57, 66)])] == [
        "٠٥٠١٢٣٤٥٦",
        "|",
    ]


def test_an_alef_is_no_one() -> None:
    assert reliable([], [sure("١", 30, 34)], [sure("السلام", 0, 60, 93.0)]) == ["السلام"]


def test_an_arabic_word_over_a_number_is_not_believed_and_the_number_stays_whole() -> None:
    number, other = unsure("٢٨٧٠٥٨٨٩٥٧", 0, 100, 98), sure("لام", 60, 100, 88.0)
    words = put_together([], [number], [other])
    assert [(word.text, word.confidence) for word in words] == [("٢٨٧٠٥٨٨٩٥٧", 50)]


@pytest.mark.parametrize("other", [0, 3])
def test_two_engines_that_agree_on_a_number_are_believed(other: int) -> None:
    """PP-OCR or Tesseract beside our network."""

    def read(text: str, confidence: float) -> list[str]:
        engines = [[], [unsure("1445", 2, 41, 80)], [], []]
        engines[other] = [unsure(text, 0, 40, confidence)]
        return reliable(*engines)

    assert read("1445", 70) == ["1445"]
    assert read("1446", 70) == []
    assert read("1445", 20) == []


def test_two_engines_that_know_no_eastern_digits_do_not_outvote_the_one_that_does() -> None:
    latin, arabic = [unsure("00", 0, 50, 94)], [unsure("00", 2, 48, 78)]
    assert reliable(latin, [unsure("٥٥", 1, 47, 99)], [], arabic) == []
    assert reliable(latin, [unsure("٥٥", 90, 140, 99)], [], arabic) == ["00"]
    assert reliable(latin, [unsure("01", 1, 47, 99)], [], arabic) == ["00"]
    assert reliable([unsure("٥٥", 0, 50, 94)], [unsure("00", 1, 47, 99)], [], [unsure("٥٥", 2, 48, 78)]) == ["٥٥"]


def test_one_engine_does_not_agree_with_itself() -> None:
    assert reliable([], [unsure("1445", 0, 40, 70)], [unsure("1445", 0, 40, 70)]) == []


def test_two_engines_that_agree_on_a_word_are_believed() -> None:
    own = [unsure("المراجعة", 0, 80, 20)]
    assert reliable([], [], own, [unsure("المراجعة", 3, 82, 30)]) == ["المراجعة"]
    assert reliable([], [], own, [unsure("المواجهة", 3, 82, 30)]) == []
    assert reliable([], [], own, [unsure("المراجعة", 90, 160, 30)]) == []
    assert reliable([], [], [unsure("ا", 0, 9, 20)], [unsure("ا", 0, 9, 30)]) == []


def test_tesseract_is_believed_where_our_network_is_unsure() -> None:
    assert reliable([], [], [unsure("المراحعة", 0, 80, 20)], [sure("المراجعة", 3, 82, 93.0)]) == ["المراجعة"]
    assert reliable([], [], [sure("المراحعة", 0, 80, 93.0)], [sure("المراجعة", 3, 82, 93.0)]) == ["المراحعة"]


@pytest.mark.parametrize("place", [2, 3])
def test_words_with_digits_are_not_believed_alone(place: int) -> None:
    """Tesseract reads ٧٧٨ as 1/8 with confidence."""
    engines = [[], [], [], []]
    engines[place] = [sure("1/8", 0, 40, 95.0), sure("طريق", 50, 90, 93.0)]
    assert reliable(*engines) == ["طريق"]


def test_every_place_keeps_a_reading_though_nobody_is_sure() -> None:
    words = put_together([unsure("I.I", 0, 30, 40)], [unsure("١٠١", 0, 30, 70)], [unsure("ار", 0, 30, 20)])
    assert [word.text for word in words] == ["١٠١"]


def test_a_long_unsure_number_stands_before_a_surer_word() -> None:
    """Eastern digits look like Latin capitals, and the network that takes them for those may be surer."""
    latin, number, short = unsure("YOY-RAVUE", 0, 90, 80), unsure("٢٥٢٠٣٩٧٨٤", 0, 90, 47), unsure("٢٥٢", 0, 90, 47)
    assert [word.text for word in put_together([latin], [number], [])] == ["٢٥٢٠٣٩٧٨٤"]
    assert [word.text for word in put_together([latin], [short], [])] == ["YOY-RAVUE"]
    assert [word.text for word in put_together([latin], [unsure("٢٥٢٠٣٩٧٨٤", 0, 90, 30)], [])] == ["YOY-RAVUE"]
    assert reliable([latin], [number], []) == []


def test_neighbours_of_one_engine_may_overlap() -> None:
    """Boxes of engines are not exact."""
    assert reliable([], [], [sure("فهد", 0, 30, 93.0), sure("صاحب", 10, 90, 93.0)]) == ["فهد", "صاحب"]


def test_a_line_that_nobody_reads_has_no_words() -> None:
    assert put_together([], [], []) == []


@pytest.mark.parametrize(
    ("own", "arabic", "agreed"),
    [
        ("التأمينات", "التأمينآت", "التأمينات"),
        ("هذآ", "هذا", "هذا"),
        ("او", "أو", "او"),
        ("المعلوحات", "المعلومات", "المعلومات"),
        ("زملائه", "زملاثه", "زملائه"),
        ("المعلوحات", "المعاومات", ""),  # more than a letter
        ("العلومات", "المعلومات", "المعلومات"),  # one less
        ("العمل", "العمر", ""),  # both are words
        ("مع", "مح", ""),  # short
        ("٧٨", "المعلومات", ""),
    ],
)
def test_words_may_differ_in_marks_or_in_a_letter_that_makes_them_known(own: str, arabic: str, agreed: str) -> None:
    assert reliable([], [], [unsure(own, 0, 60, 18)], [unsure(arabic, 0, 60, 52)]) == ([agreed] if agreed else [])
