"""Opens an untrusted PDF and makes it plain: annotations and form fields baked in, layers shown, pages upright."""

import gc
import io
from collections.abc import Iterator
from contextlib import contextmanager
from typing import Any

import pikepdf
import pymupdf
from pymupdf import mupdf

from pipeline.documents.limits import MAX_PDF_PAGES
from pipeline.documents.pdf.optional_content import without_hidden_layers
from schemas.errors import ErrorCode, StageFailed, unsupported
from schemas.refusals import Reason

# Annotations that nobody sees on a page go before the others become its content; pending redactions are carried out.
#
# ISO 32000-2, 12.5: flags 12.5.3, appearances 12.5.5, redaction annotations 12.5.6.23.

_HIDDEN, _NO_VIEW = 2, 32
_UNSEEN = frozenset(["Link", "Popup"])  # links are read elsewhere; a popup's window is the viewer's own

Area = tuple[float, float, float, float]  # in points of the page as its content is written


def remove_invisible_annotations(document: Any) -> dict[int, list[Area]]:
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


def apply_pending_redactions(page: Any, areas: list[Area]) -> None:
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


# MuPDF's messages quote the document.
pymupdf.TOOLS.mupdf_display_errors(False)
pymupdf.TOOLS.mupdf_display_warnings(False)

_LIBRARY_ERRORS = (RuntimeError, ValueError, TypeError, IndexError, KeyError, AssertionError, pymupdf.mupdf.FzErrorBase)
_TAIL = 4096  # bytes in which the end mark of a whole file stands


@contextmanager
def failing_with(code: str) -> Iterator[None]:
    """What the parser raises on hostile input, as StageFailed(code): without its message, which may quote the text."""
    try:
        yield
    except _LIBRARY_ERRORS:
        raise StageFailed(code) from None


@contextmanager
def without_garbage_collection() -> Iterator[None]:
    """Without Python's search for cycles: pages are tuples by the hundred thousand, looked at again and again, and
    none of them is in a cycle.
    """
    was_on = gc.isenabled()
    gc.disable()
    try:
        yield
    finally:
        if was_on:
            gc.enable()


@contextmanager
def opened(data: bytes) -> Iterator[Any]:
    """The document as it is. StageFailed(unsupported_format) when it is corrupt, cut off or wants a password."""
    with failing_with(ErrorCode.UNSUPPORTED_FORMAT):
        document = pymupdf.open(stream=data, filetype="pdf")
        if document.is_pdf and not document.needs_pass and document.page_count == 0:
            document.close()
            document = pymupdf.open(stream=_rewritten(data), filetype="pdf")
        if document.is_pdf and document.needs_pass:
            raise unsupported(Reason.ENCRYPTED)
        if document.page_count > MAX_PDF_PAGES:
            raise unsupported(Reason.TOO_COMPLEX)
        if not document.is_pdf or document.page_count < 1:
            raise unsupported(Reason.CORRUPT)
        if document.is_repaired and b"%%EOF" not in data[-_TAIL:]:
            raise StageFailed(ErrorCode.UNSUPPORTED_FORMAT)  # cut off: what is missing cannot be judged
    try:
        if document.xref_get_key(document.pdf_catalog(), "OCProperties")[0] != "null":
            document = _without_hidden_layers(document)
        yield document
    finally:
        document.close()


def _without_hidden_layers(document: Any) -> Any:
    """The document anew without what its layers hide; itself where they hide nothing."""
    with failing_with(ErrorCode.UNSUPPORTED_FORMAT):
        try:
            fewer = without_hidden_layers(document.tobytes(encryption=pymupdf.PDF_ENCRYPT_NONE))
        except pikepdf.PdfError:
            raise StageFailed(ErrorCode.UNSUPPORTED_FORMAT) from None
        if fewer is None:
            return document
        shown = pymupdf.open(stream=fewer, filetype="pdf")
        document.close()
        return shown


def _rewritten(data: bytes) -> bytes:
    """The file as QPDF understands it, where MuPDF finds no page: a page tree without its marks, for instance."""
    try:
        with pikepdf.open(io.BytesIO(data)) as file:
            if not len(file.pages):
                raise StageFailed(ErrorCode.UNSUPPORTED_FORMAT)
            out = io.BytesIO()
            file.save(out)
            return out.getvalue()
    except pikepdf.PasswordError:
        raise unsupported(Reason.ENCRYPTED) from None
    except pikepdf.PdfError:
        raise unsupported(Reason.CORRUPT) from None


def flatten(document: Any) -> None:
    """Everything that a page shows becomes its content; the same document always becomes the same pages.

    What layers and flags hide on a screen is gone; areas that are marked for redaction are redacted; rotation is worked
    into the content.
    """
    catalog = document.pdf_catalog()
    for key in ("OCProperties", "StructTreeRoot", "MarkInfo"):
        document.xref_set_key(catalog, key, "null")
    marked = remove_invisible_annotations(document)
    document.bake(annots=True, widgets=True)
    for number in marked:
        apply_pending_redactions(document[number], marked[number])
    for page in document:
        if page.rotation:
            page.remove_rotation()
