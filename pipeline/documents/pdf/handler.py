"""PDF: pages' text and rasters out, the same pages without what was found back in.

A page is one of three things. *Text*: its text layer explains all ink; findings are deleted from the content. *Ink*: it
also shows images or drawings that look like text; what text does not explain is read by OCR, and deleted or blanked
where found. *Scan*: its text is missing or not believed; it becomes a burned picture. The id of a page's raster says
which of the last two it is, so redaction treats a page as extraction did. Where a page has text that gray does not
show, a further raster shows that (BY_HUE).
"""

from collections.abc import Iterable, Sequence
from contextlib import ExitStack
from dataclasses import replace
from functools import cache
from operator import attrgetter
from typing import Any, NamedTuple

import pymupdf

from pipeline.documents.document import (
    AGAIN,
    BY_HUE,
    Extraction,
    Finding,
    Findings,
    JoinedText,
    Raster,
    Reading,
    TextUnit,
)
from pipeline.documents.limits import MAX_DOCUMENT_GLYPHS
from pipeline.documents.pdf.metadata import METADATA_UNIT, read_metadata, redacted_navigation
from pipeline.documents.pdf.page.font_encoding import (
    GlyphSamples,
    UnreliableGlyphs,
    has_unreliable_words,
    trust_standard_encodings,
)
from pipeline.documents.pdf.page.glyphs import Glyph, glyphs_of
from pipeline.documents.pdf.page.hidden_images import hides_text
from pipeline.documents.pdf.page.raster import (
    burned_picture,
    ocr_dpi,
    page_image,
    page_rasters,
    render,
    replace_with_picture,
    shows_more_than_text,
    visible_glyphs,
)
from pipeline.documents.pdf.page.tables import Headings, joined_cells, joined_lines, recalled_top
from pipeline.documents.pdf.page.units import joined_pages, page_texts, units_of
from pipeline.documents.pdf.pattern_text import UntracedText, is_pattern_text, pattern_text_units, remove_pattern_text
from pipeline.documents.pdf.prepare import failing_with, flatten, opened, without_garbage_collection
from pipeline.documents.pdf.redaction.boxes import box_in_pixels, draw_boxes
from pipeline.documents.pdf.redaction.covered_text import remove_covered_text
from pipeline.documents.pdf.redaction.erase import Removed, remove_ink, remove_text
from pipeline.documents.pdf.redaction.reflow import moved_links
from pipeline.documents.pdf.redaction.regions import Lines, Region, regions_of, visible_lines
from pipeline.documents.pdf.redaction.width_grid import TouchedLine
from pipeline.documents.pdf.sanitize.rewrite import sanitized
from pipeline.documents.raster.burn import Box, boxes_to_burn
from schemas.errors import ErrorCode, StageFailed, unsupported
from schemas.refusals import Reason

_FONT = attrgetter("font", "visible")
_PICTURES = ("/ink", "/scan")
_LOOK_DPI = 120  # enough to see whether a page has hue, and whether it shows what its pictures hold


def inspect(data: bytes) -> int:
    """The number of pages. StageFailed(unsupported_format) when it is corrupt, cut off or wants a password."""
    with opened(data) as document:
        return int(document.page_count)


def extract(data: bytes) -> tuple[Extraction, dict[str, bytes]]:
    """A unit `page/N` per page with text, a raster `page/N/ink` or `page/N/scan` where the text is not all there is."""
    rasters: list[Raster] = []
    pixels: dict[str, bytes] = {}
    with without_garbage_collection(), ExitStack() as stack, failing_with(ErrorCode.UNSUPPORTED_FORMAT):
        document = _prepared(stack, data)
        survey = _surveyed(document)
        pages = len(survey.fonts)
        for number in range(pages):
            for raster, blob in _shown_rasters(document[number], survey):
                rasters.append(raster)
                pixels[raster.id] = blob
        scans = {raster.page for raster in rasters if raster.id.endswith("/scan")}
        joints = (*joined_pages(survey.units), *survey.joints)
        units = [replace(unit, billed=unit.billed and _number(unit.id) not in scans) for unit in survey.units]
        units += pattern_text_units(document)
    beside = read_metadata(data)
    return Extraction((*units, *beside.units), tuple(rasters), pages, beside.unread, joints=joints), pixels


def _shown_rasters(page: Any, survey: "_Survey") -> Iterable[tuple[Raster, bytes]]:
    """The rasters of a page that must be looked at; none where its text is believed and says all."""
    number, doubt = page.number, survey.doubt
    doubted = doubt.fonts | {name for name, _ in doubt.glyphs}
    is_scan = number in survey.painters or (
        not survey.fonts[number].isdisjoint(doubted) and has_unreliable_words(glyphs_of(page), doubt)
    )
    dpi = min(_LOOK_DPI, ocr_dpi(page))
    seen = page_image(page, dpi) if is_scan or number in survey.suspects else None
    is_scan = is_scan or (number in survey.pictured and hides_text(page, seen))
    if not is_scan and number not in survey.suspects:
        return ()
    return _rasters(page, is_scan, page_image(page, dpi) if seen is None else seen)


class _Survey(NamedTuple):
    """What one walk over all pages tells: units, what is not believed, each page's fonts; and by number the pages that
    show more than text, that paint with text, that have pictures.
    """

    units: list[TextUnit]
    joints: list[JoinedText]
    doubt: UnreliableGlyphs
    fonts: list[set[str]]
    suspects: set[int]
    painters: set[int]
    pictured: set[int]


def _surveyed(document: Any) -> _Survey:
    untraced, samples, headings = UntracedText(document), GlyphSamples(), Headings()
    survey = _Survey([], [], UnreliableGlyphs(), [], set(), set(), set())
    total = 0
    for page in document:
        glyphs = glyphs_of(page)
        total += len(glyphs)
        if total > MAX_DOCUMENT_GLYPHS:
            raise unsupported(Reason.TOO_COMPLEX)
        samples.add(page.number, glyphs)
        survey.fonts.append({font for font, visible in set(map(_FONT, glyphs)) if visible})
        texts = page_texts(page.number, glyphs, top=headings.top)
        survey.units.extend(units_of(texts))
        read = f"page/{page.number}"
        survey.joints.extend((*joined_cells(read, texts[read]), *joined_lines(read, texts[read])))
        log = page.get_bboxlog()
        if any(kind.startswith("fill-im") for kind, _ in log):
            survey.pictured.add(page.number)
        if untraced.is_on(page, glyphs):
            survey.painters.add(page.number)
        if shows_more_than_text(page, glyphs, log):
            survey.suspects.add(page.number)
    return survey._replace(doubt=samples.judge(document))


def _rasters(page: Any, is_scan: bool, seen: Any) -> Iterable[tuple[Raster, bytes]]:
    has_hue = seen.ndim == 3
    glyphs = [] if is_scan else glyphs_of(page)
    shown: Sequence[Glyph] = ()
    if glyphs:
        half = ocr_dpi(page) // 2
        shown = visible_glyphs(page, page_image(page, half) if has_hue else render(page, half, gray=True), glyphs)
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
    with without_garbage_collection(), ExitStack() as stack, failing_with(ErrorCode.REDACTION_INCOMPLETE):
        document = _prepared(stack, data)
        places: dict[int, list[Finding]] = {}
        for place in findings.places:
            if is_pattern_text(place.unit) or place.unit.startswith(METADATA_UNIT):
                continue
            if place.unit not in known and place.unit.endswith(_PICTURES):
                raise StageFailed(ErrorCode.IMAGE_REDACT_FAILED)
            places.setdefault(_number(place.unit), []).append(place)
        if any(number >= document.page_count for number in places.keys() | by_page.keys()):
            raise StageFailed(ErrorCode.REDACTION_INCOMPLETE)
        aside = {place.unit for place in findings.places if is_pattern_text(place.unit)}
        marked: dict[int, _Marked] = {}
        if aside:  # offsets are those of pages that still show it
            marked = {number: _marked(document[number], found, keep=False) for number, found in places.items()}
            remove_pattern_text(document, aside)

        @cache
        def original() -> Any:
            untouched = _prepared(stack, data)
            remove_pattern_text(untouched, aside)
            return untouched

        rows: dict[int, Sequence[TouchedLine] | None] = {}
        for number in range(document.page_count):
            regions, glyphs = marked.get(number) or _marked(document[number], places.get(number, ()), keep=True)
            boxes = boxes_to_burn(by_page.get(number, ()), findings)
            is_scan = any(reading.raster.endswith("/scan") for reading in by_page.get(number, ()))
            is_found = number in places or number in by_page
            if is_found:
                rows[number] = None if is_scan else _redacted_rows(document, number, regions, boxes, glyphs)
            if rows.get(number, ()) is None or not remove_covered_text(document, number):
                shown = document if is_scan else original()
                replace_with_picture(document, number, _burned(shown[number], regions, boxes))
        plain = document.tobytes(garbage=1, encryption=pymupdf.PDF_ENCRYPT_NONE)
    taboo = [value.surface for value in findings.values if value.distinctive]
    beside = redacted_navigation(read_metadata(data).beside, findings)
    return sanitized(plain, beside._replace(links=moved_links(beside.links, rows)), taboo)


def _burned(page: Any, regions: Sequence[Region], boxes: Sequence[Box]) -> bytes:
    return burned_picture(page, [*boxes, *(box_in_pixels(page, region) for region in regions)])


def _prepared(stack: ExitStack, data: bytes) -> Any:
    """The document, open until the stack ends, with everything that it shows in its pages' content."""
    document = stack.enter_context(opened(data))
    flatten(document)
    trust_standard_encodings(document)
    return document


class _Marked(NamedTuple):
    """What has to go from a page's text, and the page's glyphs unless they are out of date."""

    regions: Sequence[Region]
    glyphs: Sequence[Glyph] | None


def _marked(page: Any, places: Sequence[Finding], *, keep: bool) -> _Marked:
    if not places:
        return _Marked((), None)
    glyphs = glyphs_of(page)
    again = [place.unit for place in places if AGAIN in place.unit]
    texts = page_texts(page.number, glyphs, again=bool(again), top=recalled_top(again))
    regions: dict[Region, None] = {}
    lines: Lines = {}
    for place in places:
        text = texts.get(place.unit)
        if text is not None:
            lines = lines or visible_lines(text.glyphs)
            regions.update(dict.fromkeys(regions_of(text, lines, place.start, place.end, place.placeholder)))
        elif not place.unit.endswith(_PICTURES) and BY_HUE not in place.unit:
            raise StageFailed(ErrorCode.REDACTION_INCOMPLETE)
    return _Marked(list(regions), glyphs if keep else None)


def _redacted_rows(
    document: Any, number: int, regions: Sequence[Region], boxes: Sequence[Box], glyphs: Sequence[Glyph] | None
) -> Sequence[TouchedLine] | None:
    """Takes out what lies under the regions and boxes and draws these: the lines that lost text; None when something
    would not go.
    """
    page = document[number]
    removed = remove_text(document, page, regions, glyphs) if regions else Removed((), ())
    if removed is None or not remove_ink(page, removed.regions, boxes):
        return None
    draw_boxes(page, removed.regions, boxes)
    return removed.rows
