"""Finds text in tiling patterns, in soft masks and in the glyph descriptions of Type 3 fonts.

Redaction of a page does not change these streams, and one pattern may show its text a hundred times. Each stream of a
pattern or soft mask is a unit of its own; if it contains a finding, all its text is removed.
"""

import re
from collections.abc import Iterator, Sequence
from typing import Any

import pikepdf
import pymupdf

from pipeline.documents.document import TextUnit
from pipeline.documents.pdf.page.glyphs import Glyph, glyphs_of
from pipeline.documents.pdf.page.layout import lay_out

_UNIT = "aside/"
_SHOWING = ("Tj", "TJ", "'", '"')
_CLIPPING_MODE = re.compile(rb"(?<![\d.])[4-7](?:\.0*)?\s+Tr(?!\w)")
_BEGIN_TEXT = re.compile(rb"(?<!\w)BT(?!\w)")
_REFERENCE = re.compile(r"(\d+) 0 R")
_MAX_DEPTH = 8  # of nested form XObjects


def is_pattern_text(unit: str) -> bool:
    """Whether the unit is the text of a pattern or soft mask."""
    return unit.startswith(_UNIT)


def pattern_text_units(document: Any) -> Iterator[TextUnit]:
    """The text of each pattern and soft mask. Adds a page to the document, on which they are rendered one by one."""
    streams = list(_streams(document))
    if not streams:
        return
    document.new_page()
    number = document.page_count - 1
    for xref in streams:
        page = document[number]
        kind, resources = document.xref_get_key(xref, "Resources")
        document.xref_set_key(page.xref, "Resources", resources if kind in ("dict", "xref") else "<<>>")
        document.xref_set_key(page.xref, "Contents", f"{xref} 0 R")
        text = lay_out(glyphs_of(document.reload_page(page))).text
        if text:
            yield TextUnit(f"{_UNIT}{xref}", text, billed=False)


def remove_pattern_text(document: Any, units: set[str]) -> None:
    """Removes all text from the streams with these unit ids and from the form XObjects that they use."""
    for unit in sorted(units):
        _remove_text(document, int(unit.removeprefix(_UNIT)), 0)


def _remove_text(document: Any, xref: int, depth: int) -> None:
    data = document.xref_stream(xref)
    if data is None or depth > _MAX_DEPTH:
        return
    document.update_stream(xref, _without_text(data))
    kind, value = document.xref_get_key(xref, "Resources/XObject")
    if kind == "xref":
        value = document.xref_object(int(value.split()[0]))
    for form in map(int, _REFERENCE.findall(value) if kind in ("dict", "xref") else ()):
        if document.xref_get_key(form, "Subtype")[1] == "/Form":
            _remove_text(document, form, depth + 1)


def _without_text(data: bytes) -> bytes:
    with pikepdf.new() as file:
        kept = [
            instruction
            for instruction in pikepdf.parse_content_stream(file.make_stream(data))
            if str(instruction.operator) not in _SHOWING
        ]
        return bytes(pikepdf.unparse_content_stream(kept))


def _streams(document: Any) -> Iterator[int]:
    """The xrefs of tiling patterns and of the transparency groups of soft masks, ascending."""
    found: set[int] = set()
    for xref in range(1, document.xref_length()):
        try:
            text = document.xref_object(xref, compressed=True)
        except RuntimeError:
            continue  # the cross-reference table has an entry without an object
        if "/PatternType 1" in text:
            found.add(xref)
        if "/SMask" in text or "/S/Luminosity" in text or "/S/Alpha" in text:
            found.update(map(int, re.findall(r"/G (\d+) 0 R", text)))
    yield from sorted(xref for xref in found if 0 < xref < document.xref_length() and document.xref_is_stream(xref))


class UntracedText:
    """Detects text that the text trace lacks: clipping text, and text inside Type 3 glyph descriptions."""

    def __init__(self, document: Any) -> None:
        self._document = document
        self._streams: dict[int, bool] = {}
        self._fonts: dict[int, bool] = {}

    def is_on(self, page: Any, glyphs: Sequence[Glyph]) -> bool:
        """Whether the page shows such text. `glyphs` are those of its text trace."""
        streams = {*page.get_contents(), *(xobject[0] for xobject in page.get_xobjects())}
        if any(map(self._may_clip, streams)):
            traced = sum(len(glyph.text) for glyph in glyphs if not glyph.is_blank)
            shown = "".join(page.get_text(clip=pymupdf.INFINITE_RECT(), flags=0).split())
            if len(shown) > traced:
                return True
        return any(kind == "Type3" and self._draws_text(xref) for xref, _, kind, *_ in page.get_fonts(full=True))

    def _may_clip(self, xref: int) -> bool:
        if xref not in self._streams:
            self._streams[xref] = _CLIPPING_MODE.search(self._document.xref_stream(xref) or b"") is not None
        return self._streams[xref]

    def _draws_text(self, font: int) -> bool:
        if font not in self._fonts:
            kind, value = self._document.xref_get_key(font, "CharProcs") if font else ("null", "")
            if kind == "xref":
                value = self._document.xref_object(int(value.split()[0]))
            drawings = map(int, _REFERENCE.findall(value))
            self._fonts[font] = not font or any(
                _BEGIN_TEXT.search(self._document.xref_stream(xref) or b"") for xref in drawings
            )
        return self._fonts[font]
