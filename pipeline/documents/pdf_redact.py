"""Removes what stands under boxes of a PDF page: text, drawing operators and pixels; then draws the opaque boxes."""

from collections.abc import Sequence
from typing import Any, NamedTuple

import numpy as np
import pymupdf

from pipeline.documents import pdf_boxes
from pipeline.documents.burning import Box
from pipeline.documents.pdf_emptying import INK, TEXT, empty
from pipeline.documents.pdf_gaps import widen
from pipeline.documents.pdf_glyphs import Glyph, glyphs_of
from pipeline.documents.pdf_grid import Row
from pipeline.documents.pdf_pieces import taken_apart
from pipeline.documents.pdf_quotes import spell_out
from pipeline.documents.pdf_raster import ocr_dpi, render
from pipeline.documents.pdf_settle import by_place, by_sequence, settled
from pipeline.documents.pdf_spots import Spot, fitted, still

# Of the type size: what MuPDF is given in each round. Thin, or it takes letters of the next line along.
_BANDS = ((-0.37, -0.33), (-0.45, -0.15), (-0.6, 0.05))
_LOOK_DPI = 100
_STAINED = 24  # levels of a colour: an emptied region that still varies by more holds ink


class Removed(NamedTuple):
    """The spots with the room that the grid leaves for their boxes, and the touched lines."""

    spots: Sequence[Spot]
    rows: Sequence[Row]


def remove_text(
    document: Any, page: Any, spots: Sequence[Spot], glyphs: Sequence[Glyph] | None = None
) -> Removed | None:
    """Deletes the glyphs of the spots from the page's content and puts what is left of their lines on a grid.

    None when some letter would not go, or others moved.

    `glyphs` are the page's, where they are known.
    """
    contents = spell_out(document, page)
    before = glyphs_of(page) if glyphs is None else glyphs
    doomed = _doomed(before, spots)
    for band in _BANDS:
        _apply(page, spots, band)
        sheet = taken_apart(document, page)
        after = sheet.glyphs if sheet else glyphs_of(page)
        stays = by_sequence(before, after, doomed) or by_place(before, after)
        if stays is None:
            return None
        if doomed.isdisjoint(stays.values()):
            rows = settled(document, page, sheet, before, stays, doomed) if sheet else None
            if rows is not None:
                left = still(before, doomed, rows)
                return Removed([fitted(spot, rows, left) for spot in spots], rows)
            if by_place(before, after) is None:
                return None
            widen(document, page, contents)
            return Removed(spots, ())
    return None


def uncover(document: Any, page: Any, spots: Sequence[Spot]) -> bool:
    """Deletes the glyphs of the spots, which lie beneath boxes of the page; False when some would not go."""
    contents = spell_out(document, page)
    before = glyphs_of(page)
    doomed = _doomed(before, spots)
    for band in _BANDS:
        _apply(page, spots, band)
        left = by_place(before, glyphs_of(page))
        if left is None:
            return False
        if doomed.isdisjoint(left.values()):
            widen(document, page, contents)
            return True
    return False


def _apply(page: Any, spots: Sequence[Spot], band: tuple[float, float]) -> None:
    empty(page, [quad.rect for spot in spots for quad in spot.bands(band)], TEXT)


def _doomed(glyphs: Sequence[Glyph], spots: Sequence[Spot]) -> set[int]:
    """The glyphs, by index, that lie in a spot."""
    lines: dict[int, list[Spot]] = {}
    for spot in spots:
        for down in (-1, 0, 1):  # baselines are compared to the point, whatever the fraction
            lines.setdefault(round(spot.baseline) + down, []).append(spot)
    near = {baseline: lines.get(round(baseline), ()) for baseline in {glyph.baseline for glyph in glyphs}}
    return {
        index
        for index, glyph in enumerate(glyphs)
        if not glyph.is_blank
        for spot in near[glyph.baseline]
        if _lies_in(glyph, spot)
    }


def _lies_in(glyph: Glyph, spot: Spot) -> bool:
    if not spot.start <= (glyph.start + glyph.end) / 2 <= spot.end:
        return False
    return glyph.frame == spot.frame and abs(glyph.baseline - spot.baseline) <= 0.3 * spot.size


def remove_ink(page: Any, spots: Sequence[Spot], boxes: Sequence[Box]) -> bool:
    """Empties images and drawings under the spots and under `boxes` (pixels at the page's OCR resolution).

    False when ink still shows under one of the boxes: a drawing that reaches out of it cannot be cut.
    """
    areas = [spot.box().rect for spot in spots] + [box_on_page(page, box) for box in boxes]
    empty(page, areas, INK)
    if not boxes:
        return True
    image = render(page, _LOOK_DPI, gray=False)
    factor = _LOOK_DPI / ocr_dpi(page)
    return not any(_is_stained(image, box.scaled(factor, factor)) for box in boxes)


def _is_stained(image: Any, box: Box) -> bool:
    patch = image[max(0, box.top + 1) : max(0, box.bottom - 1), max(0, box.left + 1) : max(0, box.right - 1)]
    return bool(patch.size) and int(np.ptp(patch, axis=(0, 1)).max()) > _STAINED


def box_on_page(page: Any, box: Box) -> pymupdf.Rect:
    """A box of the page's raster in points."""
    factor = 72 / ocr_dpi(page)
    return pymupdf.Rect(box.left * factor, box.top * factor, box.right * factor, box.bottom * factor)


def box_in_pixels(page: Any, spot: Spot) -> Box:
    """A spot's box in pixels of the page's raster."""
    factor = ocr_dpi(page) / 72
    area = spot.box().rect
    return Box(int(area.x0), int(area.y0), int(area.x1) + 1, int(area.y1) + 1, spot.label).scaled(factor, factor)


def draw_boxes(page: Any, spots: Sequence[Spot], boxes: Sequence[Box]) -> None:
    """Opaque boxes over what is gone, each with its placeholder as text where it fits."""
    quads = [(spot.box(), spot.label) for spot in spots]
    quads += [(box_on_page(page, box).quad, box.label) for box in boxes]
    pdf_boxes.draw(page, [(tuple(quad), label) for quad, label in quads])
