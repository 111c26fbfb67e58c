"""Opens an untrusted PDF and flattens it: annotations and form fields become page content, pages become upright."""

import gc
import io
from collections.abc import Iterator
from contextlib import contextmanager
from typing import Any

import pikepdf
import pymupdf
from pymupdf import mupdf

from pipeline.documents.limits import MAX_PDF_PAGES
from pipeline.documents.pdf.content_size import check_content
from pipeline.documents.pdf.optional_content import without_hidden_layers
from schemas.errors import ErrorCode, StageFailed, unsupported
from schemas.refusals import Reason

_HIDDEN, _NO_VIEW = 2, 32  # annotation flags (ISO 32000-2, 12.5.3)
_WITHOUT_APPEARANCE = frozenset(["Link", "Popup"])  # `navigation` reads links; a viewer draws popups itself

Area = tuple[float, float, float, float]  # in points of the page as its content is written


def remove_invisible_annotations(document: Any) -> dict[int, list[Area]]:
    """Removes annotations that a screen does not show. Returns the areas of redaction annotations, by page.

    Must be called before any page is loaded (ISO 32000-2, 12.5.5 and 12.5.6.23).
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
            if kind == "Redact" or kind in _WITHOUT_APPEARANCE or flags & (_HIDDEN | _NO_VIEW):
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
    """Applies redactions that were marked but not applied: removes the content and draws black boxes."""
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
_TAIL = 4096  # bytes at the end of a complete file that contain %%EOF


@contextmanager
def failing_with(code: str) -> Iterator[None]:
    """Turns parser errors into StageFailed(code), without their messages, which may quote the document."""
    try:
        yield
    except _LIBRARY_ERRORS:
        raise StageFailed(code) from None


@contextmanager
def without_garbage_collection() -> Iterator[None]:
    """Pauses Python's cyclic garbage collection: it would scan hundreds of thousands of tuples, none in a cycle."""
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
        check_content(document)
    try:
        if document.xref_get_key(document.pdf_catalog(), "OCProperties")[0] != "null":
            document = _without_hidden_layers(document)
        yield document
    finally:
        document.close()


def _without_hidden_layers(document: Any) -> Any:
    """The document without the content of hidden layers; the same object if there is none."""
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
    """The file as QPDF repairs it. MuPDF finds no page in some files, for instance if the page tree lacks its types."""
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
    """Turns everything that a page shows into page content. The same document always gives the same pages.

    Annotations that flags hide are removed, pending redactions are applied, and rotated pages become upright.
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
