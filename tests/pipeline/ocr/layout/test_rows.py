"""Lines side by side are one row if one of them is a label or a value, and columns if all are prose."""

import math

import pytest

from pipeline.ocr.layout.lines import compose, join_rows
from tests.pipeline.ocr.words import OcrWord


def line(text: str, left: int, top: int, height: int = 20) -> list[OcrWord]:
    words, at = [], left
    for word in text.split():
        words.append(OcrWord(word, at, top, 10 * len(word), height, 90.0))
        at += 10 * len(word) + 10
    return words


LABEL, VALUE = line("Passport no.", 10, 100), line("K00000000", 400, 103)
PROSE = "the first column goes on and on here"


@pytest.mark.parametrize(
    ("lines", "text"),
    [
        ([VALUE, LABEL], "Passport no.\tK00000000"),
        ([LABEL, line("K00000000", 400, 140)], "Passport no.\nK00000000"),
        ([line(PROSE, 10, 100), line(PROSE, 600, 100)], f"{PROSE}\n{PROSE}"),
        ([line("Total", 10, 100), line("Tax", 200, 101), line("15%", 400, 99)], "Total\tTax\t15%"),
        ([line("الجواز", 400, 100), line("K00000000", 10, 100)], "الجواز\tK00000000"),
        ([line("B", 10, 200), line("D", 300, 100), line("A", 10, 100), line("C", 300, 200)], "B\tC\nA\tD"),
        ([], ""),
    ],
)
def test_rows(lines: list[list[OcrWord]], text: str) -> None:
    assert compose(join_rows(lines))[0] == text


@pytest.mark.parametrize("skew", [-3.0, 2.0, 3.5])
def test_rows_of_a_skewed_table_are_those_of_a_level_one(skew: float) -> None:
    """Else a value would stand in a line of its own, without the heading of its column."""
    slope = math.tan(math.radians(skew))
    cells = [(f"r{row} c{column}", 500 * column, 40 * row) for row in range(5) for column in range(3)]
    lines = [line(text, left, 200 + top + round(slope * left)) for text, left, top in cells]
    assert compose(join_rows(lines, skew))[0] == "\n".join(f"r{row} c0\tr{row} c1\tr{row} c2" for row in range(5))


def test_no_word_is_lost_or_doubled() -> None:
    lines = [line(f"word{index} more", 10 + 300 * (index % 3), 20 * (index // 3)) for index in range(90)]
    assert sorted(w for row in join_rows(lines) for w in row) == sorted(w for one in lines for w in one)
