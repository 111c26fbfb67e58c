"""The second reading of numbers in lines: both kinds of digits, places, and lines that hold nothing."""

import tracemalloc
from pathlib import Path

import numpy as np
import pytest
from numpy.typing import NDArray
from PIL import Image, ImageDraw, ImageFont

from pipeline.numbers import Character, numbers_of
from pipeline.ocr import number_recognizer as first
from pipeline.verification import number_recognizer
from pipeline.verification.number_recognizer import read_lines

FONTS = Path("/usr/share/fonts")
DEJAVU = FONTS / "truetype/dejavu/DejaVuSans.ttf"
NASKH = FONTS / "truetype/noto/NotoNaskhArabic-Regular.ttf"
AMIRI = FONTS / "opentype/fonts-hosny-amiri/Amiri-Regular.ttf"


def drawn(text: str, font: Path = DEJAVU, size: int = 32) -> NDArray[np.uint8]:
    """A line in black on white, digits from left to right, with a margin of a fifth of its height."""
    face = ImageFont.truetype(str(font), size, layout_engine=ImageFont.Layout.BASIC)
    left, top, right, bottom = (int(side) for side in face.getbbox(text))
    margin = (bottom - top) // 5 + 1
    image = Image.new("L", (right - left + 2 * margin, bottom - top + 2 * margin), 255)
    ImageDraw.Draw(image).text((margin - left, margin - top), text, fill=0, font=face)
    return np.asarray(image)


def texts(line: NDArray[np.uint8]) -> list[str]:
    return [number.text for number in numbers_of(read_lines([line])[0])]


@pytest.mark.parametrize(
    ("text", "font"),
    [
        ("1034567890", DEJAVU),
        ("0551234567", NASKH),
        ("12/03/1445", DEJAVU),
        ("1,234.50", DEJAVU),
        ("A12345678", DEJAVU),
        ("١٠٣٤٥٦٧٨٩٠", DEJAVU),
        ("٠٥٥١٢٣٤٥٦٧", NASKH),
        ("١٢/٠٣/١٤٤٥", AMIRI),
        ("٢٤٦٨٠١٣٥٧٩", AMIRI),
    ],
)
def test_both_kinds_of_digits(text: str, font: Path) -> None:
    assert texts(drawn(text, font)) == [text]


@pytest.mark.parametrize("text", ["1000000", "5511122", "٧٧٧٧٧٧", "١٠٠٠٠٠"])
def test_repeated_digits(text: str) -> None:
    assert texts(drawn(text)) == [text]


@pytest.mark.parametrize("size", [14, 20, 48, 72])
def test_any_size(size: int) -> None:
    assert texts(drawn("2087654321", size=size)) == ["2087654321"]


def test_groups_are_numbers_of_their_own() -> None:
    assert texts(drawn("SA03 8000 0000 6080 1016 7519")) == ["SA03", "8000", "0000", "6080", "1016", "7519"]


def test_a_number_lies_where_it_is_drawn() -> None:
    line = drawn("Mobile 0551234567 or 1034567890")
    found = numbers_of(read_lines([line])[0])
    assert [number.text for number in found] == ["0551234567", "1034567890"]
    for number in found:
        own = line[:, number.left : number.right] < 128
        # the ink reaches to both ends and goes on at neither
        assert own[:, :8].any()
        assert own[:, -8:].any()
        assert not (line[:, number.left - 2] < 128).any()
        assert not (line[:, number.right + 1] < 128).any()


def test_a_line_reads_the_same_beside_others() -> None:
    lines = [drawn("1034567890"), drawn("٠٥٥١٢٣٤٥٦٧", NASKH), drawn("Total 1,234.50 SAR", size=60), drawn("5")]
    together = read_lines(lines)
    assert together == [read_lines([line])[0] for line in lines]
    assert together == read_lines(lines[::-1])[::-1]


def test_words_hold_no_number() -> None:
    assert texts(drawn("Ministry of Health")) == []


@pytest.mark.parametrize("shade", [0, 127, 255])
@pytest.mark.parametrize("shape", [(0, 0), (0, 40), (40, 0), (1, 1), (1, 500), (500, 1), (5, 9), (40, 400), (900, 30)])
def test_a_line_of_one_shade_holds_no_number(shape: tuple[int, int], shade: int) -> None:
    assert texts(np.full(shape, shade, np.uint8)) == []


def test_a_long_line_is_read_whole() -> None:
    groups = [f"{number:04}" for number in range(1234, 9000, 97)]
    line = drawn(" ".join(groups))
    assert line.shape[1] > 3000
    found = texts(line)
    assert found[0] == groups[0]
    assert found[-1] == groups[-1]
    assert sum(group in found for group in groups) >= 0.97 * len(groups)


def test_a_hostile_width_takes_little_memory() -> None:
    line = np.random.default_rng(1).integers(0, 256, (12, 60_000), np.uint8)
    tracemalloc.start()
    read_lines([line])
    _, most = tracemalloc.get_traced_memory()
    tracemalloc.stop()
    assert most < 300e6


def characters(text: str) -> list[Character]:
    return [Character(character, 10.0 * at, 10.0 * at + 9, 0.99) for at, character in enumerate(text)]


@pytest.mark.parametrize(
    ("line", "found"),
    [
        ("□ 12 34", ["12", "34"]),
        ("(123),", ["123"]),
        ("-1.5%.", ["1.5%"]),
        ("+966 SA03", ["+966", "SA03"]),
        ("□1445□", ["1445"]),
        ("A-B/C :", []),
        ("12/3/1445.", ["12/3/1445"]),
        ("", []),
    ],
)
def test_punctuation_around_a_number_is_not_part_of_it(line: str, found: list[str]) -> None:
    assert [number.text for number in numbers_of(characters(line))] == found


def test_confidence_is_of_the_whole_number() -> None:
    (number,) = numbers_of(characters(" 123 "))
    assert number.left == 10
    assert number.right == 39
    assert number.confidence == pytest.approx(0.99**5)


def test_a_clear_number_is_surer_than_a_blurred_one() -> None:
    line = drawn("1034567890", size=24)
    small = Image.fromarray(line).resize((line.shape[1] // 4, line.shape[0] // 4), Image.Resampling.BOX)
    clear = numbers_of(read_lines([line])[0])
    blurred = numbers_of(read_lines([np.asarray(small.resize(line.shape[::-1]))])[0])
    assert clear[0].confidence > 0.9
    assert clear[0].confidence > max((number.confidence for number in blurred), default=0.0)


def test_the_file_is_small() -> None:
    assert Path(str(number_recognizer.__file__)).with_suffix(".onnx").stat().st_size <= 2_000_000


def test_it_is_of_another_architecture_than_the_first() -> None:
    """Nothing recurrent here, and the first is; the heights of their pictures differ as well."""
    ours = Path(str(number_recognizer.__file__)).with_suffix(".onnx").read_bytes()
    theirs = Path(str(first.__file__)).with_suffix(".onnx").read_bytes()
    assert b"LSTM" in theirs
    assert b"LSTM" not in ours
    assert number_recognizer.HEIGHT != first.HEIGHT
