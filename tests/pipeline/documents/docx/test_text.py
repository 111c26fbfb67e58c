"""Word documents: paragraphs read as one however they are cut, and nothing of a value stays anywhere in the package."""

import io

import docx as python_docx
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from pipeline.documents.document import Finding, Findings
from pipeline.documents.docx import handler as docx
from schemas.errors import ErrorCode, StageFailed
from tests.pipeline.documents.office import everything, paragraph, part, visible, without, word

ID = "1000000008"


def units(data: bytes) -> dict[str, str]:
    """Text of each billed unit and its context."""
    return {unit.text: unit.context for unit in docx.extract(data)[0].units if unit.billed}


def test_a_paragraph_is_one_unit_however_it_is_cut() -> None:
    data = word(paragraph("رقم ", "الهوية: 1000", "", "000", "008 انتهى"))
    assert units(data) == {f"رقم الهوية: {ID} انتهى": ""}
    assert visible(without(data, ID)) == "رقم الهوية: SECRET_01 انتهى"


@settings(max_examples=60)
@given(
    st.lists(st.text(st.sampled_from("ab1 ب<&\u200f"), max_size=6), min_size=1, max_size=8).filter(
        lambda runs: "".join(runs).strip() != ""
    ),
    st.data(),
)
def test_any_span_of_any_cut_is_replaced_and_the_rest_kept(runs: list[str], data: st.DataObject) -> None:
    text = "".join(runs)
    escaped = [run.replace("&", "&amp;").replace("<", "&lt;") for run in runs]
    document = word(paragraph(*escaped))
    start = data.draw(st.integers(0, len(text) - 1))
    end = data.draw(st.integers(start + 1, len(text)))
    unit = next(unit for unit in docx.extract(document)[0].units if unit.billed)
    assert unit.text == text
    redacted = docx.redact(document, Findings((Finding(unit.id, start, end, "PERSON", "SECRET_01"),)), ())
    assert [u.text for u in docx.extract(redacted)[0].units if u.billed] == [text[:start] + "SECRET_01" + text[end:]]


def test_the_placeholder_takes_the_formatting_where_the_value_begins() -> None:
    runs = (
        "<w:p><w:r><w:rPr><w:b/></w:rPr><w:t>to Sara</w:t></w:r>"
        "<w:r><w:rPr><w:i/></w:rPr><w:t> Example, hello</w:t></w:r></w:p>"
    )
    document = python_docx.Document(io.BytesIO(without(word(runs), "Sara Example")))
    assert [(run.text, run.bold, run.italic) for run in document.paragraphs[0].runs] == [
        ("to SECRET_01", True, None),
        (", hello", None, True),
    ]


def test_tabs_breaks_hyphens_links_and_controls_do_not_cut_a_paragraph() -> None:
    inner = (
        "<w:p><w:r><w:t>1000</w:t><w:noBreakHyphen/><w:t>000</w:t></w:r><w:proofErr w:type='spellStart'/>"
        "<w:hyperlink w:anchor='x'><w:r><w:t>0</w:t></w:r></w:hyperlink>"
        "<w:sdt><w:sdtContent><w:r><w:t>0</w:t></w:r></w:sdtContent></w:sdt>"
        "<w:smartTag><w:r><w:t>8</w:t></w:r></w:smartTag><w:r><w:tab/><w:t>Sara</w:t><w:br/><w:t>Example</w:t></w:r></w:p>"
    )
    data = word(inner)
    assert list(units(data)) == ["1000-000008\tSara\nExample"]
    redacted = without(data, "1000-000008", "Sara\nExample")
    assert visible(redacted) == "SECRET_01SECRET_02"
    assert "noBreakHyphen" not in everything(redacted)


def test_symbols_that_spell_a_value_go_with_it() -> None:
    symbols = "".join(f'<w:sym w:font="Wingdings" w:char="F0{ord(c):02X}"/>' for c in ID)
    data = word(f"<w:p><w:r><w:t>no. </w:t>{symbols}</w:r></w:p>")
    assert list(units(data)) == [f"no. {ID}"]
    redacted = without(data, ID)
    assert "w:sym" not in everything(redacted)
    assert visible(redacted) == "no. SECRET_01"


def test_revisions_are_read_as_now_and_as_before() -> None:
    inner = (
        "<w:p><w:r><w:t>Sara </w:t></w:r>"
        "<w:del w:author='x'><w:r><w:delText>Alpha</w:delText></w:r></w:del>"
        "<w:ins w:author='x'><w:r><w:t>Omega</w:t></w:r></w:ins><w:r><w:t> end</w:t></w:r></w:p>"
    )
    data = word(inner)
    texts = [unit.text for unit in docx.extract(data)[0].units]
    assert "Sara Omega end" in texts
    assert "Sara Alpha end" in texts
    assert list(units(data)) == ["Sara Omega end"]  # what was deleted is not billed
    redacted = without(data, "Sara Alpha", "Sara Omega")
    assert not any(word in everything(redacted) for word in ("Sara", "Alpha", "Omega"))
    assert "end" in visible(redacted)


def test_field_codes_and_their_results() -> None:
    inner = (
        "<w:p><w:r><w:fldChar w:fldCharType='begin'/></w:r>"
        '<w:r><w:instrText>HYPERLINK "mailto:sara@</w:instrText></w:r>'
        "<w:r><w:instrText>example.com\"</w:instrText></w:r><w:r><w:fldChar w:fldCharType='separate'/></w:r>"
        "<w:r><w:t>sara@example.com</w:t></w:r><w:r><w:fldChar w:fldCharType='end'/></w:r>"
        "<w:fldSimple w:instr='HYPERLINK mailto:sara@example.com'><w:r><w:t>mail</w:t></w:r></w:fldSimple></w:p>"
    )
    data = word(inner)
    assert list(units(data)) == ["sara@example.commail"]
    redacted = everything(without(data, "sara@example.com"))
    assert "sara@" not in redacted
    assert 'mailto:SECRET_01"' in redacted
    assert "SECRET_01mail" in redacted


TABLE = (
    "<w:tbl><w:tr><w:tc><w:p><w:r><w:t>{0}</w:t></w:r></w:p></w:tc><w:tc><w:p><w:r><w:t>{1}</w:t></w:r></w:p></w:tc></w:tr>"
    "<w:tr><w:tc><w:p><w:r><w:t>{2}</w:t></w:r></w:p></w:tc><w:tc>{3}</w:tc></w:tr></w:tbl>"
)


def test_headings_and_labels_give_cells_their_context() -> None:
    nested = TABLE.format("رقم الجواز", "Grade", "A1234567", paragraph("7"))
    found = units(word(TABLE.format("الاسم", "Phone no.", "ليلى", nested + paragraph("0501234567"))))
    assert found["ليلى"] == "الاسم"
    assert found["0501234567"].split("\n")[0] == "Phone no."
    assert found["A1234567"] == "رقم الجواز"
    assert found["7"] == "Grade"
    form = units(word(TABLE.format("MRN", "55512", "اسم المريض", paragraph("ليلى 7"))))
    assert form["55512"] == "MRN"
    assert form["ليلى 7"] == "اسم المريض"


def test_merged_cells_and_title_rows_keep_columns_straight() -> None:
    cell = "<w:tc>{}<w:p><w:r><w:t>{}</w:t></w:r></w:p></w:tc>"
    wide = '<w:tcPr><w:gridSpan w:val="2"/></w:tcPr>'
    rows = [
        [cell.format(wide, "Staff list")],
        [cell.format("", "Name"), cell.format("", "Iqama")],
        [cell.format("", "Omar 1"), cell.format("", "2000000006")],
    ]
    table = "<w:tbl>" + "".join(f"<w:tr>{''.join(row)}</w:tr>" for row in rows) + "</w:tbl>"
    assert units(word(table))["2000000006"].startswith("Iqama")


def test_a_line_that_ends_with_a_colon_labels_the_next_paragraph() -> None:
    found = units(word(paragraph("رقم الملف الطبي:") + paragraph("55512") + paragraph("12")))
    assert found["55512"] == "رقم الملف الطبي:"
    assert found["12"] == ""


def test_text_boxes_are_read_once_and_redacted_twice() -> None:
    box = "<w:txbxContent>" + paragraph("Call 05", "01234567") + "</w:txbxContent>"
    inner = (
        '<w:p><w:r><mc:AlternateContent xmlns:mc="http://schemas.openxmlformats.org/markup-compatibility/2006">'
        f'<mc:Choice Requires="wps">{box}</mc:Choice><mc:Fallback>{box}</mc:Fallback></mc:AlternateContent>'
        "<w:t>after the box</w:t></w:r></w:p>"
    )
    data = word(inner)
    assert [unit.text for unit in docx.extract(data)[0].units if unit.billed] == ["Call 0501234567", "after the box"]
    redacted = everything(without(data, "0501234567"))
    assert "01234567" not in redacted
    assert redacted.count('<w:t xml:space="preserve">Call SECRET_01</w:t>') == 2


def test_headers_footers_notes_and_comments() -> None:
    names = {"header": "hdr", "footer": "ftr", "footnotes": "footnotes", "comments": "comments"}
    data = word(
        paragraph("body"),
        {f"word/{kind}1.xml": (kind, part(root, paragraph(f"{kind} 10000", "00008"))) for kind, root in names.items()},
    )
    assert set(units(data)) == {"body", *(f"{kind} {ID}" for kind in names)}
    redacted = without(data, ID)
    assert "00008" not in everything(redacted)
    for kind in names:
        assert visible(redacted, f"word/{kind}1.xml") == f"{kind} SECRET_01"


def test_right_to_left_text_keeps_its_marks_and_direction() -> None:
    inner = "<w:p><w:pPr><w:bidi/></w:pPr><w:r><w:rPr><w:rtl/></w:rPr><w:t>السيدة \u200fليلى</w:t></w:r></w:p>"
    redacted = without(word(inner), "ليلى")
    assert visible(redacted) == "السيدة \u200fSECRET_01"
    assert "<w:bidi/>" in everything(redacted)


def test_text_outside_of_any_run_is_found_too() -> None:
    data = word(f"<w:p>{ID}<w:r>{ID}<w:t>x</w:t>{ID}</w:r>{ID}</w:p>{ID}<w:custom>{ID}</w:custom>")
    redacted = everything(without(data, ID))
    assert ID not in redacted
    assert redacted.count("<w:t>x</w:t>") == 1


def test_findings_of_another_document_are_not_passed_over() -> None:
    with pytest.raises(StageFailed) as failure:
        docx.redact(word(paragraph("x")), Findings((Finding("999", 0, 1, "PERSON", "SECRET_01"),)), ())
    assert failure.value.code == ErrorCode.REDACTION_INCOMPLETE


def test_the_output_is_the_same_every_time() -> None:
    data = word(paragraph("Sara Example"))
    assert without(data, "Sara") == without(data, "Sara")
