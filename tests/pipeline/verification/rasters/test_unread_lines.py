"""A line that a detector sees in an output, and that neither reading has read, is found."""

from dataclasses import replace

import cv2
import numpy as np
import pytest
from PIL import Image, ImageDraw, ImageFont

from pipeline.documents.document import Raster, Reading
from pipeline.geometry.strip import Box, Strip
from pipeline.verification.unread_lines import lines_in_doubt, unread_lines
from tests.pipeline.documents import papers
from tests.pipeline.ocr.words import Word
from tests.pipeline.verification.again import read_again

FIRST, SECOND = Raster("first", 1000, 400), Raster("second", 1000, 400)
LINE = Strip(100, 70, 600, 0, 40)


def box(left: int, width: int, top: int = 55, height: int = 30) -> Box:
    return left, top, width, height


def word(left: int, width: int, top: int = 55, height: int = 30) -> Word:
    return Word(0, 1, *box(left, width, top, height), confidence=90.0)


@pytest.mark.parametrize(
    ("words", "parts"),
    [
        ([], [(100, 600)]),
        ([box(100, 600)], []),
        ([box(120, 300)], [(420, 280)]),
        ([box(100, 250), box(420, 280)], []),  # a blank
        ([box(100, 100), box(600, 100)], [(200, 400)]),
        ([box(100, 600, top=200)], [(100, 600)]),  # in another row
    ],
)
def test_long_parts_of_a_line_without_words(words: list[Box], parts: list[tuple[int, int]]) -> None:
    assert [(gap.x, gap.across) for gap in unread_lines([LINE], words)] == parts


@pytest.mark.parametrize("line", [Strip(120, 50, 0, 250, 40), Strip(120, 300, 0, -250, 40)])
def test_a_line_that_runs_upward(line: Strip) -> None:
    assert list(unread_lines([line], [])) == [line]
    assert list(unread_lines([line], [(102, 60, 36, 230)])) == []


def test_a_slanted_line() -> None:
    """Words cover it where its middle runs through them, or their middle is in it."""
    line = Strip(100, 100, 300, 300, 40)
    assert list(unread_lines([line], [box(0, 90), box(300, 100, top=100, height=100)])) == [line]
    (before, after) = unread_lines([line], [(200, 200, 60, 60)])
    assert before == pytest.approx(Strip(100, 100, 100, 100, 40))
    assert after == pytest.approx(Strip(260, 260, 140, 140, 40))
    (after,) = unread_lines([line], [(90, 90, 60, 60), (205, 160, 20, 50)])
    assert after.x > 200 and after.x + after.across == pytest.approx(400)


def test_the_box_around_a_slanted_word_covers_no_line_beside_it() -> None:
    line = Strip(130, 70, 300, 300, 40)
    assert list(unread_lines([line], [(60, 100, 330, 330)])) == [line]


def doubtful(first: Reading, second: Reading) -> dict[str, list[tuple[int, int, int, int]]]:
    return lines_in_doubt({"second": (FIRST,)}, [first], [SECOND], [second])


def test_what_the_first_reading_read_or_burned_is_in_no_doubt() -> None:
    second = Reading("second", "", (), unread_lines=(LINE,))
    whole = {"second": [(100, 50, 600, 40)]}
    assert doubtful(Reading("first", "", ()), second) == whole
    assert doubtful(Reading("first", "a", (word(100, 600),)), second) == {}
    assert doubtful(Reading("first", "", (), unread=((100, 50, 600, 40),)), second) == {}
    edge = box(100, 600, top=40, height=20)  # burned for the line above
    assert doubtful(Reading("first", "", (), unread=(edge,)), second) == whole
    assert doubtful(Reading("first", "a", (replace(word(100, 600), confidence=40.0),)), second) == whole
    number = replace(word(100, 600), end=6)
    assert doubtful(Reading("first", "104512", (number,)), second) == whole
    assert doubtful(Reading("first", "letter", (number,)), second) == {}
    ((part,),) = doubtful(Reading("first", "a", (word(100, 300),)), second).values()
    assert 400 <= part[0] < 410 and part[0] + part[2] == 700


def test_a_slanted_word_is_read_along_its_strip_alone() -> None:
    line = Strip(100, 60, 400, 160, 30)
    left, top, width, height = line.box
    (slanted,) = (replace(word(left, width, top, height), strip=line),)
    second = Reading("second", "", (), unread_lines=(line,))
    assert doubtful(Reading("first", "a", (slanted,)), second) == {}
    under = replace(second, unread_lines=(line._replace(y=100, across=300, down=120),))
    assert doubtful(Reading("first", "a", (slanted,)), under)


def test_dark_words_over_light_ink_say_nothing_about_it_but_what_was_burned_does() -> None:
    second = Reading("second", "", (), unread_lines=(LINE._replace(is_crossed=True),))
    whole = box(100, 600, top=50, height=40)
    assert doubtful(Reading("first", "a", (word(100, 600),)), second) == {"second": [whole]}
    assert doubtful(Reading("first", "", (), unread=(whole,)), second) == {}


def test_a_blurred_value_is_a_line_that_nobody_reads() -> None:
    picture = Image.new("L", (1240, 400), 255)
    draw, naskh = ImageDraw.Draw(picture), papers.FONTS / "truetype/noto/NotoNaskhArabic-Regular.ttf"
    draw.text((100, 60), "Issued at the office in the morning", 0, ImageFont.truetype(str(papers.DEJAVU), 32))
    draw.text((700, 200), "٠٥٠١٢٣٤٥٦٧", 0, ImageFont.truetype(str(naskh), 32))
    pixels = np.array(picture)
    clear = read_again(papers.raster(pixels, 200), papers.encoded(pixels))
    place = slice(209, 242), slice(694, 831)
    pixels[place] = cv2.GaussianBlur(pixels[place], (0, 0), 6)
    blurred = read_again(papers.raster(pixels, 200), papers.encoded(pixels))
    assert "٠٥٠١٢٣٤٥٦٧" in clear.text and not clear.unread_lines
    (line,) = blurred.unread_lines
    left, top, width, height = line.box
    assert left < 710 and left + width > 815 and 200 < top < top + height < 250


def test_a_raster_without_a_counterpart_has_none() -> None:
    assert lines_in_doubt({}, [], [SECOND], [Reading("second", "", (), unread_lines=(LINE,))]) == {}


def test_further_views_have_none() -> None:
    view = Raster("second/view1", 1000, 400)
    again = Reading(view.id, "", (), unread_lines=(LINE,))
    assert lines_in_doubt({view.id: (FIRST,)}, [Reading("first", "", ())], [view], [again]) == {}


def test_it_is_linear_in_lines_and_words() -> None:
    """Nothing quadratic survives the timeout."""
    lines = [Strip(10, 4 * n + 6, 500, 0, 12) for n in range(3000)]
    words = [box(10 + 50 * (n % 10), 40, top=4 * (n // 10), height=10) for n in range(30_000)]
    assert list(unread_lines(lines, words)) == []
    assert len(list(unread_lines(lines, []))) == 3000
