"""Judges, once per document, whether a font's letters are what the PDF claims they are."""

from collections import defaultdict
from collections.abc import Iterable
from typing import Any

import pymupdf

from pipeline.documents.pdf_glyphs import UNKNOWN, Glyph, fold

_STANDARD = ("WinAnsiEncoding", "MacRomanEncoding", "StandardEncoding")


class Claims:
    """Which glyph of which font is claimed to be which character, gathered over the pages of one document."""

    def __init__(self) -> None:
        self._pairs: dict[str, set[tuple[int, str]]] = defaultdict(set)

    def add(self, glyphs: Iterable[Glyph]) -> None:
        """Remembers what these glyphs claim."""
        for glyph in glyphs:
            if glyph.claims.strip():
                self._pairs[glyph.font].add((glyph.code, glyph.claims))

    def liars(self, document: Any) -> frozenset[str]:
        """Names, as glyphs carry them, of the fonts that cannot be believed."""
        embedded = _fonts_by_name(document)
        return frozenset(
            name for name, pairs in self._pairs.items() if not _is_believable(document, embedded[_plain(name)], pairs)
        )


def _plain(name: str) -> str:
    """A font's name without subset tag, blanks and hyphens: the PDF and the font program spell it differently."""
    if len(name) > 7 and name[6] == "+":
        name = name[7:]
    return "".join(c for c in name.lower() if c.isalnum()).removesuffix("regular")


def _fonts_by_name(document: Any) -> dict[str, list[int]]:
    found: dict[str, list[int]] = defaultdict(list)
    seen: set[int] = set()
    for number in range(document.page_count):
        for xref, _, _, name, *_ in document.get_page_fonts(number, full=True):
            if xref and xref not in seen:
                seen.add(xref)
                found[_plain(name)].append(xref)
    return found


def _is_believable(document: Any, xrefs: list[int], pairs: set[tuple[int, str]]) -> bool:
    if any(claims == UNKNOWN or _is_private(claims) for _, claims in pairs):
        return False
    return all(_font_is_believable(document, xref, pairs) for xref in xrefs)


def _is_private(claims: str) -> bool:
    return any(0xE000 <= ord(c) <= 0xF8FF or ord(c) >= 0xF0000 for c in claims)


def _font_is_believable(document: Any, xref: int, pairs: set[tuple[int, str]]) -> bool:
    kind = document.xref_get_key(xref, "Subtype")[1]
    if kind == "/Type3":
        return False
    program = document.extract_font(xref)[3]
    if not program:
        return True
    return _agrees_with_program(program, pairs)


def _agrees_with_program(program: bytes, pairs: set[tuple[int, str]]) -> bool:
    """Whether no claim contradicts the font program's own character map."""
    font = pymupdf.Font(fontbuffer=program)
    known: dict[int, set[str]] = defaultdict(set)
    for code in font.valid_codepoints():
        known[font.has_glyph(code)].add(fold(chr(code)))
    return not any(number in known and fold(claims) not in known[number] for number, claims in pairs if number > 0)
