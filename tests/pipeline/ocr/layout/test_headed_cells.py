"""Cells of a table follow again behind the label of their column, wherever in it they stand."""

import pytest

from pipeline.documents.document import Reading, Word
from pipeline.ocr.layout.labelled_values import with_labelled_values
from pipeline.ocr.layout.lines import compose, join_rows
from tests.pipeline.ocr.words import HEIGHT, OcrWord, words_in_line

Cell = tuple[str, int]  # a text and its left edge
HEADINGS: list[Cell] = [("Employee", 100), ("ID No.", 500), ("Passport", 900)]


def reading(*rows: list[Cell], pitch: int = 50) -> Reading:
    lines = [words_in_line(text, left, 100 + pitch * number) for number, row in enumerate(rows) for text, left in row]
    return Reading("page", *compose(join_rows(lines)))


def added(*rows: list[Cell], pitch: int = 50) -> list[str]:
    before = reading(*rows, pitch=pitch)
    after = with_labelled_values(before)
    assert after.text.startswith(before.text)
    assert after.words[: len(before.words)] == before.words
    boxes = {(word.left, word.top): before.text[word.start : word.end] for word in before.words}
    for word in after.words:
        is_label = after.text[word.end : word.end + 2] == ":\t"  # which may be spelled in another way than its word
        assert is_label or after.text[word.start : word.end] == boxes[word.left, word.top]
    return after.text[len(before.text) :].split("\n")[1:]


def test_each_cell_has_the_label_of_its_column() -> None:
    row: list[Cell] = [("Sara Example", 80), ("1012345672", 510), ("K00000000", 880)]
    assert added(HEADINGS, row, [("Omar Example", 80), ("K11111111", 880)]) == [
        "Employee:\tSara Example", "Employee:\tOmar Example", "ID No:\t1012345672",
        "Passport:\tK00000000", "Passport:\tK11111111",
    ]  # fmt: skip


def test_columns_are_followed_where_rows_are_slanted_or_read_from_the_right() -> None:
    rows: list[list[Cell]] = [
        [("مثال", 100 + 30 * n), ("١٢٣٤٥", 500 + 30 * n), (f"K0000000{n}", 900 + 30 * n)] for n in range(9)
    ]
    lines = added(HEADINGS, *rows)
    assert [line for line in lines if line.startswith("Passport")] == [f"Passport:\tK0000000{n}" for n in range(9)]
    assert lines.count("ID No:\t١٢٣٤٥") == 9


def test_cells_that_were_read_as_one_are_parted_by_their_columns() -> None:
    close: list[Cell] = [("Employee", 100), ("ID No.", 300), ("Passport", 440)]
    rows: list[list[Cell]] = [close, [("Sara", 100), ("1012345672 K0000", 300)], [("101234", 300), ("K1111", 450)]]
    assert added(*rows)[1:] == ["ID No:\t1012345672", "ID No:\t101234", "Passport:\tK0000", "Passport:\tK1111"]


def test_a_column_without_a_label_takes_no_cell_from_others() -> None:
    """Else the cells of a row would move by a column where one heading was not read."""
    rows: list[list[Cell]] = [
        [(str(n), 20), ("Sara", 100), ("1012345672", 500), (f"{n}:30", 720), ("K0000", 900)] for n in range(1, 6)
    ]
    lines = added(HEADINGS, *rows)
    assert [lines.count(line) for line in ("Employee:\tSara", "ID No:\t1012345672", "Passport:\tK0000")] == [5, 5, 5]
    assert len(lines) == 15


def test_columns_of_a_photographed_page_whose_rows_fall_apart() -> None:
    """Its rows are slanted in several ways, so that each cell is read as a line, some on the row above."""
    places = [(left, 100 + 50 * row + round(0.03 * left * (row - 2))) for row in range(6) for left in (100, 500, 900)]
    texts = [text for text, _ in HEADINGS] + ["Sara", "1012345672", "K0000"] * 5
    lines = sorted(
        (words_in_line(text, *place) for text, place in zip(texts, places, strict=True)), key=lambda line: line[0].top
    )
    after = with_labelled_values(Reading("page", *compose(lines)))
    said = after.text.split("\n")[18:]
    assert sorted(said) == sorted(["Employee:\tSara", "ID No:\t1012345672", "Passport:\tK0000"] * 5)


def test_words_far_below_names_are_none_of_them() -> None:
    rows: list[list[Cell]] = [HEADINGS, [("Sara", 100)], [("Omar", 100)], [], [("Yours faithfully", 100)]]
    assert added(*rows) == ["Employee:\tSara", "Employee:\tOmar"]


@pytest.mark.parametrize(
    ("line", "again"),
    [
        ("رقم الخواز B03050180", "رقم الجواز:\tB03050180"),
        ("Passpont number 03050180", "passport number:\t03050180"),
        ("passport number 03050180", None),
        ("the total amount 03050180", None),
    ],
)
def test_a_number_behind_a_label_with_one_wrong_letter(line: str, again: str | None) -> None:
    words = words_in_line(line, 100, 100)
    if again is not None and not line.isascii():
        words = [word._replace(left=1000 - word.left) for word in words]
    after = with_labelled_values(Reading("page", *compose([words])))
    assert after.text.split("\n")[1:] == ([again] if again else [])


def test_a_centred_number_belongs_to_the_nearest_heading() -> None:
    assert sorted(added([("هاتف", 1500), ("الهوية", 1000)], [("٠٥٠١٢٣٤", 1330), ("١٠١٢", 1010)])) == [
        "الهوية:\t١٠١٢", "هاتف:\t٠٥٠١٢٣٤",
    ]  # fmt: skip


@pytest.mark.parametrize(
    "rows",
    [
        [[("Employee", 100), ("Sara Example", 500)], [("ID No.", 100), ("1012345672", 500)]],  # a form
        [HEADINGS, [("a line of prose that has many more words than any cell of a table", 80)]],
        [[("Employee", 100), ("Salary", 500)], [("Sara Example", 100), ("9,500", 500)]],  # one label may be a form's
        [[("ID No. 1012345672", 100), ("Passport K00000000", 500)], [("10", 100), ("20", 500)]],
        [HEADINGS],
        [[]],
    ],
    ids=["form", "prose", "one label", "digits", "nothing below", "nothing"],
)
def test_what_is_no_table_stays_as_it_is(rows: list[list[Cell]]) -> None:
    assert added(*rows) == []


def test_a_table_ends_where_rows_are_far_apart_and_at_the_next_label() -> None:
    row: list[Cell] = [("Sara Example", 80), ("1012345672", 510), ("K00000000", 880)]
    assert added(HEADINGS, row, pitch=400) == []
    assert not any(line.startswith("Employee") for line in added(HEADINGS, [("Mobile", 100), ("0501234567", 500)], row))


def test_words_that_are_labels_elsewhere_may_be_values_beside_a_number() -> None:
    headings: list[Cell] = [("Passport", 100), ("Department", 500), ("Mobile", 900)]
    rows: list[list[Cell]] = [[(f"K0000000{n}", 100), ("Accounts", 500), ("0500000000", 900)] for n in range(3)]
    lines = added(headings, *rows)
    assert [line for line in lines if line.startswith("Passport")] == [f"Passport:\tK0000000{n}" for n in range(3)]


def test_two_headings_that_were_read_as_one_are_parted() -> None:
    headings: list[Cell] = [("No", 20), ("National ID", 100), ("Passport No", 250)]
    rows: list[list[Cell]] = [[(str(n), 20), ("1012345672", 100), (f"K0000000{n}", 290)] for n in range(3)]
    lines = added(headings, *rows)
    assert lines == [*["National ID:\t1012345672"] * 3, *(f"Passport No:\tK0000000{n}" for n in range(3))]


def test_a_value_that_is_found_in_a_label_has_its_place() -> None:
    """Redaction refuses findings that no word overlaps."""
    after = with_labelled_values(reading(HEADINGS, [("Sara", 100), ("1012345672", 500), ("K00000000", 900)]))
    covered = {place for word in after.words for place in range(word.start, word.end)}
    assert all(sign in ":\t\n " or place in covered for place, sign in enumerate(after.text))


def test_headings_may_have_two_lines_beside_titles_of_jobs() -> None:
    rows: list[list[Cell]] = [
        [("National", 100), ("Mobile", 500), ("Job", 900)],
        [("ID", 110), ("Number", 500), ("Title", 900)],
        *([("1012345672", 90), ("0500000000", 480), ("Supervisor", 900)] for _ in range(3)),
    ]
    lines = [
        words_in_line(text, left, 100 + 26 * number + 20 * (number > 1))
        for number, row in enumerate(rows)
        for text, left in row
    ]
    after = with_labelled_values(Reading("page", *compose(join_rows(lines))))
    said = after.text.split("\n")[len(rows) :]
    assert said.count("Mobile Number:\t0500000000") == 3
    assert said.count("National ID:\t1012345672") == 3


def test_what_stands_in_another_column_stays_away_from_a_value() -> None:
    """Else something could be found there that has no place to be burned."""
    places = [("Birth", 100, 100, 120), ("Passport", 300, 100, 160)]
    places += [("K00000000", 300, 150, 110), ("20-11-1960", 100, 150, 120), ("555", 430, 150, 30)]
    text, words = "Birth\tPassport\nK00000000 20-11-1960 555", []
    for word in (OcrWord(said, left, top, width, HEIGHT, 99.0) for said, left, top, width in places):
        start = text.index(word.text)
        words.append(Word(start, start + len(word.text), *word[1:]))
    after = with_labelled_values(Reading("page", text, tuple(words)))
    assert after.text.split("\n")[2:] == ["Passport:\tK00000000\t555"]
    assert [after.text[word.start : word.end] for word in after.words[5:]] == ["Passport", "K00000000", "555"]


def test_prose_with_a_label_is_no_row_of_headings() -> None:
    rows: list[list[Cell]] = [[("the passport or the national ID of the owner", 20)], [("K00000000", 100)]]
    assert added(*rows) == []
