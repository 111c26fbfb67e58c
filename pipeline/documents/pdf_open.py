"""Opens an untrusted PDF and makes it plain: annotations and form fields baked in, layers shown, pages upright."""

import gc
import io
from collections.abc import Iterator
from contextlib import contextmanager
from typing import Any

import pikepdf
import pymupdf

from pipeline.documents.limits import MAX_PDF_PAGES
from pipeline.documents.pdf_layers import without_hidden_layers
from pipeline.documents.pdf_notes import apply_pending, drop_unseen
from schemas.errors import ErrorCode, StageFailed

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
def uncollected() -> Iterator[None]:
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
        if not document.is_pdf or document.needs_pass or not 1 <= document.page_count <= MAX_PDF_PAGES:
            raise StageFailed(ErrorCode.UNSUPPORTED_FORMAT)
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
    except (pikepdf.PdfError, pikepdf.PasswordError):
        raise StageFailed(ErrorCode.UNSUPPORTED_FORMAT) from None


def make_plain(document: Any) -> None:
    """Everything that a page shows becomes its content; the same document always becomes the same pages.

    What layers and flags hide on a screen is gone; areas that are marked for redaction are redacted; rotation is worked
    into the content.
    """
    catalog = document.pdf_catalog()
    for key in ("OCProperties", "StructTreeRoot", "MarkInfo"):
        document.xref_set_key(catalog, key, "null")
    marked = drop_unseen(document)
    document.bake(annots=True, widgets=True)
    for number in marked:
        apply_pending(document[number], marked[number])
    for page in document:
        if page.rotation:
            page.remove_rotation()
