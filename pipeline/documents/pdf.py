"""PDF: pages' text and rasters out, the same pages without what was found back in.

A page is one of three things. *Text*: its text layer explains all ink; findings are deleted from the content. *Ink*: it
also shows images or drawings that look like text; what text does not explain is read by OCR, and deleted or blanked
where found. *Scan*: its text is missing or not believed; it becomes a burned picture. The id of a page's raster says
which of the last two it is, so redaction treats a page as extraction did. Where a page has text that gray does not
show, a further raster shows that (BY_HUE).
"""

from collections.abc import Iterable, Sequence
from typing import Any

import pymupdf

from pipeline.documents.burning import boxes_to_burn
from pipeline.documents.document import Extraction, Finding, Findings, Raster, Reading, TextUnit
from pipeline.documents.limits import MAX_DOCUMENT_GLYPHS
from pipeline.documents.pdf_doubt import has_doubtful_words
from pipeline.documents.pdf_fonts import Claims, Doubt
from pipeline.documents.pdf_glyphs import Glyph, glyphs_of
from pipeline.documents.pdf_hidden import hides_text
from pipeline.documents.pdf_open import failing_with, make_plain, opened
from pipeline.documents.pdf_raster import explaining, look, ocr_dpi, page_rasters, render, shows_more_than_text
from pipeline.documents.pdf_redact import Spot, box_in_pixels, draw_boxes, lines_of, remove_ink, remove_text, spots_of
from pipeline.documents.pdf_scan import replace_with_picture
from pipeline.documents.pdf_scrub import scrubbed
from pipeline.documents.pdf_text import lay_out
from schemas.errors import ErrorCode, StageFailed

_LOOK_DPI = 120  # enough to see whether a page has hue, and whether it shows what its pictures hold


def inspect(data: bytes) -> int:
    """The number of pages. StageFailed(unsupported_format) when it is corrupt, cut off or wants a password."""
    with opened(data) as document:
        return int(document.page_count)


def extract(data: bytes) -> tuple[Extraction, dict[str, bytes]]:
    """A unit `page/N` per page with text, a raster `page/N/ink` or `page/N/scan` where the text is not all there is."""
    units: list[TextUnit] = []
    rasters: list[Raster] = []
    pixels: dict[str, bytes] = {}
    with opened(data) as document, failing_with(ErrorCode.UNSUPPORTED_FORMAT):
        make_plain(document)
        doubt, fonts, suspects = _survey(document, units)
        doubted = doubt.fonts | {name for name, _ in doubt.glyphs}
        for number in range(document.page_count):
            page = document[number]
            is_scan = not fonts[number].isdisjoint(doubted) and has_doubtful_words(glyphs_of(page), doubt)
            dpi = min(_LOOK_DPI, ocr_dpi(page))
            seen = look(page, dpi) if is_scan or number in suspects else None
            is_scan = is_scan or hides_text(page, seen)
            if not is_scan and number not in suspects:
                continue
            for raster, blob in _rasters(page, is_scan, look(page, dpi) if seen is None else seen):
                rasters.append(raster)
                pixels[raster.id] = blob
        scans = {raster.page for raster in rasters if raster.id.endswith("/scan")}
        billed = tuple(TextUnit(u.id, u.text, u.context, _number(u.id) not in scans) for u in units)
        return Extraction(billed, tuple(rasters), document.page_count), pixels


def _survey(document: Any, units: list[TextUnit]) -> tuple[Doubt, list[set[str]], set[int]]:
    """One walk over all pages: fills `units`; what is not believed, each page's fonts, who shows more than text."""
    claims = Claims()
    fonts: list[set[str]] = []
    suspects: set[int] = set()
    total = 0
    for page in document:
        glyphs = glyphs_of(page)
        total += len(glyphs)
        if total > MAX_DOCUMENT_GLYPHS:
            raise StageFailed(ErrorCode.UNSUPPORTED_FORMAT)
        claims.add(page.number, glyphs)
        fonts.append({glyph.font for glyph in glyphs if glyph.visible and not glyph.is_blank})
        text = lay_out(glyphs).text
        if text:
            units.append(TextUnit(f"page/{page.number}", text))
        if shows_more_than_text(page, glyphs):
            suspects.add(page.number)
    return claims.judge(document), fonts, suspects


def _rasters(page: Any, is_scan: bool, seen: Any) -> Iterable[tuple[Raster, bytes]]:
    has_hue = seen.ndim == 3
    glyphs = [] if is_scan else glyphs_of(page)
    shown: Sequence[Glyph] = ()
    if glyphs:
        half = ocr_dpi(page) // 2
        shown = explaining(page, look(page, half) if has_hue else render(page, half, gray=True), glyphs)
    return page_rasters(page, f"page/{page.number}/{'ink' if shown else 'scan'}", shown, has_hue=has_hue)


def _number(unit: str) -> int:
    return int(unit.split("/")[1])


def redact(data: bytes, findings: Findings, readings: Sequence[Reading]) -> bytes:
    """The document without what was found and without ink that could not be read.

    StageFailed(redaction_incomplete) for a finding that has no place, image_redact_failed for one without its reading.
    """
    by_page: dict[int, list[Reading]] = {}
    for reading in readings:
        by_page.setdefault(_number(reading.raster), []).append(reading)
    known = {reading.raster for reading in readings}
    with opened(data) as document, failing_with(ErrorCode.REDACTION_INCOMPLETE):
        make_plain(document)
        places: dict[int, list[Finding]] = {}
        for place in findings.places:
            if place.unit not in known and place.unit.count("/") > 1:
                raise StageFailed(ErrorCode.IMAGE_REDACT_FAILED)
            places.setdefault(_number(place.unit), []).append(place)
        for number in sorted(places.keys() | by_page.keys()):
            if number >= document.page_count:
                raise StageFailed(ErrorCode.REDACTION_INCOMPLETE)
            _redact_page(document, number, places.get(number, []), by_page.get(number, []), findings)
        plain = document.tobytes(garbage=1, encryption=pymupdf.PDF_ENCRYPT_NONE)
    return scrubbed(plain)


def _redact_page(
    document: Any, number: int, places: Sequence[Finding], readings: Sequence[Reading], findings: Findings
) -> None:
    page = document[number]
    layout = lay_out(glyphs_of(page))
    lines = lines_of(layout.glyphs)
    spots: list[Spot] = []
    for place in places:
        if place.unit == f"page/{number}":
            spots.extend(spots_of(layout, lines, place.start, place.end, place.placeholder))
    boxes = boxes_to_burn(readings, findings)
    is_scan = any(reading.raster.endswith("/scan") for reading in readings)
    covers = [*boxes, *(box_in_pixels(page, spot) for spot in spots)]
    if not is_scan:
        is_clean = (not spots or remove_text(document, page, spots)) and remove_ink(page, spots, boxes)
        if is_clean:
            draw_boxes(page, spots, boxes)
            return
    replace_with_picture(document, page, covers)
