"""The text that OCR reads in a raster, and the ink that it reports as unread."""

import cv2
import numpy as np
import pytest
from PIL import Image, ImageDraw, ImageFont

from pipeline.documents.document import Raster, Reading
from pipeline.documents.raster.ink import characters, ink_of, line_boxes
from pipeline.ocr import recognition
from pipeline.ocr.engines import arabic_recognizer, latin_recognizer
from pipeline.ocr.engines.line_word import LineWord
from schemas.errors import StageFailed
from tests.pipeline.documents import papers

NASKH = papers.FONTS / "truetype/noto/NotoNaskhArabic-Regular.ttf"


def read(pixels: np.ndarray, dpi: int = 200) -> Reading:
    return recognition.read(papers.raster(pixels, dpi), papers.encoded(pixels))


def test_words_stand_where_their_boxes_say() -> None:
    pixels = papers.picture("Identity number 1012345672 valid", "second line")
    reading = read(pixels)
    assert reading.text == "Identity number 1012345672 valid\nsecond line"
    assert [reading.text[word.start : word.end] for word in reading.words] == reading.text.split()
    outside = pixels.copy()
    for word in reading.words:
        assert (pixels[word.top : word.top + word.height, word.left : word.left + word.width] < 128).any()
        outside[word.top : word.top + word.height, word.left : word.left + word.width] = 255
    assert (outside < 128).sum() == 0  # all ink lies in the boxes of its words
    assert not reading.unread


def test_arabic_comes_in_logical_order_with_whole_boxes() -> None:
    pixels = papers.picture("الاسم: أحمد سالم الحربي", "صدرت من مكتب الرياض", "والسلام عليكم ورحمة الله")
    reading = read(pixels)
    assert reading.text.split("\n") == ["الاسم: أحمد سالم الحربي", "صدرت من مكتب الرياض", "والسلام عليكم ورحمة الله"]
    outside = pixels.copy()
    for word in reading.words:
        outside[word.top : word.top + word.height, word.left : word.left + word.width] = 255
    assert (outside < 128).sum() < 0.01 * (pixels < 128).sum()


def test_numbers_in_an_arabic_line_keep_their_place() -> None:
    reading = read(papers.picture("رقم الهوية 1012345672 ورقم الجوال 0551234567"))
    assert reading.text == "رقم الهوية 1012345672 ورقم الجوال 0551234567"


def test_many_lines_stay_in_order() -> None:
    lines = [f"Parcel {number} went to Jeddah" for number in range(10, 40)]
    assert read(papers.picture(*lines)).text.split("\n") == lines


@pytest.fixture
def asked(monkeypatch: pytest.MonkeyPatch) -> dict[str, list[int]]:
    """The widths of what PP-OCR and Tesseract are asked to read in lines."""
    widths: dict[str, list[int]] = {"latin": [], "arabic": []}
    latin, arabic = latin_recognizer.latin_words, arabic_recognizer.arabic_words

    def latin_words(line: np.ndarray) -> list[LineWord]:
        widths["latin"].append(line.shape[1])
        return latin(line)

    def arabic_words(lines: list[np.ndarray]) -> list[list[LineWord]]:
        widths["arabic"] += [line.shape[1] for line in lines]
        return arabic(lines)

    monkeypatch.setattr(latin_recognizer, "latin_words", latin_words)
    monkeypatch.setattr(arabic_recognizer, "arabic_words", arabic_words)
    return widths


def test_what_our_network_reads_without_doubt_no_other_engine_reads(asked: dict[str, list[int]]) -> None:
    text = "صدرت من مكتب الرياض\nIssued at the office in the morning"
    assert read(papers.picture(*text.split("\n"))).text == text
    assert asked == {"latin": [], "arabic": []}


def test_other_engines_read_the_parts_with_digits_or_a_doubt(asked: dict[str, list[int]]) -> None:
    pixels = papers.picture("رقم الهوية الوطنية للسيد المذكور 1012345672 في مكتب الرياض")
    assert "1012345672" in read(pixels).text
    (width,) = asked["latin"]
    assert width < pixels.shape[1] / 2
    assert asked["arabic"] == []


def test_a_word_with_a_doubt_is_asked_of_tesseract(asked: dict[str, list[int]]) -> None:
    pixels = papers.picture("صدرت من مكتب الرياض في المملكة")
    columns = np.flatnonzero((pixels < 128).any(axis=0))
    first = columns[0] + (columns[-1] - columns[0]) * 8 // 10
    blurred = pixels.copy()
    blurred[:, first:] = cv2.GaussianBlur(pixels[:, first:], (0, 0), 5)
    read(blurred)
    assert len(asked["arabic"]) == 1
    assert asked["arabic"][0] < 0.6 * (columns[-1] - columns[0])


EASTERN = ("رقم الهوية ١٠١٢٣٤٥٦٧٢ في المملكة", "العنوان ٧٨٧٨ طريق الملك فهد")


def test_eastern_digits_of_clear_print_are_read() -> None:
    reading = read(papers.picture(*EASTERN))
    assert reading.text.replace("ى", "ي").split("\n") == list(EASTERN)  # the dots of a yeh are small
    assert not reading.unread


def test_eastern_digits_in_doubt_are_unread_ink_and_the_words_around_them_are_not() -> None:
    pixels = papers.picture(*EASTERN)
    clear = read(pixels)
    blurred = pixels.copy()
    for word in clear.words:
        if clear.text[word.start].isdigit():
            place = slice(word.top, word.top + word.height), slice(word.left, word.left + word.width)
            blurred[place] = cv2.GaussianBlur(pixels[place], (0, 0), 3.5)
    reading = read(blurred)
    assert len(reading.unread) >= 2
    words = {reading.text[word.start : word.end]: word for word in reading.words}
    for known in ("رقم", "الهوية", "طريق", "الملك"):
        word = words[known]
        x, y = word.left + word.width / 2, word.top + word.height / 2
        for left, top, width, height in reading.unread:
            assert not (left < x < left + width and top < y < top + height)


@pytest.mark.parametrize("framed", [False, True])
@pytest.mark.parametrize("pitch", [40, 60, 90])
def test_digits_with_wide_gaps_are_unread(pitch: int, framed: bool) -> None:
    """As on forms with a box for each digit. Each is a line for the detector, and by itself it would be no text."""
    picture = Image.new("L", (1240, 200), 255)
    pen, font = ImageDraw.Draw(picture), ImageFont.truetype(str(NASKH), 30)
    pen.text((60, 30), "Application for a service of the office", 0, ImageFont.truetype(str(papers.DEJAVU), 28))
    for place, digit in enumerate("١٠١٢٣٤٥٦٧٢"):
        pen.text((260 + place * pitch + pitch / 2, 130), digit, 0, font, anchor="mm")
        if framed:
            pen.rectangle((260 + place * pitch, 105, 256 + (place + 1) * pitch, 155), outline=0, width=2)
    pixels = np.asarray(picture)
    covered = np.zeros_like(pixels, bool)
    for left, top, width, height in read(pixels).unread:
        covered[top : top + height, left : left + width] = True
    digits = (pixels < 128) & (np.arange(200)[:, None] > 108) & (np.arange(200)[:, None] < 152)
    places = [digits[:, 264 + n * pitch : 252 + (n + 1) * pitch] for n in range(10)]
    gone = [
        covered[:, 264 + n * pitch : 252 + (n + 1) * pitch][ink].mean() > 0.5
        for n, ink in enumerate(places)
        if ink.sum() > 40  # a dot of a zero is too small for the detector
    ]
    # Where the gaps are three times as wide as the digits the detector misses some strokes; what is left is no number.
    assert all(gone) if pitch < 90 or framed else sum(gone) > 0.6 * len(gone)


def test_scribble_that_nobody_can_read_is_unread() -> None:
    pixels = np.full((400, 1200), 255, np.uint8)
    for n in range(12):  # signs of no alphabet
        left = 100 + 40 * n
        pixels[150:180, left : left + 5] = 0
        pixels[150 + 2 * n : 155 + 2 * n, left : left + 25] = 0
        pixels[178:182, left + 10 : left + 28] = 0
    reading = read(pixels)
    covered = np.zeros_like(pixels, bool)
    for left, top, width, height in reading.unread:
        covered[top : top + height, left : left + width] = True
    assert covered[pixels < 128].mean() > 0.5


def test_rules_frames_and_pictures_are_no_text() -> None:
    pixels = papers.picture("A table of the office", "with two lines of text")
    pixels[5:8, :] = 0
    pixels[-8:-4, 20:-20] = 0
    pixels[:, 10:13] = 0
    gradient = np.linspace(0, 255, 300).astype(np.uint8)
    pixels[40:240, -340:-40] = gradient
    assert read(pixels).unread == ()


def test_the_leaves_and_twigs_of_a_photograph_are_no_text() -> None:
    """Three hundred of its marks have the size and shape of characters, many of them in rows."""
    draw = np.random.default_rng(11)
    pixels = np.full((900, 1200), 210, np.uint8)
    for _ in range(260):
        x, y = draw.integers(0, 1200), draw.integers(0, 900)
        size, level = draw.integers(8, 30, 2), int(draw.integers(20, 160))
        cv2.ellipse(pixels, (x, y), size, float(draw.integers(0, 180)), 0, 360, level, -1)
        cv2.line(pixels, (x, y), (x + draw.integers(-60, 60), y + draw.integers(-60, 60)), level, 3)
    pixels = cv2.GaussianBlur(pixels, (0, 0), 1.2)
    rows = line_boxes(characters(ink_of(pixels, 200)))
    assert sum(row.width * row.height for row in rows) > 0.2 * pixels.size
    assert sum(width * height for _, _, width, height in read(pixels).unread) < 0.04 * pixels.size


def test_a_blank_raster_says_nothing() -> None:
    reading = read(np.full((500, 800), 255, np.uint8))
    assert reading == Reading("test", "", (), ())


def test_paper_noise_is_no_unread_ink() -> None:
    noise = np.random.default_rng(7).normal(0, 12, (600, 1600))
    pixels = papers.picture("Identity number of the holder", "second line of the form")
    noisy = np.clip(pixels * 0.93 + noise[: pixels.shape[0], : pixels.shape[1]], 0, 255).astype(np.uint8)
    reading = read(noisy)
    assert "Identity number" in reading.text and not reading.unread


@pytest.mark.parametrize("pixels", [b"", b"no picture", papers.encoded(np.zeros((10, 10), np.uint8))[:40]])
def test_what_is_no_picture_fails(pixels: bytes) -> None:
    with pytest.raises(StageFailed, match="image_redact_failed"):
        recognition.read(Raster("test", 10, 10), pixels)


def test_pixels_of_another_size_than_said_fail() -> None:
    with pytest.raises(StageFailed, match="image_redact_failed"):
        recognition.read(Raster("test", 11, 10), papers.encoded(np.zeros((10, 10), np.uint8)))


def test_a_letter_or_digit_alone_is_read_between_its_neighbours() -> None:
    lines = ("I sign here for my brother and sister", "Questions are answered on floor 2 during a morning")
    reading = read(papers.picture(*lines))
    assert reading.text.split("\n") == list(lines)
    assert not reading.unread


@pytest.mark.parametrize("level", [190, 220])
@pytest.mark.parametrize("number", ["1012345672", "٠٥٠١٢٣٤٥٦٧"])
def test_a_pale_digit_at_the_end_of_a_number_is_read_or_burned(number: str, level: int) -> None:
    pixels = papers.picture(number)
    columns = np.flatnonzero((pixels < 128).any(axis=0))
    gaps = columns[:-1][np.diff(columns) > 1]
    pale = pixels.copy()
    pale[:, gaps[-1] + 1 :] = 255 - (255 - pixels[:, gaps[-1] + 1 :].astype(int)) * (255 - level) // 255
    reading = read(pale)
    last = (gaps[-1] + 1 + columns[-1]) / 2
    is_burned = any(left <= last <= left + width for left, _, width, _ in reading.unread)
    assert is_burned or number in reading.text
