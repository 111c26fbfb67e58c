"""Pages that would take too much memory are refused before anything reads them."""

import pymupdf
import pytest

from pipeline.documents.limits import MAX_PAGE_CONTENT, MAX_PAGE_DRAWN
from pipeline.documents.pdf import handler as pdf
from schemas.errors import ErrorCode, StageFailed
from schemas.refusals import Reason
from tests.conftest import every
from tests.pipeline.documents import papers

LINE = b"0 0 m 1 1 l S\n"
ONE_TOO_MANY = MAX_PAGE_DRAWN + 1


def stream(document: pymupdf.Document, content: bytes, keys: str = "") -> int:
    number = int(document.get_new_xref())
    document.update_object(number, f"<<{keys}>>")
    document.update_stream(number, content)
    return number


def page_of(*contents: bytes, form: bytes = b"") -> bytes:
    """A page of these content streams, with one form XObject."""
    document = pymupdf.open()
    page = document.new_page()
    drawn = stream(document, form, "/Type/XObject/Subtype/Form/BBox[0 0 9 9]")
    streams = " ".join(f"{stream(document, content)} 0 R" for content in contents)
    document.xref_set_key(page.xref, "Contents", f"[{streams}]")
    document.xref_set_key(page.xref, "Resources", f"<</XObject<</A {drawn} 0 R>>>>")
    return papers.saved(document)


def is_refused(data: bytes) -> bool:
    """Whether the page is too complex for every stage."""
    reasons = set()
    for stage in (pdf.inspect, pdf.extract):
        with pytest.raises(StageFailed) as failure:
            stage(data)
        assert failure.value.code == ErrorCode.UNSUPPORTED_FORMAT
        reasons.add(failure.value.reason)
    return reasons == {Reason.TOO_COMPLEX}


@pytest.mark.parametrize(
    "operators", every(5, [LINE, b"9 9 9 9 re f*\n", b"/A Do/A Do/A Do/A Do\n", b"/A sh\n", b"BI ID EI\n"])
)
def test_a_page_that_draws_too_much(operators: bytes) -> None:
    assert is_refused(page_of(operators * ONE_TOO_MANY))


@pytest.mark.slow
def test_all_streams_of_a_page_count() -> None:
    half = LINE * (ONE_TOO_MANY // 2 + 1)
    assert is_refused(page_of(half, b"q Q", half))
    assert is_refused(page_of(half, b"/A Do", form=half))


def test_a_page_that_unpacks_without_end() -> None:
    assert is_refused(page_of(b" " * (MAX_PAGE_CONTENT + 1)))


def test_segments_and_text_do_not_count() -> None:
    segments = b"0 0 m " + b"1 1 l\n" * ONE_TOO_MANY + b"S\n"
    words = b"(of B) Tj /Fs gs\n" * ONE_TOO_MANY
    assert pdf.inspect(page_of(segments, b"BT /F1 9 Tf ", words, b"ET")) == 1


def test_each_page_counts_by_itself() -> None:
    document = pymupdf.open()
    for _ in range(2):
        document.insert_pdf(pymupdf.open(stream=page_of(LINE * (ONE_TOO_MANY // 2 + 1))))
    assert pdf.inspect(papers.saved(document)) == 2
