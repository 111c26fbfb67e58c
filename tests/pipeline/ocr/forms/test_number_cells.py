"""Numbers in cells are found whole: their groups are read together, and other rows are left alone."""

import numpy as np
import pytest
from PIL import Image, ImageDraw, ImageFont

from benchmarks.scans.score import is_left
from pipeline.detect.detector import Detector
from pipeline.document_detection.direct import DirectDetector
from pipeline.document_run import redact_document
from pipeline.documents.document import Reading, Word
from pipeline.ocr import recognition
from pipeline.ocr.layout.lines import compose
from pipeline.ocr.layout.number_cells import with_joined_cells
from schemas.files import Format
from tests.pipeline.documents import papers
from tests.pipeline.ocr.forms.form import NASKH
from tests.pipeline.ocr.words import OcrWord
from tests.pipeline.sandbox.shared import shared

HEIGHT, WIDE = 30, 20  # pixels of a character


def reading(*words: tuple[str, int]) -> Reading:
    """One line of words with their left edges."""
    text, placed = compose([[OcrWord(word, left, 100, WIDE * len(word), HEIGHT, 99.0) for word, left in words]])
    return Reading("page", text, placed, ())


def added(*words: tuple[str, int]) -> list[str]:
    before = reading(*words)
    after = with_joined_cells(before)
    assert after.text.startswith(before.text)
    assert [after.text[w.start : w.end] for w in after.words[: len(words)]] == [
        before.text[w.start : w.end] for w in before.words
    ]
    return after.text[len(before.text) :].split("\n")[1:]


def cells(*groups: str, first: int = 400, step: int = 150) -> list[tuple[str, int]]:
    return [(group, first + step * place) for place, group in enumerate(groups)]


@pytest.mark.parametrize(
    "groups",
    [
        ("SA03", "8000", "0000", "6080", "1016", "7519"),
        ("10", "12", "34", "56", "72"),
        ("050", "123", "4567"),
        ("050", "123", "456", "7"),
        ("1", "012", "345", "672"),
        ("10123", "45672"),
    ],
)
def test_groups_in_cells_follow_again_as_one_number(groups: tuple[str, ...]) -> None:
    assert added(("National", 20), ("ID", 200), *cells(*groups))[0] == "National ID\t" + " ".join(groups)


def test_groups_beside_an_arabic_label_are_read_from_left_to_right() -> None:
    assert added(*cells("١٠", "١٢", "٣٤", "٥٦", "٧٢", first=100), ("الهوية", 900)) == ["الهوية\t١٠ ١٢ ٣٤ ٥٦ ٧٢"]


def test_a_row_number_before_them_may_be_none_of_theirs() -> None:
    assert added(*cells("3", "1012", "3456", "72")) == ["3 1012 3456 72", "1012 3456 72"]


def test_the_last_digit_of_a_group_that_was_read_twice_is_left_out() -> None:
    again = ("2", 400 + 150 + 3 * WIDE)
    assert added(("ID", 200), *cells("1012", "3452"), again, ("72", 700)) == ["ID\t1012 3452 72"]


@pytest.mark.parametrize(
    "words",
    [
        cells("1012", "3456", "72", step=400),  # too far apart
        cells("1012", "34", "5672"),  # of unlike length
        cells("12", "350", "15"),  # too short
        [("1012", 100), ("Riyadh", 250), ("3456", 450), ("Jeddah", 650), ("7289", 850)],
        [("1012", 100), ("3456", 190), ("72", 280)],  # no cells
        cells("10.50", "20.75", "31.25"),
    ],
)
def test_other_rows_are_left_alone(words: list[tuple[str, int]]) -> None:
    assert added(*words) == []


def test_every_word_keeps_its_box() -> None:
    after = with_joined_cells(reading(("ID", 200), *cells("1012", "3456", "72")))
    boxes: dict[str, set[int]] = {}
    for word in after.words:
        boxes.setdefault(after.text[word.start : word.end], set()).add(word.left)
    assert boxes == {"ID": {200}, "1012": {400}, "3456": {550}, "72": {700}}


def test_a_row_without_end_adds_little() -> None:
    after = with_joined_cells(reading(*cells(*(f"{n:04}" for n in range(1000, 4000)))))
    assert len(after.text) < 50 * 3000
    assert isinstance(after.words[-1], Word)


def drawn(label: str, groups: list[str], step: int, *, framed: bool) -> tuple[np.ndarray, list[np.ndarray]]:
    """A page with a number in cells, and the corners of its groups."""
    page = Image.new("L", (1500, 420), 255)
    draw, is_arabic = ImageDraw.Draw(page), label > "\u0600"
    font = ImageFont.truetype(str(NASKH if is_arabic else papers.DEJAVU), 38)
    draw.text(
        (60, 60), "The branch office sends this form to the applicant", 0, ImageFont.truetype(str(papers.DEJAVU), 34)
    )
    place, options = ((320 + len(groups) * step + 40, 222), {"direction": "rtl"}) if is_arabic else ((60, 222), {})
    draw.text(place, label, 0, font, **options)
    corners = []
    for number, group in enumerate(groups):
        left = 320 + number * step
        if framed:
            draw.rectangle((left, 205, left + step, 285), outline=0, width=2)
        at = (left + (step - font.getlength(group)) / 2, 220)
        x0, y0, x1, y1 = draw.textbbox(at, group, font)
        draw.text(at, group, 0, font)
        corners.append(np.array([(x0, y0), (x1, y0), (x1, y1), (x0, y1)], float))
    return np.array(page), corners


@pytest.mark.parametrize(
    ("label", "value", "size", "framed"),
    [
        ("National ID", "1012345672", 2, True),
        pytest.param("IBAN", "SA0380000000608010167519", 4, True, marks=pytest.mark.slow),
        pytest.param("رقم الهوية", "١٠١٢٣٤٥٦٧٢", 2, True, marks=pytest.mark.slow),
        pytest.param("Mobile", "0501234567", 3, True, marks=pytest.mark.slow),
        pytest.param("National ID", "1012345672", 4, False, marks=pytest.mark.slow),
        pytest.param("Mobile", "0501234567", 3, False, marks=pytest.mark.slow),
    ],
)
def test_nothing_of_a_number_in_cells_can_be_read(label: str, value: str, size: int, *, framed: bool) -> None:
    groups = [value[start : start + size] for start in range(0, len(value), size)]
    pixels, corners = drawn(label, groups, 150, framed=framed)
    data = papers.encoded(pixels)
    done = redact_document(shared(), DirectDetector(Detector()), Format.PNG, data, max_pages=1)
    output = papers.decoded(done.data)
    left = [group for group, box in zip(groups, corners, strict=True) if is_left(pixels, output, box, len(group))]
    assert left == []


@pytest.mark.parametrize("degrees", [90, pytest.param(180, marks=pytest.mark.slow)])
def test_cells_of_a_rotated_page_are_read_from_left_to_right(degrees: int) -> None:
    pixels, _ = drawn("National ID", ["10", "12", "34", "56", "72"], 150, framed=True)
    prose = papers.picture(*["The branch office sends this form to the applicant in the morning"] * 6, width=1500)
    page = np.rot90(np.vstack([prose[:, :1500], pixels]), degrees // 90).copy()
    assert "National ID\t10 12 34 56 72" in recognition.read(papers.raster(page, 200), papers.encoded(page)).text
