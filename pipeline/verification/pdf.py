"""Reads a redacted PDF a second time: pdfium says what pages show, pypdf what the file holds."""

import re
from collections.abc import Iterator
from typing import Any

import pypdf
import pypdfium2
from PIL import Image
from pypdfium2.version import PDFIUM_INFO, PYPDFIUM_INFO

from pipeline.documents.document import BY_HUE, Raster
from pipeline.verification import forms, group_orders, pdf_columns, pdf_pixels, pdf_streams, pdf_symbols
from pipeline.verification.image import png
from pipeline.verification.pdf_objects import Walk, refusing_damage
from pipeline.verification.reading import UNDER, Passage, SecondReading
from schemas.errors import ErrorCode, StageFailed

# Nameless glyphs between Arabic letters, which pdfium tells by their bare codes: they lengthen words, and part none.
_NAMELESS = re.compile("(?<=[\u0620-\u064a\u0671-\u06d3])[\x00-\x08\x0b\x0c\x0e-\x1f]+(?=[\u0620-\u064a\u0671-\u06d3])")
_READERS = (f"pypdfium2 {PYPDFIUM_INFO}", f"pdfium {str(PDFIUM_INFO).partition('@')[0]}", f"pypdf {pypdf.__version__}")


def read(data: bytes) -> tuple[SecondReading, dict[str, bytes]]:
    """Pages' text and readable strings as texts, all other strings as raw, pages with pictures as rasters.

    StageFailed(verify_failed) for a file that is damaged, encrypted, has revisions or holds other files.
    """
    with refusing_damage():
        walk = Walk(data)
        streams = pdf_streams.read(walk)
    texts: dict[Passage, None] = dict.fromkeys(Passage(text) for text in walk.texts if text.strip())
    rasters: list[Raster] = []
    pixels: dict[str, bytes] = {}
    pages: list[str] = []
    try:
        with pypdfium2.PdfDocument(data) as document:
            if len(document) != len(walk.reader.pages):
                raise StageFailed(ErrorCode.VERIFY_FAILED)
            for number in range(len(document)):
                page = document[number]
                text = _text(page)
                pages.append(text)
                is_doubtful = pdf_symbols.is_doubtful(page, text, walk.reader.pages[number])
                for ending, image in _images(page, is_doubtful):
                    raster = Raster(f"page/{number}{ending}", image.width, image.height, pdf_pixels.dpi(page), number)
                    rasters.append(raster)
                    pixels[raster.id] = png(image)
                page.close()
    except (pypdfium2.PdfiumError, ValueError, TypeError, KeyError, AttributeError):
        raise StageFailed(ErrorCode.VERIFY_FAILED) from None
    shown = (*pages, *(order for page_text in pages for order in group_orders.other_orders(page_text)))
    texts.update(dict.fromkeys(map(Passage, (*shown, *_unseen(pages, streams)))))
    # Values are also looked for as if no columns were: digits of one may stand far apart.
    raw = dict.fromkeys((*walk.raw, *_decoded(streams), "\n".join(pages).replace("\t", " ")))
    said = SecondReading(tuple(texts), tuple(rasters), tuple(raw), walk.objects, len(pages), _READERS)
    return said, pixels


def _images(page: Any, is_doubtful: bool) -> Iterator[tuple[str, Image.Image]]:
    """The pictures of a page that OCR must see, each with the ending of its id."""
    for layer, image in enumerate(pdf_pixels.pictures(page, is_doubtful)):
        yield f"{BY_HUE}{layer}" if layer else "", image
    for number, image in enumerate(pdf_pixels.covered(page)):
        yield f"{UNDER}{number}", image


def _decoded(streams: pdf_streams.Streams) -> Iterator[str]:
    """What streams show in every reading, and all pages' own in one text: a value may go on overleaf."""
    for said in (*streams.pages, *streams.others):
        yield from dict.fromkeys((said.mapped, said.named, said.plain, said.wide))
    yield "\n".join(said.mapped for said in streams.pages)
    yield "\n".join(said.named for said in streams.pages)


def _unseen(pages: list[str], streams: pdf_streams.Streams) -> Iterator[str]:
    """The lines that streams show and pdfium does not: clipped, never drawn, or mapped to other letters."""
    letters = [forms.letters(text) for text in pages]
    everything = "".join(letters)
    shown = [*zip(streams.pages, letters, strict=True), *((said, everything) for said in streams.others)]
    for said, known in shown:
        for text in dict.fromkeys((said.mapped, said.named)):
            lines = ((line, forms.letters(line)) for line in text.split("\n"))
            unseen = [line for line, own in lines if own and not _is_in(own, known) and own not in everything]
            if unseen:
                yield "\n".join(unseen)


def _is_in(line: str, text: str) -> bool:
    return line in text or line[::-1] in text


def _text(page: Any) -> str:
    textpage = page.get_textpage()
    said: str = pdf_columns.parted(textpage, textpage.get_text_range())
    textpage.close()
    return _NAMELESS.sub("\u0640", said).replace("\r\n", "\n").replace("\ufffe", "-").replace("\x02", "-")
