"""What stays beside a PDF's pages: bookmarks, links and labels that still lead where they led; and what is counted."""

import io
from typing import Any

import pikepdf
import pymupdf
import pytest
from pikepdf import Array, Dictionary, Name, String

from pipeline.documents.document import Findings, Unread
from pipeline.documents.pdf import handler as pdf
from pipeline.documents.pdf.metadata import METADATA_UNIT, read_metadata
from schemas.errors import StageFailed
from tests.hiding_places.pdf.objects.build import IQAMA, MOBILE, NAME, NATIONAL_ID, annotate, document, field
from tests.pipeline.documents import papers


def redacted(data: bytes, pattern: str = "") -> bytes:
    extraction, _ = pdf.extract(data)
    return pdf.redact(data, papers.places(extraction, pattern) if pattern else Findings(()), ())


def target(file: pikepdf.Pdf, destination: Any) -> tuple[int, float | None]:
    pages = [page.obj.objgen for page in file.pages]
    top = destination[3]
    return pages.index(destination[0].objgen), None if top is None else float(top)


def furnished(file: pikepdf.Pdf, page: Any) -> None:
    second = file.pages[1].obj
    with file.open_outline() as outline:
        parent = pikepdf.OutlineItem(f"Part of {NAME}", 0)
        parent.children.append(pikepdf.OutlineItem("Dues", 1, "XYZ", left=0, top=200))
        outline.root.append(parent)
    annotate(file, page, "Link", Dest=String("dues"))
    annotate(file, page, "Link", A=Dictionary(S=Name.GoTo, D=Array([second, Name.FitH, 120])))
    annotate(file, page, "Link", A=Dictionary(S=Name.URI, URI=String("https://example.com/harbour")))
    annotate(file, page, "Link", A=Dictionary(S=Name.URI, URI=String(f"https://example.com/{NATIONAL_ID}")))
    file.Root.Names = Dictionary(
        Dests=Dictionary(Names=Array([String("dues"), Dictionary(D=Array([second, Name.XYZ, 0, 200, 0]))]))
    )
    file.Root.PageLabels = Dictionary(
        Nums=Array([0, Dictionary(S=Name.r), 1, Dictionary(S=Name.D, P=String("A-"), St=5)])
    )
    file.Root.Lang = String("ar-SA")
    file.Root.ViewerPreferences = Dictionary(Direction=Name.R2L, DisplayDocTitle=True)
    file.Root.PageMode = Name.UseOutlines


def test_bookmarks_links_labels_and_language_stay() -> None:
    output = redacted(document(furnished, pages=2), f"{NAME}|{NATIONAL_ID}")
    with pikepdf.open(io.BytesIO(output)) as file:
        with file.open_outline() as outline:
            (parent,) = outline.root
            assert parent.title == "Part of NATIONAL_ID_01"
            assert [child.title for child in parent.children] == ["Dues"]
            assert target(file, parent.children[0].destination) == (1, 200.0)
        links = list(file.pages[0].obj.Annots)
        assert [target(file, link.Dest) for link in links[:2]] == [(1, 200.0), (1, 120.0)]
        assert [str(link.A.URI) for link in links[2:]] == ["https://example.com/harbour"]
        assert [float(side) for side in links[0].Rect] == [40, 100, 240, 120]
        assert [page.label for page in file.pages] == ["i", "A-5"]
        assert str(file.Root.Lang) == "ar-SA" and file.Root.ViewerPreferences.Direction == Name.R2L
        assert "/DisplayDocTitle" not in file.Root.ViewerPreferences and "/Names" not in file.Root


@pytest.mark.parametrize("turn", [0, 90, 180, 270])
def test_links_of_turned_and_cropped_pages_stay_where_they_are_seen(turn: int) -> None:
    def fill(file: pikepdf.Pdf, page: Any) -> None:
        page.Rotate, page.CropBox = turn, Array([20, 30, 380, 290])
        annotate(file, page, "Link", A=Dictionary(S=Name.URI, URI=String("https://example.com/harbour")))

    data = document(fill)
    output = redacted(data)
    seen = []
    for version in (data, output):
        with pymupdf.open(stream=version) as file:
            area = file[0].get_links()[0]["from"]
            seen.append([round(side) for side in area])
    assert seen[0] == seen[1]


def test_an_outline_that_runs_in_circles_ends() -> None:
    def fill(file: pikepdf.Pdf, page: Any) -> None:
        item = file.make_indirect(Dictionary(Title=String("once")))
        item.Next = item.First = item
        file.Root.Outlines = Dictionary(First=item)
        tree = file.make_indirect(Dictionary())
        tree.Kids = Array([tree, tree])
        file.Root.Names, file.Root.PageLabels = Dictionary(Dests=tree), tree

    output = redacted(document(fill))
    with pikepdf.open(io.BytesIO(output)) as file, file.open_outline() as outline:
        assert [item.title for item in outline.root] == ["once"]


def test_an_outline_of_a_thousand_levels_is_cut_not_followed() -> None:
    def fill(file: pikepdf.Pdf, page: Any) -> None:
        item = None
        for level in range(1000):
            parent = file.make_indirect(Dictionary(Title=String(f"{level}")))
            if item is not None:
                parent.First = item
            item = parent
        file.Root.Outlines = Dictionary(First=item)

    navigation = read_metadata(document(fill)).navigation
    assert 10 < len(navigation.bookmarks) < 200


def test_bookmarks_alone_are_seen() -> None:
    """A tagger reads what people see; properties and fields are for programs."""

    def fill(file: pikepdf.Pdf, page: Any) -> None:
        item = file.make_indirect(Dictionary(Title=String("Letter to Wendeline")))
        file.Root.Outlines = Dictionary(First=item)
        file.trailer["/Info"] = Dictionary(Title=String("A letter"))
        field(file, page, "Tx", on_page=False, V=String("A-7731"))

    units = [unit for unit in pdf.extract(document(fill))[0].units if unit.id.startswith(METADATA_UNIT)]
    assert [unit.text for unit in units if unit.seen] == ["Letter to Wendeline"]
    assert len(units) == 4


def test_labels_of_fields_are_contexts_of_their_values() -> None:
    def fill(file: pikepdf.Pdf, page: Any) -> None:
        field(file, page, "Tx", on_page=False, TU=String("Medical record number"), V=String("A-7731"))

    units = [unit for unit in pdf.extract(document(fill))[0].units if unit.id.startswith(METADATA_UNIT)]
    assert ("Medical record number", "A-7731") in {(unit.context, unit.text) for unit in units}
    assert not any(unit.billed for unit in units)


def test_what_goes_unread_is_counted_by_kind() -> None:
    def fill(file: pikepdf.Pdf, page: Any) -> None:
        file.attachments["a.txt"] = MOBILE.encode()
        file.Root.OpenAction = Dictionary(S=Name.JavaScript, JS=String(IQAMA))
        file.Root.Metadata = file.make_stream(b"<x/>", Type=Name.Metadata)
        page.Thumb = file.make_stream(b"\0", Width=1, Height=1)
        page.PieceInfo = Dictionary(A=Dictionary())
        annotate(file, page, "Movie", Movie=Dictionary())
        field(file, page, "Sig", V=file.make_indirect(Dictionary(Type=Name.Sig)))
        file.Root.AcroForm.XFA = file.make_stream(b"<x/>")

    unread = dict(pdf.extract(document(fill))[0].unread)
    kinds = {Unread.ATTACHMENT, Unread.SCRIPT, Unread.METADATA, Unread.THUMBNAIL, Unread.PRIVATE, Unread.MEDIA}
    assert {kind: unread.get(kind) for kind in kinds} == dict.fromkeys(kinds, 1)
    assert unread[Unread.SIGNATURE] == 1 and unread[Unread.FORM] == 1
    plain = dict(pdf.extract(document())[0].unread)
    assert plain.keys() <= {Unread.FINGERPRINT}


def test_a_document_whose_notes_nobody_can_read_is_refused(monkeypatch: pytest.MonkeyPatch) -> None:
    """Else what only a note tells would stay on the pages, and the report would count nothing."""
    data = document(furnished, pages=2)
    assert pdf.extract(data)

    def gives_up(*_: object, **__: object) -> None:
        raise pikepdf.PdfError("unreadable")

    monkeypatch.setattr("pipeline.documents.pdf.metadata.pikepdf.open", gives_up)
    with pytest.raises(StageFailed) as failure:
        read_metadata(data)
    assert failure.value.code == "unsupported_format"
