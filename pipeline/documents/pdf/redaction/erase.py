"""Removes what stands under boxes of a PDF page: text, drawing operators and pixels; then draws the opaque boxes."""

import re
from collections import Counter
from collections.abc import Iterator, Sequence
from decimal import Decimal
from typing import Any, NamedTuple

import numpy as np
import pikepdf
import pymupdf
from pymupdf import mupdf

from pipeline.documents.pdf.page.glyphs import Glyph, glyphs_of
from pipeline.documents.pdf.page.raster import ocr_dpi, render
from pipeline.documents.pdf.redaction.boxes import box_on_page
from pipeline.documents.pdf.redaction.reflow import by_place, by_sequence, settled
from pipeline.documents.pdf.redaction.regions import Spot, fitted, still
from pipeline.documents.pdf.redaction.text_objects import taken_apart, to_sheet
from pipeline.documents.pdf.redaction.width_grid import Row
from pipeline.documents.raster.burn import Box

# Has MuPDF empty rectangles of a page: of text, of drawings, of pixels.


class What(NamedTuple):
    """What goes, by the numbers that MuPDF has for it."""

    text: int
    images: int
    graphics: int


TEXT = What(pymupdf.PDF_REDACT_TEXT_REMOVE, pymupdf.PDF_REDACT_IMAGE_NONE, pymupdf.PDF_REDACT_LINE_ART_NONE)
INK = What(pymupdf.PDF_REDACT_TEXT_NONE, pymupdf.PDF_REDACT_IMAGE_PIXELS, pymupdf.PDF_REDACT_LINE_ART_REMOVE_IF_COVERED)


def empty(page: Any, areas: Sequence[pymupdf.Rect], what: What) -> None:
    """Takes out what lies in the areas of an upright page and draws nothing in its place.

    They are the quadrilaterals of one annotation (ISO 32000-2, 12.5.6.23): MuPDF asks every letter about every
    annotation, and most of that is finding out what the annotation is.
    """
    if not areas:
        return
    sheet = mupdf.pdf_page_from_fz_page(page.this)
    quads = mupdf.pdf_new_array(sheet.doc(), 8 * len(areas))
    place = to_sheet(page)
    for area in areas:
        (left, high), (right, low) = place.point(area.x0, area.y0), place.point(area.x1, area.y1)
        for side in (left, high, right, high, left, low, right, low):
            mupdf.pdf_array_push_real(quads, side)
    mark = mupdf.pdf_create_annot(sheet, mupdf.PDF_ANNOT_REDACT)
    mupdf.pdf_dict_puts(mupdf.pdf_annot_obj(mark), "QuadPoints", quads)
    options = mupdf.PdfRedactOptions()
    options.black_boxes = 0
    options.text, options.image_method, options.line_art = what
    mupdf.pdf_redact_page(sheet.doc(), sheet, options)


# Rounds the gaps that removed text leaves in a line: MuPDF keeps the place of what follows to a thousandth of a point.
#
# `(Holder )Tj [-5560]TJ (since)Tj` tells the width of what stood between, and so, in a known font, which of a few names
# it was. The gaps that redaction made grow to whole steps, to the right, away from the box.

_STEP = 250  # thousandths of the type size
_LEAST = 50  # by so much every gap grows
_SMALL = 150  # gaps below this are kerning
_PIECE = re.compile(
    rb"\((?:[^()\\]|\\.|\((?:[^()\\]|\\.)*\))*\)|<[0-9A-Fa-f\s]*>|(?P<open>\[)|(?P<close>\])|(?P<number>[-+]?(?:\d+\.?\d*|\.\d+))",
    re.DOTALL,
)


def widen(document: Any, page: Any, before: Sequence[bytes]) -> None:
    """Rounds the displacements that were not there in the contents before, those of the page and of its forms."""
    known = Counter(round(float(match["number"])) for data in before for match in _numbers(data))
    for xref in streams_of(page):
        data = document.xref_stream(xref) or b""
        pieces: list[bytes] = []
        position = 0
        for match in _numbers(data):
            value = float(match["number"])
            if known[round(value)] > 0:
                known[round(value)] -= 1
            elif value < -_SMALL:
                wide = -(-(_LEAST - value) // _STEP) * _STEP
                pieces += [data[position : match.start()], b"-%d" % wide]
                position = match.end()
        if pieces:
            document.update_stream(xref, b"".join([*pieces, data[position:]]))


def streams_of(page: Any) -> Iterator[int]:
    """The content of the page and of the forms on it, by xref."""
    yield from dict.fromkeys([*page.get_contents(), *(xobject[0] for xobject in page.get_xobjects())])


def _numbers(data: bytes) -> Iterator[re.Match[bytes]]:
    """The numbers inside arrays."""
    is_inside = False
    for match in _PIECE.finditer(data):
        if match["open"] or match["close"]:
            is_inside = match["open"] is not None
        elif is_inside and match["number"]:
            yield match


# Spells out the operators ' and " of content streams: MuPDF moves what follows them when it takes text out.
#
# Both move to the next line and show a string; `T*`, `Tj`, `Tw` and `Tc` say the same (ISO 32000-2, 9.4.3). The moves
# themselves are written as `Td`, because MuPDF counts the leading of `T*` wrongly after a `Td`.

_QUOTED = re.compile(rb"[)>]\s*['\"]|(?<!\w)T\*(?!\w)")


def spell_out(document: Any, page: Any) -> list[bytes]:
    """Rewrites the content of the page and of the forms on it, where it has such operators; all of it as it is then."""
    contents = []
    for xref in streams_of(page):
        data = document.xref_stream(xref) or b""
        if _QUOTED.search(data):
            with pikepdf.new() as file:
                parsed = pikepdf.parse_content_stream(file.make_stream(data))
                data = bytes(pikepdf.unparse_content_stream(list(_without_quote_operators(parsed))))
            document.update_stream(xref, data, compress=False)
        contents.append(data)
    return contents


def _without_quote_operators(parsed: Any) -> Iterator[Any]:
    leading: list[Decimal] = [Decimal(0)]  # one for each saved graphics state; TL is a part of it
    for instruction in parsed:
        operator, operands = str(instruction.operator), instruction.operands
        if operator == "q":
            leading.append(leading[-1])
        elif operator == "Q" and len(leading) > 1:
            leading.pop()
        elif operator == "TL" and operands:
            leading[-1] = Decimal(operands[-1])
        elif operator == "TD" and len(operands) == 2:
            leading[-1] = -Decimal(operands[1])
        if operator == '"' and len(operands) == 3:
            yield _made([operands[0]], "Tw")
            yield _made([operands[1]], "Tc")
        if operator in ("T*", "'", '"'):
            yield _made([0, -leading[-1]], "Td")
            if operator != "T*" and operands:
                yield _made([operands[-1]], "Tj")
        else:
            yield instruction


def _made(operands: list[Any], operator: str) -> Any:
    return pikepdf.ContentStreamInstruction(operands, pikepdf.Operator(operator))


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
