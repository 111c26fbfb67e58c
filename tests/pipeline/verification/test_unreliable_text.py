"""OCR must read PDF pages with rows of unmapped glyphs, but not pages with single check boxes."""

import io

import pikepdf
import pypdf
import pypdfium2
import pytest
from pikepdf import Array, Dictionary, Name

from pipeline.verification.pdf import reader as pdf
from pipeline.verification.pdf import unreliable_text
from tests.hiding_places.pdf.text.build import remapped
from tests.pipeline.documents import papers

CIRCLED = (0x81, 0x80, 0x85, 0x88, 0x83, 0x87, 0x84, 0x89, 0x82, 0x85)  # 1058374925 in circles
BOX, TICKED = 0xA8, 0xFE


def page(codes: tuple[int, ...], right: int, down: int) -> bytes:
    """A page with a row of glyphs of a font without a mapping to characters."""
    file = pikepdf.new()
    blank = file.add_blank_page(page_size=(600, 400))
    descriptor = Dictionary(
        Type=Name.FontDescriptor, FontName=Name.Wingdings, Flags=4, FontBBox=Array([0, 0, 1000, 1000]),
        ItalicAngle=0, Ascent=900, Descent=-100, CapHeight=800, StemV=80,
    )  # fmt: skip
    font = Dictionary(
        Type=Name.Font, Subtype=Name.TrueType, BaseFont=Name.Wingdings, FirstChar=0, LastChar=255,
        Widths=Array([800] * 256), FontDescriptor=file.make_indirect(descriptor),
    )  # fmt: skip
    blank.add_resource(file.make_indirect(font), Name.Font, Name("/W"))
    shown = b" ".join(b"<%02x> Tj %d %d Td" % (code, right, -down) for code in codes)
    blank.contents_add(file.make_stream(b"BT /W 12 Tf 40 370 Td " + shown + b" ET"))
    data = io.BytesIO()
    file.save(data)
    return data.getvalue()


def is_unreliable(data: bytes) -> bool:
    with pypdfium2.PdfDocument(data) as document:
        text = document[0].get_textpage().get_text_range()
        return unreliable_text.is_unreliable(document[0], text, pypdf.PdfReader(io.BytesIO(data)).pages[0])


@pytest.mark.parametrize(("right", "down"), [(10, 0), (30, 0), (50, 0), (0, 15), (0, 35)])
def test_a_number_in_a_font_of_pictures_is_seen_however_wide_it_is_set(right: int, down: int) -> None:
    assert is_unreliable(page(CIRCLED, right, down))


@pytest.mark.parametrize(("right", "down"), [(50, 0), (0, 35), (50, 35)])
def test_lone_check_boxes_are_no_reason(right: int, down: int) -> None:
    assert not is_unreliable(page((BOX, TICKED, BOX, BOX, BOX, TICKED, BOX, BOX, BOX), right, down))


def test_codes_that_are_no_characters_say_nothing() -> None:
    """pdfium hands on what broken Unicode maps hold: numbers beyond the last character."""
    assert unreliable_text._is_unmapped(0xDBBFDCE0)
    assert unreliable_text._is_unmapped(0xFFFD)
    assert not unreliable_text._is_unmapped(ord("ع"))


def test_bare_codes_between_arabic_letters_part_no_word() -> None:
    """pdfium tells the strokes that lengthen words by their codes in the font, where no map names them."""
    data = papers.embedded_font_pdf("ﻲﺑﺮﺤﻟا نﺎـــﻤﻠﺳ")
    texts = pdf.read(remapped(data, {"ـ": "\x06"}))[0].texts
    assert "سلمـان الحربي" in {passage.text for passage in texts}
