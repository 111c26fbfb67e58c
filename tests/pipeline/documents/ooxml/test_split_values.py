"""Numbers that look like a mobile once what cuts them is gone: which are put together, and which are codes of goods."""

import pytest

from pipeline.documents.ooxml.split_values import across_cells, across_separators
from pipeline.documents.ooxml.text_unit import XmlUnit
from schemas.files import Format
from tests.hiding_places.docx.places import document
from tests.hiding_places.docx.text import p, t, table
from tests.hiding_places.proof.running import run


def _unit(text: str, context: str = "", name: str = "1") -> XmlUnit:
    return XmlUnit(name, context, True, text)


@pytest.mark.parametrize(
    "text",
    [
        "Product 05-1234\t5678",
        "SKU 0551\t234567",
        "SKU 0551\t234567\tblue",
        "Art. 055•123•4567",
        "Kit 055|1234567",
        "Depreciation\t05\t12345678",
    ],
)
def test_codes_beside_other_words_are_no_mobiles(text: str) -> None:
    assert not list(across_separators([_unit(text)]))


@pytest.mark.parametrize(
    ("text", "context"),
    [
        ("0551\t234567", ""),
        ("055•123•4567", ""),
        ("00966|551234567", ""),
        ("Mobile: 0551\t234567", ""),
        ("جوال ٠٥٥١\t٢٣٤٥٦٧", ""),
        ("Ali 055|1234567", "Phone"),
        ("Ali 055|1234567", "رقم الهاتف"),
    ],
)
def test_mobiles_stand_alone_or_are_called_so(text: str, context: str) -> None:
    (joint,) = across_separators([_unit(text, context)])
    assert len(joint.pieces) > 1


def test_codes_of_goods_do_not_outweigh_an_identity_number() -> None:
    units = [_unit(text) for text in ("Kit 055|1234567", "Kit 055|7654321", "ID 10583\t74925")]
    assert len(list(across_separators(units))) == 1


@pytest.mark.parametrize(
    ("first", "context", "count"), [("Model 055", "", 0), ("Mobile 055", "", 1), ("Ali 055", "Tel", 1)]
)
def test_halves_in_cells_are_a_mobile_where_a_word_says_so(first: str, context: str, count: int) -> None:
    line = [_unit(first, context), _unit("1234567", name="2"), _unit("x", name="3"), _unit("3", name="4")]
    assert len(list(across_cells([line, [_unit("Valve"), _unit("17")]]))) == count


def test_a_list_of_goods_is_left_as_it_is() -> None:
    lines = ["Product 05-1234\t5678", "SKU 0551\t234567\tblue", "Art. 055•123•4567", "Kit 055|1234567"]
    data = document("".join(p(t(line)) for line in lines) + table(("Part", "Code"), ("Model 055", "1234567")))
    outcome = run(Format.DOCX, data)
    assert outcome.output
    assert not outcome.findings.values
