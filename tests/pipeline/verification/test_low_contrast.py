"""The second reading finds text of equal brightness and faint text, independently of redaction."""

import io

import cv2
import numpy as np
import pymupdf
import pytest
from PIL import Image, ImageDraw

from pipeline.detect.detector import Detector
from pipeline.documents.document import VIEW, Findings, Raster, Reading
from pipeline.documents.image import handler
from pipeline.entities.findings import find
from pipeline.ocr import recognition
from pipeline.verification.image import reader as image
from pipeline.verification.image.invisible_ink import invisible_ink
from pipeline.verification.ooxml import docx
from pipeline.verification.pdf import reader as pdf
from pipeline.verification.verdict import leftovers
from schemas.spans import DetectOptions
from tests.pipeline import low_contrast_images
from tests.pipeline.documents import papers
from tests.pipeline.documents.office import word
from tests.pipeline.documents.papers import NATIONAL_ID
from tests.pipeline.ocr.words import Word
from tests.pipeline.verification.again import in_doubt, read_again, with_burned

EQUAL = low_contrast_images.saved(low_contrast_images.written(*low_contrast_images.RED_ON_GREEN))


def in_pdf(data: bytes) -> bytes:
    document = pymupdf.open()
    page = document.new_page(width=320, height=65)
    page.insert_image(page.rect, stream=data)
    return papers.saved(document)


CARRIERS = {
    "png": (image, lambda: EQUAL),
    "jpeg": (
        image,
        lambda: low_contrast_images.saved(
            low_contrast_images.written(*low_contrast_images.RED_ON_GREEN), "JPEG", quality=90
        ),
    ),
    "palette": (
        image,
        lambda: low_contrast_images.saved(low_contrast_images.written(*low_contrast_images.RED_ON_GREEN).quantize(8)),
    ),
    "chip": (
        image,
        lambda: low_contrast_images.saved(
            low_contrast_images.written(*low_contrast_images.RED_ON_GREEN, page=(255, 255, 255))
        ),
    ),
    "white on nothing": (image, lambda: low_contrast_images.saved(_transparent())),
    "faint": (image, lambda: low_contrast_images.saved(low_contrast_images.written((235, 235, 235), (255, 255, 255)))),
    "pdf": (pdf, lambda: in_pdf(EQUAL)),
    "docx": (docx, lambda: word("<w:p/>", {"word/media/a.png": ("image", EQUAL)})),
}


def _transparent() -> Image.Image:
    letters = np.asarray(low_contrast_images.written((255, 255, 255), (0, 0, 0)).convert("L"))
    picture = np.full((*letters.shape, 4), 255, np.uint8)
    picture[:, :, 3] = letters
    picture[letters < 16] = 0  # what nobody sees must not differ
    picture[:40, 500:, :] = (0, 0, 0, 255)  # so much dark ink that white is the ground
    return Image.fromarray(picture)


def is_seen(value: str, second, pixels) -> bool:
    """Whether one of the rasters is read with the value."""
    return any(value in read_again(raster, pixels[raster.id]).text for raster in second.rasters)


@pytest.mark.parametrize("carrier", CARRIERS)
@pytest.mark.slow
def test_in_every_carrier(carrier: str) -> None:
    reader, data = CARRIERS[carrier]
    assert is_seen(NATIONAL_ID, *reader.read(data()))


@pytest.mark.parametrize("pair", low_contrast_images.PAIRS)
@pytest.mark.slow
def test_in_every_hue(pair: str) -> None:
    shown = low_contrast_images.written(*low_contrast_images.PAIRS[pair]).resize((1280, 260))
    assert NATIONAL_ID in read_again(Raster("a", *shown.size), image.png(shown)).text


def test_faint_words_between_black_ones_are_read() -> None:
    page = Image.new("L", (900, 300), 255)
    draw = ImageDraw.Draw(page)
    for top, text, level in (
        (30, "The branch has checked all", 10),
        (110, "Fahad Nasser Alotaibi", 236),
        (190, "entries of this register", 10),
    ):
        draw.text((40, top), text, font=low_contrast_images.font(36), fill=level)
    assert "Fahad Nasser Alotaibi" in read_again(Raster("a", *page.size), image.png(page)).text


def test_a_picture_whose_gray_is_blank_is_not_blank() -> None:
    """Exactly equal in gray, as Pillow computes it."""
    ink, ground = next(
        ((red, 0, 60), (0, green, 60))
        for red in range(150, 256)
        for green in range(40, 160)
        if len({Image.new("RGB", (1, 1), c).convert("L").getpixel((0, 0)) for c in ((red, 0, 60), (0, green, 60))}) == 1
    )
    picture = Image.new("RGB", (300, 100), ground)
    for left in range(20, 240, 24):
        picture.paste(ink, (left, 30, left + 8, 60))
    second, pixels = image.read(low_contrast_images.saved(picture))
    (raster,) = second.rasters
    assert Image.open(io.BytesIO(pixels[raster.id])).mode == "RGB"


def test_plain_pages_cost_no_further_reading() -> None:
    page = papers.picture("The account statement was sent", "to the customer, number 0123456789", width=1800)
    worn = np.clip(page * 0.93 + 10 + np.random.default_rng(1).normal(0, 4, page.shape), 0, 255).astype(np.uint8)
    for pixels in (page, worn, 255 - page):
        for data in (
            papers.encoded(pixels),
            papers.encoded(pixels, ".jpg"),
            low_contrast_images.saved(Image.fromarray(pixels)),
        ):
            assert [raster.id for raster in image.read(data)[0].rasters] == ["image/0"]


def test_the_shades_of_a_photographed_page_are_hardly_any_ink() -> None:
    """Redaction takes faint noise away, and leaves steps of one level where the light changes: contours of it."""
    page = papers.picture("The account statement was sent", "to the customer, number 0123456789", width=1800)
    page = np.pad(page, ((0, 900), (0, 0)), constant_values=255)
    rows, columns = np.mgrid[: page.shape[0], : page.shape[1]]
    light = 0.8 + 0.1 * np.sin(rows / 300) + 0.1 * np.cos(columns / 500)
    rng = np.random.default_rng(1)
    for noise in (0.0, 0.7, 4.0):
        seen = np.clip(page * light + rng.normal(0, noise, page.shape), 0, 255).astype(np.uint8)
        readings = [Reading(raster.id, "", ()) for raster in handler.extract(papers.encoded(seen))[0].rasters]
        output = handler.redact(papers.encoded(seen), Findings(()), readings)
        ink = invisible_ink(Image.fromarray(papers.decoded(output)))
        assert ink is None or (np.asarray(ink) < 255).mean() < 0.02


@pytest.mark.parametrize(("step", "is_gradient"), [(1, False), (6, False), (6, True), (12, True)])
def test_ink_that_hardly_differs_from_its_ground_is_read(step: int, is_gradient: bool) -> None:
    ink = Image.new("L", (1000, 600), 0)
    for top in (100, 136, 172):
        ImageDraw.Draw(ink).text((60, top), f"Card {NATIONAL_ID}", font=low_contrast_images.font(28), fill=255)
    ground = np.linspace(210, 240, 600)[:, None] if is_gradient else np.full((600, 1), 255.0)
    shown = np.rint(np.floor(ground) - np.asarray(ink) / 255 * step).astype(np.uint8)
    second, pixels = image.read(low_contrast_images.saved(Image.fromarray(shown)))
    assert is_seen(NATIONAL_ID, second, pixels)


def test_an_output_whose_hues_nobody_redacted_is_refused_and_then_burned(detector: Detector) -> None:
    """The first reading sees no hue here, so only the second one finds the value and its box."""
    extraction, pixels = handler.extract(EQUAL)
    (raster,) = extraction.rasters
    gray = papers.encoded(cv2.imdecode(np.frombuffer(pixels[raster.id], np.uint8), cv2.IMREAD_GRAYSCALE))
    readings = [recognition.read(raster, gray)]
    assert find(extraction, readings, detector, DetectOptions()) == Findings(())
    output = handler.redact(EQUAL, Findings(()), readings)
    second, images = image.read(output)
    again = [read_again(raster, images[raster.id]) for raster in second.rasters]
    left = leftovers(second, again, Findings(()), detector, DetectOptions())
    assert {item.type for item in left} >= {"NATIONAL_ID", "IBAN"}
    burned = with_burned(extraction.rasters, readings, second.rasters, again, left)
    pixels_after = papers.decoded(handler.redact(EQUAL, Findings(()), burned))
    assert low_contrast_images.unreadable(pixels_after, low_contrast_images.glyphs(0, NATIONAL_ID))


def test_views_of_one_image_do_not_part_it_from_its_partner() -> None:
    first = (Raster("page/0/scan", 100, 100, 300, 0), Raster(f"page/0/scan{VIEW}1", 100, 100, 300, 0))
    second = (Raster("page/0", 50, 50, 300, 0), Raster(f"page/0{VIEW}1", 50, 50, 300, 0))
    readings = [Reading(raster.id, "", ()) for raster in first]
    assert with_burned(first, readings, second, [Reading(r.id, "", ()) for r in second], ()) == tuple(readings)


def test_a_number_that_another_view_of_the_input_shows_is_in_no_doubt() -> None:
    first = (Raster("image", 100, 100), Raster(f"image{VIEW}1", 100, 100))
    second = (Raster("image/0", 100, 100), Raster(f"image/0{VIEW}1", 100, 100))
    number = (Word(0, 5, 10, 10, 50, 20, 95),)
    again = [Reading(raster.id, "10123", number) for raster in second]
    for seen in (0, 1):
        read = [Reading(one.id, *(("10123", number) if place == seen else ("", ()))) for place, one in enumerate(first)]
        assert in_doubt(first, read, second, again) == {}
    assert in_doubt(first, [Reading(one.id, "", ()) for one in first], second, again).keys() == {r.id for r in second}
