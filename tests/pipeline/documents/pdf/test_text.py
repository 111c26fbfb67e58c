"""What a PDF's text layer says, in the order in which it is read."""

from collections.abc import Sequence

import pymupdf
import pytest

from pipeline.documents.document import Unread
from pipeline.documents.pdf import handler as pdf
from pipeline.documents.pdf.page.glyphs import glyphs_of
from pipeline.documents.pdf.page.layout import lay_out
from schemas.errors import StageFailed
from tests.hiding_places.pdf.text.build import drawn, pages
from tests.hiding_places.pdf.text.tables import MOBILES, PEOPLE, cell, numbered
from tests.pipeline.documents import papers


def text_of(data: bytes) -> str:
    extraction, _ = pdf.extract(data)
    return "\n".join(unit.text for unit in extraction.units if unit.billed)


def test_label_and_value_stand_on_one_line() -> None:
    data = papers.pdf([((50, 100), "National ID"), ((300, 100.5), papers.NATIONAL_ID), ((50, 130), "Next line")])
    assert text_of(data) == f"National ID\t{papers.NATIONAL_ID}\nNext line"


def test_words_drawn_piece_by_piece_are_joined() -> None:
    document = pymupdf.open()
    page = document.new_page()
    x = 50.0
    for piece in ("10123", "45672", " and", " more"):
        page.insert_text((x, 100), piece, fontsize=12)
        x += pymupdf.get_text_length(piece, "helv", 12)
    assert text_of(papers.saved(document)) == "1012345672 and more"


def test_each_page_is_a_unit_and_pages_are_counted() -> None:
    data = papers.pdf([((50, 100), "one")], [], [((50, 100), "three")])
    extraction, pixels = pdf.extract(data)
    assert [(unit.id, unit.text) for unit in extraction.units] == [("page/0", "one"), ("page/2", "three")]
    assert extraction.pages == 3 == pdf.inspect(data)
    assert not extraction.rasters and not pixels


def test_two_columns_of_prose_are_read_one_after_the_other() -> None:
    left = [((50, 100 + 14 * n), f"left line {n} of the first column is long") for n in range(8)]
    right = [((320, 100 + 14 * n), f"right line {n} of the second one is as long") for n in range(8)]
    heading = [((60, 70), "A heading that runs across both columns of the page, from left to right")]
    lines = text_of(
        papers.pdf([*heading, *[pair for two in zip(left, right, strict=True) for pair in two]], size=11)
    ).split("\n")
    assert lines[0].startswith("A heading")
    assert [line.split()[0] for line in lines[1:]] == ["left"] * 8 + ["right"] * 8


def apart(*rows: Sequence[tuple[float, str]], size: float = 11, y: float = 250) -> bytes:
    """Lines of texts, each in a text object of its own at its place along the line."""
    shown = [cell(text, x, y - 15 * number, size) for number, row in enumerate(rows) for x, text in row]
    return drawn(b"".join(shown), harmless=b"")


def test_the_cells_of_a_sheet_are_parted_where_they_all_but_touch() -> None:
    rows = [("No", "Mobile", "Employee", "Title")]
    rows += [(str(n), mobile, name, "Clerk") for n, (mobile, name) in enumerate(zip(MOBILES, PEOPLE, strict=True), 1)]
    assert text_of(numbered()).split("\n")[:-1] == ["\t".join(row) for row in rows]


def test_what_is_drawn_by_itself_is_a_word_of_its_own_without_a_column() -> None:
    assert text_of(apart([(50, "1"), (58.2, "Salman")])) == "1 Salman"


def test_a_text_that_runs_under_the_next_one_is_read_to_its_end() -> None:
    assert text_of(apart([(50, "Ziyad Hamad"), (100, "Printer jam")])) == "Ziyad Hamad\tPrinter jam"


def test_words_that_stand_alike_on_line_after_line_are_no_columns() -> None:
    dates = [[(50, f"1{n}"), (65.5, "May"), (91, "2018")] for n in range(5)]
    assert text_of(apart(*dates)).split("\n") == [f"1{n} May 2018" for n in range(5)]


def test_letters_that_are_each_drawn_by_themselves_make_words() -> None:
    shown, x = [], 50.0
    for letter in papers.NATIONAL_ID:
        shown.append((x, letter))
        x += pymupdf.get_text_length(letter, "helv", 11) + 0.15 * 11
    assert text_of(apart(shown, shown, shown)).split("\n") == [papers.NATIONAL_ID] * 3


def test_a_heading_goes_on_overleaf_until_the_next_one() -> None:
    heading, other = b"".join(_row(220, "Guest", "Passport")), b"".join(_row(220, "Item", "Shelf"))
    rows = [b"".join(_row(200 - 15 * n, f"R{n}", f"K{n}")) for n in range(2)]
    extraction, _ = pdf.extract(pages(heading + rows[0], rows[0] + rows[1], rows[0], other + rows[0]))
    again = [unit.text for unit in extraction.units if not unit.billed]
    assert again == ["Guest\tPassport\nR0\tK0\nR1\tK1", "Guest\tPassport\nR0\tK0"]


def _row(y: float, *texts: str) -> list[bytes]:
    return [cell(text, 50 + 120 * column, y) for column, text in enumerate(texts)]


def test_a_table_is_read_row_by_row() -> None:
    rows = [(f"Name {n}", f"10123456{n}2", f"05512345{n}7") for n in range(8)]
    cells = [((50 + 180 * column, 100 + 20 * n), cell) for n, row in enumerate(rows) for column, cell in enumerate(row)]
    assert text_of(papers.pdf(cells)).split("\n") == ["\t".join(row) for row in rows]


def test_arabic_drawn_in_typing_order_is_read_as_typed() -> None:
    assert text_of(papers.embedded_font_pdf("رقم الهوية 1012345672 سلمان")) == "رقم الهوية 1012345672 سلمان"


def test_arabic_drawn_from_the_right_is_read_in_logical_order() -> None:
    said = text_of(papers.embedded_font_pdf("صالح الحربي رقم الهوية", right_to_left=True))
    assert said == "صالح الحربي رقم الهوية"


def test_presentation_forms_in_visual_order_are_folded_and_turned() -> None:
    shaped = "ﺔﻳﻮﻬﻟا ﻢﻗر"  # as a program draws رقم الهوية that shapes and reverses by itself
    assert text_of(papers.embedded_font_pdf(f"1012345672 {shaped}")) == "رقم الهوية 1012345672"


def test_a_plus_sign_stays_before_its_number_in_an_arabic_line() -> None:
    assert text_of(papers.embedded_font_pdf("+966 55 123 4567 ﻝاﻮﺠﻟا ﻢﻗر")) == "رقم الجوال +966 55 123 4567"


def test_latin_ligatures_are_taken_apart_and_every_letter_knows_its_glyph() -> None:
    with pymupdf.open(stream=papers.embedded_font_pdf("oﬃce 12", papers.DEJAVU)) as document:
        layout = lay_out(glyphs_of(document[0]))
    assert layout.text == "office 12"
    assert layout.owners[1] == layout.owners[2] == layout.owners[3]
    assert len(layout.owners) == len(layout.text)


@pytest.mark.parametrize("turn", [90, 180, 270])
def test_a_rotated_page_and_rotated_text_are_read(turn: int) -> None:
    document = pymupdf.open()
    page = document.new_page()
    page.insert_text((100, 200), f"Identity {papers.NATIONAL_ID} of the holder", fontsize=12)
    page.insert_text((300, 500), f"Upright {papers.IQAMA} holder", fontsize=12, rotate=turn)
    page.set_rotation(turn)
    lines = text_of(papers.saved(document)).split("\n")
    assert sorted(lines) == [f"Identity {papers.NATIONAL_ID} of the holder", f"Upright {papers.IQAMA} holder"]


def test_text_outside_the_crop_box_and_invisible_text_are_read_too() -> None:
    document = pymupdf.open()
    page = document.new_page()
    page.insert_text((10, 30), "outside", fontsize=12)
    page.insert_text((150, 300), "invisible", fontsize=12, render_mode=3)
    page.set_cropbox(pymupdf.Rect(100, 200, 500, 700))
    assert set(text_of(papers.saved(document)).split("\n")) == {"outside", "invisible"}


def test_form_fields_and_annotations_are_read_as_page_text() -> None:
    document = pymupdf.open()
    page = document.new_page()
    field = pymupdf.Widget()
    field.rect, field.field_type, field.field_name = pymupdf.Rect(50, 100, 300, 120), pymupdf.PDF_WIDGET_TYPE_TEXT, "id"
    field.field_value = papers.NATIONAL_ID
    page.add_widget(field)
    page.add_freetext_annot(pymupdf.Rect(50, 200, 300, 230), papers.IQAMA, fontsize=12)
    said = text_of(papers.saved(document))
    assert papers.NATIONAL_ID in said and papers.IQAMA in said


def test_hidden_layers_are_gone_and_counted_before_anything_is_read() -> None:
    document = pymupdf.open()
    hidden, shown = document.add_ocg("secret", on=False), document.add_ocg("open", on=True)
    page = document.new_page()
    page.insert_text((50, 100), papers.NATIONAL_ID, fontsize=12, oc=hidden)
    page.insert_text((50, 130), papers.IQAMA, fontsize=12, oc=shown)
    data = papers.saved(document)
    assert text_of(data) == papers.IQAMA
    assert dict(pdf.extract(data)[0].unread)[Unread.LAYER] == 1


def test_a_page_with_too_many_glyphs_is_refused() -> None:
    data = papers.content_pdf(b"BT /F 9 Tf 50 100 Td " + (b"(" + b"a" * 1000 + b") Tj ") * 260 + b"ET")
    with pytest.raises(StageFailed, match="unsupported_format"):
        pdf.extract(data)


def owner_only() -> bytes:
    document = pymupdf.open()
    document.new_page().insert_text((50, 100), papers.NATIONAL_ID)
    return papers.saved(document, encryption=pymupdf.PDF_ENCRYPT_AES_256, owner_pw="owner", user_pw="")


def test_a_file_that_only_its_owner_may_change_is_opened() -> None:
    assert pdf.inspect(owner_only()) == 1
    assert text_of(owner_only()) == papers.NATIONAL_ID


def locked() -> bytes:
    document = pymupdf.open()
    document.new_page()
    return papers.saved(document, encryption=pymupdf.PDF_ENCRYPT_AES_256, owner_pw="owner", user_pw="user")


@pytest.mark.parametrize(
    "data",
    [
        b"",
        b"%PDF-1.7\n",
        b"not a PDF at all",
        b"%PDF-1.7\n1 0 obj\n<</Type/Catalog/Pages 1 0 R>>\nendobj\ntrailer<</Root 1 0 R>>\n%%EOF",
        papers.encoded(papers.picture("a picture")),
        papers.pdf([((50, 100), "cut off")])[:-400],
        locked(),
    ],
    ids=["empty", "header", "text", "cyclic", "png", "truncated", "password"],
)
def test_what_is_no_whole_readable_pdf_is_refused(data: bytes) -> None:
    for verb in (pdf.inspect, pdf.extract):
        with pytest.raises(StageFailed, match="unsupported_format"):
            verb(data)
