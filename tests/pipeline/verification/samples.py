"""Small documents of fictional people, made in memory, one function per format."""

import io
from collections.abc import Callable
from datetime import date

import openpyxl
import pptx as powerpoint
import pymupdf
from openpyxl.comments import Comment
from PIL import Image, ImageDraw, ImageFont

from tests.pipeline.documents.office import W, word

LINES = (
    "Full name: Noura Salem Almithali",
    "National ID: 1058374925",
    "Mobile: +966 50 123 4567",
    "E-mail: noura.almithali@example.com",
    "IBAN: SA03 8000 0000 6080 1016 7519",
    "Visited the clinic on 14/03/2024 and paid SAR 1,250.00.",
    "Nothing of this line is about anybody.",
)
ARABIC = ("اسم العميل: فهد بن سالم التجريبي", "رقم الجوال: ٠٥٠١٢٣٤٥٦٧", "المدينة: الدمام")


def csv() -> bytes:
    rows = [
        "الاسم,National ID,الجوال,Student ID,Notes",
        "فهد التجريبي,1058374925,٠٥٠١٢٣٤٥٦٧,441020055,paid SAR 900",
        'Noura Almithali,2409173651,0541112223,441020077,"met in Dammam, 14/03/2024"',
        "سالم,1072645185,0551112223,441020088,nothing",
    ]
    return ("\r\n".join(rows) + "\r\n").encode()


def csv_in(encoding: str, delimiter: str = ",") -> Callable[[], bytes]:
    """The same table in another encoding; code pages have no Eastern digits."""
    return lambda: csv().decode().replace("٠٥٠١٢٣٤٥٦٧", "0501234567").replace(",", delimiter).encode(encoding)


def docx() -> bytes:
    """A letter with a split run, a table, a link, an alternative text, and a header."""
    paragraphs = "".join(map(_paragraph, (*LINES, *ARABIC)))
    split = "<w:p><w:r><w:t>Her ID again: 10583</w:t></w:r><w:r><w:rPr><w:b/></w:rPr><w:t>74925</w:t></w:r></w:p>"
    cells = [f"<w:tc>{_paragraph(t)}</w:tc>" for t in ("Student ID", "الاسم", "441020055", "سالم التجريبي")]
    table = f"<w:tbl><w:tr>{cells[0]}{cells[1]}</w:tr><w:tr>{cells[2]}{cells[3]}</w:tr></w:tbl>"
    link = f'<w:p><w:hyperlink r:id="mail" w:tooltip="Call +966 50 123 4567">{_run("write")}</w:hyperlink></w:p>'
    header = f'<w:hdr xmlns:w="{W}">{_paragraph("Account of Noura Salem Almithali")}</w:hdr>'
    return word(
        paragraphs + split + table + link,
        {"word/header1.xml": ("header", header)},
        {"mail": ("hyperlink", "mailto:noura.almithali@example.com")},
    )


def xlsx() -> bytes:
    """A register with numbers, dates and amounts, a form, a hidden sheet, comments, links, names and validations."""
    book = openpyxl.Workbook()
    sheet = book.active
    sheet.title = "Register"
    sheet.append(["الاسم", "National ID", "الجوال", "Student ID", "Visit", "Paid"])
    sheet.append(["فهد التجريبي", 1058374925, "٠٥٠١٢٣٤٥٦٧", 441020055, date(2024, 3, 14), 1250])
    sheet.append(["Noura Salem Almithali", 2409173651, "0541112223", 441020077, date(2023, 11, 2), 900.5])
    for row in (2, 3):
        sheet.cell(row, 5).number_format, sheet.cell(row, 6).number_format = "d mmm yyyy", "[$SAR] #,##0.00"
    sheet["A6"], sheet["B6"] = "IBAN", "SA03 8000 0000 6080 1016 7519"
    sheet["A7"], sheet["B7"] = "E-mail", '=HYPERLINK("mailto:noura.almithali@example.com","write")'
    sheet["B3"].comment = Comment("Her ID again: 2409173651", "Salem Altajribi")
    hidden = book.create_sheet("Hidden")
    hidden.sheet_state = "veryHidden"
    hidden["A1"], hidden["B1"] = "Mobile", 501234567
    hidden["B1"].number_format = "0000000000"
    book.properties.title = "Account of Noura Salem Almithali"
    return _saved(book)


def pptx() -> bytes:
    """A slide with a text box, a table, alternative text and notes, and a second one that is hidden."""
    show = powerpoint.Presentation()
    for number in range(2):
        slide = show.slides.add_slide(show.slide_layouts[5])
        slide.shapes.title.text = f"Case {number + 1}"
        box = slide.shapes.add_textbox(0, 1_000_000, 6_000_000, 2_000_000)
        box.text_frame.text = "\n".join(LINES[:5] if number else (*LINES[5:], *ARABIC))
        if number:
            slide._element.set("show", "0")
            continue
        table = slide.shapes.add_table(2, 2, 0, 4_000_000, 4_000_000, 800_000).table
        for cell, text in zip(table.iter_cells(), ("Student ID", "الاسم", "441020055", "سالم التجريبي"), strict=True):
            cell.text = text
        slide.shapes[1]._element.nvSpPr.cNvPr.set("descr", "Call +966 50 123 4567")
        slide.notes_slide.notes_text_frame.text = "Ask Noura Salem Almithali about 1058374925"
        paragraph = slide.notes_slide.notes_text_frame.add_paragraph()
        for run in ("SA03 8000 0000 ", "6080 1016", " 7519"):
            paragraph.add_run().text = run
    return _saved(show)


def _saved(document: openpyxl.Workbook) -> bytes:
    buffer = io.BytesIO()
    document.save(buffer)
    return buffer.getvalue()


def _paragraph(text: str) -> str:
    return f"<w:p>{_run(text)}</w:p>"


def _run(text: str) -> str:
    return f'<w:r><w:t xml:space="preserve">{text}</w:t></w:r>'


def pdf() -> bytes:
    document = pymupdf.open()
    for lines in (LINES, LINES[:2]):
        page = document.new_page()
        for number, line in enumerate(lines):
            page.insert_text((72, 90 + 24 * number), line, fontsize=12)
    document.set_metadata({"title": "Noura Salem Almithali", "author": "Noura Salem Almithali"})
    data: bytes = document.tobytes()
    return data


def turned_pdf() -> bytes:
    """A rotated page with rotated text, a nested form XObject, columns, and values that continue on the next line."""
    document, inner = pymupdf.open(), pymupdf.open()
    inner.new_page(width=300, height=60).insert_text((10, 30), "Mobile: +966 50 123 4567", fontsize=11)
    page = document.new_page()
    page.set_rotation(90)
    page.show_pdf_page(pymupdf.Rect(60, 500, 360, 560), inner, 0)
    for number, line in enumerate(LINES[:4]):
        page.insert_text((500 - 24 * number, 400), line, fontsize=11, rotate=90)
    page = document.new_page()
    prose = "This record was opened by the clerk on duty and it belongs to the account of"
    for number, line in enumerate((prose, "Noura Salem Almithali, whose IBAN is written below it for the", "refund.")):
        page.insert_text((72, 90 + 14 * number), line, fontsize=10)
    page.insert_text((72, 200), "SA03 8000 0000", fontsize=10)
    page.insert_text((72, 214), "6080 1016 7519", fontsize=10)
    page.insert_text((72, 300), "National ID: 2409173651", fontsize=10, render_mode=3)
    data: bytes = document.tobytes()
    return data


def png() -> bytes:
    return picture("PNG")


def picture(kind: str) -> bytes:
    """The letter as an image of that format."""
    image = Image.new("L", (1500, 700), 255)
    draw = ImageDraw.Draw(image)
    for number, line in enumerate(LINES):
        draw.text((60, 40 + 90 * number), line, font=ImageFont.load_default(40), fill=0)
    buffer = io.BytesIO()
    image.save(buffer, kind)
    return buffer.getvalue()


def scan() -> bytes:
    """An image-only PDF."""
    document = pymupdf.open()
    page = document.new_page(width=540, height=252)
    page.insert_image(page.rect, stream=png())
    data: bytes = document.tobytes()
    return data
