"""Which glyphs of a font are bare strokes: the outline tells, no name does."""

import struct

import pymupdf
import pytest

from pipeline.documents.pdf.page.font_encoding import kashida_strokes
from tests.pipeline.documents import papers

DEJAVU = papers.DEJAVU.read_bytes()


def glyph(character: str) -> int:
    return int(pymupdf.Font(fontbuffer=DEJAVU).has_glyph(ord(character)))


def test_what_lengthens_an_arabic_word_is_one() -> None:
    assert kashida_strokes(DEJAVU, [glyph("ـ"), glyph("م")]) == {glyph("ـ")}


@pytest.mark.parametrize("character", "1٠١.-_|باlI·")
def test_what_says_something_is_none(character: str) -> None:
    assert kashida_strokes(DEJAVU, [glyph(character)]) == set()


def test_a_stroke_that_joins_nothing_is_none() -> None:
    """Wider set, it leaves a gap beside itself."""
    (count,) = struct.unpack_from(">H", DEJAVU, 4)
    rows = [struct.unpack_from(">4sIII", DEJAVU, 12 + 16 * number) for number in range(count)]
    (metrics,) = [start for tag, _, start, _ in rows if tag == b"hmtx"]
    at = metrics + 4 * glyph("ـ")
    wider = DEJAVU[:at] + struct.pack(">H", 1200) + DEJAVU[at + 2 :]
    assert kashida_strokes(wider, [glyph("ـ")]) == set()


@pytest.mark.parametrize("program", [b"", b"true", DEJAVU[:400], papers.AMIRI.read_bytes()[:4] + b"\0" * 99])
def test_a_program_that_cannot_be_read_has_none(program: bytes) -> None:
    assert kashida_strokes(program, [1]) == set()
