"""Word packages: metadata, links, embedded files and pictures; and packages made to hurt."""

import csv
import io
import struct
import subprocess
import zipfile
from pathlib import Path

import cv2
import docx as python_docx
import numpy as np
import pytest

from pipeline.documents.document import Finding, Findings, Reading
from pipeline.documents.docx import handler as docx
from pipeline.documents.limits import MAX_ENTRIES
from schemas.errors import ErrorCode, StageFailed
from tests.pipeline.documents.office import R, W, contents, everything, paragraph, part, without, word, zipped
from tests.pipeline.ocr.words import Word

ID = "1000000008"
CORE = (
    '<cp:coreProperties xmlns:cp="http://schemas.openxmlformats.org/package/2006/metadata/core-properties"'
    ' xmlns:dc="http://purl.org/dc/elements/1.1/" xmlns:dcterms="http://purl.org/dc/terms/"'
    ' xmlns:xsi="http://www.w3.org/2001/XMLSchema-instance"><dc:title>File of Sara Example</dc:title>'
    "<dc:creator>Qwerty Zxcv</dc:creator><cp:lastModifiedBy>Sara Example</cp:lastModifiedBy>"
    '<dcterms:created xsi:type="dcterms:W3CDTF">2024-03-15T10:00:00Z</dcterms:created></cp:coreProperties>'
)
APP = (
    '<Properties xmlns="http://schemas.openxmlformats.org/officeDocument/2006/extended-properties">'
    "<Application>Writer</Application><Company>Zxcv Trading</Company><Manager>Qwerty</Manager>"
    "<TitlesOfParts>Sara Example</TitlesOfParts></Properties>"
)


def picture(text: str = "", kind: str = ".png", height: int = 60) -> bytes:
    pixels = np.full((height, 400, 3), 255, np.uint8)
    if text:
        cv2.putText(pixels, text, (10, height - 20), cv2.FONT_HERSHEY_SIMPLEX, 1, (0, 0, 0), 2)
    return bytes(cv2.imencode(kind, pixels)[1])


def refused(data: bytes) -> bool:
    codes = set()
    for verb in (docx.inspect, docx.extract, lambda d: docx.redact(d, Findings(()), ())):
        try:
            verb(data)
            codes.add(None)
        except StageFailed as failure:
            codes.add(failure.code)
    assert len(codes) == 1
    return codes == {ErrorCode.UNSUPPORTED_FORMAT}


def test_properties_are_units_that_nobody_pays_for() -> None:
    data = word(paragraph("x"), {"docProps/core.xml": ("core-properties", CORE), "docProps/app.xml":
                                 ("extended-properties", APP)})  # fmt: skip
    unbilled = {unit.text: unit.context for unit in docx.extract(data)[0].units if not unit.billed}
    assert unbilled["Qwerty Zxcv"] == "Name"
    assert "File of Sara Example" in unbilled
    redacted = everything(without(data, "Sara Example"))
    assert "<dc:title>File of SECRET_01</dc:title>" in redacted
    assert "<cp:lastModifiedBy>SECRET_01</cp:lastModifiedBy>" in redacted
    assert not [left for left in ("Sara", "Qwerty", "Zxcv", "2024-03-15", "Writer") if left in redacted]


def test_custom_properties_variables_and_custom_xml() -> None:
    properties = (
        '<Properties xmlns="http://schemas.openxmlformats.org/officeDocument/2006/custom-properties"'
        ' xmlns:vt="http://schemas.openxmlformats.org/officeDocument/2006/docPropsVTypes">'
        f'<property fmtid="{{D5CDD505-2E9C-101B-9397-08002B2CF9AE}}" pid="2" name="رقم الهوية">'
        f"<vt:lpwstr>{ID}</vt:lpwstr></property></Properties>"
    )
    variables = part("settings", f'<w:docVars><w:docVar w:name="Iqama" w:val="{ID}"/></w:docVars>')
    custom = f'<case note="of {ID}"><patientMRN>{ID}</patientMRN>tail {ID}</case>'
    data = word(
        paragraph("x"),
        {
            "docProps/custom.xml": ("custom-properties", properties),
            "word/settings.xml": ("settings", variables),
            "customXml/item1.xml": ("customXml", custom),
        },
    )
    contexts = {(unit.text, unit.context) for unit in docx.extract(data)[0].units}
    assert {(ID, "رقم الهوية"), (ID, "Iqama"), (ID, "patient MRN"), (f"of {ID}", "")} <= contexts
    redacted = everything(without(data, ID))
    assert ID not in redacted
    assert '<case note="of SECRET_01"><patientMRN>SECRET_01</patientMRN>tail SECRET_01</case>' in redacted


def test_values_that_had_a_type_become_text() -> None:
    properties = (
        '<Properties xmlns="http://schemas.openxmlformats.org/officeDocument/2006/custom-properties"'
        ' xmlns:vt="http://schemas.openxmlformats.org/officeDocument/2006/docPropsVTypes">'
        f'<property pid="2" name="A"><vt:i8>{ID}</vt:i8></property>'
        '<property pid="3" name="B"><vt:bool>true</vt:bool></property></Properties>'
    )
    chart = (
        '<c:chartSpace xmlns:c="http://schemas.openxmlformats.org/drawingml/2006/chart">'
        f"<c:strCache><c:pt><c:v>{ID}</c:v></c:pt></c:strCache><c:numCache><c:pt><c:v>{ID}</c:v></c:pt></c:numCache>"
        f'<c:axId val="{ID}"/><c:crossAx val="{ID}"/></c:chartSpace>'
    )
    parts = {"docProps/custom.xml": ("custom-properties", properties), "word/charts/chart1.xml": ("chart", chart)}
    redacted = everything(without(word(paragraph("x"), parts), ID))
    assert "<vt:lpwstr>SECRET_01</vt:lpwstr>" in redacted
    assert "<vt:bool>true</vt:bool>" in redacted
    assert "<c:strCache><c:pt><c:v>SECRET_01</c:v>" in redacted
    assert "<c:numCache><c:pt><c:v>0</c:v>" in redacted
    assert '<c:axId val="100001"/><c:crossAx val="100001"/>' in redacted


def test_deep_nesting_is_read_or_refused() -> None:
    for depth, is_refused in ((160, False), (220, True), (5000, True)):
        body = (
            "<w:sdt><w:sdtContent>" * (depth // 2) + paragraph(f"no. {ID}") + "</w:sdtContent></w:sdt>" * (depth // 2)
        )
        if is_refused:
            assert refused(word(body))
        else:
            assert ID not in everything(without(word(body), ID))


def test_attributes_that_people_fill() -> None:
    body = (
        f'<w:p><w:bookmarkStart w:id="0" w:name="Sara"/><w:ins w:author="Sara" w:date="2024-03-15T10:00:00Z" w:id="1">'
        '<w:r w:rsidR="00A77427"><w:drawing><wp:inline xmlns:wp="http://schemas.openxmlformats.org/drawingml/2006/'
        f'wordprocessingDrawing"><wp:docPr id="{ID}" name="photo of Sara" descr="Sara, no. {ID}"/></wp:inline>'
        "</w:drawing></w:r></w:ins><w:commentRangeStart w:id='7'/></w:p>"
        f'<w:sdt><w:sdtPr><w:id w:val="-{ID}"/><w:alias w:val="for Sara"/><w:tag w:val="{ID}"/></w:sdtPr></w:sdt>'
    )
    comments = part("comments", '<w:comment w:id="7" w:author="Qwerty" w:initials="QZ" w:date="2024-03-15T10:00:00Z"/>')
    data = word(body, {"word/comments.xml": ("comments", comments)})
    redacted = without(data, "Sara", ID)
    said = everything(redacted)
    assert not [left for left in ("Sara", ID, "Qwerty", "QZ", "2024", "rsid") if left in said]
    assert 'descr="SECRET_01, no. SECRET_02"' in said
    assert 'w:author="Author"' in said  # required by the schema
    assert 'w:bookmarkStart w:id="0" w:name="SECRET_01"' in said
    assert '<wp:docPr id="100001"' in said  # a number stays a number
    python_docx.Document(io.BytesIO(redacted))


def test_links_are_read_as_people_read_them() -> None:
    body = '<w:p><w:hyperlink r:id="rId8"><w:r><w:t>write</w:t></w:r></w:hyperlink></w:p>'
    links = {"rId8": ("hyperlink", "mailto:sara%40example.com?subject=%D9%84%D9%8A%D9%84%D9%89%20%26"),
             "rId9": ("hyperlink", "https://example.com/a%20b?c=%25")}  # fmt: skip
    data = word(body, links=links)
    redacted = everything(without(data, "sara@example.com", "ليلى"))
    assert "mailto:SECRET_01?subject=SECRET_02%20&amp;" in redacted
    assert "https://example.com/a%20b?c=%25" in redacted


def test_a_parts_own_name_may_hold_a_value() -> None:
    data = word(
        paragraph("x"), {f"word/media/{ID}.png": ("image", picture()), f"customXml/{ID}.xml": ("customXml", "<a/>")}
    )
    redacted = without(data, ID)
    assert ID not in everything(redacted)
    assert {"word/media/part_1.png", "customXml/part_2.xml"} <= set(contents(redacted)) or {
        "word/media/part_2.png", "customXml/part_1.xml"} <= set(contents(redacted))  # fmt: skip
    main = python_docx.Document(io.BytesIO(redacted)).part
    assert sorted(rel.target_part.partname[:-5] for rel in main.rels.values())  # every relationship leads somewhere


def test_what_cannot_be_read_is_taken_out_with_what_refers_to_it() -> None:
    body = (
        '<w:p><w:r><w:object><v:shape xmlns:v="urn:schemas-microsoft-com:vml" o:gfxdata="UEsDBA" '
        'xmlns:o="urn:schemas-microsoft-com:office:office"><v:imagedata r:id="rId3"/></v:shape>'
        '<o:OLEObject xmlns:o="urn:schemas-microsoft-com:office:office" r:id="rId1"/></w:object>'
        "<w:t>kept</w:t></w:r></w:p>"
        '<w:altChunk r:id="rId2"/><w:sectPr><w:printerSettings r:id="rId4"/></w:sectPr>'
    )
    data = word(
        body,
        {
            "word/embeddings/oleObject1.bin": ("oleObject", f"Sara {ID}"),
            "word/chunk.html": ("aFChunk", f"<p>Sara {ID}"),
            "word/media/image1.emf": ("image", f"Sara {ID}"),
            "word/printerSettings1.bin": ("printerSettings", f"Sara {ID}"),
            "word/fonts/font1.odttf": ("font", f"Sara {ID}"),
            "docProps/thumbnail.jpg": ("thumbnail", picture("Sara", ".jpg")),
            "word/glossary/document.xml": ("glossaryDocument", part("glossaryDocument", paragraph(f"Sara {ID}"))),
            "_xmlsignatures/sig1.xml": ("signature", "<Signature>Sara</Signature>"),
            "word/embeddings/sheet.xlsx": ("package", zipped({"xl/a.xml": f"<a>{ID}</a>"})),
            "[trash]/0000.dat": ("customXml", f"Sara {ID}"),
        },
    )
    redacted = without(data)
    said = everything(redacted)
    assert not [left for left in ("Sara", ID, "OLEObject", "altChunk", "printerSettings", "gfxdata") if left in said]
    assert "kept" in said
    assert sorted(contents(redacted)) == [
        "[Content_Types].xml",
        "_rels/.rels",
        "word/_rels/document.xml.rels",
        "word/document.xml",
        "word/media/image1.png",
    ]
    assert '<v:imagedata r:id="rId3"/>' in said  # the picture is blank, its place stays
    python_docx.Document(io.BytesIO(redacted))


def test_pictures_are_read_and_burned() -> None:
    data = word(
        paragraph("x"),
        {"word/media/a.png": ("image", picture("SARA")), "word/media/b.jpg": ("image", picture("OMAR", ".jpg"))},
    )
    extraction, pixels = docx.extract(data)
    assert len(extraction.rasters) == 2
    assert set(pixels) == {raster.id for raster in extraction.rasters}
    raster = extraction.rasters[0]
    readings = [
        Reading(raster.id, "SARA", (Word(0, 4, 0, 0, raster.width, raster.height, 96.0),)),
        Reading(extraction.rasters[1].id, "", ()),
    ]
    redacted = docx.redact(data, Findings((Finding(raster.id, 0, 4, "PERSON", "PERSON_NAME_01"),)), readings)
    burned = cv2.imdecode(np.frombuffer(contents(redacted)["word/media/a.png"], np.uint8), cv2.IMREAD_GRAYSCALE)
    kept = cv2.imdecode(np.frombuffer(contents(redacted)["word/media/b.jpg"], np.uint8), cv2.IMREAD_GRAYSCALE)
    assert burned.shape == (60, 400)
    assert (burned < 128).mean() > 0.5
    assert (kept < 128).mean() < 0.2


def test_a_picture_without_its_reading_fails() -> None:
    data = word(paragraph("x"), {"word/media/a.png": ("image", picture("SARA"))})
    with pytest.raises(StageFailed) as failure:
        docx.redact(data, Findings(()), ())
    assert failure.value.code == ErrorCode.IMAGE_REDACT_FAILED


@pytest.mark.parametrize(
    "body", [b"", b"Sara", b"\x89PNG\r\n\x1a\nSara", b"\xff\xd8\xffSara", b"GIF89aSara", b"\x01\0\0\0"]
)
@pytest.mark.parametrize("name", ["a.png", "a.jpg", "a.emf", "a.gif", "noext"])
def test_pictures_that_cannot_be_read_become_blank(body: bytes, name: str) -> None:
    data = word(paragraph("x"), {f"word/media/{name}": ("image", body)})
    extraction, _ = docx.extract(data)
    assert extraction.rasters == ()
    redacted = without(data)
    assert "Sara" not in everything(redacted)
    (blank,) = [body for name, body in contents(redacted).items() if "media" in name]
    assert cv2.imdecode(np.frombuffer(blank, np.uint8), cv2.IMREAD_UNCHANGED).shape == (1, 1)


@pytest.mark.parametrize("kind", ["gif", "bmp"])
def test_other_bitmaps_are_read_like_any_picture(kind: str) -> None:
    data = word(paragraph("x"), {f"word/media/a.{kind}": ("image", picture("SARA", f".{kind}"))})
    extraction, _ = docx.extract(data)
    assert len(extraction.rasters) == 1
    shown = cv2.imdecode(np.frombuffer(contents(without(data))["word/media/a.png"], np.uint8), cv2.IMREAD_GRAYSCALE)
    assert shown.shape == (60, 400)


def test_other_documents_are_refused() -> None:
    assert refused(b"")
    assert refused(b"PK\x03\x04")
    assert refused(zipped({"a.txt": "x"}))
    assert refused(word("", main="application/vnd.ms-word.document.macroEnabled.main+xml"))
    assert refused(word("", main="application/vnd.openxmlformats-officedocument.spreadsheetml.sheet.main+xml"))
    assert refused(word("", {"word/vbaProject.bin": ("vbaProject", b"x")}))
    assert refused(word("<w:p>"))
    assert not refused(word(paragraph("x")))


@pytest.mark.parametrize(
    "name", ["/etc/passwd", "../up.xml", "a/../../b.xml", "a\\b.xml", "a//b.xml", "./a", "WORD/document.xml"]
)
def test_odd_and_duplicate_names_are_refused(name: str) -> None:
    files = contents(word(paragraph("x")))
    assert refused(zipped(files | {name: b"<a/>"}))


def test_bombs_are_refused_unread() -> None:
    files = contents(word(paragraph("x")))
    assert refused(zipped(files | {"word/big.xml": b"<a>" + b" " * 60_000_000 + b"</a>"}))
    assert refused(zipped(files | {"word/media/big.png": bytes(60_000_000)}))
    assert refused(zipped(files | {f"customXml/item{n}.xml": b"<a/>" for n in range(MAX_ENTRIES)}))
    assert refused(zipped(files | {"customXml/deep.xml": b"<a>" * 5000 + b"</a>" * 5000}))


def test_comments_and_instructions_in_the_xml_vanish() -> None:
    data = word(f"<!-- Sara {ID} --><?note Sara?><w:p><w:r><w:t>10000<!-- x -->00008</w:t></w:r></w:p>")
    redacted = everything(without(data, ID))
    assert not [left for left in ("Sara", ID, "00008") if left in redacted]
    assert "SECRET_01" in redacted


@pytest.mark.parametrize("seed", range(40))
def test_damaged_packages_fail_cleanly(seed: int) -> None:
    data = bytearray(word(paragraph("Sara"), {"word/media/a.png": ("image", picture("x"))}))
    generator = np.random.default_rng(seed)
    for at in generator.integers(0, len(data), 6):
        data[at] = int(generator.integers(0, 256))
    try:
        extraction, _ = docx.extract(bytes(data))
        docx.redact(bytes(data), Findings(()), [Reading(raster.id, "", ()) for raster in extraction.rasters])
    except StageFailed as failure:
        assert failure.code in (ErrorCode.UNSUPPORTED_FORMAT, ErrorCode.IMAGE_REDACT_FAILED)


def test_an_entry_that_lies_about_its_size_is_refused() -> None:
    data = bytearray(word(paragraph("x" * 2000)))
    at = data.rfind(b"PK\x01\x02")
    struct.pack_into("<I", data, at + 24, 5)
    assert refused(bytes(data))


@pytest.mark.slow
@pytest.mark.timeout(300)
def test_real_documents_survive_and_nothing_crashes(shared_dir: Path) -> None:
    folder = shared_dir / "data" / "documents"
    wrong = []
    with (folder / "manifest.csv").open(encoding="utf-8") as rows:
        for row in csv.DictReader(rows):
            if row["file"].partition("/")[0] not in (
                "docx",
                "docm",
                "doc",
                "xlsx",
                "xlsm",
                "xls",
                "pptx",
                "ppt",
                "pdf",
            ):
                continue
            data = (folder / row["file"]).read_bytes()
            try:
                extraction, _ = docx.extract(data)
                redacted = docx.redact(data, Findings(()), [Reading(r.id, "", ()) for r in extraction.rasters])
                python_docx.Document(io.BytesIO(redacted))
                again, _ = docx.extract(redacted)
                assert [u.text for u in again.units if u.billed] == [u.text for u in extraction.units if u.billed]
            except StageFailed:
                is_word = row["file"].startswith("docx/")
                if row["expected"] == "redactable" and is_word:
                    wrong.append(row["file"])
            else:
                if row["expected"] == "unsupported_format":
                    wrong.append(row["file"])
    assert wrong == []


@pytest.mark.slow
@pytest.mark.timeout(300)
def test_office_opens_the_output(shared_dir: Path, tmp_path: Path) -> None:
    sources = sorted((shared_dir / "data" / "documents" / "docx").glob("*.docx"))
    written = []
    for path in sources:
        data = path.read_bytes()
        try:
            extraction, _ = docx.extract(data)
            redacted = docx.redact(data, Findings(()), [Reading(r.id, "", ()) for r in extraction.rasters])
        except StageFailed:
            continue
        written.append(tmp_path / path.name)
        written[-1].write_bytes(redacted)
    command = ["soffice", f"-env:UserInstallation=file://{tmp_path}/profile", "--headless", "--convert-to", "pdf"]
    try:
        subprocess.run([*command, "--outdir", tmp_path / "pdf", *written], check=True, capture_output=True, timeout=280)
    except FileNotFoundError:
        pytest.skip("LibreOffice is not installed")
    missing = [path.name for path in written if not (tmp_path / "pdf" / (path.stem + ".pdf")).exists()]
    assert missing == []


def test_the_zip_carries_no_clock(shared_dir: Path) -> None:
    redacted = without(word(paragraph("x")))
    with zipfile.ZipFile(io.BytesIO(redacted)) as archive:
        assert {entry.date_time for entry in archive.infolist()} == {(1980, 1, 1, 0, 0, 0)}
        assert archive.namelist()[0] == "[Content_Types].xml"
    assert R in everything(redacted)
    assert W in everything(redacted)
