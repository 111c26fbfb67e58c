"""Renders PDF pages: for OCR, to detect ink without text, and as burned pictures."""

from collections.abc import Sequence
from typing import Any

import cv2
import numpy as np
import pymupdf

from pipeline.documents.document import Raster
from pipeline.documents.limits import MAX_RASTER_PIXELS, MAX_RASTER_SIDE
from pipeline.documents.pdf.page.glyphs import Glyph
from pipeline.documents.raster.burn import Box, burn, raster_png
from pipeline.documents.raster.hidden_lines import hidden_lines
from pipeline.documents.raster.hue import in_gray, without_false_hue
from pipeline.documents.raster.ink import Mark, characters, ink_of, line_boxes
from schemas.errors import ErrorCode, StageFailed, unsupported
from schemas.refusals import Reason

_OCR_DPI = 300
_LOOK_DPI = 100  # enough to detect text without reading it
_TEXT = ("fill-text", "stroke-text", "clip-text", "ignore-text")
_THIN = 3.0  # points: a path narrower than this is a rule


def shows_more_than_text(page: Any, glyphs: Sequence[Glyph], log: Any) -> bool:
    """Whether the page shows ink like characters that no visible glyph of its text layer explains.

    `log` is MuPDF's list of drawn objects with their bounding boxes.
    """
    drawn = [(kind, box) for kind, box in log if _may_hold_text(kind, box)]
    if not drawn:
        return False
    if not glyphs and any(kind == "fill-image" for kind, _ in drawn):
        return True  # probably a scan
    image = page_image(page, _LOOK_DPI)
    hidden = paint_over_glyphs(image, page, visible_glyphs(page, image, glyphs))
    marks = characters(ink_of(in_gray(image), _LOOK_DPI))
    if line_boxes(marks):
        return True
    if any(kind.startswith("fill-im") for kind, _ in drawn) and line_boxes(
        [Mark(m.top, m.left, m.height, m.width) for m in marks]
    ):
        return True  # an image with text rotated by 90 degrees
    return any(True for _ in hidden_lines(image, _LOOK_DPI, hidden))


def _may_hold_text(kind: str, box: tuple[float, float, float, float]) -> bool:
    return kind not in _TEXT and min(box[2] - box[0], box[3] - box[1]) > _THIN


def render(page: Any, dpi: int, *, gray: bool) -> Any:
    """The pixels of the page, (height, width) or (height, width, 3) in RGB, with all layers shown."""
    colors = pymupdf.csGRAY if gray else pymupdf.csRGB
    pixmap = page.get_pixmap(dpi=dpi, colorspace=colors, alpha=False, annots=True)
    flat = np.frombuffer(pixmap.samples_mv, np.uint8)
    rows = flat.reshape(pixmap.height, pixmap.stride)[:, : pixmap.width * pixmap.n]
    return rows.copy() if gray else rows.reshape(pixmap.height, pixmap.width, 3).copy()


def page_image(page: Any, dpi: int) -> Any:
    """The pixels of the page, (height, width, 3) in BGR, or (height, width) if it has no hue."""
    return without_false_hue(cv2.cvtColor(render(page, dpi, gray=False), cv2.COLOR_RGB2BGR))


def ocr_dpi(page: Any) -> int:
    """The resolution for OCR: 300 dpi, or less for a page that would exceed the limits of OCR."""
    width, height = page.rect.width, page.rect.height
    most = min((MAX_RASTER_PIXELS / max(width * height, 1.0)) ** 0.5, MAX_RASTER_SIDE / max(width, height, 1.0)) * 72
    if most < 20:
        raise unsupported(Reason.TOO_LARGE_PAGE)
    return int(min(_OCR_DPI, most))


def page_raster(page: Any, id_: str, hidden: Sequence[Glyph], *, has_hue: bool) -> tuple[Raster, bytes]:
    """The page for OCR, without the `hidden` glyphs."""
    dpi = ocr_dpi(page)
    image = page_image(page, dpi) if has_hue else render(page, dpi, gray=True)
    paint_over_glyphs(image, page, hidden)
    return Raster(id_, image.shape[1], image.shape[0], dpi, page.number), raster_png(image)


def visible_glyphs(page: Any, image: Any, glyphs: Sequence[Glyph]) -> list[Glyph]:
    """The glyphs that a person can see: not invisible, not covered by later objects, not in the colour of the paper.

    `image` is the page image at any resolution.
    """
    covers = [(order, box) for order, (kind, box) in enumerate(page.get_bboxlog()) if _may_hold_text(kind, box)]
    factor = image.shape[1] / max(page.rect.width, 1e-6)
    seen = []
    for glyph in glyphs:
        if not glyph.visible or glyph.is_blank:
            continue
        x, y = glyph.frame.to_page((glyph.start + glyph.end) / 2, glyph.baseline - 0.3 * glyph.size)
        if any(order > glyph.order and b[0] <= x <= b[2] and b[1] <= y <= b[3] for order, b in covers):
            continue
        left, top, right, bottom = glyph_box(glyph, factor, image.shape)
        patch = image[top:bottom, left:right]
        if patch.size and np.ptp(patch.reshape(-1, *patch.shape[2:]), axis=0).max() > 24:
            seen.append(glyph)
    return seen


def paint_over_glyphs(image: Any, page: Any, glyphs: Sequence[Glyph]) -> Any:
    """Paints over the glyphs with the colour around them. Returns a mask with ones at the painted pixels."""
    hidden = np.zeros(image.shape[:2], np.uint8)
    factor = image.shape[1] / max(page.rect.width, 1e-6)
    for glyph in glyphs:
        left, top, right, bottom = glyph_box(glyph, factor, image.shape)
        patch = image[top:bottom, left:right]
        if patch.size:
            edge = np.concatenate((patch[0], patch[-1]))
            patch[:] = np.median(edge, axis=0)
            hidden[top:bottom, left:right] = 1
    return hidden


def glyph_box(glyph: Glyph, factor: float, shape: Sequence[int]) -> tuple[int, int, int, int]:
    """The cell of the glyph in pixels (left, top, right, bottom), a little wider than its advance."""
    slack = 0.08 * glyph.size
    corners = [
        glyph.frame.to_page(along, down)
        for along in (glyph.start - slack, glyph.end + slack)
        for down in (glyph.baseline - 0.95 * glyph.size, glyph.baseline + 0.35 * glyph.size)
    ]
    left, right = min(x for x, _ in corners) * factor, max(x for x, _ in corners) * factor
    top, bottom = min(y for _, y in corners) * factor, max(y for _, y in corners) * factor
    height, width = shape[:2]
    return max(0, int(left)), max(0, int(top)), min(width, int(right) + 1), min(height, int(bottom) + 1)


_COLORED = 12  # levels: smaller differences between channels are gray paper and scanner noise
_MUCH = 0.0005  # least share of coloured pixels of a colour page: a stamp or a blue signature
_JPEG_QUALITY = 88


def burned_picture(page: Any, boxes: Sequence[Box]) -> bytes:
    """The page as an encoded picture with `boxes` (pixels at its OCR resolution) burned in."""
    image = render(page, ocr_dpi(page), gray=False)
    image = cv2.cvtColor(image, cv2.COLOR_RGB2BGR if _is_colored(image) else cv2.COLOR_RGB2GRAY)
    burn(image, boxes)
    return _encoded(image)


def replace_with_picture(document: Any, number: int, picture: bytes) -> None:
    """Makes the picture the only content of that page."""
    page = document[number]
    document.xref_set_key(page.xref, "Resources", "<<>>")
    document.xref_set_key(page.xref, "Contents", "null")
    document.xref_set_key(page.xref, "Annots", "null")
    fresh = document.reload_page(page)
    fresh.insert_image(fresh.rect, stream=picture, keep_proportion=False)  # its sides are whole pixels


def _is_colored(image: Any) -> bool:
    sample = image[::2, ::2]
    red, green, blue = (sample[:, :, channel] for channel in range(3))
    colored = (cv2.absdiff(red, green) > _COLORED) | (cv2.absdiff(green, blue) > _COLORED)
    return float(colored.mean()) > _MUCH


def _encoded(image: Any) -> bytes:
    """The image as PNG if it has few gray levels, else as JPEG."""
    few = image.ndim == 2 and float(((image > 8) & (image < 247)).mean()) < 0.02
    suffix, options = (
        (".png", [cv2.IMWRITE_PNG_COMPRESSION, 6]) if few else (".jpg", [cv2.IMWRITE_JPEG_QUALITY, _JPEG_QUALITY])
    )
    done, buffer = cv2.imencode(suffix, image, options)
    if not done:
        raise StageFailed(ErrorCode.IMAGE_REDACT_FAILED)
    return bytes(buffer)
