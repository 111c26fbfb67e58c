"""What OCR must see of a redacted PDF page: what it shows, and what its pictures hold under what is drawn over them."""

from collections.abc import Iterable, Iterator
from typing import Any

import pypdfium2.raw as pdfium
from PIL import Image

from pipeline.verification.hue import by_hue
from pipeline.verification.image import is_blank
from pipeline.verification.limits import MAX_RASTER_PIXELS, MAX_RASTER_SIDE
from schemas.errors import ErrorCode, StageFailed

_DPI = 300
_LOOK_DPI = 100  # enough to see whether something is there
_LEAST_PICTURE = 8.0  # points: a smaller picture shows no word
_LARGEST_LETTER = 60.0  # points: taller shapes are not letters
_OUTLINED = 15  # letter-like shapes from which on a page may show text without a font
_FLAT = 40  # levels of gray by which a region without ink may vary
_LEAST_COVER = 5.0  # points: under less, no word is hidden
_MOST = 5_000  # pictures of a page, and drawings over them, that are looked at
_LONGEST_SIDE = 5_000  # pixels of a picture that is read by itself
_BESIDE = 2.0  # points by which a picture may reach out of its page

Bounds = tuple[float, float, float, float]  # left, bottom, right, top, in points


def dpi(page: Any) -> int:
    """300, less where the page is larger than OCR can take."""
    width, height = page.get_size()
    most = min((MAX_RASTER_PIXELS / max(width * height, 1.0)) ** 0.5, MAX_RASTER_SIDE / max(width, height, 1.0)) * 72
    return int(min(_DPI, most))


def pictures(page: Any, is_doubtful: bool) -> Iterator[Any]:
    """The page as OCR must see it: whole where its text is in doubt, else what it shows beside text, if anything.

    Further pictures, where there are any, hold what the first cannot show in gray. Takes the page apart.
    """
    if not is_doubtful and not _shows_pictures(page):
        return
    if not is_doubtful:
        _remove(page, page.get_objects(filter=(pdfium.FPDF_PAGEOBJ_TEXT,), max_depth=1))
    shown = _render(page, dpi(page))
    if not is_blank(shown):
        gray = shown.convert("L")
        yield gray
        yield from by_hue(shown, gray)


def covered(page: Any) -> Iterator[Any]:
    """What the page's pictures hold under drawings, under later pictures or beyond the page's edges, if anything.

    Black boxes over a scan are no redaction of it. Takes the page apart.
    """
    images: list[tuple[Any, Bounds]] = []
    drawings: list[Any] = []
    covers: list[Bounds] = []
    suspects: dict[int, Any] = {}
    page.set_rotation(0)
    page_bounds = page.get_cropbox()
    for item in page.get_objects(max_depth=1):
        if not images and item.type != pdfium.FPDF_PAGEOBJ_IMAGE:
            drawings.append(item)
            continue
        bounds = item.get_bounds()
        under = [(number, common) for number, (_, other) in enumerate(images) if (common := _common(bounds, other))]
        if item.type == pdfium.FPDF_PAGEOBJ_IMAGE:
            suspects.update((number, images[number][0]) for number, _ in under)
            if _reaches_out(bounds, page_bounds):
                suspects[len(images)] = item
            images.append((item, bounds))
        else:
            drawings.append(item)
            covers += [common for _, common in under if item.type != pdfium.FPDF_PAGEOBJ_TEXT]
        if len(images) > _MOST or len(covers) > _MOST:
            raise StageFailed(ErrorCode.VERIFY_FAILED)
    for item in suspects.values():
        own = item.get_bitmap().to_pil().convert("L")
        if min(own.size) >= _LEAST_PICTURE and not is_blank(own):
            own.thumbnail((_LONGEST_SIDE, _LONGEST_SIDE))
            yield own
    if covers:
        _remove(page, drawings)
        look = _render(page, _LOOK_DPI).convert("L")
        if any(_holds_ink(look, bounds, page_bounds) for bounds in dict.fromkeys(covers)):
            yield _render(page, dpi(page)).convert("L")


def _common(one: Bounds, other: Bounds) -> Bounds | None:
    """The region that two have in common, where it is large enough for a word."""
    left, bottom = max(one[0], other[0]), max(one[1], other[1])
    right, top = min(one[2], other[2]), min(one[3], other[3])
    return (left, bottom, right, top) if right - left > _LEAST_COVER and top - bottom > _LEAST_COVER else None


def _reaches_out(bounds: Bounds, page: Bounds) -> bool:
    """Whether something lies beyond the edges of its page."""
    before = bounds[0] < page[0] - _BESIDE or bounds[1] < page[1] - _BESIDE
    return before or bounds[2] > page[2] + _BESIDE or bounds[3] > page[3] + _BESIDE


def _holds_ink(look: Image.Image, bounds: Bounds, page: Bounds) -> bool:
    """Whether a region of a look at the page is not of one colour."""
    scale = _LOOK_DPI / 72
    left, right = bounds[0] - page[0], bounds[2] - page[0]
    top, bottom = page[3] - bounds[3], page[3] - bounds[1]
    box = (int(left * scale) + 2, int(top * scale) + 2, int(right * scale) - 2, int(bottom * scale) - 2)
    if box[2] <= box[0] or box[3] <= box[1]:
        return False
    levels = [level for level, count in enumerate(look.crop(box).histogram()) if count]
    return levels[-1] - levels[0] > _FLAT


def _render(page: Any, at: int) -> Image.Image:
    image: Image.Image = page.render(scale=at / 72, draw_annots=True).to_pil().convert("RGB")
    return image


def _remove(page: Any, items: Iterable[Any]) -> None:
    for item in list(items):
        page.remove_obj(item)
        item.close()


def _shows_pictures(page: Any) -> bool:
    """Whether the page shows images of notable size, shadings, or enough letter-like shapes to be text."""
    shapes = 0
    for item in page.get_objects(max_depth=10):
        if item.type == pdfium.FPDF_PAGEOBJ_SHADING:
            return True
        if item.type not in (pdfium.FPDF_PAGEOBJ_IMAGE, pdfium.FPDF_PAGEOBJ_PATH):
            continue
        left, bottom, right, top = item.get_bounds()
        width, height = right - left, top - bottom
        if item.type == pdfium.FPDF_PAGEOBJ_IMAGE:
            if min(width, height) >= _LEAST_PICTURE:
                return True
        elif pdfium.FPDFPath_CountSegments(item) > 5 and height <= _LARGEST_LETTER:
            shapes += pdfium.FPDFPath_CountSegments(item) // 6  # one path may hold many letters
    return shapes >= _OUTLINED
