"""Extracts the text and the rasters of PDF pages, and redacts the pages.

Each page is handled in one of three ways:

- *text*: the text layer explains all ink. Findings are deleted from the content stream.
- *ink*: the page also shows images or drawings that look like text. OCR reads what the text layer does not explain.
  Findings are deleted from the content stream or removed from the pixels.
- *scan*: the text layer is missing or unreliable. The page is replaced by a picture with burned boxes.

The raster id of a page (`page/N/ink`, `page/N/scan`) records the way, so that redaction handles the page as extraction
did.
"""

from collections.abc import Callable, Sequence
from contextlib import ExitStack
from dataclasses import replace
from functools import cache
from operator import attrgetter
from typing import Any, NamedTuple

import pymupdf

from pipeline.documents.document import (
    AGAIN,
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
from pipeline.documents.pdf.page.codes import drawn_as_text, hides_codes, shows_codes
from pipeline.documents.pdf.page.font_encoding import (
    GlyphSamples,
    UnreliableGlyphs,
    has_unreliable_words,
    trust_standard_encodings,
)
from pipeline.documents.pdf.page.glyphs import Glyph, glyphs_of
from pipeline.documents.pdf.page.hidden_images import hides_text, pictures_of
from pipeline.documents.pdf.page.raster import (
    burned_picture,
    ocr_dpi,
    page_image,
    page_raster,
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
from pipeline.documents.raster.codes.reader import NO_CODES, Codes
from schemas.errors import ErrorCode, StageFailed, unsupported
from schemas.refusals import Reason

_FONT = attrgetter("font", "visible")
_PICTURES = ("/ink", "/scan")
_PREVIEW_DPI = 120  # enough to see whether a page has hue, and whether it shows the text in its images


def inspect(data: bytes) -> int:
    """The number of pages. StageFailed(unsupported_format) for a corrupt, truncated or password-protected file."""
    with opened(data) as document:
        return int(document.page_count)


def extract(data: bytes) -> tuple[Extraction, dict[str, bytes]]:
    """A unit `page/N` for each page with text, and a raster `page/N/ink` or `page/N/scan` where OCR is needed."""
    rasters: list[Raster] = []
    pixels: dict[str, bytes] = {}
    with without_garbage_collection(), ExitStack() as stack, failing_with(ErrorCode.UNSUPPORTED_FORMAT):
        document = _flattened(stack, data)
        facts = _page_facts(document)
        pages = len(facts.fonts)
        for number in range(pages):
            own = _raster_for_ocr(document[number], facts)
            if own is not None:
                raster, pixels[own[0].id] = own
                rasters.append(raster)
        scans = {raster.page for raster in rasters if raster.id.endswith("/scan")}
        joints = (*joined_pages(facts.units), *facts.joints)
        units = [replace(unit, billed=unit.billed and _page_number(unit.id) not in scans) for unit in facts.units]
        units += pattern_text_units(document)
    metadata = read_metadata(data)
    return Extraction((*units, *metadata.units), tuple(rasters), pages, metadata.unread, joints=joints), pixels


def redact(data: bytes, findings: Findings, readings: Sequence[Reading]) -> bytes:
    """The document without the findings and without ink that could not be read.

    StageFailed(redaction_incomplete) for a finding outside the document, image_redact_failed for a finding in a raster
    without a reading.
    """
    with without_garbage_collection(), ExitStack() as stack, failing_with(ErrorCode.REDACTION_INCOMPLETE):
        document = _flattened(stack, data)
        tasks = _tasks(document, findings, readings)
        patterns = {place.unit for place in findings.places if is_pattern_text(place.unit)}
        regions: dict[int, _PageRegions] = {}
        if patterns:  # the offsets of findings refer to pages that still show the text of the patterns
            for number, task in tasks.items():
                regions[number] = _page_regions(document[number], task.places, keep_glyphs=False)
            remove_pattern_text(document, patterns)

        @cache
        def original() -> Any:
            untouched = _flattened(stack, data)
            remove_pattern_text(untouched, patterns)
            return untouched

        lines: dict[int, Sequence[TouchedLine] | None] = {}
        for number in range(document.page_count):
            task = tasks.get(number) or _Task([], [])
            own = regions.get(number) or _page_regions(document[number], task.places, keep_glyphs=True)
            boxes = boxes_to_burn(task.readings, findings)
            lines[number] = _redact_page(document, number, task, own, boxes, original)
        pages = document.tobytes(garbage=1, encryption=pymupdf.PDF_ENCRYPT_NONE)
    values = [value.surface for value in findings.values if value.distinctive]
    navigation = redacted_navigation(read_metadata(data).navigation, findings)
    return sanitized(pages, navigation._replace(links=moved_links(navigation.links, lines)), values)


class _PageFacts(NamedTuple):
    """The results of one pass over all pages. Sets contain page numbers."""

    units: list[TextUnit]
    joints: list[JoinedText]
    unreliable: UnreliableGlyphs
    fonts: list[set[str]]  # of visible glyphs, by page
    with_other_ink: set[int]  # pages that show more than their text
    with_untraced_text: set[int]
    with_images: set[int]
    scans: set[int]  # pages of ink without a glyph
    codes: dict[int, Codes]  # of pages that may show a barcode or matrix code
    with_drawn_codes: set[int]  # pages on which glyphs draw a code


def _page_facts(document: Any) -> _PageFacts:
    untraced, samples, headings = UntracedText(document), GlyphSamples(), Headings()
    facts = _PageFacts([], [], UnreliableGlyphs(), [], set(), set(), set(), set(), {}, set())
    total = 0
    for page in document:
        glyphs = glyphs_of(page)
        total += len(glyphs)
        if total > MAX_DOCUMENT_GLYPHS:
            raise unsupported(Reason.TOO_COMPLEX)
        samples.add(page.number, glyphs)
        facts.fonts.append({font for font, visible in set(map(_FONT, glyphs)) if visible})
        texts = page_texts(page.number, glyphs, top=headings.top)
        facts.units.extend(units_of(texts))
        unit = f"page/{page.number}"
        facts.joints.extend((*joined_cells(unit, texts[unit]), *joined_lines(unit, texts[unit])))
        log = page.get_bboxlog()
        if any(kind.startswith("fill-im") for kind, _ in log):
            facts.with_images.add(page.number)
        if untraced.is_on(page, glyphs):
            facts.with_untraced_text.add(page.number)
        if shows_more_than_text(page, glyphs, log):
            facts.with_other_ink.add(page.number)
        if not glyphs and page.number in facts.with_other_ink:
            facts.scans.add(page.number)  # OCR reads all of it, its codes too
            continue
        codes = shows_codes(page, glyphs, log)
        if codes is not None:
            facts.codes[page.number] = codes
            if codes.read or codes.unread:
                facts.with_other_ink.add(page.number)
            if drawn_as_text(page, glyphs, codes):
                facts.with_drawn_codes.add(page.number)
    return facts._replace(unreliable=samples.unreliable(document))


def _raster_for_ocr(page: Any, facts: _PageFacts) -> tuple[Raster, bytes] | None:
    """The raster of a page that OCR must read; None if its text layer is reliable and complete."""
    number, unreliable = page.number, facts.unreliable
    if number in facts.scans:
        return _raster(page, True, page_image(page, min(_PREVIEW_DPI, ocr_dpi(page))))
    fonts = unreliable.fonts | {name for name, _ in unreliable.glyphs}
    is_scan = number in (facts.with_untraced_text | facts.with_drawn_codes) or (
        not facts.fonts[number].isdisjoint(fonts) and has_unreliable_words(glyphs_of(page), unreliable)
    )
    dpi = min(_PREVIEW_DPI, ocr_dpi(page))
    preview = page_image(page, dpi) if is_scan or number in facts.with_other_ink else None
    if not is_scan and number in facts.with_images:
        pictures = pictures_of(page)
        is_scan = hides_text(page, preview, pictures) or hides_codes(pictures, facts.codes.get(number, NO_CODES))
    if not is_scan and number not in facts.with_other_ink:
        return None
    return _raster(page, is_scan, page_image(page, dpi) if preview is None else preview)


def _raster(page: Any, is_scan: bool, preview: Any) -> tuple[Raster, bytes]:
    has_hue = preview.ndim == 3
    glyphs = [] if is_scan else glyphs_of(page)
    shown: Sequence[Glyph] = ()
    if glyphs:
        half = ocr_dpi(page) // 2
        shown = visible_glyphs(page, page_image(page, half) if has_hue else render(page, half, gray=True), glyphs)
    return page_raster(page, f"page/{page.number}/{'ink' if shown else 'scan'}", shown, has_hue=has_hue)


def _page_number(unit: str) -> int:
    return int(unit.split("/")[1])


def _flattened(stack: ExitStack, data: bytes) -> Any:
    """The document, open until the stack closes. Everything that it shows is in the content of its pages."""
    document = stack.enter_context(opened(data))
    flatten(document)
    trust_standard_encodings(document)
    return document


class _Task(NamedTuple):
    """The findings on one page and the OCR readings of its rasters."""

    places: list[Finding]
    readings: list[Reading]


def _tasks(document: Any, findings: Findings, readings: Sequence[Reading]) -> dict[int, _Task]:
    """The tasks by page number. StageFailed for a finding without a page or without a reading."""
    tasks: dict[int, _Task] = {}
    for reading in readings:
        tasks.setdefault(_page_number(reading.raster), _Task([], [])).readings.append(reading)
    read = {reading.raster for reading in readings}
    for place in findings.places:
        if is_pattern_text(place.unit) or place.unit.startswith(METADATA_UNIT):
            continue
        if place.unit not in read and place.unit.endswith(_PICTURES):
            raise StageFailed(ErrorCode.IMAGE_REDACT_FAILED)
        tasks.setdefault(_page_number(place.unit), _Task([], [])).places.append(place)
    if any(number >= document.page_count for number in tasks):
        raise StageFailed(ErrorCode.REDACTION_INCOMPLETE)
    return tasks


class _PageRegions(NamedTuple):
    """The regions of a page's text to be removed, and the glyphs of the page if they are still valid."""

    regions: Sequence[Region]
    glyphs: Sequence[Glyph] | None


def _page_regions(page: Any, places: Sequence[Finding], *, keep_glyphs: bool) -> _PageRegions:
    if not places:
        return _PageRegions((), None)
    glyphs = glyphs_of(page)
    variants = [place.unit for place in places if AGAIN in place.unit]
    texts = page_texts(page.number, glyphs, again=bool(variants), top=recalled_top(variants))
    regions: dict[Region, None] = {}
    lines: Lines = {}
    for place in places:
        text = texts.get(place.unit)
        if text is not None:
            lines = lines or visible_lines(text.glyphs)
            regions.update(dict.fromkeys(regions_of(text, lines, place.start, place.end, place.placeholder)))
        elif not place.unit.endswith(_PICTURES):
            raise StageFailed(ErrorCode.REDACTION_INCOMPLETE)
    return _PageRegions(list(regions), glyphs if keep_glyphs else None)


def _redact_page(
    document: Any, number: int, task: _Task, own: _PageRegions, boxes: Sequence[Box], original: Callable[[], Any]
) -> Sequence[TouchedLine] | None:
    """Redacts one page. Returns its touched lines, or None if it became a picture.

    A page becomes a picture if it is a scan or if some content cannot be removed from it. Its former look is taken from
    `original`, the document before redaction.
    """
    is_scan = any(reading.raster.endswith("/scan") for reading in task.readings)
    lines: Sequence[TouchedLine] | None = None if is_scan else ()
    if not is_scan and (task.places or task.readings):
        lines = _remove_and_draw(document[number], document, own, boxes)
    if lines is None or not remove_covered_text(document, number):
        shown = document if is_scan else original()
        replace_with_picture(document, number, _burned(shown[number], own.regions, boxes))
    return lines


def _burned(page: Any, regions: Sequence[Region], boxes: Sequence[Box]) -> bytes:
    # A function of its own: MuPDF cannot reload a page while a variable refers to it.
    return burned_picture(page, [*boxes, *(box_in_pixels(page, region) for region in regions)])


def _remove_and_draw(page: Any, document: Any, own: _PageRegions, boxes: Sequence[Box]) -> Sequence[TouchedLine] | None:
    """Removes the content under regions and boxes and draws the boxes; None if some content cannot be removed."""
    removed = remove_text(document, page, own.regions, own.glyphs) if own.regions else Removed((), ())
    if removed is None or not remove_ink(page, removed.regions, boxes):
        return None
    draw_boxes(page, removed.regions, boxes)
    return removed.rows
