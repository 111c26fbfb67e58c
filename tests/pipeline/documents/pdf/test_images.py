"""PDF pages that show more than their text says: scans, pictures beside text, drawn letters."""

import io
from dataclasses import replace

import numpy as np
import pikepdf
import pymupdf
import pytest

from pipeline.documents.document import Findings, Reading
from pipeline.documents.pdf import handler as pdf
from pipeline.ocr import recognition
from schemas.errors import StageFailed
from tests.pipeline.documents import papers
from tests.pipeline.documents.papers import IQAMA, NAME, NATIONAL_ID

Read = tuple[list[Reading], Findings]


def read(data: bytes, pattern: str) -> Read:
    extraction, pixels = pdf.extract(data)
    readings = [recognition.read(raster, pixels[raster.id]) for raster in extraction.rasters]
    return readings, papers.places(extraction, pattern, readings)


def read_again(data: bytes) -> str:
    """What OCR says of all pages of an output, as pdfium shows them."""
    texts = []
    for number in range(pdf.inspect(data)):
        pixels = papers.rendered(data, number, dpi=200)
        texts.append(recognition.read(papers.raster(pixels, 200), papers.encoded(pixels)).text)
    return "\n".join(texts)


def mixed(pixels: np.ndarray, text: str = f"Typed text with {IQAMA} in it") -> bytes:
    """A page with typed text and a picture under it."""
    document = pymupdf.open()
    page = document.new_page(height=340)
    page.insert_text((50, 80), text, fontsize=12)
    page.insert_image(pymupdf.Rect(50, 200, 545, 320), stream=papers.encoded(pixels))
    return papers.saved(document)


def test_a_scanned_page_becomes_a_burned_picture_of_the_same_size() -> None:
    data = papers.scanned_pdf(f"Name: {NAME}", f"Identity number {NATIONAL_ID} valid", "Issued at the office")
    readings, findings = read(data, f"{NATIONAL_ID}|{NAME}")
    assert [reading.raster for reading in readings] == ["page/0/scan"]
    assert len(findings.places) == 2
    output = pdf.redact(data, findings, readings)
    said = read_again(output)
    assert NATIONAL_ID not in said and "Salman" not in said
    assert "Issued" in said and "office" in said and "valid" in said
    before, after = papers.rendered(data), papers.rendered(output)
    assert before.shape == after.shape
    assert (after < 40).sum() > (before < 40).sum()


def test_an_invisible_text_layer_under_a_scan_goes_with_the_page() -> None:
    document = pymupdf.open(stream=papers.scanned_pdf(f"Identity number {NATIONAL_ID}"))
    document[0].insert_text((30, 40), f"Identity number {NATIONAL_ID}", fontsize=12, render_mode=3)
    data = papers.saved(document)
    readings, findings = read(data, NATIONAL_ID)
    assert {place.unit for place in findings.places} == {"page/0", "page/0/scan"}
    output = pdf.redact(data, findings, readings)
    assert NATIONAL_ID not in papers.shown_text(output) + read_again(output)
    with pikepdf.open(io.BytesIO(output)) as file:
        drawn = {str(instruction.operator) for instruction in pikepdf.parse_content_stream(file.pages[0])}
    assert "Do" in drawn and not drawn & {"Tj", "TJ", "'", '"'}


def test_the_html_writers_arabic_page_is_read_by_ocr_and_burned() -> None:
    data = papers.html_pdf(f"<p dir=rtl>الاسم: أحمد سالم الحربي</p><p>Identity {NATIONAL_ID} of the office</p>")
    readings, findings = read(data, f"{NATIONAL_ID}|أحمد سالم")
    assert {place.unit for place in findings.places} >= {"page/0/scan"}
    said = read_again(pdf.redact(data, findings, readings))
    assert NATIONAL_ID not in said and "أحمد" not in said and "سالم" not in said
    assert "office" in said


def test_typed_text_beside_a_picture_stays_text_and_the_pictures_pixels_go() -> None:
    data = mixed(papers.picture(f"Card {NATIONAL_ID} stamped", width=1300))
    readings, findings = read(data, f"{NATIONAL_ID}|{IQAMA}")
    assert [reading.raster for reading in readings] == ["page/0/ink"]
    assert IQAMA not in readings[0].text  # what the text layer explains is not read again
    assert {place.unit for place in findings.places} == {"page/0", "page/0/ink"}
    output = pdf.redact(data, findings, readings)
    said = papers.shown_text(output)
    assert "Typed text with" in said and "in it" in said and IQAMA not in said
    with pymupdf.open(stream=output) as document:
        (image,) = document[0].get_images()
        pixmap = pymupdf.Pixmap(document, image[0])  # the picture itself, without the box that is drawn over it
        pixels = np.frombuffer(pixmap.samples, np.uint8).reshape(pixmap.height, pixmap.width, -1)[:, :, 0].copy()
    again = recognition.read(papers.raster(pixels, 200), papers.encoded(pixels)).text
    assert NATIONAL_ID not in again and "stamped" in again


def with_soft_mask() -> bytes:
    """Black ink whose shape is in the alpha channel alone."""
    pixels = papers.picture(f"Card {NATIONAL_ID} stamped", width=1300)
    return mixed(np.dstack([np.zeros_like(pixels)] * 3 + [255 - pixels]))


def test_a_picture_whose_ink_is_in_its_mask() -> None:
    data = with_soft_mask()
    readings, findings = read(data, NATIONAL_ID)
    output = pdf.redact(data, findings, readings)
    texts = []
    with pymupdf.open(stream=output) as document:
        for image in document[0].get_images():
            for xref in filter(None, image[:2]):
                pixmap = pymupdf.Pixmap(document, xref)
                pixels = np.frombuffer(pixmap.samples, np.uint8).reshape(pixmap.height, pixmap.width, -1)[:, :, 0]
                pixels = 255 - pixels if pixels.mean() < 128 else pixels.copy()
                texts.append(recognition.read(papers.raster(pixels, 200), papers.encoded(pixels)).text)
    assert any("stamped" in text for text in texts)
    assert not any(NATIONAL_ID in text for text in texts)
    assert NATIONAL_ID not in read_again(output)


def outlined() -> bytes:
    """Letters drawn as shapes, no text operator at all."""
    source = pymupdf.open(stream=papers.pdf([((50, 100), f"Outlined {NATIONAL_ID} letters")], size=20))
    drawing = source[0].get_svg_image(text_as_path=True)
    source.close()
    converted = pymupdf.open("pdf", pymupdf.open(stream=drawing.encode(), filetype="svg").convert_to_pdf())
    document = pymupdf.open()
    page = document.new_page(height=200)
    page.show_pdf_page(converted[0].rect, converted, 0)
    page.insert_text((50, 180), "Typed text stays", fontsize=12)
    return papers.saved(document)


def test_letters_drawn_as_shapes_are_read_and_removed() -> None:
    data = outlined()
    assert NATIONAL_ID not in papers.shown_text(data)
    readings, findings = read(data, NATIONAL_ID)
    assert findings.places
    output = pdf.redact(data, findings, readings)
    assert NATIONAL_ID not in read_again(output)


def test_unread_ink_on_a_scan_is_burned() -> None:
    data = papers.scanned_pdf("رقم الهوية ١٠١٢٣٤٥٦٧٢", "والسلام عليكم ورحمة الله")
    readings, findings = read(data, NATIONAL_ID)
    (reading,) = readings
    (number,) = [word for word in reading.words if reading.text[word.start : word.end] == "١٠١٢٣٤٥٦٧٢"]
    unread = (number.left, number.top, number.width, number.height)
    output = pdf.redact(data, findings, [replace(reading, unread=(unread,))])
    clean = pdf.redact(data, findings, [Reading("page/0/scan", "", ())])
    burned = (papers.rendered(output) < 40).sum() - (papers.rendered(clean) < 40).sum()
    assert burned > 1500


def test_a_scan_without_its_reading_fails() -> None:
    data = papers.scanned_pdf(f"Identity number {NATIONAL_ID}")
    _, findings = read(data, NATIONAL_ID)
    with pytest.raises(StageFailed, match="image_redact_failed"):
        pdf.redact(data, findings, ())


def test_rules_boxes_and_blank_pictures_need_no_ocr() -> None:
    document = pymupdf.open()
    page = document.new_page()
    page.insert_text((60, 100), "A table", fontsize=12)
    for n in range(8):
        page.draw_rect(pymupdf.Rect(50, 120 + 20 * n, 500, 140 + 20 * n), fill=(0.9, 0.9, 1), color=(0, 0, 0))
        page.insert_text((60, 135 + 20 * n), f"Row {n} in its cell", fontsize=11)
    page.insert_image(pymupdf.Rect(50, 500, 200, 600), stream=papers.encoded(np.full((200, 300), 240, np.uint8)))
    page.draw_circle((400, 550), 40, color=(1, 0, 0))
    extraction, _ = pdf.extract(papers.saved(document))
    assert not extraction.rasters


def test_white_text_over_a_scan_explains_nothing() -> None:
    document = pymupdf.open(stream=papers.scanned_pdf(f"Identity number {NATIONAL_ID}"))
    document[0].insert_text((20, 45), "words that nobody sees here", fontsize=12, color=(1, 1, 1))
    extraction, pixels = pdf.extract(papers.saved(document))
    (raster,) = extraction.rasters
    assert NATIONAL_ID in recognition.read(raster, pixels[raster.id]).text
