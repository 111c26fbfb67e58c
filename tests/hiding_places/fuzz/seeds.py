"""Sound documents to be broken: one or two of each format, small and varied, about plainly fictional people."""

import io

import openpyxl
import pptx
import pymupdf
from docx import Document
from openpyxl.comments import Comment
from PIL import Image, ImageDraw
from pptx.util import Inches

from schemas.files import SUPPORTED_FORMATS, Format
from tests.pipeline.verification import samples

ID, MAIL, IBAN = "1058374925", "noura.almithali@example.com", "SA0380000000608010167519"
VALUES = (ID, MAIL, IBAN)
_LINES = ("Full name: Noura Salem Almithali", f"National ID: {ID}", f"E-mail: {MAIL}", f"IBAN: {IBAN}")


def seeds() -> dict[str, tuple[Format, bytes]]:
    """Documents by name."""
    documents = {
        "csv": (Format.CSV, samples.csv()),
        "csv in UTF-16": (Format.CSV, samples.csv().decode().encode("utf-16")),
        "docx": (Format.DOCX, _word()),
        "docx by hand": (Format.DOCX, samples.docx()),
        "pdf": (Format.PDF, samples.pdf()),
        "pdf with a form": (Format.PDF, _form()),
        "png": (Format.PNG, _picture("PNG")),
        "jpeg": (Format.JPEG, _picture("JPEG")),
        "pptx": (Format.PPTX, _slides()),
        "tiff": (Format.TIFF, _picture("TIFF")),
        "xlsx": (Format.XLSX, _workbook()),
    }
    return {name: made for name, made in documents.items() if made[0] in SUPPORTED_FORMATS}


def _saved(document: object) -> bytes:
    buffer = io.BytesIO()
    document.save(buffer)  # type: ignore[attr-defined]
    return buffer.getvalue()


def _word() -> bytes:
    document = Document()
    document.core_properties.author = "Noura Salem Almithali"
    document.add_heading("Account", 1)
    for line in _LINES:
        document.add_paragraph(line, style="List Bullet")
    table = document.add_table(2, 2)
    for cell, text in zip((c for row in table.rows for c in row.cells), ("Name", "ID", "Noura", ID), strict=True):
        cell.text = text
    document.sections[0].header.paragraphs[0].text = f"For {MAIL}"
    document.add_picture(io.BytesIO(_picture("PNG")))
    return _saved(document)


def _workbook() -> bytes:
    workbook = openpyxl.Workbook()
    sheet = workbook.active
    sheet.append(["Name", "National ID", "IBAN", "Since"])
    sheet.append(["Noura Salem Almithali", int(ID), IBAN, 45000])
    sheet.append(["Fahad Altajribi", "=B2", f'=CONCATENATE("{MAIL}","")', 3.5])
    sheet["A2"].comment = Comment(f"write to {MAIL}", "Fahad Altajribi")
    sheet["D2"].number_format = "dd/mm/yyyy"
    workbook.create_sheet("Hidden").sheet_state = "hidden"
    workbook["Hidden"]["A1"] = MAIL
    return _saved(workbook)


def _slides() -> bytes:
    presentation = pptx.Presentation()
    slide = presentation.slides.add_slide(presentation.slide_layouts[1])
    slide.shapes.title.text = "Account"
    slide.placeholders[1].text = "\n".join(_LINES)
    slide.notes_slide.notes_text_frame.text = f"call her about {ID}"
    table = slide.shapes.add_table(1, 2, Inches(1), Inches(5), Inches(4), Inches(1)).table
    table.cell(0, 0).text, table.cell(0, 1).text = "National ID", ID
    return _saved(presentation)


def _form() -> bytes:
    document = pymupdf.open()
    page = document.new_page()
    page.insert_text((72, 72), "National ID")
    widget = pymupdf.Widget()
    widget.field_name, widget.field_type, widget.field_value = "id", pymupdf.PDF_WIDGET_TYPE_TEXT, ID
    widget.rect = pymupdf.Rect(150, 60, 300, 80)
    page.add_widget(widget)
    page.add_text_annot((72, 200), f"write to {MAIL}")
    page.insert_link({"kind": pymupdf.LINK_URI, "from": pymupdf.Rect(0, 0, 50, 50), "uri": f"mailto:{MAIL}"})
    document.set_toc([[1, "Noura Salem Almithali", 1]])
    document.set_metadata({"author": "Noura Salem Almithali", "title": IBAN})
    document.embfile_add("note.txt", IBAN.encode())
    return bytes(document.tobytes())


def _picture(kind: str) -> bytes:
    image = Image.new("RGB", (160, 60), "white")
    ImageDraw.Draw(image).text((10, 20), f"ID {ID}", fill="black")
    exif = Image.Exif()
    exif[0x010E] = f"IBAN {IBAN}"
    buffer = io.BytesIO()
    image.save(buffer, kind, exif=exif)
    return buffer.getvalue()
