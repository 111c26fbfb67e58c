"""Pages of a document as a person looks at them: pictures of PDF and images, lines of Office files and CSV.

For comparing a document before and after redaction; nothing that is detected or redacted depends on it.
"""

from collections.abc import Sequence
from math import sqrt

import pymupdf

from pipeline.documents.document import TextUnit

_LINE = 2_000  # characters of a line; more is cut
_MAX_PIXELS = 1_500_000  # of a picture: a page of A4 at 120 dpi
_DPI = 120


def pictures(format_: str, data: bytes, first: int, count: int) -> tuple[int, list[bytes]]:
    """The number of pages, and pages `first` (from 0) to `first + count` as PNG."""
    with pymupdf.open(stream=data, filetype=format_) as document:
        shown = range(first, min(first + count, len(document)))
        return len(document), [_picture(document[number]) for number in shown]


def lines(
    units: Sequence[TextUnit], first: int, count: int, height: int, *, is_table: bool
) -> tuple[int, list[list[str]]]:
    """The number of pages of `height` lines, and pages `first` (from 0) to `first + count`: one line a text.

    In a table a cell is written behind the heading of its column: `National ID: 1012345672`.
    """
    written = [_line(unit, is_table=is_table) for unit in units if unit.billed]
    pages = [written[at : at + height] for at in range(0, len(written), height)]
    return len(pages), pages[first : first + count]


def _picture(page: pymupdf.Page) -> bytes:
    scale = min(_DPI / 72, sqrt(_MAX_PIXELS / max(1.0, page.rect.width * page.rect.height)))
    picture: bytes = page.get_pixmap(matrix=pymupdf.Matrix(scale, scale), alpha=False).tobytes("png")
    return picture


def _line(unit: TextUnit, *, is_table: bool) -> str:
    text = " ".join(unit.text.split())
    heading = unit.context.partition("\n")[0] if is_table else ""
    return f"{heading}: {text}"[:_LINE] if heading else text[:_LINE]
