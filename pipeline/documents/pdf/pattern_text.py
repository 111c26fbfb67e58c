"""Text in what pages draw with, not on: tiling patterns, soft masks, the drawings of Type 3 glyphs.

No redaction of a page reaches it, and one pattern may show it a hundred times. Each such stream is read by itself;
where something is found in it, or where its fonts do not say what they show, all its text goes.
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
_CLIPS = re.compile(rb"(?<![\d.])[4-7](?:\.0*)?\s+Tr(?!\w)")
_BEGINS = re.compile(rb"(?<!\w)BT(?!\w)")
_REFERENCE = re.compile(r"(\d+) 0 R")
_DEPTH = 8  # forms inside each other


def is_pattern_text(unit: str) -> bool:
    """Whether a unit is one of such a stream."""
    return unit.startswith(_UNIT)


def pattern_text_units(document: Any) -> Iterator[TextUnit]:
    """What each stream says. Adds a page to the document, on which they are read."""
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
    """Takes all text out of the streams with these unit ids, and out of the forms that they use."""
    for unit in sorted(units):
        _empty(document, int(unit.removeprefix(_UNIT)), 0)


def _empty(document: Any, xref: int, depth: int) -> None:
    data = document.xref_stream(xref)
    if data is None or depth > _DEPTH:
        return
    document.update_stream(xref, _without_text(data))
    kind, value = document.xref_get_key(xref, "Resources/XObject")
    if kind == "xref":
        value = document.xref_object(int(value.split()[0]))
    for form in map(int, _REFERENCE.findall(value) if kind in ("dict", "xref") else ()):
        if document.xref_get_key(form, "Subtype")[1] == "/Form":
            _empty(document, form, depth + 1)


def _without_text(data: bytes) -> bytes:
    with pikepdf.new() as file:
        kept = [
            instruction
            for instruction in pikepdf.parse_content_stream(file.make_stream(data))
            if str(instruction.operator) not in _SHOWING
        ]
        return bytes(pikepdf.unparse_content_stream(kept))


def _streams(document: Any) -> Iterator[int]:
    """Tiling patterns and the groups of soft masks, by number."""
    found: set[int] = set()
    for xref in range(1, document.xref_length()):
        try:
            said = document.xref_object(xref, compressed=True)
        except RuntimeError:
            continue  # the table names it, the file does not have it
        if "/PatternType 1" in said:
            found.add(xref)
        if "/SMask" in said or "/S/Luminosity" in said or "/S/Alpha" in said:
            found.update(map(int, re.findall(r"/G (\d+) 0 R", said)))
    yield from sorted(xref for xref in found if 0 < xref < document.xref_length() and document.xref_is_stream(xref))


class UntracedText:
    """Which pages paint through letters, or have letters that are pictures of other text: no glyph tells those."""

    def __init__(self, document: Any) -> None:
        self._document = document
        self._streams: dict[int, bool] = {}
        self._fonts: dict[int, bool] = {}

    def is_on(self, page: Any, glyphs: Sequence[Glyph]) -> bool:
        """Whether this page does. `glyphs` are those that its trace tells."""
        streams = {*page.get_contents(), *(xobject[0] for xobject in page.get_xobjects())}
        if any(map(self._may_clip, streams)):
            told = sum(len(glyph.text) for glyph in glyphs if not glyph.is_blank)
            shown = "".join(page.get_text(clip=pymupdf.INFINITE_RECT(), flags=0).split())
            if len(shown) > told:
                return True
        return any(kind == "Type3" and self._draws_text(xref) for xref, _, kind, *_ in page.get_fonts(full=True))

    def _may_clip(self, xref: int) -> bool:
        if xref not in self._streams:
            self._streams[xref] = _CLIPS.search(self._document.xref_stream(xref) or b"") is not None
        return self._streams[xref]

    def _draws_text(self, font: int) -> bool:
        if font not in self._fonts:
            kind, value = self._document.xref_get_key(font, "CharProcs") if font else ("null", "")
            if kind == "xref":
                value = self._document.xref_object(int(value.split()[0]))
            drawings = map(int, _REFERENCE.findall(value))
            self._fonts[font] = not font or any(
                _BEGINS.search(self._document.xref_stream(xref) or b"") for xref in drawings
            )
        return self._fonts[font]
