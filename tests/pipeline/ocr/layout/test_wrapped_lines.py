"""Values in the line below their label, and names and addresses in two lines, in pages of two columns."""

import pytest

from pipeline.documents.document import Reading
from pipeline.ocr.layout.labelled_values import with_labelled_values
from pipeline.ocr.layout.lines import compose
from tests.pipeline.ocr.words import OcrWord, words_in_line


def again(*lines: list[OcrWord]) -> list[str]:
    before = Reading("page", *compose(lines))
    return with_labelled_values(before).text[len(before.text) :].split("\n")[1:]


def test_a_number_below_its_label_is_found_across_the_other_column() -> None:
    left, right = "The member agrees and has Insurance No", "the other column goes on with other words"
    lines = [
        words_in_line(left, 100, 100),
        words_in_line(right, 900, 105),
        words_in_line("538348782 from today", 100, 130),
    ]
    assert again(*lines) == ["and has Insurance No:\t538348782 from today"]


@pytest.mark.parametrize(
    ("first", "second", "top", "beside"),
    [
        ("The member agrees and has Insurance No", "538348782 from today", 130, None),  # detection sees both lines
        ("The member agrees and has Insurance No", "538348782 from today", 200, "words"),  # far below
        ("The member agrees and has a chair", "538348782 from today", 130, "words"),
        ("Insurance No 844946176 from today", "538348782 items", 130, "words"),
        ("The member agrees and has Insurance No", "from today on 538348782", 130, "words"),
    ],
)
def test_no_other_number_follows_behind_a_label(first: str, second: str, top: int, beside: str | None) -> None:
    between = [words_in_line(beside, 900, 105)] if beside else []
    lines = again(words_in_line(first, 100, 100), *between, words_in_line(second, 100, top))
    assert not any(":\t" in line for line in lines)


def test_a_name_in_two_lines_is_one_across_the_other_column() -> None:
    left, right = "The amount goes to the member Ziad", "the other column goes on with other words"
    between = words_in_line(right, 900, 105)
    lower = words_in_line("Alexample. From today", 100, 130)
    assert again(words_in_line(left, 100, 100), between, lower) == ["to the member Ziad Alexample. From today"]
    assert again(words_in_line("goes to Ziad", 100, 100), between, lower) == []  # a cell
    assert again(words_in_line(f"{left}.", 100, 100), between, lower) == []
    assert again(words_in_line(left, 100, 100), lower) == []  # detection sees both lines


def test_arabic_goes_on_at_the_right() -> None:
    """Whatever the order of the text, which an IBAN in the line may turn."""
    upper = words_in_line("زياد باسم الآيبان 1456 SA38", 100, 100)
    lower = words_in_line("الكثيري.", 328, 130)
    between = words_in_line("the other column goes on with other words", 900, 105)
    (line,) = again(upper, between, lower)
    assert line.endswith("باسم زياد الكثيري.")


@pytest.mark.parametrize("beside", [True, False])
def test_an_address_in_two_lines_is_one(beside: bool) -> None:
    upper, lower = words_in_line("Mail sara.example@ex-", 100, 100), words_in_line("ample.sa later", 100, 130)
    between = [words_in_line("the other column goes on with other words", 900, 105)] if beside else []
    assert "sara.example@ex-ample.sa" in again(upper, *between, lower)


@pytest.mark.parametrize("second", ["ample", "and later", "from .sa"])
def test_no_other_word_goes_on_an_address(second: str) -> None:
    upper, between = words_in_line("Mail sara@example.com", 100, 100), words_in_line("the other column", 900, 105)
    assert not any("@" in line for line in again(upper, between, words_in_line(second, 100, 130)))


@pytest.mark.parametrize(
    ("first", "second", "said"),
    [
        ("from Talal A. Al-", "Exampled", "from Talal A. Al-Exampled"),
        ("Talal Salem", "bin Example", "Talal Salem bin Example"),
        ("Talal Salem", "of chairs", ""),
        ("Medical", "Example", ""),
        ("Talal Salem", "12 Example", ""),
    ],
)
def test_a_name_in_two_lines_of_a_cell_is_one_where_less_stands_beside_its_rest(
    first: str, second: str, said: str
) -> None:
    amount = words_in_line("99.50", 500, 100)
    upper, lower = words_in_line(first, 100, 100), words_in_line(second, 100, 126)
    assert again([*upper, *amount], lower) == ([said] if said else [])
    assert again([*upper, *amount], [*lower, *words_in_line("77.50", 500, 126)]) == []  # the next row
    assert again(upper, lower) == []  # a paragraph
    number = words_in_line("98765432", upper[-1].left + upper[-1].width + 20, 100)  # read as one with the cell
    assert again([*upper, *number, *amount], lower) == ([said] if said else [])
