"""Makes PDFs and pictures for tests, and reads PDFs by other engines than the one that redacts."""

import io
import re
from collections.abc import Callable, Sequence
from pathlib import Path

import cv2
import numpy as np
import pikepdf
import pymupdf
import pypdfium2
from PIL import Image, ImageDraw, ImageFont

from pipeline.documents.document import Extraction, Finding, Findings, Raster, Reading

NATIONAL_ID = "1012345672"
IQAMA = "2012345675"
IBAN = "SA0380000000608010167519"
NAME = "Salman Alharbi"

FONTS = Path("/usr/share/fonts")
DEJAVU = FONTS / "truetype/dejavu/DejaVuSans.ttf"
AMIRI = FONTS / "opentype/fonts-hosny-amiri/Amiri-Regular.ttf"


def pdf(*pages: Sequence[tuple[tuple[float, float], str]], size: float = 12) -> bytes:
    """A PDF in Helvetica: per page, texts with the places where they start."""
    document = pymupdf.open()
    for texts in pages:
        page = document.new_page()
        for place, text in texts:
            page.insert_text(place, text, fontsize=size)
    return saved(document)


def content_pdf(content: bytes, fill: Callable[[pikepdf.Pdf], None] = lambda file: None) -> bytes:
    """A PDF of one page with that content stream; /F is Helvetica. `fill` may add to the file."""
    with pikepdf.new() as file:
        page = file.add_blank_page(page_size=(595, 842))
        font = pikepdf.Dictionary(
            Type=pikepdf.Name.Font,
            Subtype=pikepdf.Name.Type1,
            BaseFont=pikepdf.Name.Helvetica,
            Encoding=pikepdf.Name.WinAnsiEncoding,
        )
        page.obj.Resources = pikepdf.Dictionary(Font=pikepdf.Dictionary(F=file.make_indirect(font)))
        page.obj.Contents = file.make_stream(content)
        fill(file)
        out = io.BytesIO()
        file.save(out)
        return out.getvalue()


def changed(data: bytes, change: Callable[[pikepdf.Pdf], None]) -> bytes:
    """The PDF after `change`."""
    with pikepdf.open(io.BytesIO(data)) as file:
        change(file)
        out = io.BytesIO()
        file.save(out)
        return out.getvalue()


def saved(document: pymupdf.Document, **options: object) -> bytes:
    data: bytes = document.tobytes(**options)
    document.close()
    return data


def html_pdf(html: str) -> bytes:
    """A PDF by PyMuPDF's own HTML writer: well shaped Arabic with a wrong Unicode map."""
    document = pymupdf.open()
    page = document.new_page()
    page.insert_htmlbox(pymupdf.Rect(50, 50, 545, 400), html)
    return saved(document)


def embedded_font_pdf(text: str, font: Path = DEJAVU, *, right_to_left: bool = False) -> bytes:
    """A PDF with an embedded TrueType font, Identity-H with a right Unicode map."""
    document = pymupdf.open()
    page = document.new_page()
    writer = pymupdf.TextWriter(page.rect)
    start = (400, 100) if right_to_left else (60, 100)
    writer.append(start, text, font=pymupdf.Font(fontfile=str(font)), fontsize=14, right_to_left=right_to_left)
    writer.write_text(page)
    return saved(document, garbage=3)


def picture(*lines: str, width: int = 1600, font: Path = DEJAVU, points: int = 14, dpi: int = 200) -> np.ndarray:
    """Lines of text as pixels, (height, width) gray: Latin, or Arabic shaped by MuPDF."""
    document = pymupdf.open()
    page = document.new_page(width=width * 72 / dpi, height=(len(lines) * points * 2.2 + 60))
    body = "".join(
        f"<p style='margin:0 0 8px 0' dir='{'rtl' if _is_arabic(line) else 'ltr'}'>{line}</p>" for line in lines
    )
    page.insert_htmlbox(
        pymupdf.Rect(20, 20, page.rect.width - 20, page.rect.height - 10), body, css=f"* {{font-size: {points}px}}"
    )
    pixmap = page.get_pixmap(dpi=dpi, colorspace=pymupdf.csGRAY)
    pixels = np.frombuffer(pixmap.samples, np.uint8).reshape(pixmap.height, pixmap.width).copy()
    document.close()
    return pixels


def illegible() -> np.ndarray:
    """A page of lines in Devanagari, which no engine reads, at 200 dpi."""
    page = Image.new("L", (1240, 1000), 255)
    font = ImageFont.truetype(str(FONTS / "truetype/noto/NotoSansDevanagari-Regular.ttf"), 34)
    for number in range(14):
        ImageDraw.Draw(page).text((60, 40 + 66 * number), "कार्यालय सुबह से दोपहर तक खुला रहता है", 0, font)
    return np.array(page)


def _is_arabic(line: str) -> bool:
    return re.search("[\u0600-\u06ff]", line) is not None


def encoded(pixels: np.ndarray, suffix: str = ".png", *options: int) -> bytes:
    return bytes(cv2.imencode(suffix, pixels, list(options))[1])


def decoded(data: bytes) -> np.ndarray:
    return cv2.imdecode(np.frombuffer(data, np.uint8), cv2.IMREAD_UNCHANGED)


def scanned_pdf(*lines: str, dpi: int = 200) -> bytes:
    """A page that is one picture."""
    pixels = picture(*lines, dpi=dpi)
    document = pymupdf.open()
    page = document.new_page(width=pixels.shape[1] * 72 / dpi, height=pixels.shape[0] * 72 / dpi)
    page.insert_image(page.rect, stream=encoded(pixels))
    return saved(document)


def places(
    extraction: Extraction, pattern: str, readings: Sequence[Reading] = (), placeholder: str = "NATIONAL_ID_01"
) -> Findings:
    """Every match of the pattern in units and readings, as findings."""
    texts = [(unit.id, unit.text) for unit in extraction.units] + [(r.raster, r.text) for r in readings]
    return Findings(
        tuple(
            Finding(name, match.start(), match.end(), "NATIONAL_ID", placeholder)
            for name, text in texts
            for match in re.finditer(pattern, text)
        )
    )


def shown_text(data: bytes) -> str:
    """What pdfium reads on all pages."""
    with pypdfium2.PdfDocument(data) as document:
        return "\n".join(page.get_textpage().get_text_range() for page in document)


def everything(data: bytes) -> bytes:
    """All strings, names and decompressed streams of the file."""
    parts = [data]
    with pikepdf.open(io.BytesIO(data)) as file:
        for item in file.objects:
            parts.append(item.unparse())
            if isinstance(item, pikepdf.Stream):
                try:
                    parts.append(item.read_bytes())
                except pikepdf.PdfError:  # an image's own encoding
                    parts.append(item.read_raw_bytes())
    return b"\n".join(parts)


def rendered(data: bytes, page: int = 0, dpi: int = 150) -> np.ndarray:
    """The page as pdfium shows it, gray."""
    with pypdfium2.PdfDocument(data) as document:
        return document[page].render(scale=dpi / 72, grayscale=True).to_numpy().squeeze().copy()


def raster(pixels: np.ndarray, dpi: int = 300) -> Raster:
    height, width = pixels.shape[:2]
    return Raster("test", width, height, dpi)
