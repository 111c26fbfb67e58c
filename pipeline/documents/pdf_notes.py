"""Annotations that nobody sees on a page go before the others become its content; pending redactions are carried out.

ISO 32000-2, 12.5: flags 12.5.3, appearances 12.5.5, redaction annotations 12.5.6.23.
"""

from typing import Any

import pymupdf
from pymupdf import mupdf

_HIDDEN, _NO_VIEW = 2, 32
_UNSEEN = frozenset(["Link", "Popup"])  # links are read elsewhere; a popup's window is the viewer's own

Area = tuple[float, float, float, float]  # in points of the page as its content is written


def drop_unseen(document: Any) -> dict[int, list[Area]]:
    """Takes away annotations without an appearance on a screen; the areas of pending redactions, by page.

    To be called before any page is loaded.
    """
    pdf = mupdf.PdfDocument(document.this)
    marked: dict[int, list[Area]] = {}
    for number in range(document.page_count):
        annotations = mupdf.pdf_dict_gets(mupdf.pdf_lookup_page_obj(pdf, number), "Annots")
        for at in reversed(range(mupdf.pdf_array_len(annotations))):
            item = mupdf.pdf_array_get(annotations, at)
            kind = mupdf.pdf_to_name(mupdf.pdf_dict_gets(item, "Subtype"))
            flags = mupdf.pdf_dict_get_int(item, mupdf.pdf_new_name("F"))
            if kind == "Redact":
                marked.setdefault(number, []).extend(_areas(item))
            if kind == "Redact" or kind in _UNSEEN or flags & (_HIDDEN | _NO_VIEW):
                mupdf.pdf_array_delete(annotations, at)
    return marked


def _areas(item: Any) -> list[Area]:
    quads = mupdf.pdf_dict_gets(item, "QuadPoints")
    numbers = [mupdf.pdf_array_get_real(quads, at) for at in range(mupdf.pdf_array_len(quads))]
    corners = [numbers[at : at + 8] for at in range(0, len(numbers) - 7, 8)]
    if not corners:
        sides = mupdf.pdf_dict_gets(item, "Rect")
        left, low, right, high = (mupdf.pdf_array_get_real(sides, at) for at in range(4))
        return [(left, low, right, high)]
    return [(min(c[0::2]), min(c[1::2]), max(c[0::2]), max(c[1::2])) for c in corners]


def apply_pending(page: Any, areas: list[Area]) -> None:
    """Redacts what somebody marked and never carried out: black boxes, and nothing beneath."""
    for left, low, right, high in areas:
        corner = (
            pymupdf.Point(left, low) * page.transformation_matrix,
            pymupdf.Point(right, high) * page.transformation_matrix,
        )
        area = pymupdf.Rect(*corner[0], *corner[1]).normalize()
        if page.rotation:
            area = area * page.rotation_matrix
        if not area.is_empty:
            page.add_redact_annot(area, fill=(0, 0, 0), cross_out=False)
    page.apply_redactions(
        images=pymupdf.PDF_REDACT_IMAGE_PIXELS,
        graphics=pymupdf.PDF_REDACT_LINE_ART_REMOVE_IF_TOUCHED,
        text=pymupdf.PDF_REDACT_TEXT_REMOVE,
    )
