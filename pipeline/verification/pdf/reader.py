"""The second reading of a redacted PDF: the pages with pdfium, and all objects of the file with pypdf."""

from collections.abc import Iterator
from typing import Any

import pypdf
import pypdfium2
from PIL import Image
from pypdfium2.version import PDFIUM_INFO, PYPDFIUM_INFO

from pipeline.documents.document import Raster
from pipeline.verification import normal_forms
from pipeline.verification.image.reader import png
from pipeline.verification.pdf import content_stream
from pipeline.verification.pdf.objects import PdfObjects, refuse_damaged
from pipeline.verification.pdf.page_text import other_digit_orders, page_text
from pipeline.verification.pdf.rasters import covered_images, dpi, page_raster
from pipeline.verification.pdf.unreliable_text import is_unreliable
from pipeline.verification.reading import COVERED, Passage, SecondReading
from schemas.errors import ErrorCode, StageFailed

_READERS = (f"pypdfium2 {PYPDFIUM_INFO}", f"pdfium {str(PDFIUM_INFO).partition('@')[0]}", f"pypdf {pypdf.__version__}")


def read(data: bytes) -> tuple[SecondReading, dict[str, bytes]]:
    """The text of pages and readable strings as `texts`, all other strings as `raw`, pages that need OCR as rasters.

    StageFailed(verify_failed) for a file that is damaged or encrypted, has several revisions or embeds other files.
    """
    with refuse_damaged():
        objects = PdfObjects(data)
        streams = content_stream.read(objects)
    texts: dict[Passage, None] = dict.fromkeys(Passage(text) for text in objects.texts if text.strip())
    rasters: list[Raster] = []
    pngs: dict[str, bytes] = {}
    pages: list[str] = []
    try:
        with pypdfium2.PdfDocument(data) as document:
            if len(document) != len(objects.reader.pages):
                raise StageFailed(ErrorCode.VERIFY_FAILED)
            for number in range(len(document)):
                page = document[number]
                text = page_text(page)
                pages.append(text)
                unreliable = is_unreliable(page, text, objects.reader.pages[number])
                for suffix, image in _images(page, unreliable):
                    raster = Raster(f"page/{number}{suffix}", image.width, image.height, dpi(page), number)
                    rasters.append(raster)
                    pngs[raster.id] = png(image)
                page.close()
    except (pypdfium2.PdfiumError, ValueError, TypeError, KeyError, AttributeError):
        raise StageFailed(ErrorCode.VERIFY_FAILED) from None
    shown = (*pages, *(order for text in pages for order in other_digit_orders(text)))
    texts.update(dict.fromkeys(map(Passage, (*shown, *_hidden_lines(pages, streams)))))
    # Values are also searched without column gaps: the digits of one value may be far apart.
    raw = dict.fromkeys((*objects.raw, *_stream_readings(streams), "\n".join(pages).replace("\t", " ")))
    second = SecondReading(tuple(texts), tuple(rasters), tuple(raw), objects.objects, len(pages), _READERS)
    return second, pngs


def _images(page: Any, is_unreliable: bool) -> Iterator[tuple[str, Image.Image]]:
    """The rasters of a page for OCR, each with the suffix of its id."""
    shown = page_raster(page, is_unreliable)
    if shown is not None:
        yield "", shown
    for number, image in enumerate(covered_images(page)):
        yield f"{COVERED}{number}", image


def _stream_readings(streams: content_stream.ContentStreams) -> Iterator[str]:
    """The text of all streams in every reading, and all pages as one text: a value may continue on the next page."""
    for stream in (*streams.pages, *streams.others):
        yield from dict.fromkeys((stream.by_unicode_map, stream.by_glyph_name, stream.as_bytes, stream.as_utf16))
    yield "\n".join(stream.by_unicode_map for stream in streams.pages)
    yield "\n".join(stream.by_glyph_name for stream in streams.pages)


def _hidden_lines(pages: list[str], streams: content_stream.ContentStreams) -> Iterator[str]:
    """The lines of content streams that pdfium does not show: clipped, never drawn, or mapped to other letters."""
    letters = [normal_forms.letters(text) for text in pages]
    everything = "".join(letters)
    decoded = [*zip(streams.pages, letters, strict=True), *((stream, everything) for stream in streams.others)]
    for stream, page_letters in decoded:
        for text in dict.fromkeys((stream.by_unicode_map, stream.by_glyph_name)):
            lines = ((line, normal_forms.letters(line)) for line in text.split("\n"))
            hidden = [
                line
                for line, own in lines
                if own and not _occurs_in_either_order(own, page_letters) and own not in everything
            ]
            if hidden:
                yield "\n".join(hidden)


def _occurs_in_either_order(line: str, text: str) -> bool:
    return line in text or line[::-1] in text
