"""What stands beside a PDF's pages: what of it stays (bookmarks, links, page labels), what is read, what is not.

Everything that says something is a unit `beside/N`, unbilled, so that a value found there is removed everywhere;
only bookmarks, page labels and addresses of links stay, each without what was found in it.
"""

import io
import warnings
from collections.abc import Iterator
from typing import NamedTuple

import pikepdf

from pipeline.documents.document import Findings, TextUnit, Unread
from pipeline.documents.pdf_open import failing_with, opened
from pipeline.documents.pdf_rebuild import Beside
from pipeline.documents.pdf_said import said_by_annotations, said_by_document
from pipeline.documents.pdf_targets import bookmarks, decoded, labels, links
from pipeline.documents.pdf_unread import unread_of
from pipeline.documents.replace import applied, by_unit
from schemas.errors import ErrorCode, StageFailed

BESIDE = "beside/"
_ERRORS = (pikepdf.PdfError, pikepdf.PasswordError, ValueError, TypeError, KeyError, IndexError, AttributeError)


class Aside(NamedTuple):
    """`beside` as the document has it; `units` in the order: bookmarks, labels, links' addresses, all else."""

    beside: Beside = Beside()
    units: tuple[TextUnit, ...] = ()
    unread: tuple[tuple[Unread, int], ...] = ()


def read_beside(data: bytes) -> Aside:
    """What stands beside the pages of the document, as QPDF reads it, as it is or mended.

    StageFailed(unsupported_format) when QPDF reads neither: then nobody knows what notes and fields say, and what is
    found there could neither be removed from the pages too nor counted.
    """
    try:
        return _read(data, data)
    except _ERRORS:
        pass
    try:
        with opened(data) as document, failing_with(ErrorCode.UNSUPPORTED_FORMAT):
            return _read(document.tobytes(), data)
    except _ERRORS:
        raise StageFailed(ErrorCode.UNSUPPORTED_FORMAT) from None


def _read(data: bytes, original: bytes) -> Aside:
    with warnings.catch_warnings(), pikepdf.open(io.BytesIO(data)) as pdf:
        warnings.simplefilter("ignore")
        beside = Beside(bookmarks(pdf), labels(pdf), links(pdf))
        said = [("", text) for text in _kept(beside)]
        said += [*said_by_document(pdf), *said_by_annotations(pdf)]
        counts = unread_of(pdf, original)
    units = tuple(TextUnit(f"{BESIDE}{n}", text, context, False) for n, (context, text) in enumerate(said))
    return Aside(beside, units, tuple(sorted((kind, count) for kind, count in counts.items() if count)))


def _kept(beside: Beside) -> Iterator[str]:
    """The texts of what stays, in the order in which `redacted` goes through it."""
    yield from (bookmark.title for bookmark in beside.bookmarks)
    yield from (label.prefix for label in beside.labels)
    yield from (decoded(link.address) for link in beside.links)


def redacted(beside: Beside, findings: Findings) -> Beside:
    """The same without what was found in it: placeholders in titles and labels; a link whose address tells goes."""
    edits = by_unit(findings)
    numbers = iter(range(len(list(_kept(beside)))))

    def text_of(text: str) -> str:
        return applied(text, f"{BESIDE}{next(numbers)}", edits)

    titles = tuple(bookmark._replace(title=text_of(bookmark.title)) for bookmark in beside.bookmarks)
    prefixes = tuple(label._replace(prefix=text_of(label.prefix)) for label in beside.labels)
    stay = tuple(link for link in beside.links if f"{BESIDE}{next(numbers)}" not in edits)
    return Beside(titles, prefixes, stay)
