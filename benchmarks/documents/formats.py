"""Every format: seconds and peak memory of each stage, beside a plain library that opens and saves the same file.

    python -m benchmarks.documents.formats [--pages 300]

One core (the process and its children are held on it). Peak is the resident memory of the sandbox child that does the
stage's work, as the kernel counted it. Floors, in the same run: PyMuPDF extracting and redacting the same values;
python-docx, openpyxl, python-pptx and csv reading and writing; Tesseract reading the same pictures with one thread.
"""

import argparse
import csv
import io
import os
import resource
from collections.abc import Callable
from typing import NamedTuple, TypeVar

import cv2
import numpy as np
import openpyxl
import pptx
import pymupdf
from docx import Document
from PIL import Image
from pptx.util import Inches, Pt

from benchmarks.documents.files import lines, national_id, raw_pymupdf, raw_tesseract, text_pdf, timed
from benchmarks.documents.stages import run_stages
from pipeline.documents.document import Findings
from schemas.files import Format

T = TypeVar("T")


class Sample(NamedTuple):
    """A document, what is counted in it (pages, rows, slides), and the floor: seconds of a plain library."""

    format: Format
    unit: str
    count: int
    data: bytes
    floor: Callable[[bytes, Findings, list[bytes]], float]


class Cost(NamedTuple):
    """What one stage took."""

    seconds: float
    megabytes: float


def peak(call: Callable[[], object]) -> float:
    """Peak resident memory, in MB, of the children that the call starts. The call runs in a fork."""
    reader, writer = os.pipe()
    pid = os.fork()
    if pid == 0:
        try:
            call()
            used = resource.getrusage(resource.RUSAGE_CHILDREN).ru_maxrss
            os.write(writer, str(used).encode())
        finally:
            os._exit(0)
    os.close(writer)
    os.waitpid(pid, 0)
    said = os.read(reader, 100)
    os.close(reader)
    return int(said or 0) * 1024 / 1e6


def measured(call: Callable[[], T]) -> tuple[T, Cost]:
    """The call's answer, its time, and the peak of a second, equal call."""
    answer, seconds = timed(call)
    return answer, Cost(seconds, peak(call))


def in_this_process(call: Callable[[], T]) -> tuple[T, Cost]:
    """The call's answer and its time."""
    answer, seconds = timed(call)
    return answer, Cost(seconds, 0.0)


def saved(document: object) -> bytes:
    """A document of python-docx, openpyxl or python-pptx as bytes."""
    buffer = io.BytesIO()
    document.save(buffer)  # type: ignore[attr-defined]
    return buffer.getvalue()


def word(paragraphs: int) -> bytes:
    """A document of full paragraphs."""
    document = Document()
    for line in lines(paragraphs):
        document.add_paragraph(line)
    return saved(document)


def rows(count: int) -> list[list[object]]:
    """A table of customers."""
    heading: list[object] = ["Name", "National ID", "Mobile", "City", "Branch", "Opened", "Balance", "Note"]
    note = "the account statement was sent"
    return [heading, *([f"Noura Salem Almithali {n % 97}", int(national_id()), f"05{n:08d}", "Dammam", n % 40,
                        "2024-03-15", n * 1.5, note] for n in range(count))]  # fmt: skip


def workbook(count: int) -> bytes:
    """One sheet of customers, the IDs typed as numbers."""
    book = openpyxl.Workbook(write_only=True)
    sheet = book.create_sheet("Customers")
    for row in rows(count):
        sheet.append(row)
    return saved(book)


def slides(count: int) -> bytes:
    """Slides of twelve lines."""
    presentation = pptx.Presentation()
    for _ in range(count):
        slide = presentation.slides.add_slide(presentation.slide_layouts[6])
        frame = slide.shapes.add_textbox(Inches(0.5), Inches(0.5), Inches(9), Inches(6)).text_frame
        for line in lines(12):
            frame.add_paragraph().text = line
            frame.paragraphs[-1].font.size = Pt(14)
    return saved(presentation)


def table(count: int) -> bytes:
    """The customers as CSV."""
    buffer = io.StringIO()
    csv.writer(buffer).writerows(rows(count))
    return buffer.getvalue().encode()


def sheets(count: int) -> list[Image.Image]:
    """Pages of text at 200 dpi."""
    document = pymupdf.open(stream=text_pdf(count))
    pixmaps = [page.get_pixmap(dpi=200, colorspace=pymupdf.csGRAY) for page in document]
    return [Image.frombytes("L", (pixmap.width, pixmap.height), pixmap.samples) for pixmap in pixmaps]


def picture(kind: str, count: int = 1) -> bytes:
    """Pages of text as one file of pictures."""
    first, *others = sheets(count)
    buffer = io.BytesIO()
    more = {"save_all": True, "append_images": others, "compression": "tiff_lzw"} if others else {}
    first.save(buffer, kind, dpi=(200, 200), **more)
    return buffer.getvalue()


def by_pymupdf(data: bytes, found: Findings, _: list[bytes]) -> float:
    """PyMuPDF alone, with the same values."""
    return raw_pymupdf(data, [value.surface for value in found.values])


def by_tesseract(_: bytes, __: Findings, pixels: list[bytes]) -> float:
    """Tesseract alone on the same rasters."""
    return raw_tesseract(pixels)


def by_saving(load: Callable[[io.BytesIO], object]) -> Callable[[bytes, Findings, list[bytes]], float]:
    """A library that only opens and saves."""
    return lambda data, _, __: timed(lambda: saved(load(io.BytesIO(data))))[1]


def by_csv(data: bytes, _: Findings, __: list[bytes]) -> float:
    """The standard library's reader and writer."""

    def work() -> None:
        csv.writer(io.StringIO()).writerows(csv.reader(io.StringIO(data.decode(), newline="")))

    return timed(work)[1]


def samples(pages: int) -> list[Sample]:
    """One document of each format, and a long PDF."""
    return [
        Sample(Format.PDF, "pages", pages, text_pdf(pages), by_pymupdf),
        Sample(Format.DOCX, "paragraphs", 3000, word(3000), by_saving(Document)),
        Sample(Format.XLSX, "rows", 10_000, workbook(10_000), by_saving(openpyxl.load_workbook)),
        Sample(Format.PPTX, "slides", 100, slides(100), by_saving(pptx.Presentation)),
        Sample(Format.CSV, "rows", 10_000, table(10_000), by_csv),
        Sample(Format.PNG, "pictures", 1, picture("PNG"), by_tesseract),
        Sample(Format.JPEG, "pictures", 1, picture("JPEG"), by_tesseract),
        Sample(Format.TIFF, "frames", 4, picture("TIFF", 4), by_tesseract),
    ]


def main() -> None:
    """Runs every sample and prints a table of each."""
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--pages", type=int, default=300, help="pages of the text PDF")
    chosen = parser.parse_args()
    os.sched_setaffinity(0, {min(os.sched_getaffinity(0))})
    cv2.setNumThreads(1)
    np.seterr(all="raise")
    for sample in samples(chosen.pages):
        costs, (found, pixels) = run_stages(sample.format, sample.data, 5000, measured, inside=in_this_process)
        total = sum(cost.seconds for cost in costs.values())
        size = len(sample.data) / 1e6
        print(
            f"\n{sample.format.value}: {sample.count} {sample.unit}, {size:.2f} MB, {len(found.places)} places removed"
        )
        print(f"{'stage':10}{'seconds':>9}{'peak MB':>9}")
        for stage, cost in costs.items():
            if stage != "ocr" or pixels:
                print(f"{stage:10}{cost.seconds:9.2f}" + (f"{cost.megabytes:9.0f}" if cost.megabytes else ""))
        floor = sample.floor(sample.data, found, pixels)
        print(f"{'all':10}{total:9.2f}   {sample.count / total:.1f} {sample.unit}/s; {total / floor:.1f} x the floor "
              f"({floor:.2f} s)")  # fmt: skip


if __name__ == "__main__":
    main()
