"""One small document of each format, as the common libraries write it; every person in them is made up."""

import io
from collections.abc import Sequence

import docx
import openpyxl  # type: ignore[import-untyped]
import pymupdf
from PIL import Image, ImageDraw, ImageFont
from pptx import Presentation
from pptx.util import Inches

from schemas.files import MEDIA_TYPE, Format

LINES = ("Office hours", "Mobile: 0501234567")
WORDS = 4
TYPES = {format_: MEDIA_TYPE[format_] for format_ in Format}


def picture(*lines: str, kind: str = "PNG", mode: str = "L") -> bytes:
    """Black lines on white, large enough for every OCR."""
    return _saved([_page(lines, mode)], kind)


def frames(*pages: Sequence[str]) -> bytes:
    """A TIFF of several frames."""
    return _saved([_page(lines, "L") for lines in pages], "TIFF")


def scan(*pages: str) -> bytes:
    """A PDF that is nothing but pictures: one page for each line."""
    return _saved([_page([line], "L") for line in pages], "PDF")


def word(*lines: str, image: bytes | None = None) -> bytes:
    document = docx.Document()
    for line in lines:
        document.add_paragraph(line)
    if image is not None:
        document.add_picture(io.BytesIO(image), docx.shared.Inches(4))
    return _written(document)


def sheet(*lines: str) -> bytes:
    book = openpyxl.Workbook()
    for number, line in enumerate(lines, 1):
        book.active.cell(number, 1, line)
    return _written(book)


def slides(*lines: str) -> bytes:
    """One slide for each line, without a layout's words."""
    show = Presentation()
    show.core_properties.last_modified_by = show.core_properties.author = ""  # the template's maker
    for line in lines:
        slide = show.slides.add_slide(show.slide_layouts[6])
        slide.shapes.add_textbox(Inches(1), Inches(1), Inches(6), Inches(1)).text_frame.text = line
    return _written(show)


def pages(*lines: str) -> bytes:
    """A PDF with one page of text for each line."""
    with pymupdf.open() as document:
        for line in lines:
            document.new_page().insert_text((72, 100), line, fontsize=14)
        return bytes(document.tobytes())


def paper(format_: Format) -> bytes:
    """The lines above in a format: as two rows, paragraphs, pages or slides, or on one picture."""
    match format_:
        case Format.CSV:
            return "\r\n".join([*LINES, ""]).encode()
        case Format.DOCX:
            return word(*LINES)
        case Format.XLSX:
            return sheet(*LINES)
        case Format.PPTX:
            return slides(*LINES)
        case Format.PDF:
            return pages(*LINES)
        case _:
            return picture(*LINES, kind=format_.value.upper())


def _page(lines: Sequence[str], mode: str) -> Image.Image:
    page = Image.new(mode, (1000, 100 + 110 * len(lines)), 255 if mode in ("1", "L") else "white")
    for number, line in enumerate(lines):
        ImageDraw.Draw(page).text((40, 40 + 110 * number), line, fill=0, font=ImageFont.load_default(size=56))
    return page


def _saved(pages: Sequence[Image.Image], kind: str) -> bytes:
    buffer = io.BytesIO()
    more = {"save_all": True, "append_images": pages[1:]} if len(pages) > 1 else {}
    pages[0].save(buffer, kind, **({"resolution": 200} if kind == "PDF" else {}), **more)
    return buffer.getvalue()


def _written(document: object) -> bytes:
    buffer = io.BytesIO()
    document.save(buffer)  # type: ignore[attr-defined]
    return buffer.getvalue()
