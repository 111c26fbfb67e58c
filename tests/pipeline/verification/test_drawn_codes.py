"""Which pages of a PDF are searched for drawn codes: every page that may show one, and not those with boxes alone."""

from collections.abc import Callable
from typing import Any

import numpy as np
import pymupdf
import pypdfium2
import pytest

from pipeline.verification.pdf import rasters
from tests.conftest import every
from tests.pipeline.documents.symbols import symbol

Box = tuple[float, float, float, float]


def dark(kind: str, module: float) -> list[Box]:
    """The dark modules of a code as boxes: runs of a row where it is a matrix, columns where it has bars."""
    bits = symbol(kind, pixels=1) < 128
    rows, columns = (np.flatnonzero(bits.any(axis)) for axis in (1, 0))
    bits = bits[rows[0] : rows[-1] + 1, columns[0] : columns[-1] + 1]
    if kind == "code128":
        bits = bits[len(bits) // 2 :][:1]
    found = []
    for row, line in enumerate(bits):
        start = None
        for column, is_dark in enumerate([*line, False]):
            if is_dark and start is None:
                start = column
            elif not is_dark and start is not None:
                high = 40 if kind == "code128" else module
                found.append((start * module, row * module, column * module, row * module + high))
                start = None
    return found


def boxes(page: Any, shapes: list[Box]) -> None:
    for left, top, right, bottom in shapes:
        page.draw_rect((40 + left, 40 + top, 40 + right, 40 + bottom), color=None, fill=(0, 0, 0))


def one_path(page: Any, shapes: list[Box]) -> None:
    drawing = page.new_shape()
    for left, top, right, bottom in shapes:
        drawing.draw_rect(pymupdf.Rect(40 + left, 40 + top, 40 + right, 40 + bottom))
    drawing.finish(color=None, fill=(0, 0, 0))
    drawing.commit()


def in_a_form(page: Any, shapes: list[Box]) -> None:
    """Drawn ten times as large as a form, which the page shrinks."""
    source = pymupdf.open()
    sheet = source.new_page(width=page.rect.width * 10, height=page.rect.height * 10)
    one_path(sheet, [tuple(10 * side for side in shape) for shape in shapes])  # type: ignore[misc]
    page.show_pdf_page(page.rect, source, 0)


def lines(page: Any, shapes: list[Box]) -> None:
    """A thick line for each shape, as some programs draw bars."""
    for left, top, right, bottom in shapes:
        page.draw_line((40 + (left + right) / 2, 40 + top), (40 + (left + right) / 2, 40 + bottom), width=right - left)


def may_show_codes(draw: Callable[[Any, list[Box]], None], shapes: list[Box]) -> bool:
    document = pymupdf.open()
    page = document.new_page()
    page.insert_text((40, 700), "a page of text")
    draw(page, shapes)
    return rasters._may_draw_codes(pypdfium2.PdfDocument(document.tobytes())[0])


@pytest.mark.parametrize("draw", every(4, [boxes, one_path, in_a_form, lines]), ids=lambda draw: draw.__name__)
@pytest.mark.parametrize(
    ("kind", "module"),
    [("qr", 2), ("qr", 12), ("code128", 0.8), ("code128", 4), ("data-matrix", 3), ("data-matrix", 24), ("pdf417", 2)],
)
def test_a_page_with_a_drawn_code_is_searched(kind: str, module: float, draw: Callable[[Any, list[Box]], None]) -> None:
    assert may_show_codes(draw, dark(kind, module))


@pytest.mark.parametrize("draw", [boxes, one_path], ids=lambda draw: draw.__name__)
def test_the_boxes_of_a_redaction_are_no_code(draw: Callable[[Any, list[Box]], None]) -> None:
    removed = [(0.0, 15.0 * row, 60.0 + row, 15.0 * row + 12) for row in range(40)]
    assert not may_show_codes(draw, removed)
