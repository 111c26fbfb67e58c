"""Has MuPDF empty rectangles of a page: of text, of drawings, of pixels."""

from collections.abc import Sequence
from typing import Any, NamedTuple

import pymupdf
from pymupdf import mupdf

from pipeline.documents.pdf_affine import to_sheet


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
