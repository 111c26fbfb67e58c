"""Pictures in PDFs keep nothing that the page does not show, and nothing beside their pixels."""

import io

import numpy as np
import pikepdf
import pymupdf
import pytest
from PIL import Image

from pipeline.documents.document import Findings
from pipeline.documents.image.metadata import without_metadata
from pipeline.documents.pdf import handler as pdf
from pipeline.documents.pdf.sanitize.rewrite import sanitized
from pipeline.ocr import recognition
from tests.conftest import every
from tests.pipeline.documents import papers
from tests.pipeline.documents.papers import NATIONAL_ID

PLACE = pymupdf.Rect(50, 60, 545, 180)


def page_with_picture(place: pymupdf.Rect = PLACE) -> pymupdf.Document:
    """A low page: every row of pixels is read."""
    document = pymupdf.open()
    page = document.new_page(height=200)
    page.insert_text((50, 30), "Nothing personal stands here", fontsize=12)
    page.insert_image(place, stream=papers.encoded(papers.picture(f"Identity number {NATIONAL_ID}", width=900)))
    return document


def cropped() -> pymupdf.Document:
    document = page_with_picture()
    document[0].set_cropbox(pymupdf.Rect(0, 0, 595, 50))
    return document


def covered(color: tuple[float, float, float]) -> pymupdf.Document:
    document = page_with_picture()
    document[0].draw_rect(pymupdf.Rect(45, 55, 550, 185), color=None, fill=color)
    return document


def clipped() -> pymupdf.Document:
    document = page_with_picture()
    number = document[0].get_contents()[-1]
    document.update_stream(number, b"q 0 0 9 9 re W n " + document.xref_stream(number) + b" Q")
    return document


HIDDEN = {
    "cropped": cropped,
    "covered in white": lambda: covered((1, 1, 1)),
    "covered in black": lambda: covered((0, 0, 0)),
    "clipped": clipped,
    "shown too small to be read": lambda: page_with_picture(pymupdf.Rect(50, 60, 76, 66)),
}


def pictures_of(data: bytes) -> list[np.ndarray]:
    """The pixels of every picture in the file, whatever its pages show of it."""
    with pikepdf.open(io.BytesIO(data)) as file:
        streams = [item for item in file.objects if isinstance(item, pikepdf.Stream)]
        images = [pikepdf.PdfImage(item) for item in streams if item.get("/Subtype") == "/Image"]
        return [np.array(image.as_pil_image().convert("L")) for image in images]


@pytest.mark.parametrize("make", every(3, HIDDEN.values()), ids=HIDDEN.keys())
def test_what_a_page_hides_of_a_picture_is_gone(make) -> None:  # type: ignore[no-untyped-def]
    data = papers.saved(make())
    assert any(NATIONAL_ID in said(pixels) for pixels in pictures_of(data))
    extraction, pixels = pdf.extract(data)
    readings = [recognition.read(raster, pixels[raster.id]) for raster in extraction.rasters]
    output = pdf.redact(data, Findings(()), readings)
    assert not any(NATIONAL_ID in said(picture) for picture in pictures_of(output))


def said(pixels: np.ndarray) -> str:
    return recognition.read(papers.raster(pixels, 200), papers.encoded(pixels)).text


def test_a_picture_that_the_page_shows_leaves_its_text_layer_alone() -> None:
    extraction, _ = pdf.extract(papers.saved(page_with_picture()))
    assert [raster.id for raster in extraction.rasters] == ["page/0/ink"]


def photo() -> bytes:
    exif = Image.Exif()
    exif[0x013B] = "Salman Alharbi"
    buffer = io.BytesIO()
    Image.fromarray(np.full((80, 90, 3), 190, np.uint8)).save(buffer, "JPEG", exif=exif, comment=NATIONAL_ID.encode())
    return buffer.getvalue() + b"after the end 0501234567"


def test_a_jpeg_in_a_pdf_brings_no_exif_comment_or_tail_along() -> None:
    document = pymupdf.open()
    document.new_page().insert_image(PLACE, stream=photo())
    output = sanitized(papers.saved(document))
    with pikepdf.open(io.BytesIO(output)) as file:
        (stored,) = [item.read_raw_bytes() for item in file.objects if isinstance(item, pikepdf.Stream)][-1:]
        everything = b"".join(item.read_raw_bytes() for item in file.objects if isinstance(item, pikepdf.Stream))
    assert stored
    for secret in (b"Salman", NATIONAL_ID.encode(), b"0501234567"):
        assert secret not in everything
    assert [picture.shape for picture in pictures_of(output)] == [(80, 90)]


def test_a_plain_jpeg_shows_the_same_pixels() -> None:
    before, after = (np.array(Image.open(io.BytesIO(data))) for data in (photo(), without_metadata(photo())))
    assert (before == after).all()


@pytest.mark.parametrize("progressive", [False, True])
def test_every_scan_of_a_jpeg_stays(progressive: bool) -> None:
    noise = np.random.default_rng(1).integers(0, 256, (120, 90, 3), np.uint8)
    buffer = io.BytesIO()
    Image.fromarray(noise).save(buffer, "JPEG", progressive=progressive, comment=b"0501234567")
    plain = without_metadata(buffer.getvalue())
    assert b"0501234567" not in plain
    assert (np.array(Image.open(io.BytesIO(plain))) == np.array(Image.open(buffer))).all()


@pytest.mark.parametrize("data", [b"", b"\xff\xd8", b"\xff\xd8\xff\xe1\xff", b"\xff\xd8" + b"\xff" * 9, b"GIF89a"])
def test_damaged_pictures_stay_as_they_are(data: bytes) -> None:
    assert without_metadata(data) == data
