"""Lines that only hue shows, or light ink under dark ink, are found beside what grayscale shows, and each once."""

import cv2
import numpy as np
import pytest
from PIL import Image, ImageDraw

from pipeline.documents.document import Engine, Reading
from pipeline.documents.raster.light_ink import without_dark_ink
from pipeline.geometry.strip import Strip
from pipeline.networks.text_line import TextLine
from pipeline.ocr import hidden_text, recognition
from pipeline.ocr.dark_places import Box
from pipeline.ocr.engines.line_word import LineWord
from pipeline.ocr.engines.text_detector import text_map
from pipeline.ocr.hidden_text import Scores, Shown, doubted, hidden_lines, hidden_rows, shown, without_even_boxes
from pipeline.rereading import _explains_light_ink, _has_ink
from tests.pipeline.documents import papers
from tests.pipeline.documents.papers import NATIONAL_ID
from tests.pipeline.low_contrast_images import font
from tests.pipeline.ocr.words import OcrWord
from tests.pipeline.verification.again import read_again

ANY = Scores(hue=0.0, light=0.0)
RED, GREEN = (255, 0, 0), (0, 130, 0)  # of one brightness


def page(*texts: tuple[tuple[int, int], str, tuple[int, int, int]], ground: tuple[int, int, int] = GREEN) -> np.ndarray:
    """Texts in their places and colours, in BGR."""
    picture = Image.new("RGB", (900, 300), ground)
    draw = ImageDraw.Draw(picture)
    for place, text, color in texts:
        draw.text(place, text, font=font(36), fill=color)
    return np.asarray(picture)[:, :, ::-1].copy()


def read(image: np.ndarray) -> Reading:
    return recognition.read(papers.raster(image), papers.encoded(image))


def test_nothing_is_searched_in_gray_and_on_even_paper_with_grain() -> None:
    gray = np.full((60, 80), 200, np.uint8)
    assert shown(gray).hues == ()
    tinted = np.full((400, 400, 3), (200, 225, 235), np.int16) + np.random.default_rng(1).integers(-4, 5, (400, 400, 1))
    assert hidden_lines(shown(tinted.astype(np.uint8)), pytest.fail, (), ANY) == []


def test_a_label_in_white_and_its_value_in_hue_alone_are_one_row() -> None:
    found = read(page(((40, 60), "National ID", (255, 255, 255)), ((340, 60), NATIONAL_ID, RED)))
    assert f"National ID {NATIONAL_ID}" in found.text.replace("\t", " ")


@pytest.mark.parametrize("shift", [0, 8, 20])
def test_a_pale_stamp_over_a_number_does_not_hide_it(shift: int) -> None:
    white = (255, 255, 255)
    typed = page(((40, 120), f"Card {NATIONAL_ID} of the branch", (0, 0, 0)), ground=white)
    stamp = page(((150, 120 + shift), "RECEIVED AND PAID", (255, 190, 190)), ground=white)
    stamped = np.minimum(typed, stamp)
    found = read(stamped)
    left, top, right, bottom = (
        40 + int(font(36).getlength("Card ")),
        125,
        40 + int(font(36).getlength("Card 1012345672")),
        155,
    )
    whole = next((w for w in found.words if NATIONAL_ID in found.text[w.start : w.end]), None)
    burned = np.zeros(stamped.shape[:2], bool)
    for x, y, width, height in found.unread:
        burned[y : y + height, x : x + width] = True
    assert whole is not None or burned[top:bottom, left:right].mean() > 0.8


def test_what_gray_shows_is_not_read_again_by_hue() -> None:
    image = page(((40, 60), "Blue words on white paper", (30, 30, 200)), ground=(255, 255, 255))
    assert shown(image).hues
    found = read(image)
    assert found.text == "Blue words on white paper"
    assert found.unread == ()


def test_a_word_that_counts_as_read_in_gray_is_burned_where_hue_alone_shows_it(monkeypatch: pytest.MonkeyPatch) -> None:
    """Blurred digits are read as letters, and not surely."""
    image = page(((40, 60), "Office", RED))
    assert not read(image).unread
    assert doubted([LineWord("Office", 0, 9, 89.0, Engine.TESSERACT)])[0].confidence == 50
    monkeypatch.setattr(hidden_text, "_SURE", 101.0)
    burned = np.zeros(image.shape[:2], bool)
    for left, top, width, height in read(image).unread:
        burned[top : top + height, left : left + width] = True
    letters = (image[:, :, 2] > 200) & (image[:, :, 1] < 60)
    assert burned[letters].mean() > 0.95


def test_a_line_that_both_planes_show_is_read_once() -> None:
    image = page(((40, 60), NATIONAL_ID, (255, 0, 255)), ground=(0, 180, 0))
    both = shown(image)
    assert len(both.hues) == 2
    assert all(len(text_map(plane).lines()) == 1 for plane in both.hues)
    assert len(hidden_lines(both, text_map, (), ANY)) == 1


@pytest.mark.parametrize("degrees", [cv2.ROTATE_90_CLOCKWISE, cv2.ROTATE_180, cv2.ROTATE_90_COUNTERCLOCKWISE])
def test_a_turned_page_leaves_nothing_in_hue_unread(degrees: int) -> None:
    upright = page(((40, 60), "Card of the branch", (255, 255, 255)), ((40, 180), NATIONAL_ID, RED))
    turned = cv2.rotate(upright, degrees)
    found = read(turned)
    marked = np.zeros(turned.shape[:2], np.uint8)
    boxes = [(w.left, w.top, w.width, w.height) for w in found.words if NATIONAL_ID in found.text[w.start : w.end]]
    for left, top, width, height in (*found.unread, *boxes):
        marked[top : top + height, left : left + width] = 1
    digits = (turned[:, :, 2] > 200) & (turned[:, :, 1] < 60)
    assert marked[digits].mean() > 0.95


@pytest.mark.slow
def test_both_readings_see_it_beside_a_larger_range_of_hues() -> None:
    """A saturated picture elsewhere on the page does not level what little hue there is."""
    image = page(((40, 40), NATIONAL_ID, (200, 100, 100)), ground=(110, 138, 138))
    image[200:, :450], image[200:, 450:] = (0, 0, 255), (255, 0, 0)
    assert NATIONAL_ID in read(image).text
    assert NATIONAL_ID in read_again(papers.raster(image), papers.encoded(image)).text


def test_a_burned_box_on_a_waving_ground_leaves_no_edges_and_no_text_in_hue_goes_with_it() -> None:
    waves = 128 + 60 * np.sin(np.linspace(0, 12, 400))[None, :] * np.ones((200, 1))
    plane = waves.astype(np.uint8)
    plane[80:120, 100:300] = 128
    box = Box(100, 80, 300, 120)
    filled = without_even_boxes(plane, [box]).astype(int)
    assert abs(np.diff(filled[:, 80:320], axis=1)).max() <= 6
    plane[90:110, 150:250] = 160  # what dark ground hides in gray
    assert np.array_equal(without_even_boxes(plane, [box]), plane)
    assert np.array_equal(without_even_boxes(plane, [Box(0, 0, 400, 200)]), plane)


@pytest.mark.parametrize("degrees", [None, cv2.ROTATE_90_CLOCKWISE, cv2.ROTATE_90_COUNTERCLOCKWISE])
def test_only_the_part_of_a_line_that_nobody_read_is_cut(degrees: int | None) -> None:
    image = page(((40, 60), f"{NATIONAL_ID} 501234 {NATIONAL_ID}", RED))
    known = np.zeros(image.shape[:2], np.uint8)
    known[60:105, 40 : 40 + int(font(36).getlength(f"{NATIONAL_ID} 501234"))] = 1
    if degrees is not None:
        image, known = cv2.rotate(image, degrees), cv2.rotate(known, degrees)
    left, top, width, height = cv2.boundingRect(known)
    (part,) = hidden_lines(shown(image), text_map, [TextLine(left, top, (1.0, 0.0), width, height, 1.0)], ANY)
    left, top, width, height = part.place.box(0, part.place.width, image.shape[:2])
    covered = np.zeros_like(known)
    covered[top : top + height, left : left + width] = 1
    digits = (image[:, :, 2] > 200) & (image[:, :, 1] < 60)
    assert covered[digits & (known == 0)].mean() > 0.95
    assert covered[digits & (known == 1)].mean() < 0.1


@pytest.mark.slow
def test_a_value_in_hue_alone_behind_a_long_label_on_tinted_paper_is_read() -> None:
    """The line of hue holds both, and grayscale has read most of it."""
    label = "Number of the card of its holder"
    image = page(((20, 60), label, (40, 40, 40)), ground=(236, 226, 190))
    start = 30 + int(font(36).getlength(label))
    image[50:115, start:] = page(((10, 10), NATIONAL_ID, RED))[: 115 - 50, : image.shape[1] - start]
    assert NATIONAL_ID in read(image).text
    assert NATIONAL_ID in read_again(papers.raster(image), papers.encoded(image)).text


@pytest.mark.parametrize("degrees", [1.5, 3, 5])
@pytest.mark.slow
def test_on_a_slanted_page_the_lines_around_hide_none(degrees: float) -> None:
    sentence = "the documentation of branches and of offices"
    rows = [((40, 30 + 48 * row), sentence, (255, 255, 255)) for row in (0, 1, 3, 4)]
    image = page(*rows, ((40, 126), "Number of holder", (255, 255, 255)), ((380, 126), NATIONAL_ID, RED))
    turn = cv2.getRotationMatrix2D((450, 150), degrees, 1)
    slanted = cv2.warpAffine(image, turn, (900, 300), borderValue=GREEN[::-1])
    assert NATIONAL_ID in read(slanted).text
    assert NATIONAL_ID in read_again(papers.raster(slanted), papers.encoded(slanted)).text


def test_burned_boxes_on_a_waving_hue_are_no_unread_lines() -> None:
    waves = 60 * np.sin(np.linspace(0, 60, 900))[None, :] + 30 * np.sin(np.linspace(0, 25, 300))[:, None]
    planes = np.dstack([np.full(waves.shape, 150.0), 128 + waves, 128 - 0.7 * waves]).clip(0, 255).astype(np.uint8)
    image = cv2.cvtColor(planes, cv2.COLOR_YCrCb2BGR)
    for top in (40, 150, 220):
        image[top : top + 24, 80:520] = image[top : top + 24, 600:780] = 0
    assert read_again(papers.raster(image), papers.encoded(image)).unread_lines == ()


def test_rows_take_the_words_beside_them_once() -> None:
    label, over, below = (
        OcrWord("ID", 0, 10, 30, 20, 90),
        OcrWord("x", 60, 10, 30, 20, 20),
        OcrWord("y", 0, 60, 9, 20, 90),
    )
    number = OcrWord("10123", 50, 12, 80, 20, 95)
    assert list(hidden_rows([[number]], [[label, over], [below]])) == [[number, label]]


SENTENCES = (
    "the committee reviewed the plan and",
    "approved the purchase of printers",
    "and of filters for all branches",
)


def watermarked(value: str, degrees: float, level: int = 181) -> tuple[np.ndarray, np.ndarray]:
    """A page of black text over a slanted value in light gray, and where that has its ink."""
    mark = Image.new("L", (900, 700), 255)
    ImageDraw.Draw(mark).text((300, 320), value, font=font(44), fill=level)
    mark = mark.rotate(degrees, fillcolor=255, resample=Image.Resampling.BICUBIC)
    text = Image.new("L", (900, 700), 255)
    draw = ImageDraw.Draw(text)
    for row in range(11):
        draw.text((60, 40 + 58 * row), SENTENCES[row % 3], font=font(30), fill=20)
    light = np.asarray(mark)
    return np.minimum(light, np.asarray(text)), light < (level + 255) // 2


def covered(shape: tuple[int, int], found: Reading) -> np.ndarray:
    """The pixels of unread ink and of long numbers: what the second reading reads otherwise is in doubt."""
    marked = np.zeros(shape, bool)
    long = (word for word in found.words if sum(map(str.isdigit, found.text[word.start : word.end])) >= 5)
    boxes = [(word.left, word.top, word.width, word.height) for word in long]
    lines = [box for line in found.unread_lines for box in line.boxes(shape)]
    for left, top, width, height in (*found.unread, *lines, *boxes):
        marked[top : top + height, left : left + width] = True
    return marked


@pytest.mark.parametrize(
    ("degrees", "scale"),
    [
        pytest.param(degrees, scale, marks=[] if (degrees, scale) == (45, 1.0) else pytest.mark.slow)
        for degrees in (5, 20, 45, 70, -30, 130)
        for scale in (1.0, 1.6)
    ],
)
@pytest.mark.slow
def test_both_readings_see_a_watermark_under_text(degrees: float, scale: float) -> None:
    """Small pictures are enlarged before they are read."""
    image, ink = (
        cv2.resize(plane.astype(np.uint8), None, fx=scale, fy=scale, interpolation=cv2.INTER_CUBIC)
        for plane in watermarked(NATIONAL_ID, degrees)
    )
    assert covered(image.shape, read(image))[ink > 0].mean() > 0.9
    assert covered(image.shape, read_again(papers.raster(image), papers.encoded(image)))[ink > 0].mean() > 0.9


@pytest.mark.slow
def test_a_blurred_watermark_is_an_unread_line_of_the_second_reading() -> None:
    """Dark words over it do not count as its words."""
    _, ink = watermarked(NATIONAL_ID, 45)
    blurred = cv2.GaussianBlur(np.where(ink, 181, 255).astype(np.uint8), (0, 0), 4)
    image = np.minimum(blurred, watermarked("", 0)[0])
    found = read_again(papers.raster(image), papers.encoded(image))
    assert [line.is_crossed for line in found.unread_lines] == [True]
    assert covered(image.shape, found)[ink].mean() > 0.9


def test_a_pale_watermark_in_colour_is_burned() -> None:
    gray, ink = watermarked(NATIONAL_ID, 30, 215)
    image = np.dstack([gray] * 3)
    image[ink & (gray > 100)] = (255, 215, 200)
    assert covered(gray.shape, read(image))[ink].mean() > 0.9


def test_light_words_that_were_read_are_not_read_again() -> None:
    image, _ = watermarked("", 0)
    image[40:80, 600:] = 255
    gray = Image.fromarray(image)
    ImageDraw.Draw(gray).text((620, 40), "page 12345", font=font(30), fill=170)
    shown_page = Shown(np.asarray(gray), light=without_dark_ink(np.asarray(gray)))
    assert shown_page.light is not None
    found = read(np.asarray(gray))
    assert found.text.count("12345") == 1
    assert found.unread == ()


def test_a_light_slanted_stamp_that_was_read_stays() -> None:
    """No dark words lie over it: grayscale shows all of it."""
    mark = Image.new("L", (900, 700), 255)
    ImageDraw.Draw(mark).text((250, 480), "RECEIVED IN THE OFFICE", font=font(34), fill=170)
    text = watermarked("", 0)[0]
    text[330:] = 255
    image = np.minimum(np.asarray(mark.rotate(10, fillcolor=255, resample=Image.Resampling.BICUBIC)), text)
    assert without_dark_ink(image) is not None
    assert read(image).unread == ()


@pytest.mark.parametrize("degrees", [30, 45])
def test_a_word_in_light_ink_costs_no_more_than_its_strip(degrees: float) -> None:
    image, _ = watermarked("CONFIDENTIAL", degrees)
    marked = np.zeros(image.shape, bool)
    for left, top, width, height in read(image).unread:
        marked[top : top + height, left : left + width] = True
    strip = font(44).getlength("CONFIDENTIAL") * 44
    assert marked.sum() < 2.5 * strip


def test_at_the_edge_of_a_raster_tinted_paper_is_no_ink() -> None:
    tinted = np.full((400, 600), 190, np.uint8)
    for strip in (Strip(-60, 20, 200, 0, 30), Strip(300, -5, 200, 0, 30), Strip(560, 380, 80, 60, 30)):
        assert not _has_ink(tinted, strip)
    tinted[10:30, 20:80] = 60
    assert _has_ink(tinted, Strip(-60, 20, 200, 0, 30))


@pytest.mark.parametrize("shape", [(20, 9000), (3, 300), (300, 3)])
def test_very_narrow_pictures_with_light_ink_are_read(shape: tuple[int, int]) -> None:
    image = np.full(shape, 255, np.uint8)
    image[:, : shape[1] // 40 + 1] = 20
    image[shape[0] // 3 :, shape[1] // 2 : shape[1] // 2 + 8] = 180
    image[shape[0] // 3 :, -9:] = 180
    assert read_again(papers.raster(image), papers.encoded(image)).unread_lines == ()


@pytest.mark.parametrize(("said", "confidence", "explains"), [
    ("CONFIDENTIAL", 90.0, True), ("CLOSVEZIOL", 66.0, False), ("9590", 95.0, False)
])  # fmt: skip
def test_what_was_read_upside_down_explains_no_light_ink(said: str, confidence: float, explains: bool) -> None:
    assert _explains_light_ink(OcrWord(said, 0, 0, 90, 30, confidence)) is explains
    assert _explains_light_ink(OcrWord("95901", 0, 0, 90, 30, 20.0)._replace(engine=Engine.NUMBER_RECOGNIZER))


def test_pages_without_light_ink_have_no_such_plane() -> None:
    page_of_text, _ = watermarked("", 0)
    rng = np.random.default_rng(1)
    photograph = cv2.GaussianBlur(rng.integers(0, 255, (400, 400)).astype(np.uint8), (0, 0), 3)
    noisy = np.clip(page_of_text.astype(int) + rng.normal(0, 5, page_of_text.shape), 0, 255).astype(np.uint8)
    worn = papers.decoded(papers.encoded(page_of_text, ".jpg"))
    shaded = page_of_text * (0.75 + 0.25 * np.linspace(0, 1, page_of_text.shape[1]) ** 2)
    dotted = page_of_text.copy()
    dotted[20::40, 15::30] = dotted[21::40, 15::30] = dotted[21::40, 16::30] = 180
    for image in (
        page_of_text,
        shaded.astype(np.uint8),
        dotted,
        cv2.equalizeHist(photograph),
        noisy,
        worn,
        255 - page_of_text,
        np.full((9, 9), 200, np.uint8),
    ):
        assert without_dark_ink(image) is None
