"""Reads a redacted document again, with other libraries than wrote it, and returns the planted values that remain."""

import io
import subprocess
import unicodedata
import zipfile
from collections.abc import Iterator
from pathlib import Path

import pypdfium2
from PIL import Image, ImageSequence


def folded(text: str) -> str:
    """`text` without spaces and hyphens, digits ASCII, presentation forms folded, lower case."""
    plain = unicodedata.normalize("NFKC", text)
    digits = "".join(str(unicodedata.digit(char, char)) for char in plain)
    return "".join(char for char in digits if char.isalnum() or char in "@.").lower()


def ocr(image: Image.Image) -> str:
    """What Tesseract reads in a picture."""
    stream = io.BytesIO()
    image.convert("L").save(stream, "PNG")
    command = ["tesseract", "stdin", "stdout", "-l", "ara+eng"]
    done = subprocess.run(
        command,
        input=stream.getvalue(),
        capture_output=True,
        check=True,
        timeout=120,
        env={"OMP_THREAD_LIMIT": "1", "PATH": "/usr/bin:/bin"},
    )
    return done.stdout.decode()


def pages(path: Path) -> list[Image.Image]:
    """The pages of a PDF, or the picture itself, as images at 200 dpi."""
    if path.suffix in (".png", ".tiff"):
        with Image.open(path) as image:
            return [frame.copy() for frame in ImageSequence.Iterator(image)]
    with pypdfium2.PdfDocument(path) as document:
        return [page.render(scale=200 / 72).to_pil() for page in document]


def parts(package: bytes) -> Iterator[str]:
    """The files of an Office package, also of packages inside it."""
    with zipfile.ZipFile(io.BytesIO(package)) as archive:
        for name in archive.namelist():
            data = archive.read(name)
            yield data.decode("utf-8", "replace")
            if data.startswith(b"PK"):
                yield from parts(data)


def texts(path: Path) -> list[str]:
    """Everything that can be read in a document."""
    if path.suffix == ".csv":
        return [path.read_text("utf-8-sig")]
    if path.suffix in (".docx", ".xlsx", ".pptx"):
        return list(parts(path.read_bytes()))
    found = [ocr(page) for page in pages(path)]
    if path.suffix == ".pdf":
        with pypdfium2.PdfDocument(path) as document:
            layer = [page.get_textpage().get_text_range() for page in document]
        found += layer + [line[::-1] for text in layer for line in text.splitlines()]
    return found


def survivors(path: Path, planted: list[str]) -> list[str]:
    """The planted values that can still be read in the document."""
    readable = [folded(text) for text in texts(path)]
    return [value for value in planted if any(folded(value) in text for text in readable)]
