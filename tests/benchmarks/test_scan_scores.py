"""What counts as left, found and burned on a scan."""

from dataclasses import replace

import cv2
import numpy as np
import pytest
from PIL import Image, ImageDraw, ImageFont

from benchmarks.scans import score
from benchmarks.scans.damage import Pixels
from benchmarks.scans.figures import Measured, Outcome, figures, table
from benchmarks.scans.measure import is_found, words_read
from benchmarks.scans.values import Value
from pipeline.documents.document import Engine, FoundValue, Reading, Word
from schemas.entities import EntityType

DIGITS = "1058374925"
LEFT, TOP, RIGHT, BOTTOM = 100, 60, 300, 90
PLACE = np.array([(LEFT, TOP), (RIGHT, TOP), (RIGHT, BOTTOM), (LEFT, BOTTOM)], float)
SIZE = (400, 160)


def drawn(text: str = DIGITS, ink: int = 20, paper: int = 250, around: str = "") -> Pixels:
    """A text of ten characters that fills `PLACE`, and words above and below it."""
    image = Image.new("L", SIZE, paper)
    pen = ImageDraw.Draw(image)
    for index, character in enumerate(text):
        pen.text((LEFT + 3 + 20 * index, BOTTOM - 3), character, ink, ImageFont.load_default(30), anchor="ls")
    for y in (20, 110):
        pen.text((40, y), around, ink, ImageFont.load_default(24))
    return np.asarray(image).copy()


def boxed(image: Pixels, left: float, right: float, label: str = "", fill: int = 0) -> Pixels:
    """With a box over the characters from `left` to `right`, counted from 0."""
    target = Image.fromarray(image)
    pen = ImageDraw.Draw(target)
    area = (LEFT + 20 * left, TOP - 3, LEFT + 20 * right, BOTTOM + 3)
    pen.rectangle(area, fill)
    pen.text((area[0] + 4, BOTTOM - 6), label, 255 - fill, ImageFont.load_default(20), anchor="ls")
    return np.asarray(target).copy()


def jpeg(image: Pixels, quality: int) -> Pixels:
    data = cv2.imencode(".jpg", image, [cv2.IMWRITE_JPEG_QUALITY, quality])[1]
    return cv2.imdecode(data, cv2.IMREAD_GRAYSCALE)


def is_left(output: Pixels, original: Pixels | None = None) -> bool:
    return score.is_left(drawn() if original is None else original, output, PLACE, len(DIGITS))


@pytest.mark.parametrize(
    "output",
    [
        pytest.param(drawn(), id="untouched"),
        pytest.param(jpeg(drawn(), 40), id="compressed anew"),
        pytest.param(cv2.GaussianBlur(drawn(), (0, 0), 1.0), id="a little blurred"),
        pytest.param(drawn(ink=150), id="fainter"),
        pytest.param(boxed(drawn(), 0, 5), id="second half"),
        pytest.param(boxed(drawn(), 5, 10, "ID"), id="first half"),
        pytest.param(boxed(boxed(drawn(), 0, 2), 7.3, 10), id="five in the middle"),
        pytest.param(cv2.line(drawn(), (LEFT, BOTTOM - 1), (RIGHT, BOTTOM - 1), 0, 2), id="underlined"),
    ],
)
def test_values_that_can_still_be_read_are_left(output: Pixels) -> None:
    assert is_left(output)


@pytest.mark.parametrize(
    "output",
    [
        pytest.param(boxed(drawn(), 0, 10), id="burned"),
        pytest.param(boxed(drawn(), 0, 10, "NATIONAL_ID_01"), id="burned, with a placeholder"),
        pytest.param(boxed(drawn(), 0, 10, fill=255), id="whitened"),
        pytest.param(boxed(drawn(), 0, 10, "NATIONAL_ID_01", fill=255), id="whitened, with a placeholder"),
        pytest.param(jpeg(boxed(drawn(), 0, 10, "NATIONAL_ID_01"), 40), id="burned and compressed"),
        pytest.param(boxed(drawn(), 0, 7), id="the last three remain"),
        pytest.param(boxed(boxed(drawn(), 0, 3), 7, 10), id="four in the middle remain"),
        pytest.param(boxed(drawn(), 4, 6.2), id="four at either end remain"),
        pytest.param(cv2.GaussianBlur(drawn(), (0, 0), 14), id="blurred away"),
        pytest.param(drawn(ink=249), id="faded away"),
        pytest.param(drawn("6471926380"), id="other digits"),
    ],
)
def test_values_that_cannot_be_read_are_gone(output: Pixels) -> None:
    assert not is_left(output)


def test_light_text_on_dark_paper_and_faint_text_are_judged_alike() -> None:
    for original in (drawn(ink=240, paper=30), drawn(ink=170, paper=230)):
        assert is_left(original, original)
        assert not is_left(boxed(original, 0, 10), original)


def test_short_names_are_left_when_most_of_their_letters_are() -> None:
    image = drawn("Hind S")
    place = PLACE.copy()
    place[[1, 2], 0] = LEFT + 120
    assert score.is_left(image, image, place, 6)
    assert not score.is_left(image, boxed(image, 0, 4), place, 6)


def test_ink_of_other_words_counts_as_burned_inside_boxes_only() -> None:
    original = drawn(around="other words that stay")
    assert score.share_burned(original, original, [PLACE]) == 0
    assert score.share_burned(original, boxed(original, 0, 10, "ID"), [PLACE]) == 0
    half = original.copy()
    half[:50] = 0
    assert score.share_burned(original, half, [PLACE]) == pytest.approx(0.5, abs=0.02)


def test_a_value_is_found_by_its_type_and_its_characters() -> None:
    value = Value(EntityType.NATIONAL_ID, "eastern", "١٠٥٨٣٧٤٩٢٥")

    def found(type_: str, surface: str) -> bool:
        return is_found(value, [FoundValue(type_, surface, surface, "ID_01", True)])

    assert found("NATIONAL_ID", "1058374925")
    assert found("NATIONAL_ID", "١٠٥٨٣٧٤٩٢٥")
    assert found("NATIONAL_ID", "١٠٥٨٣٧٤٩٢")
    assert not found("RESIDENCE_PERMIT", "1058374925")
    assert not found("NATIONAL_ID", "1093651748")


def test_figures_count_ready_pages_and_refused_ones_apart() -> None:
    value = Value(EntityType.NATIONAL_ID, "ascii", DIGITS)
    name = Value(EntityType.PERSON, "ascii", "Noura Salem Alharbi")
    outcomes = [Outcome("a", value, "jpeg", True, False), Outcome("a", name, "jpeg", False, True)]
    pages = [
        Measured("a", "letter", "jpeg", "", outcomes, {Engine.PP_OCR: 3, Engine.CODE: 1}, 0.25, 2.0, 6.0, 1.0),
        Measured("b", "letter", "clean", "verify_failed", [], {}, 0.0, 3.0, 9.0, 1.0),
    ]
    made = figures(pages)
    assert made["ascii identifiers left, degraded"] == made["ascii identifiers, degraded"] == 1
    assert made["ascii identifiers found, degraded"] == made["ascii identifiers, clean"] == 0
    assert made["names gone, degraded"] == 1
    assert made["other ink burned"] == 0.25
    assert made["refused: verify_failed"] == made["pages refused"] == 1
    assert made["job against bare Tesseract"] == 6.0
    assert "1 verify_failed" in table(made)
    assert "line_recognizer 0, pp_ocr 3, tesseract 0, number_recognizer 0, code 1, label 0" in table(made)


def test_words_are_counted_by_what_read_them_and_those_of_lines_that_follow_again_once() -> None:
    number = Word(0, 4, 10, 10, 80, 20, 95.0, Engine.LINE_RECOGNIZER)
    mail = Word(5, 9, 100, 10, 80, 20, 95.0, Engine.PP_OCR)
    page = Reading("page/0", "1012 a@b.\n1012", (number, mail, replace(number, start=10, end=14)))
    assert words_read([page, replace(page, raster="page/1")]) == {Engine.LINE_RECOGNIZER: 2, Engine.PP_OCR: 2}
