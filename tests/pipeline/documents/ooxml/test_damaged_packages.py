"""Packages that their programs open although something in them is damaged: what cannot be read goes, the rest stays."""

import re
import struct
from functools import cache
from pathlib import Path
from types import ModuleType

import pytest

from pipeline.documents.document import Findings, Reading, Unread
from pipeline.documents.docx import handler as docx
from pipeline.documents.pptx import handler as pptx
from pipeline.documents.xlsx import handler as xlsx
from pipeline.verification.ooxml import docx as second_docx
from pipeline.verification.ooxml import pptx as second_pptx
from pipeline.verification.ooxml import xlsx as second_xlsx
from schemas.errors import ErrorCode, StageFailed
from tests.conftest import every
from tests.pipeline.documents.office import contents, everything, paragraph, part, without, word, zipped

ID = "1000000008"
NAME = "Sara Example"
EXAMPLES = Path(__file__).parents[4] / "examples" / "documents"
SAMPLES = {
    "customer-letter.docx": (docx, second_docx),
    "payroll.xlsx": (xlsx, second_xlsx),
    "open-cases.pptx": (pptx, second_pptx),
}
TYPES = "[Content_Types].xml"
_STYLES = b"vnd.openxmlformats-officedocument.wordprocessingml.styles"  # of which an older Word keeps a second part
_TYPE = "application/vnd.openxmlformats-officedocument.wordprocessingml.document.main+xml"


def texts(handler: ModuleType, data: bytes) -> list[tuple[str, str, bool]]:
    return [(unit.text, unit.context, unit.billed) for unit in handler.extract(data)[0].units]


def emptied(handler: ModuleType, data: bytes) -> bytes:
    """The document redacted of nothing; pictures read as empty."""
    readings = [Reading(raster.id, "", ()) for raster in handler.extract(data)[0].rasters]
    output: bytes = handler.redact(data, Findings(()), readings)
    return output


def unread(data: bytes) -> dict[Unread, int]:
    return dict(docx.extract(data)[0].unread)


def refused(data: bytes) -> bool:
    try:
        docx.extract(data)
    except StageFailed as failure:
        return failure.code == ErrorCode.UNSUPPORTED_FORMAT
    return False


TYPE_DAMAGES = {
    "not well formed at the end": lambda types: types.replace("</Types>", "<an\n<invalid\n<xml/\nfile/>\n</Types>"),
    "text between the rows": lambda types: types.replace("</Types>", "lol.<\n</Types>"),
    "blanks and a mark in front": lambda types: "\ufeff \n" + types,
    "every row twice": lambda types: types.replace("</Types>", types[types.index("<", types.index("<Types") + 1) :]),
    "types in capitals": lambda types: (
        types.replace("wordprocessingml", "WordProcessingML")
        .replace("spreadsheetml", "SpreadSheetML")
        .replace("presentationml", "PRESENTATIONML")
    ),
    "blanks in the values": lambda types: types.replace('="/', '=" /').replace('xml"/>', 'xml "/>'),
    "names without a slash": lambda types: types.replace('PartName="/', 'PartName="'),
    "endings with a point": lambda types: types.replace('Extension="', 'Extension=".'),
    "a row without a type": lambda types: types.replace("ContentType=", "NotContentType=", 3),
    "rows in capitals": lambda types: types.replace("<Override", "<OVERRIDE").replace("PartName", "partname"),
    "an entity that nothing declares": lambda types: types.replace("<Override", "&odd;<Override", 2),
    "a broken element around rows": lambda types: types.replace("<Override", "<odd <Override", 1),
    "another encoding than declared": lambda types: types.replace("UTF-8", "UTF-16").replace("utf-8", "utf-16"),
    "no row": lambda types: '<Types xmlns="http://schemas.openxmlformats.org/package/2006/content-types"/>',
    "nothing": lambda types: "",
    "a document type": lambda types: '<!DOCTYPE Types [<!ENTITY x "y">]>' + types[types.index("<Types") :],
}


@cache
def parts_of(sample: str) -> dict[str, bytes]:
    """The parts of a sample; those of its styles are empty, because they would take more time than all else."""
    files = contents((EXAMPLES / sample).read_bytes())
    return {name: re.sub(rb"(?s)(<w:styles\b[^>]*>).*(</w:styles>)", rb"\1\2", body) for name, body in files.items()}


@cache
def whole(sample: str) -> tuple[list[tuple[str, str, bool]], bytes]:
    """The texts of an undamaged sample, and the content types of what is made of it."""
    handler, _ = SAMPLES[sample]
    data = zipped(parts_of(sample))
    return texts(handler, data), contents(emptied(handler, data))[TYPES]


@pytest.mark.parametrize("sample", SAMPLES)
@pytest.mark.parametrize("damage", every(4, TYPE_DAMAGES))
def test_content_types_that_programs_repair(sample: str, damage: str) -> None:
    handler, second = SAMPLES[sample]
    files = dict(parts_of(sample))
    files[TYPES] = TYPE_DAMAGES[damage](files[TYPES].decode("utf-8-sig")).encode()
    damaged = zipped(files)
    undamaged, types = whole(sample)
    assert texts(handler, damaged) == undamaged
    output = emptied(handler, damaged)
    assert contents(output)[TYPES] in (types, types.replace(b"vnd.ms-word.stylesWithEffects", _STYLES))
    second.read(output)


def test_the_name_of_the_content_types_in_capitals() -> None:
    files = contents(word(paragraph(NAME)))
    files = {name.upper() if name == TYPES else name: body for name, body in files.items()}
    assert NAME not in everything(without(zipped(files), NAME))


def test_a_package_without_content_types_is_refused() -> None:
    files = contents(word(paragraph(NAME)))
    del files[TYPES]
    assert refused(zipped(files))


def test_macros_are_refused_whichever_of_two_types_comes_first() -> None:
    macro = "application/vnd.ms-word.document.macroEnabled.main+xml"
    for first, last in ((macro, _TYPE), (_TYPE, macro)):
        files = contents(word(paragraph(NAME), main=first))
        row = f'<Override PartName="/word/document.xml" ContentType="{last}"/></Types>'
        files[TYPES] = files[TYPES].replace(b"</Types>", row.encode())
        assert refused(zipped(files))


DOCTYPES = {
    "internal": ('<!DOCTYPE a [<!ENTITY x "Sara">]>', Unread.PRIVATE),
    "external subset": ('<!DOCTYPE a SYSTEM "http://127.0.0.1:9/a.dtd">', Unread.CONNECTION),
    "external entity": ('<!DOCTYPE a [<!ENTITY x SYSTEM "file:///etc/hostname">]>', Unread.CONNECTION),
    "public": ('<!DOCTYPE a PUBLIC "-//x//y" "file:///etc/hostname" [ ]>', Unread.CONNECTION),
    "amplified": ('<!DOCTYPE a [<!ENTITY b "Sara"><!ENTITY x "&b;&b;&b;&b;">]>', Unread.PRIVATE),
    "marks inside": ("<!DOCTYPE a [<!-- ]> ' --><?p ]> ?><!ENTITY x ']><b>Sara</b>'>\n]\n>", Unread.PRIVATE),
    "parameter": ('<!DOCTYPE a [<!ENTITY % p SYSTEM "file:///etc/hostname"> %p;]>', Unread.CONNECTION),
    "default attribute": ('<!DOCTYPE a [<!ATTLIST a c CDATA "Sara">]>', Unread.PRIVATE),
}


@pytest.mark.parametrize("encoding", ["utf-8", "utf-8-sig", "utf-16", "windows-1256"])
@pytest.mark.parametrize("doctype", DOCTYPES)
def test_entities_are_dropped_and_the_rest_is_redacted(doctype: str, encoding: str) -> None:
    declaration, kind = DOCTYPES[doctype]
    body = f'<a b="v &x; w">before &x;&amp;&#65; behind {ID}<c>ليلى</c><![CDATA[&x;]]></a>'
    named = "utf-8" if "8-" in encoding else encoding
    markup = f'<?xml version="1.0" encoding="{named}"?>\n<!-- c -->\n{declaration}\n{body}'.encode(encoding)
    data = word(paragraph(f"kept {ID}"), {"customXml/item1.xml": ("customXml", markup)})
    assert unread(data)[kind] == 1
    output = without(data, ID, "ليلى")
    second_docx.read(output)
    said = everything(output)
    assert "kept SECRET_01" in said
    assert '<a b="v  w">before &amp;A behind SECRET_01<c>SECRET_02</c>&amp;x;</a>' in said
    hostname = Path("/etc/hostname").read_text(encoding="utf-8").strip()
    assert not [left for left in ("Sara", ID, "ليلى", "DOCTYPE", "ENTITY", hostname) if left in said]


def test_an_entity_in_the_document_itself() -> None:
    files = contents(word(paragraph("one &x; two", NAME).replace("one", "One")))
    doctype = b'<!DOCTYPE w:document [<!ENTITY x SYSTEM "file:///etc/hostname">]>'
    files["word/document.xml"] = doctype + files["word/document.xml"]
    files["word/_rels/document.xml.rels"] = doctype + files["word/_rels/document.xml.rels"]
    output = without(zipped(files), NAME)
    assert "One  twoSECRET_01" in everything(output)
    second_docx.read(output)


@pytest.mark.parametrize("declaration", ["<!DOCTYPE a [", "<!DOCTYPE a '>", "<!DOCTYPE a><!DOCTYPE b>"])
def test_a_document_type_that_does_not_end_is_refused_with_its_document(declaration: str) -> None:
    files = contents(word(paragraph(NAME)))
    files["word/document.xml"] = declaration.encode() + files["word/document.xml"]
    assert refused(zipped(files))


def corrupted(data: bytes, name: str) -> bytes:
    """The package with a wrong checksum for one of its files."""
    changed = bytearray(data)
    at = data.rfind(name.encode()) - 46  # its entry in the central directory, APPNOTE 4.3.12
    assert data[at : at + 4] == b"PK\1\2"
    (checksum,) = struct.unpack_from("<I", data, at + 16)
    struct.pack_into("<I", changed, at + 16, checksum ^ 1)
    return bytes(changed)


@pytest.mark.parametrize(
    ("kind", "name", "counted"),
    [
        ("oleObject", "word/embeddings/object1.bin", Unread.ATTACHMENT),
        ("package", "word/embeddings/sheet1.xlsx", Unread.ATTACHMENT),
        ("package", "word/embeddings/flat1.xml", Unread.ATTACHMENT),
        ("font", "word/fonts/font1.odttf", Unread.FONT),
        ("fontTable", "word/fontTable.xml", Unread.PRIVATE),
        ("customXml", "customXml/item1.xml", Unread.PRIVATE),
        ("image", "word/media/image1.png", Unread.PICTURE),
    ],
)
@pytest.mark.parametrize("is_packed_wrongly", [True, False])
def test_what_is_damaged_beside_the_text_goes(kind: str, name: str, counted: Unread, is_packed_wrongly: bool) -> None:
    data = word(paragraph(f"kept {ID}"), {name: (kind, f"<{NAME}")})
    data = corrupted(data, name) if is_packed_wrongly else data
    assert unread(data)[counted] == 1
    output = without(data, ID)
    second_docx.read(output)
    said = everything(output)
    assert "kept SECRET_01" in said
    assert NAME not in said
    assert [kind == "image"] == [any(other.startswith("word/media/") for other in contents(output))]
    assert name.rpartition("/")[2] not in said or kind == "image"


def test_parts_without_a_byte_are_as_if_they_were_not_there() -> None:
    data = word(paragraph(f"kept {ID}"), {"word/fontTable.xml": ("fontTable", b"")})
    assert sorted(contents(without(data, ID))) == sorted(contents(without(word(paragraph(f"kept {ID}")), ID)))


@pytest.mark.parametrize("kind", ["header", "footer", "footnotes", "comments"])
def test_a_story_that_cannot_be_read_is_not_left_out_in_silence(kind: str) -> None:
    assert refused(word(paragraph("x"), {f"word/{kind}1.xml": (kind, "<w:p>")}))
    sound = word(paragraph("x"), {f"word/{kind}1.xml": (kind, part("p", ""))})
    assert not refused(sound)
    assert refused(corrupted(sound, f"word/{kind}1.xml"))


@pytest.mark.parametrize("name", ["_rels/.rels", "word/_rels/document.xml.rels", "word/document.xml"])
def test_damage_in_what_holds_the_document_together_is_refused(name: str) -> None:
    data = word(paragraph("x"), {"word/media/a.png": ("image", b"x")})
    assert refused(corrupted(data, name))
    assert refused(zipped(contents(data) | {name: b"<a>"}))


@pytest.mark.parametrize("name", ["xl/worksheets/sheet1.xml", "xl/styles.xml"])
def test_damage_in_what_a_workbook_says_is_refused(name: str) -> None:
    files = contents((EXAMPLES / "payroll.xlsx").read_bytes())
    assert name in files
    with pytest.raises(StageFailed) as failure:
        xlsx.extract(zipped(files | {name: b"<a>"}))
    assert failure.value.code == ErrorCode.UNSUPPORTED_FORMAT


@pytest.mark.parametrize("sample", SAMPLES)
def test_entities_and_damage_in_every_format(sample: str) -> None:
    handler, second = SAMPLES[sample]
    data = (EXAMPLES / sample).read_bytes()
    files = contents(data)
    main = next(name for name in files if name in ("word/document.xml", "xl/workbook.xml", "ppt/presentation.xml"))
    doctype = b'<!DOCTYPE x [<!ENTITY e SYSTEM "file:///etc/hostname">]>'
    start = files[main].index(b"?>") + 2 if files[main].startswith(b"<?xml") else 0
    files[main] = files[main][:start] + doctype + files[main][start:]
    files["docProps/app.xml"] = b"<Properties>&e;"
    damaged = zipped(files)
    assert [text for text in texts(handler, damaged) if text[2]] == [text for text in texts(handler, data) if text[2]]
    counts, sound = (dict(handler.extract(each)[0].unread) for each in (damaged, data))
    assert counts[Unread.CONNECTION] == sound.get(Unread.CONNECTION, 0) + 1
    assert counts[Unread.PRIVATE] == sound.get(Unread.PRIVATE, 0) + 1
    output = emptied(handler, damaged)
    second.read(output)
    assert "docProps/app.xml" not in contents(output)
    assert "DOCTYPE" not in everything(output)
