"""Refuses pages whose content would take too much memory when it is interpreted: some 700 bytes for each object."""

import re
from collections.abc import Iterator
from typing import Any

from pymupdf import mupdf

from pipeline.documents.limits import MAX_PAGE_CONTENT, MAX_PAGE_DRAWN
from schemas.errors import unsupported
from schemas.refusals import Reason

# The operators that paint a path, a shading, an XObject or an inline image (ISO 32000-2, table 50).
_PAINTS = re.compile(rb"(?<![^\s\])>])(?:[SsfFBb]\*?|sh|Do|EI)(?![^\s/\[(<%])")


def check_content(document: Any) -> None:
    """StageFailed(unsupported_format) for a page past the bounds. Loads no page.

    The content of a page is that of its own streams and of its form XObjects, each counted once. None is kept in memory
    before its unpacked size is known.
    """
    pdf = mupdf.PdfDocument(document.this)
    known: dict[int, tuple[int, int]] = {}
    for number in range(document.page_count):
        size = drawn = 0
        for stream in set(_streams(document, pdf, number)):
            if stream not in known:
                known[stream] = _measured(document, pdf, stream)
            size, drawn = size + known[stream][0], drawn + known[stream][1]
        if size > MAX_PAGE_CONTENT or drawn > MAX_PAGE_DRAWN:
            raise unsupported(Reason.TOO_COMPLEX)


def _streams(document: Any, pdf: Any, number: int) -> Iterator[int]:
    """The object numbers of the content streams and of the form XObjects of a page."""
    contents = mupdf.pdf_dict_gets(mupdf.pdf_lookup_page_obj(pdf, number), "Contents")
    parts = (mupdf.pdf_array_get(contents, at) for at in range(mupdf.pdf_array_len(contents)))
    for part in parts if mupdf.pdf_is_array(contents) else (contents,):
        if mupdf.pdf_is_stream(part):
            yield mupdf.pdf_to_num(part)
    yield from (form[0] for form in document.get_page_xobjects(number))


def _measured(document: Any, pdf: Any, stream: int) -> tuple[int, int]:
    """The unpacked bytes of a stream, and how many objects it draws; of a stream past the bound only its bytes."""
    size = mupdf.fz_skip(mupdf.pdf_open_stream_number(pdf, stream), MAX_PAGE_CONTENT + 1)
    return size, sum(1 for _ in _PAINTS.finditer(document.xref_stream(stream))) if size <= MAX_PAGE_CONTENT else 0
