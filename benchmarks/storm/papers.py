"""Documents with values in them, and what can be read in a document: its bytes, its parts, its text, its pixels."""

import io
import subprocess
import zipfile
from collections.abc import Callable, Sequence
from dataclasses import dataclass

import pymupdf
from docx import Document
from PIL import Image, ImageDraw, ImageFont

Person = tuple[str, str]
"""A national ID and an address of mail."""

TITLE = "Customers"
_OCR_DPI = 200


@dataclass(frozen=True)
class Paper:
    """A document. `values`: what nobody may read in it when it is redacted. `proof`: what must be read in it then."""

    name: str
    data: bytes
    values: Sequence[str]
    proof: str


def paper(kind: str, name: str, people: Sequence[Person]) -> Paper:
    """A document of a kind of KINDS about these people. `name`: without its ending."""
    make, proof = KINDS[kind]
    values = [value for person in people for value in person]
    return Paper(f"{name}.{kind}", make(people), values, proof or f"NATIONAL_ID_{len(people):02d}")


def readable(data: bytes) -> bytes:
    """The bytes, then the parts of a package, the text and streams of a PDF, and what Tesseract reads in pictures."""
    if data.startswith(b"PK"):
        with zipfile.ZipFile(io.BytesIO(data)) as package:
            return data + b"".join(package.read(name) for name in package.namelist())
    if data.startswith(b"%PDF"):
        with pymupdf.open(stream=data) as document:
            said = "".join(page.get_text() for page in document)
            numbers = range(1, document.xref_length())
            streams = b"".join(document.xref_stream(each) for each in numbers if document.xref_is_stream(each))
            drawn = b"".join(_read(page.get_pixmap(dpi=_OCR_DPI).tobytes("png")) for page in document)
        return data + said.encode() + streams + drawn
    return data + (_read(data) if data.startswith(b"\x89PNG") else b"")


def _read(png: bytes) -> bytes:
    command = ["tesseract", "stdin", "stdout", "-l", "eng", "--psm", "6"]
    return subprocess.run(command, input=png, capture_output=True, check=True).stdout


def _lines(people: Sequence[Person]) -> list[str]:
    return [TITLE, *(f"National ID {number}, mail {mail}" for number, mail in people)]


def _csv(people: Sequence[Person]) -> bytes:
    rows = "".join(f"{number},{mail}\n" for number, mail in people)
    return f"National ID,Mail\n{rows}".encode()


def _docx(people: Sequence[Person]) -> bytes:
    document, buffer = Document(), io.BytesIO()
    for line in _lines(people):
        document.add_paragraph(line)
    document.save(buffer)
    return buffer.getvalue()


def _pdf(people: Sequence[Person]) -> bytes:
    with pymupdf.open() as document:
        document.new_page().insert_text((50, 80), _lines(people), fontsize=14, lineheight=2)
        return bytes(document.tobytes(deflate=True))


def _png(people: Sequence[Person]) -> bytes:
    """A scan of a few lines at 200 dpi."""
    image, buffer = Image.new("L", (1200, 100 + 80 * (len(people) + 1)), 255), io.BytesIO()
    pen, font = ImageDraw.Draw(image), ImageFont.load_default(size=36)
    for row, line in enumerate(_lines(people)):
        pen.text((60, 60 + 80 * row), line, fill=10, font=font)
    image.save(buffer, "PNG", dpi=(200, 200))
    return buffer.getvalue()


KINDS: dict[str, tuple[Callable[[Sequence[Person]], bytes], str]] = {
    "csv": (_csv, ""),
    "docx": (_docx, ""),
    "pdf": (_pdf, TITLE),
    "png": (_png, TITLE),
}
"""How each kind is made, and what must be read in it when it is redacted; empty: the placeholder of the last ID."""
