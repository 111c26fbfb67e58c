"""Whole documents with text that differs in hue only: the output does not show it, or there is no output."""

import io
import zipfile

import cv2
import numpy as np
import pymupdf
import pytest

from pipeline.detect.detector import Detector
from pipeline.document_detection.direct import DirectDetector
from pipeline.document_run import redact_document
from schemas.files import Format
from tests.pipeline import low_contrast_images
from tests.pipeline.documents import papers
from tests.pipeline.documents.office import word
from tests.pipeline.documents.papers import NATIONAL_ID
from tests.pipeline.sandbox.shared import shared


@pytest.fixture(scope="module")
def detector() -> Detector:
    return Detector()


def _pdf(picture: bytes) -> bytes:
    document = pymupdf.open()
    page = document.new_page(width=320, height=65)
    page.insert_image(page.rect, stream=picture)
    return papers.saved(document)


def _page(data: bytes) -> np.ndarray:
    with pymupdf.open(stream=data) as document:
        pixmap = document[0].get_pixmap(dpi=200)
        return np.frombuffer(pixmap.samples, np.uint8).reshape(pixmap.height, pixmap.width, 3)


def _media(data: bytes) -> np.ndarray:
    with zipfile.ZipFile(io.BytesIO(data)) as package:
        (name,) = (name for name in package.namelist() if "media" in name)
        return papers.decoded(package.read(name))


def _png(pair: str) -> bytes:
    return low_contrast_images.saved(low_contrast_images.written(*low_contrast_images.PAIRS[pair]))


JOURNEYS = {
    "png": (Format.PNG, lambda: _png("blue on brown"), papers.decoded),
    "jpeg": (
        Format.JPEG,
        lambda: low_contrast_images.saved(
            low_contrast_images.written(*low_contrast_images.PAIRS["magenta on green"]), "JPEG", quality=92
        ),
        papers.decoded,
    ),
    "scan": (Format.PDF, lambda: _pdf(_png("red on green")), _page),
    "docx": (
        Format.DOCX,
        lambda: word("<w:p/>", {"word/media/a.png": ("image", _png("green on red"))}),
        _media,
    ),
}


@pytest.mark.parametrize(
    "journey", [pytest.param(name, marks=[pytest.mark.slow] if name != "png" else []) for name in JOURNEYS]
)
def test_values_in_hue_alone_do_not_come_back(journey: str, detector: Detector) -> None:
    format_, data, pixels_of = JOURNEYS[journey]
    redacted = redact_document(shared(), DirectDetector(detector), format_, data(), max_pages=5)
    assert {value.type for value in redacted.findings.values} >= {"NATIONAL_ID", "IBAN"}
    pixels = pixels_of(redacted.data)
    for spot, part in ((0, NATIONAL_ID), (1, low_contrast_images.LINES[1])):
        assert low_contrast_images.unreadable(pixels, low_contrast_images.glyphs(spot, part))
        assert not low_contrast_images.unreadable(
            pixels_of(data()), low_contrast_images.glyphs(spot, part)
        )  # the measure itself
    assert low_contrast_images.unreadable(pixels, low_contrast_images.glyphs(0, "Card")) is False


@pytest.mark.slow
@pytest.mark.parametrize("kind", ["chart", "highlighter"])
def test_colourful_pictures_pass_and_stay(kind: str, detector: Detector) -> None:
    data = low_contrast_images.saved(low_contrast_images.colorful()[kind])
    redacted = redact_document(shared(), DirectDetector(detector), Format.PNG, data, max_pages=5)
    before, after = (cv2.imdecode(np.frombuffer(item, np.uint8), cv2.IMREAD_COLOR) for item in (data, redacted.data))
    assert (cv2.absdiff(before, after) > 36).any(axis=2).mean() < 0.1
