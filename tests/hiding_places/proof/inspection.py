"""Looks at a finished file as somebody who wants to break its redaction: raw bytes, independent text, the render.

Shares no code with the product: what the product does not see, these looks must.
"""

import base64
import binascii
import bz2
import csv
import gzip
import html
import io
import os
import re
import subprocess
import tempfile
import unicodedata
import zipfile
import zlib
from collections.abc import Iterator, Sequence
from functools import lru_cache
from itertools import islice
from pathlib import Path
from urllib.parse import unquote_to_bytes
from xml.etree import ElementTree

import pikepdf
import pypdfium2
from PIL import Image, ImageChops, ImageSequence

from schemas.files import Format

_DEPTH = 6
_EASTERN = re.compile("[٠-٩۰-۹]")
_BETWEEN = re.compile(r"[\s\-_./,()\u200b-\u200f\u00a0\u202f\u2066-\u2069]+")
_BASE64 = re.compile(rb"[A-Za-z0-9+/]{16,}={0,2}")
_HEX = re.compile(rb"(?:[0-9A-Fa-f]{2}\s*){6,}")
_OCTAL = re.compile(rb"\\([0-7]{3})")
_SPLIT_HERE = re.compile(rb"<[^>]*>|\)\s*-?[\d.]*\s*\(")  # XML tags; the gaps of a TJ array
_ENTITY = re.compile(r"&#(?:x([0-9a-fA-F]{1,6})|(\d{1,7}));")


def traces(data: bytes, value: str) -> list[str]:
    """Every layer of the file's bytes in which the value can still be read, in any spelling; empty when it is gone."""
    wanted = plain(value)
    assert len(wanted) >= 4, "too short to be looked for in raw bytes"
    backwards = wanted[::-1]
    found: dict[str, str] = {}  # of each layer, the first spelling
    for name, spelling, text in _readable(data):
        if wanted in text or (len(wanted) >= 8 and backwards in text):
            found.setdefault(name, f"{name} as {spelling}")
    return list(found.values())


@lru_cache(maxsize=2)
def _readable(data: bytes) -> tuple[tuple[str, str, str], ...]:
    """Every layer in every spelling, as (layer, spelling, plain text): one file is searched for many values."""
    return tuple(
        (name, spelling, text)
        for name, layer in _layers(data, "file", _DEPTH)
        for spelling, text in _plain_spellings(layer)
    )


@lru_cache(maxsize=200)
def _plain_spellings(layer: bytes) -> tuple[tuple[str, str], ...]:
    """The layer as plain text in every spelling: many files have the same fonts, pictures and parts in them."""
    return tuple((spelling, plain(text)) for spelling, text in _spellings(layer))


def said(format_: Format, data: bytes) -> str:
    """The text of a file as an independent reader sees it: pages, cells, paragraphs, every text node and attribute."""
    if format_ is Format.PDF:
        return _pdf_text(data)
    if format_ is Format.CSV:
        text = _decoded(data)
        return "\n".join(" ".join(row) for row in csv.reader(io.StringIO(text, newline="")))
    if format_ in (Format.DOCX, Format.XLSX, Format.PPTX):
        return "\n".join(_package_text(data))
    with Image.open(io.BytesIO(data)) as image:
        return "\n".join(f"{key} {value}" for key, value in image.info.items())


def tokens(text: str) -> set[str]:
    """The words of a text, folded: where short and ordinary values are looked for."""
    return {_fold(word) for word in re.findall(r"\w+", text)}


def shown(format_: Format, data: bytes) -> str:
    """What OCR reads of the rendered file. Slow: LibreOffice, pdfium and Tesseract."""
    if format_ in (Format.DOCX, Format.XLSX, Format.PPTX, Format.CSV):
        (pdf,) = converted({f"file.{format_.value}": data}).values()
        return _read_pages(pdf)
    if format_ is Format.PDF:
        return _read_pages(data)
    with Image.open(io.BytesIO(data)) as image:
        return "\n".join(read(frame.convert("RGB")) for frame in ImageSequence.Iterator(image))


def converted(files: dict[str, bytes]) -> dict[str, bytes]:
    """Files by name as LibreOffice prints them: PDF bytes by the same names; a file that does not open is missing.

    All in one batch; one that ends early, as LibreOffice does after some hundreds of files, goes on with the rest.
    """
    printed: dict[str, bytes] = {}
    waiting = dict(files)
    while waiting:
        fresh = _printed(waiting)
        printed |= fresh
        waiting = {name: data for name, data in waiting.items() if name not in fresh} if fresh else {}
    return printed


def _printed(files: dict[str, bytes]) -> dict[str, bytes]:
    with tempfile.TemporaryDirectory() as folder:
        place = Path(folder)
        for name, data in files.items():
            (place / name).write_bytes(data)
        subprocess.run(
            ["soffice", f"-env:UserInstallation=file://{folder}/profile", "--headless", "--norestore",
             "--convert-to", "pdf", "--outdir", f"{folder}/out", *(str(place / name) for name in files)],
            check=False, capture_output=True, timeout=840,
        )  # fmt: skip
        made = {name: place / "out" / (Path(name).stem + ".pdf") for name in files}
        return {name: path.read_bytes() for name, path in made.items() if path.exists()}


def _fold(text: str) -> str:
    return _EASTERN.sub(lambda digit: str(int(digit[0])), unicodedata.normalize("NFKC", text)).casefold()


def plain(text: str) -> str:
    """The text with everything dropped that does not change what is read: case, separators, the script of digits."""
    return _BETWEEN.sub("", _fold(text))


def _decoded(data: bytes) -> str:
    for mark, encoding in ((b"\xef\xbb\xbf", "utf-8-sig"), (b"\xff\xfe", "utf-16"), (b"\xfe\xff", "utf-16")):
        if data.startswith(mark):
            return data.decode(encoding, "replace")
    try:
        return data.decode("utf-8")
    except UnicodeDecodeError:
        return data.decode("cp1256", "replace")


def _layers(data: bytes, name: str, depth: int) -> Iterator[tuple[str, bytes]]:
    """The bytes themselves and everything that is packed inside them."""
    yield name, data
    if depth == 0:
        return
    if b"PK\x03\x04" in data and zipfile.is_zipfile(io.BytesIO(data)):
        with zipfile.ZipFile(io.BytesIO(data)) as archive:
            yield f"{name}: names", " ".join(archive.namelist()).encode()
            yield f"{name}: comments", archive.comment + b"".join(i.comment + i.extra for i in archive.infolist())
            for entry in archive.infolist():
                yield from _layers(archive.read(entry), f"{name}/{entry.filename}", depth - 1)
    if data.startswith(b"%PDF") or b"%PDF-" in data[:1024]:
        yield from _pdf_layers(data, name, depth)
    for start in (match.start() for match in re.finditer(rb"\x78[\x01\x5e\x9c\xda]", data[: 4 << 20])):
        unpacked = _inflated(data[start:])
        if len(unpacked) > 3:
            yield from _layers(unpacked, f"{name}@{start}", min(depth - 1, 1))
    for unpack in (gzip.decompress, bz2.decompress):
        if data[:2] in (b"\x1f\x8b", b"BZ"):
            try:
                yield from _layers(unpack(data), f"{name}: unpacked", depth - 1)
            except (OSError, EOFError, zlib.error):
                continue


def _inflated(data: bytes) -> bytes:
    try:
        return zlib.decompressobj().decompress(data, 64 << 20)
    except zlib.error:
        return b""


def _pdf_layers(data: bytes, name: str, depth: int) -> Iterator[tuple[str, bytes]]:
    try:
        document = pikepdf.open(io.BytesIO(data))
    except pikepdf.PdfError:
        return
    with document:
        for number, item in enumerate(document.objects):
            yield f"{name}: object {number}", "\n".join(_strings(item, 0)).encode("utf-8", "replace")
            if isinstance(item, pikepdf.Stream):
                try:
                    yield from _layers(item.read_bytes(), f"{name}: stream {number}", min(depth - 1, 2))
                except pikepdf.PdfError:
                    yield f"{name}: raw stream {number}", item.read_raw_bytes()


def _strings(item: object, depth: int) -> Iterator[str]:
    """Every string and name of a PDF object, references not followed."""
    if depth > 40:
        return
    if isinstance(item, (pikepdf.String, pikepdf.Name)):
        yield str(item)
    elif isinstance(item, (pikepdf.Dictionary, pikepdf.Stream)):
        for key, child in item.items():
            yield str(key)
            if not (isinstance(child, pikepdf.Object) and child.is_indirect):
                yield from _strings(child, depth + 1)
    elif isinstance(item, pikepdf.Array):
        for child in item:
            if not (isinstance(child, pikepdf.Object) and child.is_indirect):
                yield from _strings(child, depth + 1)


def _spellings(layer: bytes) -> Iterator[tuple[str, str]]:
    """The layer as text, in each way that a value may be written in bytes."""
    latin = layer.decode("latin-1")
    yield "latin-1", latin
    if not layer.isascii():
        yield "utf-8", layer.decode("utf-8", "ignore")
        yield "windows-1256", layer.decode("cp1256", "ignore")
    if b"\0" in layer or not layer.isascii():
        for encoding in ("utf-16-le", "utf-16-be"):
            yield encoding, layer.decode(encoding, "ignore")
            yield encoding, layer[1:].decode(encoding, "ignore")
    if b"&" in layer:
        text = layer.decode("utf-8", "ignore")
        yield "entities", html.unescape(_ENTITY.sub(_character, text))
    if b"%" in layer:
        yield "percent", unquote_to_bytes(layer).decode("utf-8", "ignore")
    if b"\\" in layer:
        yield "octal", _OCTAL.sub(lambda m: bytes([int(m[1], 8) & 255]), layer).decode("utf-8", "ignore")
    if b"<" in layer or b")" in layer:
        yield "text between marks", _SPLIT_HERE.sub(b"", layer).decode("utf-8", "ignore")
    yield from _packed_spellings(layer)


def _packed_spellings(layer: bytes) -> Iterator[tuple[str, str]]:
    for match in _HEX.finditer(layer[: 8 << 20]):
        digits = re.sub(rb"\s", b"", match[0])
        code = binascii.unhexlify(digits[: len(digits) // 2 * 2])
        yield "hex", code.decode("utf-8", "ignore")
        yield "hex", code.decode("utf-16-be", "ignore")
    for match in _BASE64.finditer(layer[: 8 << 20]):
        try:
            code = base64.b64decode(match[0] + b"=" * (-len(match[0]) % 4))
        except binascii.Error:
            continue
        yield "base64", code.decode("utf-8", "ignore")


def _character(match: re.Match[str]) -> str:
    number = int(match[1], 16) if match[1] else int(match[2])
    return chr(number) if number < 0x110000 and not 0xD800 <= number < 0xE000 else ""


def _pdf_text(data: bytes) -> str:
    document = pypdfium2.PdfDocument(data)
    try:
        pages = [page.get_textpage().get_text_bounded() for page in document]
    finally:
        document.close()
    return "\n".join(pages)


def _package_text(data: bytes) -> Iterator[str]:
    """Paragraph by paragraph, then every other text node and attribute."""
    with zipfile.ZipFile(io.BytesIO(data)) as archive:
        for name in archive.namelist():
            if not name.lower().endswith((".xml", ".rels", ".vml")):
                continue
            root = ElementTree.fromstring(archive.read(name))
            for element in root.iter():
                kind = element.tag.rpartition("}")[2]
                if kind in ("p", "si", "is", "comment", "text"):
                    yield "".join(element.itertext())
                elif element.text and element.text.strip():
                    yield element.text
                yield from (value for value in element.attrib.values() if len(value) > 2)


def all_shown(pdfs: Sequence[bytes]) -> list[str]:
    """What OCR reads of the pages of each PDF, rendered, all in one run."""
    pages = [[page.crop(_inked(page)) for page in _rendered(pdf)] for pdf in pdfs]
    said = iter(_read_all([page for of_one in pages for page in of_one]))
    return ["\n".join(islice(said, len(of_one))) for of_one in pages]


@lru_cache(maxsize=4)
def _read_pages(pdf: bytes) -> str:
    return "\n".join(map(read, _rendered(pdf)))


def _rendered(pdf: bytes) -> list[Image.Image]:
    document = pypdfium2.PdfDocument(pdf)
    try:
        return [page.render(scale=200 / 72).to_pil().convert("RGB") for page in document]
    finally:
        document.close()


def _inked(page: Image.Image) -> tuple[int, int, int, int]:
    """Where a page shows anything, with a margin."""
    left, top, right, bottom = ImageChops.invert(page).getbbox() or (0, 0, 1, 1)
    return max(0, left - 30), max(0, top - 30), min(page.width, right + 30), min(page.height, bottom + 30)


def read(image: Image.Image) -> str:
    """What OCR reads of an image."""
    (said,) = _read_all([image])
    return said


def _read_all(images: Sequence[Image.Image]) -> list[str]:
    first, *others = images
    buffer = io.BytesIO()
    first.save(buffer, "TIFF", save_all=True, append_images=others, compression="tiff_lzw")
    done = subprocess.run(
        ["tesseract", "stdin", "stdout", "-l", "ara+eng", "--psm", "6"],
        input=buffer.getvalue(), capture_output=True, check=True, timeout=120 * len(images),
        env={**os.environ, "OMP_THREAD_LIMIT": "1"},  # threads of one picture wait for each other more than they read
    )  # fmt: skip
    said = done.stdout.decode("utf-8", "replace").split("\f")
    assert len(said) == len(images)
    return said
