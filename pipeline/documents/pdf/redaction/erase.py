"""Removes text, drawings and pixels from regions of a PDF page."""

from collections.abc import Sequence
from typing import Any, NamedTuple

import numpy as np
import pymupdf
from pymupdf import mupdf

from pipeline.documents.pdf.page.glyphs import Glyph, glyphs_of
from pipeline.documents.pdf.page.raster import ocr_dpi, render
from pipeline.documents.pdf.redaction.boxes import box_on_page
from pipeline.documents.pdf.redaction.reflow import match_by_position, match_by_sequence, reflowed
from pipeline.documents.pdf.redaction.regions import Region, fitted_region, remaining_lines
from pipeline.documents.pdf.redaction.text_objects import page_to_content, split_text
from pipeline.documents.pdf.redaction.text_operators import expand_line_operators, round_displacements
from pipeline.documents.pdf.redaction.width_grid import TouchedLine
from pipeline.documents.raster.burn import Box


class Removal(NamedTuple):
    """Removal goes, by the numbers that MuPDF has for it."""

    text: int
    images: int
    graphics: int


TEXT = Removal(pymupdf.PDF_REDACT_TEXT_REMOVE, pymupdf.PDF_REDACT_IMAGE_NONE, pymupdf.PDF_REDACT_LINE_ART_NONE)
INK = Removal(
    pymupdf.PDF_REDACT_TEXT_NONE, pymupdf.PDF_REDACT_IMAGE_PIXELS, pymupdf.PDF_REDACT_LINE_ART_REMOVE_IF_COVERED
)


def remove_content(page: Any, areas: Sequence[pymupdf.Rect], what: Removal) -> None:
    """Removes content from the areas of an upright page and draws nothing in its place.

    All areas are quadrilaterals of one redaction annotation (ISO 32000-2, 12.5.6.23): MuPDF compares every glyph with
    every annotation, and reading the annotation takes most of the time.
    """
    if not areas:
        return
    content = mupdf.pdf_page_from_fz_page(page.this)
    quads = mupdf.pdf_new_array(content.doc(), 8 * len(areas))
    place = page_to_content(page)
    for area in areas:
        (left, high), (right, low) = place.point(area.x0, area.y0), place.point(area.x1, area.y1)
        for side in (left, high, right, high, left, low, right, low):
            mupdf.pdf_array_push_real(quads, side)
    mark = mupdf.pdf_create_annot(content, mupdf.PDF_ANNOT_REDACT)
    mupdf.pdf_dict_puts(mupdf.pdf_annot_obj(mark), "QuadPoints", quads)
    options = mupdf.PdfRedactOptions()
    options.black_boxes = 0
    options.text, options.image_method, options.line_art = what
    mupdf.pdf_redact_page(content.doc(), content, options)


# Height above and below the baseline, in type sizes, of the area that each round removes. The first rounds are thin, so
# that no glyph of an adjacent line goes too.
_BANDS = ((-0.37, -0.33), (-0.45, -0.15), (-0.6, 0.05))
_LOOK_DPI = 100
_STAINED = 24  # levels: an emptied region that varies by more still shows ink


class Removed(NamedTuple):
    """The regions with the final extents of their boxes, and the touched lines."""

    regions: Sequence[Region]
    rows: Sequence[TouchedLine]


def remove_text(
    document: Any, page: Any, regions: Sequence[Region], glyphs: Sequence[Glyph] | None = None
) -> Removed | None:
    """Deletes the glyphs of the regions from the page's content and aligns the rest of their lines to a grid.

    None if a glyph remains or another one moved. `glyphs` are the glyphs of the page, if known.
    """
    contents = expand_line_operators(document, page)
    before = glyphs_of(page) if glyphs is None else glyphs
    to_remove = _glyphs_to_remove(before, regions)
    for band in _BANDS:
        _apply(page, regions, band)
        content = split_text(document, page)
        after = content.glyphs if content else glyphs_of(page)
        remaining = match_by_sequence(before, after, to_remove) or match_by_position(before, after)
        if remaining is None:
            return None
        if to_remove.isdisjoint(remaining.values()):
            rows = reflowed(document, page, content, before, remaining, to_remove) if content else None
            if rows is not None:
                left = remaining_lines(before, to_remove, rows)
                return Removed([fitted_region(region, rows, left) for region in regions], rows)
            if match_by_position(before, after) is None:
                return None
            round_displacements(document, page, contents)
            return Removed(regions, ())
    return None


def remove_covered_glyphs(document: Any, page: Any, regions: Sequence[Region]) -> bool:
    """Deletes the glyphs of the regions, which boxes of the page cover; False if one remains."""
    contents = expand_line_operators(document, page)
    before = glyphs_of(page)
    to_remove = _glyphs_to_remove(before, regions)
    for band in _BANDS:
        _apply(page, regions, band)
        left = match_by_position(before, glyphs_of(page))
        if left is None:
            return False
        if to_remove.isdisjoint(left.values()):
            round_displacements(document, page, contents)
            return True
    return False


def _apply(page: Any, regions: Sequence[Region], band: tuple[float, float]) -> None:
    remove_content(page, [quad.rect for region in regions for quad in region.bands(band)], TEXT)


def _glyphs_to_remove(glyphs: Sequence[Glyph], regions: Sequence[Region]) -> set[int]:
    """The indexes of the glyphs in the regions."""
    lines: dict[int, list[Region]] = {}
    for region in regions:
        for down in (-1, 0, 1):  # baselines are compared to the point, whatever the fraction
            lines.setdefault(round(region.baseline) + down, []).append(region)
    near = {baseline: lines.get(round(baseline), ()) for baseline in {glyph.baseline for glyph in glyphs}}
    return {
        index
        for index, glyph in enumerate(glyphs)
        if not glyph.is_blank
        for region in near[glyph.baseline]
        if _lies_in(glyph, region)
    }


def _lies_in(glyph: Glyph, region: Region) -> bool:
    if not region.start <= (glyph.start + glyph.end) / 2 <= region.end:
        return False
    return glyph.frame == region.frame and abs(glyph.baseline - region.baseline) <= 0.3 * region.size


def remove_ink(page: Any, regions: Sequence[Region], boxes: Sequence[Box]) -> bool:
    """Removes pixels and drawings under the regions and under `boxes` (pixels at the page's OCR resolution).

    False if ink remains under one of the boxes: MuPDF cannot cut a drawing that extends beyond it.
    """
    upright = [part for box in boxes for part in box.upright()]
    areas = [region.box().rect for region in regions] + [box_on_page(page, box) for box in _outermost(upright)]
    remove_content(page, areas, INK)
    if not boxes:
        return True
    image = render(page, _LOOK_DPI, gray=False)
    factor = _LOOK_DPI / ocr_dpi(page)
    return not any(_is_stained(image, box.scaled(factor)) for box in upright)


def _outermost(boxes: Sequence[Box]) -> list[Box]:
    """The boxes that lie in no other: MuPDF keeps a drawing that an area cuts, even if a larger one covers it."""
    every = list(dict.fromkeys(boxes))
    sides = np.array([box[:4] for box in every], int).reshape(-1, 4)
    left, top, right, bottom = sides.T
    kept: list[Box] = []
    for number, box in enumerate(every):
        around = (left <= box.left) & (top <= box.top) & (right >= box.right) & (bottom >= box.bottom)
        around &= (sides != sides[number]).any(axis=1)
        if not around.any():
            kept.append(box)
    return kept


def _is_stained(image: Any, box: Box) -> bool:
    patch = image[max(0, box.top + 1) : max(0, box.bottom - 1), max(0, box.left + 1) : max(0, box.right - 1)]
    return bool(patch.size) and int(np.ptp(patch, axis=(0, 1)).max()) > _STAINED
