"""What redaction leaves of a PDF's text: neighbours and placeholders; of the value nothing, anywhere in the file."""

import io
import re
from pathlib import Path

import numpy as np
import pikepdf
import pymupdf
import pytest

from pipeline.documents.document import Finding, Findings
from pipeline.documents.pdf import handler as pdf
from schemas.errors import StageFailed
from tests.pipeline.documents import papers
from tests.pipeline.documents.papers import IBAN, IQAMA, NAME, NATIONAL_ID

VALUES = f"{NATIONAL_ID}|{IQAMA}|{NAME}|{IBAN}"


def redacted(data: bytes, pattern: str = VALUES, placeholder: str = "NATIONAL_ID_01") -> bytes:
    extraction, _ = pdf.extract(data)
    assert not extraction.rasters
    findings = papers.places(extraction, pattern, placeholder=placeholder)
    assert findings.places
    return pdf.redact(data, findings, ())


def assert_gone(output: bytes, *values: str) -> None:
    content, said = papers.everything(output), papers.shown_text(output)
    for value in values:
        assert value not in said
        for spelled in (value.encode(), value.encode("utf-16-be"), value.encode("utf-16-be").hex().encode()):
            assert spelled.lower() not in content.lower()
        codes = "".join(f"{ord(c):04x}" for c in value)
        assert codes.encode() not in re.sub(rb"[<>\s\[\]()]|-?\d+\.\d+", b"", content.lower())


def test_the_value_goes_and_its_neighbours_stay() -> None:
    data = papers.pdf([((50, 100), f"Holder {NAME} has ID {NATIONAL_ID} since spring")])
    output = redacted(data)
    assert_gone(output, NATIONAL_ID, NAME, "Salman", "10123")
    said = " ".join(papers.shown_text(output).split())
    for word in ("Holder", "has ID", "since spring", "NATIONAL_ID_01"):
        assert word in said


def test_values_glued_to_their_neighbours_take_nothing_along() -> None:
    output = redacted(papers.pdf([((50, 100), f"gyID:{NATIONAL_ID};jqf")]))
    assert_gone(output, NATIONAL_ID)
    assert {"gyID:", ";jqf"} <= set(papers.shown_text(output).split())


def test_the_lines_above_and_below_stay_however_tight() -> None:
    lines = [
        ((50, 100 + 9.5 * n), f"line {n} of type {'gjpqy' * 3} {NATIONAL_ID if n == 2 else 'TÀÉ'}") for n in range(5)
    ]
    output = redacted(papers.pdf(lines, size=12))
    said = papers.shown_text(output)
    assert_gone(output, NATIONAL_ID)
    assert all(f"line {n} of type gjpqygjpqygjpqy" in said for n in range(5))
    assert said.count("TÀÉ") == 4


def test_a_value_across_two_lines_gets_a_box_in_each() -> None:
    data = papers.pdf([((50, 100), "IBAN SA03 8000 0000"), ((50, 116), "6080 1016 7519 is hers")])
    extraction, _ = pdf.extract(data)
    start = extraction.units[0].text.index("SA03")
    end = extraction.units[0].text.index("7519") + 4
    place = Finding("page/0", start, end, "IBAN", "IBAN_01")
    output = pdf.redact(data, Findings((place,)), ())
    assert_gone(output, "SA03", "8000", "6080", "7519")
    said = papers.shown_text(output)
    assert "is hers" in said and said.count("IBAN_01") == 2


def test_the_box_is_black_and_does_not_tell_the_width_of_what_it_hides() -> None:
    widths = set()
    for name in ("Ali Saif", "Ali Said", "Sami Ali"):
        output = redacted(papers.pdf([((60, 100), name)]), name, "PERSON_NAME_01")
        row = papers.rendered(output, dpi=72)[96, :]
        dark = np.flatnonzero(row < 60)
        assert dark.size > 10
        widths.add(int(dark[-1] - dark[0]))
    assert len(widths) == 1


@pytest.mark.parametrize("name", ["Ali Omar", "Li Wu Chang", "Khalid Alqahtani", "Ibtihal Mansour Almutlaqah"])
def test_no_edge_of_a_box_between_neighbours_tells_where_the_value_ended(name: str) -> None:
    document = pymupdf.open()
    document.new_page().insert_text((60, 200), f"Patient: {name}, of the villa by the lamp", fontsize=12)
    with pymupdf.open(stream=redacted(document.tobytes(), name)) as output:
        page = output[0]
        (box,) = (drawing["rect"] for drawing in page.get_drawings())
        label_ends = page.search_for("Patient:")[0].x1
    assert abs(box.x0 - label_ends - 2.4) < 0.02  # a fifth of the type size behind the label
    wide = (box.x1 - box.x0) / 3  # quarters of the type size
    assert abs(wide - round(wide)) < 0.02


@pytest.mark.parametrize("turn", [0, 90, 180, 270])
def test_rotated_pages_and_rotated_text(turn: int) -> None:
    document = pymupdf.open()
    page = document.new_page()
    page.insert_text((100, 200), f"Identity {NATIONAL_ID} of", fontsize=12)
    page.insert_text((300, 500), f"Upright {IQAMA} holder", fontsize=12, rotate=turn)
    page.set_rotation(turn)
    data = papers.saved(document)
    output = redacted(data)
    assert_gone(output, NATIONAL_ID, IQAMA)
    assert {"Identity", "of", "Upright", "holder"} <= set(papers.shown_text(output).split())
    before, after = papers.rendered(data), papers.rendered(output)
    assert before.shape == after.shape
    assert (before != after).mean() < 0.02  # the picture is where it was


def test_slanted_text() -> None:
    document = pymupdf.open()
    page = document.new_page()
    point = pymupdf.Point(100, 300)
    page.insert_text(point, f"slanted   {NATIONAL_ID}   text", fontsize=14, morph=(point, pymupdf.Matrix(30)))
    output = redacted(papers.saved(document))
    assert_gone(output, NATIONAL_ID)
    said = papers.shown_text(output)  # MuPDF sees slanted letters in upright boxes: the nearest neighbours may go too
    assert "slant" in said and "xt" in said


def test_cropped_pages_lose_what_lies_outside_too() -> None:
    document = pymupdf.open()
    page = document.new_page()
    page.insert_text((10, 30), f"outside {IQAMA}", fontsize=12)
    page.insert_text((150, 300), f"inside {NATIONAL_ID} here", fontsize=12)
    page.set_cropbox(pymupdf.Rect(100, 200, 500, 700))
    output = redacted(papers.saved(document))
    assert_gone(output, NATIONAL_ID, IQAMA)
    assert "inside" in papers.shown_text(output) and "here" in papers.shown_text(output)


def test_arabic_with_an_embedded_font() -> None:
    data = papers.embedded_font_pdf("صالح الحربي رقم الهوية 1012345672 في الرياض", papers.DEJAVU)
    output = redacted(data, "صالح الحربي|1012345672")
    said = papers.shown_text(output)
    assert "1012345672" not in said and "صالح" not in said and "حلاص" not in said
    assert "الرياض" in said or "ضايرلا" in said


def test_text_inside_a_form_xobject_that_two_pages_share() -> None:
    form = pymupdf.open()
    form.new_page(width=300, height=50).insert_text((10, 30), f"stamp {NATIONAL_ID} end", fontsize=12)
    document = pymupdf.open()
    for _ in range(2):
        document.new_page().show_pdf_page(pymupdf.Rect(50, 50, 350, 100), form, 0)
    output = redacted(papers.saved(document))
    assert_gone(output, NATIONAL_ID)
    assert papers.shown_text(output).count("stamp") == 2


def test_a_form_field_and_an_annotation_become_page_and_go() -> None:
    document = pymupdf.open()
    page = document.new_page()
    field = pymupdf.Widget()
    field.rect, field.field_type, field.field_name = pymupdf.Rect(50, 100, 300, 120), pymupdf.PDF_WIDGET_TYPE_TEXT, NAME
    field.field_value = f"ID {NATIONAL_ID}"
    page.add_widget(field)
    page.add_freetext_annot(pymupdf.Rect(50, 200, 300, 230), f"Note {IQAMA} here", fontsize=12)
    page.add_text_annot((400, 400), f"comment of {NAME}")
    output = redacted(papers.saved(document))
    assert_gone(output, NATIONAL_ID, IQAMA, NAME)
    with pikepdf.open(io.BytesIO(output)) as file:
        assert "/AcroForm" not in file.Root and "/Annots" not in file.pages[0].obj


def beside(file: pikepdf.Pdf) -> None:
    """The value in every place of a file that no page shows."""
    value = pikepdf.String(NATIONAL_ID)
    file.docinfo["/Author"] = value
    file.Root.Metadata = file.make_stream(f"<x:xmpmeta><name>{NATIONAL_ID}</name></x:xmpmeta>".encode())
    script = pikepdf.Dictionary(S=pikepdf.Name.JavaScript, JS=value)
    file.Root.OpenAction = script
    file.attachments[NATIONAL_ID] = NATIONAL_ID.encode()
    with file.open_outline() as outline:
        outline.root.append(pikepdf.OutlineItem(NATIONAL_ID, 0))
    page = file.pages[0]
    link = pikepdf.Dictionary(
        Type=pikepdf.Name.Annot,
        Subtype=pikepdf.Name.Link,
        Rect=[0, 0, 9, 9],
        A=pikepdf.Dictionary(S=pikepdf.Name.URI, URI=pikepdf.String(f"https://example.com/{NATIONAL_ID}")),
    )
    page.obj.Annots = pikepdf.Array([file.make_indirect(link)])
    page.obj.PieceInfo = pikepdf.Dictionary(App=pikepdf.Dictionary(Private=value))
    page.obj.Thumb = file.make_stream(NATIONAL_ID.encode())
    page.obj.AA = pikepdf.Dictionary(O=script)
    page.obj.Resources.XObject = pikepdf.Dictionary(
        Unused=file.make_stream(
            NATIONAL_ID.encode(), Type=pikepdf.Name.XObject, Subtype=pikepdf.Name.Form, BBox=[0, 0, 9, 9]
        )
    )
    page.obj.Resources.Properties = pikepdf.Dictionary(P=pikepdf.Dictionary(ActualText=value))
    tree = pikepdf.Dictionary(Type=pikepdf.Name.StructTreeRoot, K=pikepdf.Dictionary(S=pikepdf.Name.P, Alt=value))
    file.Root.StructTreeRoot = file.make_indirect(tree)
    file.Root.PageLabels = pikepdf.Dictionary(Nums=[0, pikepdf.Dictionary(P=value)])


def test_nothing_that_was_found_survives_beside_the_pages() -> None:
    content = f"/Span <</ActualText ({NATIONAL_ID}) /Alt ({NATIONAL_ID})>> BDC BT /F 12 Tf 50 700 Td (shown) Tj ET EMC"
    data = papers.content_pdf(content.encode() + b" /Span /P BDC EMC", beside)
    assert NATIONAL_ID.encode() in papers.everything(data)
    output = redacted(data)
    assert_gone(output, NATIONAL_ID)
    assert "shown" in papers.shown_text(output)


def test_earlier_revisions_do_not_survive(tmp_path: Path) -> None:
    path = tmp_path / "revised.pdf"
    path.write_bytes(papers.pdf([((50, 100), f"first {NATIONAL_ID}")]))
    with pymupdf.open(path) as document:
        document.xref_set_key(document[0].xref, "Contents", "null")
        document[0].insert_text((50, 100), "second")
        document.saveIncr()
    data = path.read_bytes()
    assert NATIONAL_ID.encode().hex().encode() in papers.everything(data) or NATIONAL_ID.encode() in data
    output = pdf.redact(data, Findings(()), ())
    assert_gone(output, NATIONAL_ID)
    assert output.count(b"%%EOF") == 1


def test_a_hidden_layer_goes_and_a_shown_one_is_redacted_like_the_rest() -> None:
    document = pymupdf.open()
    hidden, shown = document.add_ocg(f"of {NAME}", on=False), document.add_ocg("of all", on=True)
    page = document.new_page()
    page.insert_text((50, 100), f"hidden {IQAMA} layer", fontsize=12, oc=hidden)
    page.insert_text((50, 130), f"shown {NATIONAL_ID} layer", fontsize=12, oc=shown)
    output = redacted(papers.saved(document))
    assert_gone(output, NATIONAL_ID, IQAMA, NAME, "hidden")
    assert "shown" in papers.shown_text(output)


def test_an_encrypted_file_comes_out_unencrypted_and_clean() -> None:
    document = pymupdf.open()
    document.new_page().insert_text((50, 100), f"ID {NATIONAL_ID} end")
    data = papers.saved(document, encryption=pymupdf.PDF_ENCRYPT_AES_256, owner_pw="owner", user_pw="")
    output = redacted(data)
    assert_gone(output, NATIONAL_ID)
    with pikepdf.open(io.BytesIO(output)) as file:
        assert not file.is_encrypted


def test_text_that_was_only_covered_before_is_really_removed() -> None:
    document = pymupdf.open()
    page = document.new_page()
    page.insert_text((50, 100), f"secret {NATIONAL_ID} end", fontsize=12)
    page.draw_rect(pymupdf.Rect(40, 85, 300, 105), color=(0, 0, 0), fill=(0, 0, 0))
    output = redacted(papers.saved(document))
    assert_gone(output, NATIONAL_ID)


def test_a_thickened_and_an_invisible_copy_go_too() -> None:
    document = pymupdf.open()
    page = document.new_page()
    for shift in (0, 0.4):
        page.insert_text((50 + shift, 100), f"bold {NATIONAL_ID} end", fontsize=12)
    page.insert_text((50, 200), f"unseen {NATIONAL_ID}", fontsize=12, render_mode=3)
    output = redacted(papers.saved(document))
    assert_gone(output, NATIONAL_ID)
    assert "bold" in papers.shown_text(output)


def test_pages_without_findings_stay_as_they_look() -> None:
    data = papers.pdf([((50, 100), f"ID {NATIONAL_ID}")], [((50, 100), "nothing here"), ((50, 300), "or here")])
    output = redacted(data)
    assert np.array_equal(papers.rendered(data, 1), papers.rendered(output, 1))


@pytest.mark.parametrize(
    ("place", "code"),
    [
        (Finding("page/0", 0, 400, "PERSON", "PERSON_NAME_01"), "redaction_incomplete"),
        (Finding("page/7", 0, 4, "PERSON", "PERSON_NAME_01"), "redaction_incomplete"),
        (Finding("page/0/scan", 0, 4, "PERSON", "PERSON_NAME_01"), "image_redact_failed"),
        (Finding("elsewhere", 0, 4, "PERSON", "PERSON_NAME_01"), "redaction_incomplete"),
    ],
)
def test_a_finding_without_its_place_fails_the_job(place: Finding, code: str) -> None:
    with pytest.raises(StageFailed, match=code):
        pdf.redact(papers.pdf([((50, 100), "some text")]), Findings((place,)), ())


def test_redacting_twice_gives_the_same_pages() -> None:
    data = papers.pdf([((50, 100), f"ID {NATIONAL_ID} end")])
    assert np.array_equal(papers.rendered(redacted(data)), papers.rendered(redacted(data)))


def _labels(output: bytes) -> list[tuple[str, float, pymupdf.Rect]]:
    """The text, the type size and the extent of each label, which are the only white text."""
    with pymupdf.open(stream=output) as document:
        blocks = [block for page in document for block in page.get_text("dict")["blocks"]]
    spans = [span for block in blocks for line in block.get("lines", ()) for span in line["spans"]]
    white = [span for span in spans if span["color"] == 0xFFFFFF and span["text"].strip()]
    return [(span["text"], span["size"], pymupdf.Rect(span["bbox"])) for span in white]


def test_labels_of_values_that_share_words_do_not_overlap() -> None:
    data = papers.pdf([((50, 100), "Address: 8213 Amber Road, Al Noor, Riyadh 12345")])
    extraction, _ = pdf.extract(data)
    text = extraction.units[0].text
    start, middle, end = text.index("8213"), text.index("Al Noor"), len(text.rstrip())
    places = (
        Finding("page/0", start, end, "ADDRESS", "ADDRESS_01"),
        Finding("page/0", middle, end, "ADDRESS", "ADDRESS_02"),
        Finding("page/0", start, end - 5, "ADDRESS", "ADDRESS_01"),
    )
    labels = _labels(pdf.redact(data, Findings(places), ()))
    assert sorted(text for text, _, _ in labels) == ["ADDRESS_01", "ADDRESS_02"]
    assert not labels[0][2].intersects(labels[1][2])


@pytest.mark.parametrize(
    ("value", "size", "label"),
    [
        ("Sami", 9, "#01"),  # a narrow cell: the number alone
        ("Salman Alharbi", 9, "PERSON_NAME_01"),
        ("Al", 5, None),  # no readable label fits
        ("Salman", 40, "PERSON_NAME_01"),
    ],
)
def test_labels_are_readable_or_left_out(value: str, size: float, label: str | None) -> None:
    document = pymupdf.open()
    page = document.new_page()
    wide = pymupdf.get_text_length(value, fontsize=size)
    for x in (98, 102 + wide):
        page.draw_line((x, 60), (x, 120))
    page.insert_text((100, 100), value, fontsize=size)
    page.insert_text((104 + wide, 100), "next", fontsize=size)
    page.insert_text((40, 100), "last", fontsize=size)
    labels = _labels(redacted(document.tobytes(), value, "PERSON_NAME_01"))
    assert [text for text, _, _ in labels] == ([label] if label else [])
    assert all(4.9 < shown <= 12.1 for _, shown, _ in labels)
