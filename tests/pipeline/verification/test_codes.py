"""The second reading's own eyes: what ZBar and libdmtx read, what is located only, and what becomes of it."""

from dataclasses import replace

import numpy as np
import pytest
from PIL import Image

from pipeline.documents.document import Engine, Raster, Reading, Word
from pipeline.verification.codes import reader
from pipeline.verification.codes.reader import SeenCode, codes_in, codes_of, readers, text_of
from pipeline.verification.seen_codes import with_seen_codes
from schemas.errors import StageFailed
from tests.conftest import every
from tests.pipeline.documents.papers import encoded
from tests.pipeline.documents.raster.test_codes import NO_CODES
from tests.pipeline.documents.symbols import CONTENT, invoice, invoice_text, page, symbol, turned
from tests.pipeline.verification.again import with_burned

READ = ("qr", "code128", "ean13", "code39", "itf", "data-matrix")
FORMS = {
    "plain": lambda kind: symbol(kind),
    "90 degrees": lambda kind: np.rot90(symbol(kind)).copy(),
    "inverted": lambda kind: 255 - symbol(kind),
    "small": lambda kind: symbol(kind, pixels=2),
    "large": lambda kind: symbol(kind, pixels=9),
}


def seen(pixels: np.ndarray) -> list[SeenCode]:
    return list(codes_in(Image.fromarray(pixels)))


@pytest.mark.parametrize("form", every(3, FORMS))
@pytest.mark.parametrize("kind", READ)
def test_other_libraries_read_what_zxing_reads(kind: str, form: str) -> None:
    assert CONTENT[kind] in [text for text, _ in seen(page(FORMS[form](kind)))]


@pytest.mark.parametrize("kind", ["qr", "code128", "data-matrix"])
def test_slanted_codes_are_read(kind: str) -> None:
    assert CONTENT[kind] in [text for text, _ in seen(page(turned(symbol(kind), 20)))]


@pytest.mark.parametrize("form", FORMS)
@pytest.mark.parametrize("kind", ["pdf417", "aztec"])
def test_what_they_do_not_read_is_located(kind: str, form: str) -> None:
    drawn = FORMS[form](kind)
    found = with_seen_codes(Reading("page", "", ()), seen(page(drawn))).unread
    boxes = [box for box in found if box[2] * box[3] > drawn.size / 5]
    left, top, width, height = boxes[0]
    assert left < 100 + drawn.shape[1] / 2 < left + width
    assert top < 80 + drawn.shape[0] / 2 < top + height


@pytest.mark.parametrize("name", NO_CODES)
def test_what_is_no_code_is_not_seen(name: str) -> None:
    assert seen(page(NO_CODES[name])) == []


def test_strokes_of_letters_between_a_rule_and_a_burned_box_are_no_code() -> None:
    drawn = np.full((200, 300), 255, np.uint8)
    drawn[20:22, 50:250] = 0  # a rule, three modules above the strokes
    for left in (100, 134):  # two letters of three strokes, which have the pattern where they run level
        for top in (37, 47, 57):
            drawn[top : top + 5, left : left + 6] = 0
    drawn[67:107, 90:160] = 0
    assert seen(drawn) == []
    drawn[37:62, 90:160] = 255
    for top in (37, 47, 57):  # the same strokes as whole bars
        drawn[top : top + 5, 90:160] = 0
    assert [code.text for code in seen(drawn)] == ["", ""]


@pytest.mark.parametrize(("height", "codes"), [(5, 0), (9, 1)])
def test_a_code_is_nine_modules_high(height: int, codes: int) -> None:
    """Outlines of the letters of a placeholder have the pattern that ends PDF417, a few modules high."""
    drawn = np.full((120, 200), 255, np.uint8)
    left = 60
    for number, modules in enumerate((7, 1, 1, 3, 1, 1, 1, 2, 1)):
        if number % 2 == 0:
            drawn[50 : 50 + 3 * height, left : left + 3 * modules] = 0
        left += 3 * modules
    assert len(with_seen_codes(Reading("page", "", ()), seen(drawn)).unread) == codes


def test_packed_content_is_opened_again_in_another_way() -> None:
    assert "310122393500003" in text_of(invoice_text().encode()).split("\n")
    assert "310122393500003" in text_of(b"https://example.com/?q=" + invoice_text().encode())
    assert "Salman Alharbi" in text_of(invoice())
    assert "سالم" in text_of("سالم".encode("cp1256"))


def test_a_missing_library_or_too_many_codes_prove_nothing(monkeypatch: pytest.MonkeyPatch) -> None:
    png = encoded(page(symbol("qr")))
    assert [code.text for code in codes_of(png)] == [CONTENT["qr"]]
    monkeypatch.setattr(reader, "MAX_CODES_OF_RASTER", 0)
    with pytest.raises(StageFailed, match="verify_failed"):
        codes_of(png)

    def missing() -> str:
        raise OSError

    monkeypatch.setattr(reader.zbar, "reader", missing)
    with pytest.raises(StageFailed, match="verify_failed"):
        readers()


def test_the_content_is_judged_and_burned_like_a_word() -> None:
    code = SeenCode("1012345672", (10, 20, 30, 40))
    reading = with_seen_codes(Reading("second", "Invoice", ()), [code])
    assert reading.text == "Invoice\n\n1012345672"
    assert reading.words == (Word(9, 19, 10, 20, 30, 40, 100.0, Engine.CODE),)
    assert reading.unread == ()
    rasters = [Raster("first", 100, 100)], [Raster("second", 100, 100)]
    (burned,) = with_burned(rasters[0], [Reading("first", "", ())], rasters[1], [reading], [], {})
    assert burned.unread == ()
    found = {"second": [(10, 20, 30, 40)]}
    (burned,) = with_burned(rasters[0], [Reading("first", "", ())], rasters[1], [reading], [], found)
    assert burned.unread == ((8, 18, 35, 45),)


def test_a_located_code_that_was_read_is_no_unread_one() -> None:
    located = SeenCode("", (10, 10, 20, 60))
    whole = Word(0, 4, 8, 8, 200, 64, 100.0, Engine.CODE)
    reading = Reading("page", "text", (whole,))
    assert with_seen_codes(reading, [located]) == reading
    label = replace(reading, words=(replace(whole, engine=Engine.LABEL),))
    assert with_seen_codes(label, [located]) == label
    elsewhere = replace(reading, words=(replace(whole, left=300),))
    by_ocr = replace(reading, words=(replace(whole, engine=Engine.NUMBER_RECOGNIZER),))
    for other in (elsewhere, by_ocr):
        assert with_seen_codes(other, [located]).unread == ((10, 10, 20, 60),)


def test_ink_that_redaction_takes_for_unread_is_none_here() -> None:
    assert with_seen_codes(Reading("page", "", (), ((1, 2, 3, 4),)), []).unread == ()


def test_the_two_ends_of_a_code_are_one_box() -> None:
    ends = [SeenCode("", (10, 10, 20, 60)), SeenCode("", (210, 12, 22, 58))]
    assert with_seen_codes(Reading("page", "", ()), ends).unread == ((10, 10, 222, 60),)
