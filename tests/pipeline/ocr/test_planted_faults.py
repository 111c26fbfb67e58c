"""One engine at a time is silent, or lies with confidence: no output that is called clean shows a value."""

from collections.abc import Iterator
from pathlib import Path

import cv2
import numpy as np
import pytest
from PIL import Image, ImageDraw, ImageFont

from pipeline.detect.detector import Detector
from pipeline.document_detection.direct import DirectDetector
from pipeline.document_run import redact_document
from pipeline.sandbox.parent import Sandbox
from schemas.errors import StageFailed
from schemas.files import Format
from tests.pipeline.documents import papers
from tests.pipeline.documents.papers import NATIONAL_ID
from tests.pipeline.ocr.faults import FAULTS
from tests.pipeline.ocr.test_hidden_text import watermarked
from tests.pipeline.sandbox.shared import shared

TESTS = Path(__file__).parents[2]
NASKH = papers.FONTS / "truetype/noto/NotoNaskhArabic-Regular.ttf"
LINES = (
    ("رقم الهوية", "١٠١٢٣٤٥٦٧٢"),
    ("Identity number", "1012345672"),
    ("رقم الجوال", "٠٥٠١٢٣٤٥٦٧"),
    ("Mobile", "0501234567"),
    ("IBAN", "SA0380000000608010167519"),
)
BLURRED = "٠٥٠١٢٣٤٥٦٧"  # so that it is burned as unread ink
BLURS = (3.5, 4.5, 5.0)  # pixels; from the second on no engine reads a digit
HUES = (255, 0, 0), (0, 130, 0)  # ink and ground of one brightness
QUICK = {("detector_silent", 3.5), ("words_lying", 4.5)}
MOST_BLUR = 6.0  # of which an eye can guess some
HARMLESS = "Issued at the office in the morning"
Box = tuple[int, int, int, int]


class FaultySandbox(Sandbox):
    """Each child that reads a raster has the fault of the moment: it ends with its raster, the zygote has none."""

    fault = ""

    def call(self, verb, meta, blobs, seconds, *, forks=False):
        if verb.startswith("read_raster"):
            meta = {**meta, "fault": self.fault}
        return super().call(verb, meta, blobs, seconds, forks=forks)


@pytest.fixture(scope="module")
def sandbox() -> Iterator[FaultySandbox]:
    sandbox = FaultySandbox("best-effort", answers="tests.pipeline.ocr.faults:answer_with_fault", code=[TESTS])
    sandbox.warm_parsers()
    yield sandbox
    sandbox.close()


@pytest.fixture(scope="module")
def detector() -> Detector:
    return Detector()


def page(blur: float) -> tuple[np.ndarray, dict[str, Box]]:
    """A page with one value in each line, one of them blurred, and the box (left, top, right, bottom) of each value."""
    picture = Image.new("L", (1240, 120 + 90 * (len(LINES) + 1)), 255)
    draw, boxes = ImageDraw.Draw(picture), {}
    for number, (label, value) in enumerate(LINES):
        is_arabic = label > "\u0600"
        font = ImageFont.truetype(str(NASKH if is_arabic else papers.DEJAVU), 32)
        place = (700, 60 + 90 * number)
        draw.text(place, value, 0, font)
        boxes[value] = tuple(map(int, draw.textbbox(place, value, font)))
        if is_arabic:
            draw.text((boxes[value][2] + 20, place[1]), label, 0, font, direction="rtl")
        else:
            draw.text((place[0] - 20 - draw.textlength(label, font), place[1]), label, 0, font)
    draw.text((100, 60 + 90 * len(LINES)), HARMLESS, 0, ImageFont.truetype(str(papers.DEJAVU), 32))
    pixels = np.array(picture)
    left, top, right, bottom = boxes[BLURRED]
    place = slice(top - 6, bottom + 6), slice(left - 6, right + 6)
    if blur:
        pixels[place] = cv2.GaussianBlur(pixels[place], (0, 0), blur)
    return pixels, boxes


def readable(before: np.ndarray, after: np.ndarray, boxes: dict[str, Box]) -> list[str]:
    """The values of which five characters in a row still have their strokes: pixels correlate before and after."""
    found = []
    for value, (left, top, right, bottom) in boxes.items():
        wide = (right - left) / len(value)
        for first in range(len(value) - 4):
            part = slice(int(left + first * wide), int(left + (first + 5) * wide))
            was, now = (pixels[top:bottom, part].astype(float).ravel() for pixels in (before, after))
            if now.std() > 0 and np.corrcoef(was, now)[0, 1] > 0.5:
                found.append(value)
                break
    return found


@pytest.mark.parametrize("blur", [*(pytest.param(blur, marks=pytest.mark.slow) for blur in BLURS), MOST_BLUR])
def test_without_a_fault_the_values_go_and_the_rest_stays(detector: Detector, blur: float) -> None:
    before, boxes = page(blur)
    output = redact_document(shared(), DirectDetector(detector), Format.PNG, papers.encoded(before), max_pages=1)
    after = papers.decoded(output.data)
    assert readable(before, after, boxes) == []
    assert {value.type for value in output.findings.values} >= {"NATIONAL_ID", "PHONE_NUMBER", "IBAN"}
    assert (after[-90:] == before[-90:]).mean() > 0.99


@pytest.mark.parametrize(
    ("fault", "blur"),
    [
        pytest.param(fault, blur, marks=[] if (fault, blur) in QUICK else pytest.mark.slow)
        for fault in sorted(FAULTS)
        for blur in BLURS
    ],
)
def test_no_single_fault_lets_a_value_pass(detector: Detector, sandbox: FaultySandbox, fault: str, blur: float) -> None:
    before, boxes = page(blur)
    assert_nothing_passes(detector, sandbox, fault, before, boxes)


def assert_nothing_passes(
    detector: Detector, sandbox: FaultySandbox, fault: str, before: np.ndarray, boxes: dict[str, Box], turn: float = 0.0
) -> None:
    """`turn`: degrees by which the page is turned so that the boxes are upright."""
    sandbox.fault = fault
    try:
        output = redact_document(sandbox, DirectDetector(detector), Format.PNG, papers.encoded(before), max_pages=1)
    except StageFailed as failure:
        assert failure.code in {"image_redact_failed", "verify_failed"}
    else:
        after = papers.decoded(output.data)
        assert readable(turned(before, turn), turned(after, turn), boxes) == []


def turned(pixels: np.ndarray, degrees: float) -> np.ndarray:
    """The page turned counter-clockwise around its middle."""
    height, width = pixels.shape[:2]
    turn = cv2.getRotationMatrix2D((width / 2, height / 2), degrees, 1)
    return cv2.warpAffine(pixels, turn, (width, height), borderValue=(255, 255, 255))


def hue_page() -> tuple[np.ndarray, dict[str, Box]]:
    """A page that shows its values in hue alone, in BGR, and the box of each."""
    gray, boxes = page(0)
    pixels = np.full((*gray.shape, 3), 255, np.uint8)
    share = gray[:, :, None] / 255
    for left, top, right, bottom in boxes.values():
        part = slice(top - 12, bottom + 12), slice(left - 12, right + 12)
        pixels[part] = np.rint(HUES[0] * (1 - share[part]) + HUES[1] * share[part])[:, :, ::-1]
    outside = (pixels == 255).all(axis=2)
    pixels[outside] = gray[outside][:, None]
    return pixels, boxes


@pytest.mark.parametrize(
    "fault",
    [pytest.param(fault, marks=[] if fault == "hidden_lines_silent" else pytest.mark.slow) for fault in sorted(FAULTS)],
)
@pytest.mark.slow
def test_in_hue_no_single_fault_lets_a_value_pass(detector: Detector, sandbox: FaultySandbox, fault: str) -> None:
    before, boxes = hue_page()
    assert_nothing_passes(detector, sandbox, fault, before, boxes)


@pytest.mark.slow
@pytest.mark.parametrize("degrees", [20, 50])
@pytest.mark.parametrize("fault", sorted(FAULTS))
def test_under_text_no_single_fault_lets_a_watermark_pass(
    detector: Detector, sandbox: FaultySandbox, fault: str, degrees: float
) -> None:
    before, _ = watermarked(NATIONAL_ID, degrees)
    _, ink = watermarked(NATIONAL_ID, 0)
    rows, columns = np.nonzero(ink)
    box = int(columns.min()), int(rows.min()), int(columns.max()) + 1, int(rows.max()) + 1
    assert_nothing_passes(detector, sandbox, fault, before, {NATIONAL_ID: box}, turn=-degrees)


@pytest.mark.slow
@pytest.mark.parametrize("fault", sorted(FAULTS))
def test_on_a_slanted_page_no_single_fault_lets_a_value_pass(
    detector: Detector, sandbox: FaultySandbox, fault: str
) -> None:
    level, boxes = page(0)
    around = 350  # pixels: the turned page keeps all of it
    larger = np.pad(level, around, constant_values=255)
    moved = {value: tuple(side + around for side in box) for value, box in boxes.items()}
    assert_nothing_passes(detector, sandbox, fault, turned(larger, -20), moved, turn=20)
