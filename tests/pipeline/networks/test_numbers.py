"""Both readers of numbers in lines: both kinds of digits, places, and lines that hold nothing."""

import tracemalloc
from pathlib import Path
from types import ModuleType

import numpy as np
import pytest
from numpy.typing import NDArray
from PIL import Image, ImageDraw, ImageFont

from pipeline.networks.line_reader import LineReader
from pipeline.networks.numbers import Character, numbers_of, without_false_blanks
from pipeline.ocr.engines import line_recognizer as first
from pipeline.verification import number_recognizer as second

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


@pytest.fixture(params=[first, second], ids=["first", "second"])
def reader(request: pytest.FixtureRequest) -> LineReader:
    """The reader of either reading."""
    return request.param.reader()


def texts(reader: LineReader, line: NDArray[np.uint8]) -> list[str]:
    return [number.text for number in numbers_of(reader.read_lines([line])[0])]


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
def test_both_kinds_of_digits(reader: LineReader, text: str, font: Path) -> None:
    assert texts(reader, drawn(text, font)) == [text]


@pytest.mark.parametrize("text", ["1000000", "5511122", "٧٧٧٧٧٧", "١٠٠٠٠٠"])
def test_repeated_digits(reader: LineReader, text: str) -> None:
    assert texts(reader, drawn(text)) == [text]


@pytest.mark.parametrize("size", [14, 20, 48, 72])
def test_any_size(reader: LineReader, size: int) -> None:
    assert texts(reader, drawn("2087654321", size=size)) == ["2087654321"]


def test_groups_are_numbers_of_their_own(reader: LineReader) -> None:
    assert texts(reader, drawn("SA03 8000 0000 6080 1016 7519")) == ["SA03", "8000", "0000", "6080", "1016", "7519"]


def test_a_number_lies_where_it_is_drawn(reader: LineReader) -> None:
    line = drawn("Mobile 0551234567 or 1034567890")
    found = numbers_of(reader.read_lines([line])[0])
    assert [number.text for number in found] == ["0551234567", "1034567890"]
    for number in found:
        own = line[:, number.left : number.right] < 128
        # the ink reaches to both ends and goes on at neither
        assert own[:, :8].any()
        assert own[:, -8:].any()
        assert not (line[:, number.left - 2] < 128).any()
        assert not (line[:, number.right + 1] < 128).any()


def test_a_line_reads_the_same_beside_others(reader: LineReader) -> None:
    lines = [drawn("1034567890"), drawn("٠٥٥١٢٣٤٥٦٧", NASKH), drawn("Total 1,234.50 SAR", size=60), drawn("5")]
    together = reader.read_lines(lines)
    assert together == [reader.read_lines([line])[0] for line in lines]
    assert together == reader.read_lines(lines[::-1])[::-1]


def test_words_hold_no_number(reader: LineReader) -> None:
    assert texts(reader, drawn("Ministry of Health")) == []


@pytest.mark.parametrize("shade", [0, 127, 255])
@pytest.mark.parametrize("shape", [(0, 0), (0, 40), (40, 0), (1, 1), (1, 500), (500, 1), (5, 9), (40, 400), (900, 30)])
def test_a_line_of_one_shade_holds_no_number(reader: LineReader, shape: tuple[int, int], shade: int) -> None:
    assert texts(reader, np.full(shape, shade, np.uint8)) == []


def test_a_long_line_is_read_whole(reader: LineReader) -> None:
    groups = [f"{number:04}" for number in range(1234, 9000, 97)]
    line = drawn(" ".join(groups))
    assert line.shape[1] > 3000
    found = texts(reader, line)
    assert found[0] == groups[0]
    assert found[-1] == groups[-1]
    assert sum(group in found for group in groups) >= 0.97 * len(groups)


@pytest.mark.slow
def test_a_hostile_width_takes_little_memory(reader: LineReader) -> None:
    line = np.random.default_rng(1).integers(0, 256, (12, 20_000), np.uint8)
    tracemalloc.start()
    reader.read_lines([line])
    _, most = tracemalloc.get_traced_memory()
    tracemalloc.stop()
    assert most < 100e6


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


def test_a_clear_number_is_surer_than_a_blurred_one(reader: LineReader) -> None:
    line = drawn("1034567890", size=24)
    small = Image.fromarray(line).resize((line.shape[1] // 4, line.shape[0] // 4), Image.Resampling.BOX)
    clear = numbers_of(reader.read_lines([line])[0])
    blurred = numbers_of(reader.read_lines([np.asarray(small.resize(line.shape[::-1]))])[0])
    assert clear[0].confidence > 0.9
    assert clear[0].confidence > max((number.confidence for number in blurred), default=0.0)


@pytest.mark.parametrize("module", [first, second])
def test_the_file_is_small(module: ModuleType) -> None:
    assert Path(str(module.__file__)).with_suffix(".onnx").stat().st_size <= 4_000_000


def test_the_networks_are_unlike_each_other() -> None:
    """The first is recurrent and the second is not."""
    one, other = (Path(str(module.__file__)).with_suffix(".onnx").read_bytes() for module in (first, second))
    assert b"LSTM" in one and b"LSTM" not in other


def placed(text: str, blank: float) -> tuple[list[Character], list[float]]:
    """Characters ten columns apart, digits at a blank so many times as far, and their middles."""
    middles, at = [], 0.0
    for before, character in zip(" " + text, text, strict=False):
        at += 5 * blank if " " in (before, character) else 10
        middles.append(at)
    return [Character(character, 0, 0, 0.9) for character in text], middles


@pytest.mark.parametrize(
    ("text", "blank", "left"),
    [
        ("٢٨٥٦٣٩٢٧٠ ٥", 1.2, "٢٨٥٦٣٩٢٧٠٥"),
        ("٢٨٥٦٣٩٢٧٠ ٥", 1.4, "٢٨٥٦٣٩٢٧٠ ٥"),
        ("1 012345672", 1.1, "1012345672"),
        ("8000 0000 6080", 1.5, "8000 0000 6080"),
        ("12 34", 1.2, "12 34"),  # too few to tell
        ("a 12345 b", 1.0, "a 12345 b"),
        (" 123456 ", 1.0, " 123456 "),
        ("", 1.0, ""),
    ],
)
def test_a_blank_between_digits_needs_room(text: str, blank: float, left: str) -> None:
    assert "".join(character.text for character in without_false_blanks(*placed(text, blank))) == left
