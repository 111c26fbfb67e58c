"""Small documents of plainly fictional people, made in memory, one maker per format."""

import io

import pymupdf
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


def png() -> bytes:
    image = Image.new("L", (1500, 700), 255)
    draw = ImageDraw.Draw(image)
    for number, line in enumerate(LINES):
        draw.text((60, 40 + 90 * number), line, font=ImageFont.load_default(40), fill=0)
    buffer = io.BytesIO()
    image.save(buffer, "PNG")
    return buffer.getvalue()


def scan() -> bytes:
    """An image-only PDF."""
    document = pymupdf.open()
    page = document.new_page(width=540, height=252)
    page.insert_image(page.rect, stream=png())
    data: bytes = document.tobytes()
    return data
