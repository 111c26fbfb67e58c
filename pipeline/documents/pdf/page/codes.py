"""Finds pages of a PDF that show barcodes or matrix codes, in images or drawn as shapes, and images that hide one.

Rendering a page for codes costs as much as reading its text does, so only pages that may show one are rendered.
"""

from collections.abc import Sequence
from typing import Any

import numpy as np

from pipeline.documents.pdf.page.glyphs import Glyph
from pipeline.documents.pdf.page.hidden_images import Pictures, layers_of
from pipeline.documents.pdf.page.raster import ocr_dpi, paint_over_glyphs, render
from pipeline.documents.raster.codes.reader import Codes, codes_in, codes_read_in
from pipeline.documents.raster.hue import in_gray

_DPI = 200  # a module of a quarter of a millimetre is two pixels wide
_MIN_SIDE = 8.0  # points: the side of the smallest code
_MIN_SHAPES = 12  # shapes that may be bars or modules
_MIN_SEGMENTS = 24  # lines and rectangles of all paths together that may be bars or modules
_BLOCKS = ("\u2580", "\u259f")  # Block Elements, with which programs print codes as text
_MIN_BLOCKS = 40
_FONT_NAMES = ("barcode", "code128", "code39", "code 39", "c39", "qr", "pdf417", "datamatrix", "idautomation", "aztec")


def shows_codes(page: Any, glyphs: Sequence[Glyph], log: Any) -> Codes | None:
    """The codes that the page shows, in pixels at some resolution; None if it draws nothing that may be a code.

    `log` is MuPDF's list of drawn objects with their bounding boxes.
    """
    if not may_draw_codes(page, log) and not draws_codes_as_text(glyphs):
        return None
    return codes_in(render(page, min(_DPI, ocr_dpi(page)), gray=True))


def may_draw_codes(page: Any, log: Any) -> bool:
    """Whether the page draws an image, or shapes enough for a code."""
    shapes = paths = 0
    for kind, box in log:
        wide, high = box[2] - box[0], box[3] - box[1]
        if kind.endswith("-text"):
            continue
        if "path" not in kind:
            if min(wide, high) >= _MIN_SIDE:
                return True  # an image, a mask, a shading
        elif not kind.startswith("clip"):
            paths += 1
            shapes += max(wide, high) > 1 and min(wide, high) < 4 * _MIN_SIDE
            if shapes >= _MIN_SHAPES:
                return True
    # So many paths, filled or stroked or both, have enough; to list the segments of a million takes gigabytes.
    return paths >= 2 * _MIN_SEGMENTS or (paths > 0 and _has_segments(page))


def _has_segments(page: Any) -> bool:
    """Whether one path, or a clip, has segments enough for a code, or dashes that may be bars."""
    count = 0
    for drawing in page.get_cdrawings(extended=True):
        dashes = drawing.get("dashes") or "[] 0"
        if not dashes.startswith("[]") and (drawing.get("width") or 0) >= _MIN_SIDE / 2:
            return True
        count += len(drawing.get("items", ()))
        if count >= _MIN_SEGMENTS:
            return True
    return False


def draws_codes_as_text(glyphs: Sequence[Glyph]) -> bool:
    """Whether the page has glyphs of a barcode font, or block characters in number."""
    fonts = {glyph.font.lower() for glyph in glyphs if glyph.visible}
    if any(name in font for font in fonts for name in _FONT_NAMES):
        return True
    return sum(_BLOCKS[0] <= glyph.text <= _BLOCKS[1] for glyph in glyphs if glyph.text) >= _MIN_BLOCKS


def drawn_as_text(page: Any, glyphs: Sequence[Glyph], codes: Codes) -> bool:
    """Whether some code of the page is no longer there without its glyphs: a font draws it."""
    if not draws_codes_as_text(glyphs) or not (codes.read or codes.unread):
        return False
    image = render(page, min(_DPI, ocr_dpi(page)), gray=True)
    paint_over_glyphs(image, page, [glyph for glyph in glyphs if glyph.visible and not glyph.is_blank])
    left = codes_in(image)
    return {code.text for code in left.read} != {code.text for code in codes.read} or len(left.unread) < len(
        codes.unread
    )


def hides_codes(pictures: Pictures, codes: Codes) -> bool:
    """Whether an image has a code that the page does not show legibly: it is cropped, covered, or too small there."""
    shown = {code.text for code in codes.read}
    return any(
        code.text not in shown
        for picture in pictures
        for layer in layers_of(picture)
        for code in codes_read_in(_contiguous(layer))
    )


def _contiguous(layer: Any) -> Any:
    return np.ascontiguousarray(in_gray(layer))
