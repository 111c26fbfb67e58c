"""Numbers beside or below words that nobody could read."""

import pytest

from pipeline.documents.document import Engine, Word
from pipeline.ocr.layout.table import table_of
from pipeline.ocr.unread import labels
from pipeline.ocr.unread.labels import numbers_without_label

NUMBER, HEIGHT = "844946176", 30
PLACE = (500, 100, 180, HEIGHT)


def found(unread: list[tuple[int, int, int, int]], said: str = NUMBER, label: tuple[int, int] | None = None) -> bool:
    """Whether the number goes. `label`: left and top of a word that was read."""
    text, words = said, [Word(0, len(said), *PLACE, 99.0, Engine.PP_OCR)]
    if label is not None:
        words.append(Word(len(text) + 1, len(text) + 7, *label, 100, HEIGHT, 99.0, Engine.TESSERACT))
        text += " amount"
    boxes = numbers_without_label(text, words, unread, table_of(text, words))
    assert boxes in ([], [PLACE])
    return bool(boxes)


@pytest.mark.parametrize("left_and_top", [(300, 95), (760, 110), (520, 40)])
def test_a_number_whose_label_is_unread_is_unread(left_and_top: tuple[int, int]) -> None:
    assert found([(*left_and_top, 100, HEIGHT)])


@pytest.mark.parametrize(
    ("box", "label"),
    [
        ((300, 300, 100, HEIGHT), None),  # far below
        ((520, 160, 100, HEIGHT), None),  # below it, where the next label is
        ((300, 95, 20, HEIGHT), None),  # a speck
        ((100, 95, 100, HEIGHT), (300, 100)),  # a label that was read is nearer
        ((PLACE[0], PLACE[1], 40, HEIGHT), None),  # in it
    ],
)
def test_other_numbers_stay(box: tuple[int, int, int, int], label: tuple[int, int] | None) -> None:
    assert not found([box], label=label)


@pytest.mark.parametrize("said", ["4,500.00", "1234", "order", "12:30"])
def test_amounts_times_and_short_numbers_stay(said: str) -> None:
    assert not found([(300, 95, 100, HEIGHT)], said)


def table(*rows: tuple[str, ...], unread: tuple[int, ...]) -> list[str]:
    """What goes below headings; those in the columns `unread` are unread ink, without words where they are x."""
    parts, words, boxes = [], [], []
    start = 0
    for number, row in enumerate(rows):
        for column, said in enumerate(row):
            box = (100 + 400 * column, 100 + 50 * number, 20 * len(said), HEIGHT)
            if number == 0 and column in unread:
                boxes.append(box)
                if set(said) == {"x"}:
                    continue
            for word in said.split():
                place = said.index(word)
                words.append(Word(start + place, start + place + len(word), box[0] + 20 * place, box[1],
                                  20 * len(word), HEIGHT, 99.0, Engine.PP_OCR))  # fmt: skip
            parts.append(said + ("\n" if column == len(row) - 1 else "\t"))
            start += len(parts[-1])
    text = "".join(parts)
    said_at = {(word.left, word.top): text[word.start : word.end] for word in words}
    return [said_at[left, top] for left, top, _, _ in numbers_without_label(text, words, boxes, table_of(text, words))]


def test_all_of_a_column_is_as_unread_as_its_heading() -> None:
    headings = ("Employee", "xxxxxxxx", "xxxxxxx", "xxxxxxx", "Salary")
    rows = [("Sara Example", f"K0000000{n}", "ABC 1234", "9,500.00", "50123") for n in range(4)]
    gone = table(headings, *rows, unread=(1, 2, 3))
    assert gone == [*(f"K0000000{n}" for n in range(4)), *["ABC", "1234"] * 4]
    assert table(headings, *rows, unread=()) == []
    misread = ("Employee", "[9)", "xxxxxxx", "xxxxxxx", "Salary")
    assert table(misread, *rows, unread=(1, 2, 3)) == gone


def test_unread_ink_among_numbers_heads_no_column() -> None:
    rows = [
        ("xxxxxxxx", "4,500.00", "Total", "77000123"),
        ("Sara", "1,500.00", "Chair", "50123"),
        ("Omar", "1", "Desk", "50124"),
    ]
    assert table(*rows, unread=(0, 2)) == ["77000123"]


@pytest.mark.parametrize("bound", ["_MOST", "MOST_CELLS"])
def test_numbers_go_where_they_are_too_many_to_look_at(bound: str, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(labels, bound, 0)
    rows = [("Sara Example", "77000123", "ABC 1234")]
    said = table(("xxxxxxxxxx", "Salary", "Car"), *rows, unread=(0,))
    assert "77000123" in said
    assert ("ABC" in said) is (bound == "MOST_CELLS")
