"""Whether OCR must see a page because its fonts do not say what their glyphs are; lone check boxes are no reason."""

import ctypes
import math
import re
import sys
from collections.abc import Iterator
from typing import Any, NamedTuple

import pypdfium2.raw as pdfium
from pypdf.generic import DictionaryObject

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
_MOST = 500  # such glyphs of a page that are compared with each other; a page of more is in doubt
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
                if not _is_of_pictures(name) or len(signs) == _MOST:
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
