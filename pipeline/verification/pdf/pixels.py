"""What OCR must see of a redacted PDF page: what it shows, and what its pictures hold under what is drawn over them."""

import ctypes
import math
import re
import sys
from collections.abc import Iterable, Iterator
from typing import Any, NamedTuple

import pypdfium2.raw as pdfium
from PIL import Image
from pypdf.generic import DictionaryObject

from pipeline.verification.image.low_contrast import hue_layers
from pipeline.verification.image.reader import is_blank
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
        yield from hue_layers(shown, gray)


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


# Whether OCR must see a page because its fonts do not say what their glyphs are; lone check boxes are no reason.

_UNKNOWN = re.compile("[\ufffd\ue000-\uf8ff\U000f0000-\U0010ffff]")
# Fonts of pictures and of mathematics: what their glyphs are called matters to nobody unless they make up a row.
_PICTURES = re.compile("wingdings|webdings|dingbats|symbol|awesome|cm(?:ex|sy)|ms[ab]m|math", re.IGNORECASE)
# Such glyphs close together may be a word; two are none: nothing that is looked for is shorter than three signs.
_ROW = 3
# Such different ones anywhere on one line, or one below the other, may be a number with a box to a digit. Check boxes,
# bullets and ticks are always the same two or three.
_DIFFERENT = 4
_NAMELESS = 6  # of which nothing tells whether they are different ones
_NO_CODE = 0xFFFD
_GAP = 1.0  # of a glyph's larger side: those of one row stand no further apart
_LONGEST_NAME = 256  # bytes
_MOST_SYMBOLS = 500  # such glyphs of a page that are compared with each other; a page of more is in doubt
_LEVEL = 0.01  # radians


class _Sign(NamedTuple):
    left: float
    bottom: float
    right: float
    top: float
    turned: bool
    code: int  # what pdfium takes it for


def is_doubtful(page: Any, text: str, source: Any) -> bool:
    """Whether a page (pdfium's), its `text`, or the fonts of its `source` (pypdf's) leave open what the page says."""
    doubted = [font for font in _fonts(source.get("/Resources"), set(), 0) if _is_doubtful(font)]
    unknown = _UNKNOWN.search(text) is not None
    if not doubted and not unknown:
        return False
    if not all(_is_of_pictures(str(font.get("/BaseFont", ""))) for font in doubted if font.get("/Subtype") != "/Type3"):
        return True
    if any(font.get("/Subtype") == "/Type3" for font in doubted):
        return True
    return _has_rows(page, {str(font.get("/BaseFont", ""))[1:] for font in doubted})


def _is_of_pictures(name: str) -> bool:
    return _PICTURES.search(name) is not None


def _has_rows(page: Any, doubted: set[str]) -> bool:
    """Whether glyphs that nobody can name make up a row, or belong to a font of letters."""
    textpage = page.get_textpage()
    try:
        signs: list[_Sign] = []
        for index in range(textpage.count_chars()):
            name = _font_name(textpage, index)
            code = pdfium.FPDFText_GetUnicode(textpage, index)
            if name in doubted or _is_unknown(code):
                if not _is_of_pictures(name) or len(signs) == _MOST_SYMBOLS:
                    return True
                angle = pdfium.FPDFText_GetCharAngle(textpage, index)
                turned = abs(math.sin(angle)) > _LEVEL
                left, bottom, right, top = textpage.get_charbox(index)
                signs.append(_Sign(left, bottom, right, top, turned, _NO_CODE if code > sys.maxunicode else code))
        return any(_is_of_row(sign, signs) for sign in signs)
    finally:
        textpage.close()


def _is_of_row(sign: _Sign, signs: list[_Sign]) -> bool:
    if sum(_is_beside(sign, other) for other in signs) >= _ROW - 1:
        return True
    level = [other.code for other in signs if _across(sign, other)[1] <= 0]
    below = [other.code for other in signs if _across(sign, other)[0] <= 0]
    return any(len(set(codes)) >= _DIFFERENT or codes.count(_NO_CODE) >= _NAMELESS for codes in (level, below))


def _is_unknown(code: int) -> bool:
    """Whether a code says nothing; Unicode maps of broken writers lead to some that are no characters at all."""
    return code > sys.maxunicode or _UNKNOWN.match(chr(code)) is not None


def _is_beside(sign: _Sign, other: _Sign) -> bool:
    """Whether two glyphs may be of one row; those of turned text in any direction."""
    if sign is other:
        return False
    reach = _GAP * max(sign.right - sign.left, sign.top - sign.bottom)
    across, along = _across(sign, other)
    is_level = not sign.turned and not other.turned
    return across <= reach and along <= (0.0 if is_level else reach)


def _across(sign: _Sign, other: _Sign) -> tuple[float, float]:
    """How far apart two glyphs stand from left to right, and from bottom to top; negative where they overlap."""
    across = max(sign.left, other.left) - min(sign.right, other.right)
    return across, max(sign.bottom, other.bottom) - min(sign.top, other.top)


def _font_name(textpage: Any, index: int) -> str:
    name, flags = ctypes.create_string_buffer(_LONGEST_NAME), ctypes.c_int()
    pdfium.FPDFText_GetFontInfo(textpage, index, name, _LONGEST_NAME, flags)
    return name.value.decode("utf-8", "replace")


def _fonts(resources: Any, seen: set[int], depth: int) -> Iterator[DictionaryObject]:
    resources = resources.get_object() if resources is not None else None
    if not isinstance(resources, DictionaryObject) or id(resources) in seen or depth > 10:
        return
    seen.add(id(resources))
    fonts = resources.get("/Font", DictionaryObject()).get_object()
    yield from (font.get_object() for font in fonts.values())
    for item in resources.get("/XObject", DictionaryObject()).get_object().values():
        inner = item.get_object()
        if inner.get("/Subtype") == "/Form":
            yield from _fonts(inner.get("/Resources"), seen, depth + 1)


def _is_doubtful(font: DictionaryObject) -> bool:
    """Whether a font says nothing, or nothing credible, of what its glyphs mean."""
    kind = font.get("/Subtype")
    if kind == "/Type3":
        return True
    if "/ToUnicode" in font:
        return False
    if kind == "/Type0":
        return str(font.get("/Encoding", "")) in ("/Identity-H", "/Identity-V", "")
    descriptor = font.get("/FontDescriptor")
    is_symbolic = descriptor is not None and bool(int(descriptor.get_object().get("/Flags", 0)) & 4)
    return "/Encoding" not in font and is_symbolic and descriptor is not None
