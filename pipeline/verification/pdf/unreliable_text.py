"""Decides whether OCR must read a PDF page because its fonts do not map their glyphs to characters.

Single check boxes and bullets in symbol fonts are no reason.
"""

import ctypes
import math
import re
import sys
from collections.abc import Iterator
from typing import Any, NamedTuple

import pypdfium2.raw as pdfium
from pypdf.generic import DictionaryObject

_UNMAPPED = re.compile("[\ufffd\ue000-\uf8ff\U000f0000-\U0010ffff]")
# Symbol and mathematics fonts: their unmapped glyphs matter only if they form a row.
_SYMBOL_FONT = re.compile("wingdings|webdings|dingbats|symbol|awesome|cm(?:ex|sy)|ms[ab]m|math", re.IGNORECASE)
# So many unmapped glyphs close together may be a word: no value is shorter than three characters.
_MIN_ROW = 3
# So many different unmapped glyphs on one line or in one column may be a number in a form with one box per digit.
# Check boxes, bullets and ticks of a page have only two or three different glyphs.
_MIN_DIFFERENT = 4
_MIN_WITHOUT_CODE = 6  # glyphs without a character code: they may all be different
_NO_CODE = 0xFFFD
_MAX_GAP = 1.0  # times the larger side of a glyph: the largest distance between glyphs of one row
_MAX_NAME = 256  # bytes
_MAX_SYMBOLS = 500  # unmapped glyphs of a page that are compared; with more, the page is unreliable
_LEVEL = 0.01  # sine of the rotation of horizontal text


class _Glyph(NamedTuple):
    left: float
    bottom: float
    right: float
    top: float
    is_rotated: bool
    code: int  # the character that pdfium maps it to


def is_unreliable(page: Any, text: str, source: Any) -> bool:
    """Whether the text of a page may differ from what it shows, so that OCR must read it.

    `page` is pdfium's, `text` its text, and `source` the page of pypdf with its fonts.
    """
    unreliable = [font for font in _fonts(source.get("/Resources"), set(), 0) if _is_unreliable_font(font)]
    has_unmapped = _UNMAPPED.search(text) is not None
    if not unreliable and not has_unmapped:
        return False
    if not all(
        _is_symbol_font(str(font.get("/BaseFont", ""))) for font in unreliable if font.get("/Subtype") != "/Type3"
    ):
        return True
    if any(font.get("/Subtype") == "/Type3" for font in unreliable):
        return True
    return _has_unmapped_rows(page, {str(font.get("/BaseFont", ""))[1:] for font in unreliable})


def _is_symbol_font(name: str) -> bool:
    return _SYMBOL_FONT.search(name) is not None


def _has_unmapped_rows(page: Any, unreliable: set[str]) -> bool:
    """Whether unmapped glyphs form a row, or belong to a font of letters."""
    textpage = page.get_textpage()
    try:
        glyphs: list[_Glyph] = []
        for index in range(textpage.count_chars()):
            name = _font_name(textpage, index)
            code = pdfium.FPDFText_GetUnicode(textpage, index)
            if name in unreliable or _is_unmapped(code):
                if not _is_symbol_font(name) or len(glyphs) == _MAX_SYMBOLS:
                    return True
                angle = pdfium.FPDFText_GetCharAngle(textpage, index)
                is_rotated = abs(math.sin(angle)) > _LEVEL
                left, bottom, right, top = textpage.get_charbox(index)
                glyphs.append(_Glyph(left, bottom, right, top, is_rotated, _NO_CODE if code > sys.maxunicode else code))
        return any(_is_in_row(glyph, glyphs) for glyph in glyphs)
    finally:
        textpage.close()


def _is_in_row(glyph: _Glyph, glyphs: list[_Glyph]) -> bool:
    if sum(_are_adjacent(glyph, other) for other in glyphs) >= _MIN_ROW - 1:
        return True
    level = [other.code for other in glyphs if _distances(glyph, other)[1] <= 0]
    below = [other.code for other in glyphs if _distances(glyph, other)[0] <= 0]
    return any(
        len(set(codes)) >= _MIN_DIFFERENT or codes.count(_NO_CODE) >= _MIN_WITHOUT_CODE for codes in (level, below)
    )


def _is_unmapped(code: int) -> bool:
    """Whether a code has no meaning. ToUnicode CMaps of faulty writers also map to values beyond Unicode."""
    return code > sys.maxunicode or _UNMAPPED.match(chr(code)) is not None


def _are_adjacent(glyph: _Glyph, other: _Glyph) -> bool:
    """Whether two glyphs may be of one row; those of rotated text in any direction."""
    if glyph is other:
        return False
    reach = _MAX_GAP * max(glyph.right - glyph.left, glyph.top - glyph.bottom)
    across, along = _distances(glyph, other)
    is_level = not glyph.is_rotated and not other.is_rotated
    return across <= reach and along <= (0.0 if is_level else reach)


def _distances(glyph: _Glyph, other: _Glyph) -> tuple[float, float]:
    """The horizontal and the vertical distance between two glyphs; negative where they overlap."""
    across = max(glyph.left, other.left) - min(glyph.right, other.right)
    return across, max(glyph.bottom, other.bottom) - min(glyph.top, other.top)


def _font_name(textpage: Any, index: int) -> str:
    name, flags = ctypes.create_string_buffer(_MAX_NAME), ctypes.c_int()
    pdfium.FPDFText_GetFontInfo(textpage, index, name, _MAX_NAME, flags)
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


def _is_unreliable_font(font: DictionaryObject) -> bool:
    """Whether a font has no reliable mapping from its codes to characters."""
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
