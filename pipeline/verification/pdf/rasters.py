"""The rasters of a redacted PDF page for OCR: the rendered page, and images that are covered or cut off on it."""

import ctypes
from collections.abc import Iterable, Iterator
from typing import Any

import pypdfium2.raw as pdfium
from PIL import Image

from pipeline.verification.codes.reader import codes_in
from pipeline.verification.image.reader import is_blank
from pipeline.verification.limits import MAX_RASTER_PIXELS, MAX_RASTER_SIDE
from schemas.errors import ErrorCode, StageFailed

_DPI = 300
_PREVIEW_DPI = 100  # enough to see whether a region has ink
_MIN_IMAGE = 8.0  # points: a smaller image cannot show a word
_MAX_LETTER = 60.0  # points: taller paths are not letters
_MIN_LETTER_PATHS = 15  # letter-sized paths from which on a page may draw text without a font
_MAX_FLAT = 40  # gray levels by which a region without ink may vary
_MIN_COVER = 5.0  # points: a smaller cover cannot hide a word
_MAX_OBJECTS = 5_000  # images of a page, and drawings over them
_MAX_SIDE = 5_000  # pixels of the longer side of an image that is read by itself
_CODE_DPI = 200  # resolution at which codes are looked for
_MIN_SHAPES = 12  # shapes that may be bars or modules
_MAX_MODULE = 32.0  # points: modules are smaller in both directions
_MAX_BAR = 8.5  # points: the thinnest bars of a code of five characters that fits on A4 are narrower
_MAX_CORNERS = 8  # of a rectangle with what closes it; more is an outline
_MIN_BLOCKS = 40  # block characters that may draw a code
_FINE = 330  # dots per inch: a finer image may hold a code that the page cannot show
_MIN_CODE = 10  # pixels of the smallest code, one per module
_MARGIN = 2.0  # points by which an image may extend beyond its page

Bounds = tuple[float, float, float, float]  # left, bottom, right, top, in points


def dpi(page: Any) -> int:
    """300 dots per inch, fewer for a page that would exceed the limits of OCR."""
    width, height = page.get_size()
    most = min((MAX_RASTER_PIXELS / max(width * height, 1.0)) ** 0.5, MAX_RASTER_SIDE / max(width, height, 1.0)) * 72
    return int(min(_DPI, most))


def page_raster(page: Any, is_unreliable: bool) -> Image.Image | None:
    """The rendered page for OCR: all of it if its text is unreliable, else without its text, if anything is left.

    A page that shows a barcode or matrix code is read too, all of it if text draws the code. Removes objects from the
    page.
    """
    texts = [] if is_unreliable else list(page.get_objects(filter=(pdfium.FPDF_PAGEOBJ_TEXT,), max_depth=1))
    if is_unreliable or (not texts and _has_images_or_paths(page)):
        return _if_inked(_render(page, dpi(page)))
    codes = _codes_of(page) if _may_draw_codes(page) else 0
    if not codes and not _has_images_or_paths(page):
        return None
    whole = _render(page, dpi(page)) if codes else None
    _remove(page, texts)
    shown = _render(page, dpi(page))
    return _if_inked(shown if whole is None or _codes_of(page) >= codes else whole)


def _if_inked(shown: Image.Image) -> Image.Image | None:
    return None if is_blank(shown) else shown


def _codes_of(page: Any) -> int:
    """The number of codes that the page shows."""
    return len(dict.fromkeys(text for text, _ in codes_in(_render(page, min(_CODE_DPI, dpi(page))).convert("L"))))


def _may_draw_codes(page: Any) -> bool:
    """Whether the page has an image, shapes enough for a code, or block characters in number."""
    shapes = 0
    for item in page.get_objects(max_depth=10):
        if item.type in (pdfium.FPDF_PAGEOBJ_IMAGE, pdfium.FPDF_PAGEOBJ_SHADING):
            return True
        if item.type == pdfium.FPDF_PAGEOBJ_PATH:
            shapes += _code_shapes(item)
        if shapes >= _MIN_SHAPES:
            return True
    text_page = page.get_textpage()
    blocks = sum("\u2580" <= letter <= "\u259f" for letter in text_page.get_text_range())
    text_page.close()
    return bool(blocks >= _MIN_BLOCKS)


def _code_shapes(path: Any) -> int:
    """How many shapes of a path may be bars or modules of a code; an outline of many sides counts as one for each four.

    The boxes of a redaction are larger than modules and thicker than bars; all of a page may be one path.
    """
    if path.level:  # in a form, whose own size the page may shrink: any shape may be a module
        return max(1, int(pdfium.FPDFPath_CountSegments(path)) // 4)
    a, b, c, d, _, _ = path.get_matrix().get()  # turns and scales what is drawn
    shapes, outline = 0, list[tuple[float, float]]()

    def close() -> int:
        if len(outline) > _MAX_CORNERS:
            return len(outline) // 4
        if not outline:
            return 0
        across, down = ([point[axis] for point in outline] for axis in (0, 1))
        small, large = sorted((max(across) - min(across), max(down) - min(down)))
        return int(large < _MAX_MODULE or small < _MAX_BAR)

    x, y = ctypes.c_float(), ctypes.c_float()
    for number in range(pdfium.FPDFPath_CountSegments(path)):
        segment = pdfium.FPDFPath_GetPathSegment(path, number)
        if pdfium.FPDFPathSegment_GetType(segment) == pdfium.FPDF_SEGMENT_MOVETO:
            shapes += close()
            outline.clear()
            if shapes >= _MIN_SHAPES:
                return shapes
        pdfium.FPDFPathSegment_GetPoint(segment, x, y)
        outline.append((a * x.value + c * y.value, b * x.value + d * y.value))
    return shapes + close()


def covered_images(page: Any) -> Iterator[Any]:
    """The images of a page that drawings or later images cover, or that extend beyond the page, if they have ink.

    A black box drawn over a scan does not redact the scan. Removes objects from the page.
    """
    images: list[tuple[Any, Bounds]] = []
    drawings: list[Any] = []
    covers: list[Bounds] = []
    hidden_images: dict[int, Any] = {}
    page.set_rotation(0)
    page_bounds = page.get_cropbox()
    for item in page.get_objects(max_depth=1):
        if not images and item.type != pdfium.FPDF_PAGEOBJ_IMAGE:
            drawings.append(item)
            continue
        bounds = item.get_bounds()
        covered = [
            (number, intersection)
            for number, (_, other) in enumerate(images)
            if (intersection := _intersection(bounds, other))
        ]
        if item.type == pdfium.FPDF_PAGEOBJ_IMAGE:
            if _hides_code(item, bounds):
                hidden_images[len(images)] = item
            hidden_images.update((number, images[number][0]) for number, _ in covered)
            if _extends_beyond(bounds, page_bounds):
                hidden_images[len(images)] = item
            images.append((item, bounds))
        else:
            drawings.append(item)
            covers += [intersection for _, intersection in covered if item.type != pdfium.FPDF_PAGEOBJ_TEXT]
        if len(images) > _MAX_OBJECTS or len(covers) > _MAX_OBJECTS:
            raise StageFailed(ErrorCode.VERIFY_FAILED)
    for item in hidden_images.values():
        own = item.get_bitmap().to_pil().convert("L")
        if min(own.size) >= _MIN_IMAGE and not is_blank(own):
            own.thumbnail((_MAX_SIDE, _MAX_SIDE))
            yield own
    if covers:
        _remove(page, drawings)
        preview = _render(page, _PREVIEW_DPI).convert("L")
        if any(_has_ink(preview, bounds, page_bounds) for bounds in dict.fromkeys(covers)):
            yield _render(page, dpi(page)).convert("L")


def _hides_code(item: Any, bounds: Bounds) -> bool:
    """Whether an image that is finer than its page can show holds a code."""
    width, height = item.get_px_size()
    points = max(min(bounds[2] - bounds[0], bounds[3] - bounds[1]), 1e-3)
    if min(width, height) < _MIN_CODE or min(width, height) * 72 / points < _FINE:
        return False
    own = item.get_bitmap().to_pil().convert("L")
    own.thumbnail((_MAX_SIDE, _MAX_SIDE))
    return any(True for _ in codes_in(own))


def _intersection(one: Bounds, other: Bounds) -> Bounds | None:
    """The intersection of two bounds, if it is large enough for a word."""
    left, bottom = max(one[0], other[0]), max(one[1], other[1])
    right, top = min(one[2], other[2]), min(one[3], other[3])
    return (left, bottom, right, top) if right - left > _MIN_COVER and top - bottom > _MIN_COVER else None


def _extends_beyond(bounds: Bounds, page: Bounds) -> bool:
    """Whether an image extends beyond its page."""
    before = bounds[0] < page[0] - _MARGIN or bounds[1] < page[1] - _MARGIN
    return before or bounds[2] > page[2] + _MARGIN or bounds[3] > page[3] + _MARGIN


def _has_ink(preview: Image.Image, bounds: Bounds, page: Bounds) -> bool:
    """Whether a region of the low-resolution rendering has more than one gray level."""
    scale = _PREVIEW_DPI / 72
    left, right = bounds[0] - page[0], bounds[2] - page[0]
    top, bottom = page[3] - bounds[3], page[3] - bounds[1]
    box = (int(left * scale) + 2, int(top * scale) + 2, int(right * scale) - 2, int(bottom * scale) - 2)
    if box[2] <= box[0] or box[3] <= box[1]:
        return False
    levels = [level for level, count in enumerate(preview.crop(box).histogram()) if count]
    return levels[-1] - levels[0] > _MAX_FLAT


def _render(page: Any, at: int) -> Image.Image:
    image: Image.Image = page.render(scale=at / 72, draw_annots=True).to_pil().convert("RGB")
    return image


def _remove(page: Any, items: Iterable[Any]) -> None:
    for item in list(items):
        page.remove_obj(item)
        item.close()


def _has_images_or_paths(page: Any) -> bool:
    """Whether the page has an image large enough for a word, a shading, or enough letter-sized paths for text."""
    shapes = 0
    for item in page.get_objects(max_depth=10):
        if item.type == pdfium.FPDF_PAGEOBJ_SHADING:
            return True
        if item.type not in (pdfium.FPDF_PAGEOBJ_IMAGE, pdfium.FPDF_PAGEOBJ_PATH):
            continue
        left, bottom, right, top = item.get_bounds()
        width, height = right - left, top - bottom
        if item.type == pdfium.FPDF_PAGEOBJ_IMAGE:
            if min(width, height) >= _MIN_IMAGE:
                return True
        elif pdfium.FPDFPath_CountSegments(item) > 5 and height <= _MAX_LETTER:
            shapes += pdfium.FPDFPath_CountSegments(item) // 6  # one path may contain many letters
    return shapes >= _MIN_LETTER_PATHS
