"""Text that differs from its background in hue only, or by few levels, is read."""

import io

import cv2
import numpy as np
import pymupdf
import pytest
from PIL import Image, ImageDraw

from pipeline.documents.document import VIEW, Finding, Findings, Raster, Reading
from pipeline.documents.image import handler as image
from pipeline.documents.pdf import handler as pdf
from pipeline.documents.pdf.page.raster import ocr_dpi, render
from pipeline.documents.pdf.redaction.boxes import draw_boxes
from pipeline.documents.pdf.redaction.erase import remove_ink
from pipeline.documents.raster.burn import Box, raster_png
from pipeline.documents.raster.hidden_lines import hidden_lines
from pipeline.geometry.strip import Strip
from pipeline.ocr import recognition
from schemas.errors import StageFailed
from tests.conftest import every
from tests.pipeline import low_contrast_images
from tests.pipeline.documents import papers
from tests.pipeline.documents.papers import NATIONAL_ID


def is_seen(value: str, data: bytes, handler=image) -> bool:
    """Whether OCR reads the value in one of the rasters, and not in gray alone."""
    extraction, pixels = handler.extract(data)
    return any(value in recognition.read(raster, pixels[raster.id]).text for raster in extraction.rasters)


@pytest.mark.parametrize("pair", every(3, low_contrast_images.PAIRS))
def test_equal_brightness_hides_nothing(pair: str) -> None:
    assert is_seen(
        NATIONAL_ID, low_contrast_images.saved(low_contrast_images.written(*low_contrast_images.PAIRS[pair]))
    )


def test_letters_on_a_chip_of_their_brightness() -> None:
    picture = low_contrast_images.written(*low_contrast_images.RED_ON_GREEN, page=(255, 255, 255))
    assert is_seen(NATIONAL_ID, low_contrast_images.saved(picture))
    assert is_seen(NATIONAL_ID, low_contrast_images.saved(picture, "JPEG", quality=90))


def white_on_nothing(alpha: int = 255) -> bytes:
    picture = Image.new("RGBA", low_contrast_images.SIZE, (0, 0, 0, 0))
    draw = ImageDraw.Draw(picture)
    draw.text(
        low_contrast_images.SPOTS[0],
        low_contrast_images.LINES[0],
        font=low_contrast_images.font(),
        fill=(255, 255, 255, alpha),
    )
    draw.text(
        low_contrast_images.SPOTS[1],
        "black on nothing 0123456789",
        font=low_contrast_images.font(),
        fill=(0, 0, 0, 255),
    )
    return low_contrast_images.saved(picture)


def sixteen_bits() -> bytes:
    pixels = (
        np.asarray(low_contrast_images.written(*low_contrast_images.RED_ON_GREEN))[:, :, ::-1].astype(np.uint16) * 257
    )
    return papers.encoded(pixels)


MODES = {
    "palette": lambda: low_contrast_images.saved(
        low_contrast_images.written(*low_contrast_images.RED_ON_GREEN).quantize(8)
    ),
    "16 bits": sixteen_bits,
    "CMYK": lambda: low_contrast_images.saved(
        low_contrast_images.written(*low_contrast_images.RED_ON_GREEN).convert("CMYK"), "JPEG", quality=95
    ),
    "white and black on nothing": white_on_nothing,
    "half-transparent white and black on nothing": lambda: white_on_nothing(100),
    "a gray of 8 %": lambda: low_contrast_images.saved(
        low_contrast_images.written((235, 235, 235), (255, 255, 255)).convert("L")
    ),
    "white on a pastel": lambda: low_contrast_images.saved(
        low_contrast_images.written((255, 255, 255), (255, 214, 150))
    ),
    "second frame": lambda: low_contrast_images.saved(
        Image.new("RGB", low_contrast_images.SIZE, (0, 130, 0)),
        save_all=True,
        append_images=[low_contrast_images.written(*low_contrast_images.RED_ON_GREEN)],
    ),
}


@pytest.mark.parametrize("mode", MODES)
@pytest.mark.slow
def test_in_every_mode_of_a_picture(mode: str) -> None:
    assert is_seen(NATIONAL_ID, MODES[mode]())


@pytest.mark.parametrize("points", [13, 160])
def test_at_every_size(points: int) -> None:
    picture = Image.new("RGB", (points * 12, points * 2), (0, 130, 0))
    ImageDraw.Draw(picture).text(
        (points // 2, points // 4), NATIONAL_ID, font=low_contrast_images.font(points), fill=(255, 0, 0)
    )
    assert is_seen(NATIONAL_ID, low_contrast_images.saved(picture))


def test_what_nobody_reads_is_no_text() -> None:
    """6 % of gray is the bound; redaction fills fainter ink with the colour around it."""
    for level, is_text in ((255 - 20, True), (255 - 12, False)):
        picture = np.asarray(low_contrast_images.written((level,) * 3, (255, 255, 255)).convert("L"))
        assert bool(list(hidden_lines(picture, 300))) is is_text
        found = recognition.read(papers.raster(picture), papers.encoded(picture))
        assert (NATIONAL_ID in found.text) is is_text


def test_plain_pages_cost_no_further_reading() -> None:
    lines = ("The account statement was sent", "to the customer, number 0123456789", "تم تحديث بيانات العميل")
    page = papers.picture(*lines, width=2200)
    noise = np.random.default_rng(1).normal(0, 4, page.shape)
    worn = np.clip(page * 0.93 + 10 + noise, 0, 255).astype(np.uint8)
    scan = cv2.imdecode(np.frombuffer(papers.encoded(worn, ".jpg", cv2.IMWRITE_JPEG_QUALITY, 75), np.uint8), 0)
    blue = np.dstack((np.full_like(page, 160), page, page))
    inverted = 255 - page
    for shown in (page, scan, worn, blue, inverted, cv2.cvtColor(page, cv2.COLOR_GRAY2BGR)):
        assert list(hidden_lines(shown, 300)) == []


@pytest.mark.parametrize("kind", every(2, ["gradient", "photo", "chart", "highlighter"]))
def test_colourful_pictures_stay_as_they_are(kind: str) -> None:
    picture = low_contrast_images.colorful()[kind]
    shown = np.asarray(picture)[:, :, ::-1].copy()
    burned = np.zeros(shown.shape[:2], bool)
    for left, top, width, height in recognition.read(papers.raster(shown), papers.encoded(shown)).unread:
        burned[top : top + height, left : left + width] = True
    assert burned.mean() < 0.03


def test_digits_that_only_hue_shows_are_burned_found_or_not() -> None:
    data = low_contrast_images.saved(low_contrast_images.written(*low_contrast_images.RED_ON_GREEN))
    extraction, pixels = image.extract(data)
    (raster,) = extraction.rasters
    output = image.redact(data, Findings(()), [recognition.read(raster, pixels[raster.id])])
    after = np.asarray(Image.open(io.BytesIO(output)))
    assert low_contrast_images.unreadable(after, low_contrast_images.glyphs(0, NATIONAL_ID))
    assert not low_contrast_images.unreadable(after, low_contrast_images.glyphs(0, "Card"))


def test_a_finding_in_a_raster_that_was_not_read_fails() -> None:
    place = Finding(f"image{VIEW}1", 0, 4, "PERSON", "PERSON_NAME_01")
    with pytest.raises(StageFailed, match="image_redact_failed"):
        image.redact(
            low_contrast_images.saved(low_contrast_images.written(*low_contrast_images.RED_ON_GREEN)),
            Findings((place,)),
            [Reading("image", "", ())],
        )


def typed_page(picture: Image.Image | None) -> bytes:
    document = pymupdf.open()
    page = document.new_page(height=300)
    page.insert_text((50, 80), "Typed text that stays as it is", fontsize=12)
    if picture is not None:
        page.insert_image(pymupdf.Rect(50, 200, 450, 281), stream=low_contrast_images.saved(picture))
    return papers.saved(document)


def test_a_picture_beside_typed_text() -> None:
    assert is_seen(NATIONAL_ID, typed_page(low_contrast_images.written(*low_contrast_images.RED_ON_GREEN)), pdf)
    assert pdf.extract(typed_page(None))[0].rasters == ()


def test_drawn_letters_in_hue_alone_are_emptied_not_only_covered() -> None:
    """Vector letters, red on a green panel of equal brightness."""
    source = pymupdf.open(stream=papers.pdf([((20, 60), NATIONAL_ID)], size=20))
    drawing = source[0].get_svg_image(text_as_path=True).replace("<use ", '<use fill="#ff0000" ')
    converted = pymupdf.open("pdf", pymupdf.open(stream=drawing.encode(), filetype="svg").convert_to_pdf())
    document = pymupdf.open()
    page = document.new_page(height=180)
    page.draw_rect(page.rect, fill=(0, 130 / 255, 0), color=None)
    page.show_pdf_page(converted[0].rect, converted, 0)
    page.insert_text((50, 150), "Typed text stays", fontsize=12, color=(1, 1, 1))
    data = papers.saved(document)
    assert len(red(data)) == 10
    extraction, pixels = pdf.extract(data)
    readings = [recognition.read(raster, pixels[raster.id]) for raster in extraction.rasters]
    findings = papers.places(extraction, NATIONAL_ID, readings)
    output = pdf.redact(data, findings, readings)
    assert red(output) == []
    assert "Typed text stays" in papers.shown_text(output)


def test_a_drawing_that_cannot_be_cut_is_seen_in_hue_alone() -> None:
    """Marks of equal brightness that extend beyond a box remain under it."""
    document = pymupdf.open()
    page = document.new_page()
    page.draw_rect(page.rect, fill=(0, 130 / 255, 0), color=None)
    shape = page.new_shape()
    for number in range(10):
        shape.draw_rect(pymupdf.Rect(50 + 14 * number, 100, 58 + 14 * number, 120))
    shape.finish(fill=(1, 0, 0), color=None)
    shape.commit()
    factor = ocr_dpi(page) / 72
    box = Box(40, 90, 210, 112).scaled(factor)
    assert remove_ink(page, [], [box]) is False
    assert remove_ink(document.new_page(), [], [box]) is True


def test_what_is_slanted_is_removed_from_a_page_and_covered_along_its_line() -> None:
    document = pymupdf.open()
    page = document.new_page()
    picture = np.full((300, 400, 3), 220, np.uint8)
    page.insert_image(pymupdf.Rect(40, 40, 440, 340), stream=raster_png(picture))
    factor = ocr_dpi(page) / 72
    strip = Strip(100, 100, 200, 100, 20)
    left, top, width, height = strip.box
    box = Box(left, top, left + width, top + height, "IBAN_01", strip).scaled(factor)
    assert remove_ink(page, [], [box]) is True
    draw_boxes(page, [], [box])
    shown = render(page, 72, gray=True)
    (x0, y0), (x1, y1) = strip.point(20, 0), strip.point(20, 60)
    assert shown[round(y0), round(x0)] < 50 and shown[round(y1), round(x1)] > 200
    assert "IBAN_01" in page.get_text()


def red(data: bytes) -> list[object]:
    """The red drawings of the first page."""
    with pymupdf.open(stream=data) as document:
        return [drawing for drawing in document[0].get_drawings() if drawing["fill"] == (1, 0, 0)]


def test_typed_text_in_hue_alone_explains_itself() -> None:
    document = pymupdf.open()
    page = document.new_page()
    page.draw_rect(pymupdf.Rect(40, 60, 400, 90), fill=(0, 130 / 255, 0), color=None)
    page.insert_text((50, 80), f"Typed {NATIONAL_ID}", fontsize=12, color=(1, 0, 0))
    extraction, _ = pdf.extract(papers.saved(document))
    assert NATIONAL_ID in extraction.units[0].text
    assert extraction.rasters == ()


def test_a_raster_has_hue_where_its_picture_has_it() -> None:
    extraction, pixels = image.extract(
        low_contrast_images.saved(low_contrast_images.written(*low_contrast_images.RED_ON_GREEN))
    )
    assert [raster.id for raster in extraction.rasters] == ["image"]
    assert papers.decoded(pixels["image"]).ndim == 3
    gray = low_contrast_images.saved(low_contrast_images.written((90, 90, 90), (255, 255, 255)))
    assert Image.open(io.BytesIO(image.extract(gray)[1]["image"])).mode == "L"


def test_a_transparent_picture_has_further_views() -> None:
    """On gray, too; the antialiasing of its letters is no text that only programs read."""
    plain, view = image.extract(white_on_nothing())[0].rasters
    assert (plain.id, view) == ("image", Raster(f"image{VIEW}1", plain.width, plain.height))
