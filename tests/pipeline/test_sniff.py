"""What an upload's bytes say about it, however they are cut into chunks."""

import csv
import io
import zipfile
import zlib
from pathlib import Path

import docx
import numpy as np
import pytest
from PIL import Image

from pipeline.sniff import Sniffer
from schemas.errors import UnsupportedFormat
from schemas.files import MEDIA_TYPE, Format
from schemas.refusals import REMEDY, Reason

DOCX = MEDIA_TYPE[Format.DOCX]
UNDECLARED = "application/octet-stream"


def sniff(data: bytes, declared: str, filename: str = "", size: int = 65536) -> Format:
    sniffer = Sniffer(declared, filename)
    for start in range(0, len(data), size):
        sniffer.feed(data[start : start + size])
    return sniffer.finish()


def refuses(data: bytes, declared: str, filename: str = "") -> bool:
    try:
        sniff(data, declared, filename)
    except UnsupportedFormat:
        return True
    return False


def picture(kind: str) -> bytes:
    buffer = io.BytesIO()
    Image.fromarray((np.arange(40 * 60 * 3) % 251).astype("uint8").reshape(40, 60, 3)).save(buffer, kind)
    return buffer.getvalue()


def word() -> bytes:
    buffer = io.BytesIO()
    document = docx.Document()
    document.add_paragraph("رسالة قصيرة")
    document.save(buffer)
    return buffer.getvalue()


def rezipped(data: bytes, **changes: bytes | None) -> bytes:
    """The package with entries replaced, added (bytes) or removed (None); `__` in a name stands for `/`."""
    buffer = io.BytesIO()
    changed = {name.replace("__", "/").replace("_dot_", "."): body for name, body in changes.items()}
    with zipfile.ZipFile(io.BytesIO(data)) as old, zipfile.ZipFile(buffer, "w", zipfile.ZIP_DEFLATED) as new:
        for entry in old.infolist():
            body = changed.pop(entry.filename, old.read(entry))
            if body is not None:
                new.writestr(entry.filename, body)
        for name, body in changed.items():
            if body is not None:
                new.writestr(name, body)
    return buffer.getvalue()


PDF = b"%PDF-1.7\n1 0 obj\n<< /Type /Catalog >>\nendobj\ntrailer << /Root 1 0 R >>\nstartxref\n9\n%%EOF\n"
CSV = "الاسم,رقم الهوية\nليلى,1000000008\n"

SAMPLES: dict[Format, bytes] = {
    Format.PDF: PDF,
    Format.DOCX: word(),
    Format.CSV: CSV.encode(),
    Format.PNG: picture("PNG"),
    Format.JPEG: picture("JPEG"),
}


@pytest.mark.parametrize("size", [1, 2, 7, 4096])
@pytest.mark.parametrize("kind", SAMPLES)
def test_a_document_is_what_it_declares(kind: Format, size: int) -> None:
    assert sniff(SAMPLES[kind], MEDIA_TYPE[kind], size=size) is kind


@pytest.mark.parametrize("kind", SAMPLES)
@pytest.mark.parametrize("declared", [Format.PDF, Format.DOCX, Format.CSV, Format.PNG, Format.JPEG])
def test_declaration_and_bytes_must_agree(kind: Format, declared: Format) -> None:
    assert refuses(SAMPLES[kind], MEDIA_TYPE[declared]) is (kind is not declared)


@pytest.mark.parametrize(
    ("declared", "kind"),
    [
        ("image/jpg", Format.JPEG),
        ("IMAGE/JPEG", Format.JPEG),
        ("application/csv", Format.CSV),
        ("text/csv; charset=windows-1256", Format.CSV),
        ("application/vnd.ms-excel", Format.CSV),
        ("application/pdf;version=1.7", Format.PDF),
    ],
)
def test_aliases_and_parameters_of_the_declared_type(declared: str, kind: Format) -> None:
    assert sniff(SAMPLES[kind], declared) is kind


@pytest.mark.parametrize("declared", ["", "text/plain", "application/msword", "*/*", ";"])
def test_other_declared_types_are_refused(declared: str) -> None:
    assert all(refuses(data, declared) for data in SAMPLES.values())


@pytest.mark.parametrize("kind", [Format.PDF, Format.DOCX, Format.PNG, Format.JPEG])
def test_a_truncated_document_is_refused(kind: Format) -> None:
    data = SAMPLES[kind]
    cuts = {1, 8, len(data) // 3, len(data) // 2, len(data) - 8}
    assert all(refuses(data[:cut], MEDIA_TYPE[kind]) for cut in cuts)


@pytest.mark.parametrize("kind", SAMPLES)
def test_an_empty_file_is_refused(kind: Format) -> None:
    assert refuses(b"", MEDIA_TYPE[kind])
    assert refuses(b"\0" * 64, MEDIA_TYPE[kind])


@pytest.mark.parametrize("kind", [Format.PNG, Format.JPEG, Format.PDF])
def test_bytes_after_the_end_are_tolerated(kind: Format) -> None:
    assert sniff(SAMPLES[kind] + b"\r\n" + bytes(100), MEDIA_TYPE[kind]) is kind


def test_a_thumbnail_inside_a_jpeg_does_not_end_it() -> None:
    data = picture("JPEG")
    thumbnail = b"Exif\0\0" + data
    whole = data[:2] + b"\xff\xe1" + (len(thumbnail) + 2).to_bytes(2, "big") + thumbnail + data[2:]
    for size in (1, 3, 1000, len(whole)):
        assert sniff(whole, "image/jpeg", size=size) is Format.JPEG
    assert refuses(whole[: len(thumbnail) + 100], "image/jpeg")


OLE = b"\xd0\xcf\x11\xe0\xa1\xb1\x1a\xe1" + bytes(504)


@pytest.mark.parametrize("declared", [DOCX, "application/vnd.ms-excel", MEDIA_TYPE[Format.XLSX], "text/csv"])
@pytest.mark.parametrize("inside", ["WordDocument", "Workbook", "EncryptedPackage"])
def test_legacy_and_encrypted_office_files_are_refused(declared: str, inside: str) -> None:
    assert refuses(OLE + inside.encode("utf-16-le") + bytes(512), declared)


def test_macros_are_refused_by_part_by_type_and_by_suffix() -> None:
    assert refuses(rezipped(word(), word__vbaProject_dot_bin=b"x"), DOCX)
    with zipfile.ZipFile(io.BytesIO(word())) as archive:
        types = archive.read("[Content_Types].xml")
    enabled = types.replace(
        b"application/vnd.openxmlformats-officedocument.wordprocessingml.document.main+xml",
        b"application/vnd.ms-word.document.macroEnabled.main+xml",
    )
    assert enabled != types
    assert refuses(rezipped(word(), **{"[Content_Types].xml": enabled}), DOCX)
    assert refuses(word(), DOCX, "letter.docm")
    assert sniff(word(), DOCX, "letter.docx") is Format.DOCX


def test_a_package_whose_type_list_comes_last_is_known_by_its_folders() -> None:
    with zipfile.ZipFile(io.BytesIO(word())) as archive:
        types = archive.read("[Content_Types].xml")
    moved = rezipped(rezipped(word(), **{"[Content_Types].xml": None}), **{"[Content_Types].xml": types})
    assert sniff(moved, DOCX) is Format.DOCX


def test_encrypted_zip_entries_are_refused() -> None:
    data = bytearray(word())
    at = data.rfind(b"PK\x01\x02")
    data[at + 8] |= 1
    assert refuses(bytes(data), DOCX)


@pytest.mark.parametrize("magic", [b"II*\0", b"MM\0*", b"II+\0\x08\0\0\0", b"MM\0+\0\x08\0\0"])
def test_a_tiff_begins_with_its_mark_and_reaches_its_first_page(magic: bytes) -> None:
    order, size = ("little" if magic[:1] == b"I" else "big"), 4 if len(magic) == 4 else 8
    for first, is_whole in ((64, True), (80, False), (2**31, False)):
        data = (magic + first.to_bytes(size, order)).ljust(80, b"\0")
        assert refuses(data, "image/tiff") is not is_whole
    assert refuses(magic, "image/png") and refuses(b"II*", "image/tiff") and refuses(b"II\0*" + bytes(64), "image/tiff")


def test_other_zip_files_are_refused() -> None:
    buffer = io.BytesIO()
    with zipfile.ZipFile(buffer, "w") as archive:
        archive.writestr("notes.txt", "nothing")
    assert refuses(buffer.getvalue(), DOCX)
    with zipfile.ZipFile(buffer := io.BytesIO(), "w") as archive:
        archive.writestr("xl/workbook.xml", "<workbook/>")
    assert refuses(buffer.getvalue(), DOCX)


@pytest.mark.parametrize(
    ("kind", "path"), [(Format.XLSX, "xl__workbook_dot_xml"), (Format.PPTX, "ppt__presentation_dot_xml")]
)
def test_one_office_format_is_not_another(kind: Format, path: str) -> None:
    data = rezipped(word(), **{path: b"<x/>"})  # both a Word document and something else
    assert refuses(data, MEDIA_TYPE[kind])
    assert refuses(word(), MEDIA_TYPE[kind])


@pytest.mark.parametrize(
    "data",
    [
        CSV.encode("utf-8-sig"),
        CSV.encode("utf-16"),
        b"\xfe\xff" + CSV.encode("utf-16-be"),
        CSV.encode("utf-16-le"),  # without a mark
        CSV.encode("utf-16-be"),
        CSV.encode("utf-32"),
        CSV.encode("utf-32-be"),
        CSV.encode("cp1256"),
        b"a;b\r\n1;2\r\n\x1a",
        b"one",
        b"\xff\xfe",
    ],
)
def test_text_in_the_encodings_that_spreadsheets_write(data: bytes) -> None:
    for size in (1, 2, 3, 65536):
        assert sniff(data, "text/csv", size=size) is Format.CSV


@pytest.mark.parametrize(
    "data",
    [
        b"a,b\n1,\0\n",
        CSV.encode("utf-16-le") + b"A",  # half a character
        CSV.encode("utf-16-be")[:40] + bytes(40),
        b"\xff\xfe" + CSV.encode("utf-16-le") + b"\x41",  # half a character
        b"\xff\xfe\x00\xd8a\0",  # lone surrogate
        b"a,b\n\x01,\x02\n",
        b"\xe3,\x03\n",
        b"<!DOCTYPE html><table>",
        b"\n <HTML>",
        b"<?xml version='1.0'?><rows/>",
        b"{\\rtf1 a}",
        b"\xef\xbb\xbf%PDF-1.4",
    ],
)
def test_what_is_not_a_table_of_text_is_refused(data: bytes) -> None:
    assert refuses(data, "text/csv")


def test_an_encrypt_dictionary_asks_for_an_opening() -> None:
    locked = PDF.replace(b"/Root 1 0 R", b"/Root 1 0 R /Encrypt 5 0 R")
    for data, expected in ((locked, True), (PDF, False)):
        for size in (1, 5, 10_000):
            sniffer = Sniffer("application/pdf", "a.pdf")
            for start in range(0, len(data), size):
                sniffer.feed(data[start : start + size])
            assert sniffer.finish() is Format.PDF
            assert sniffer.needs_open is expected


def test_memory_stays_bounded() -> None:
    sniffer = Sniffer("text/csv", "a.csv")
    for _ in range(300):
        sniffer.feed(b"abc,def\r\n" * 10_000)
    assert sum(len(held) for held in (sniffer._head, sniffer._tail)) < 1024 * 1024
    assert sniffer.finish() is Format.CSV


def test_a_compressed_type_list_is_not_inflated_without_bound() -> None:
    bomb = zlib.compressobj(9, zlib.DEFLATED, -15)
    body = bomb.compress(b" " * 60_000_000) + bomb.flush()
    name = b"[Content_Types].xml"
    head = b"PK\x03\x04" + bytes(4) + (8).to_bytes(2, "little") + bytes(8) + len(body).to_bytes(4, "little")
    head += (60_000_000).to_bytes(4, "little") + len(name).to_bytes(2, "little") + bytes(2) + name
    assert refuses(head + body + b"PK\x05\x06" + bytes(18), DOCX)


@pytest.mark.slow
def test_real_documents(shared_dir: Path) -> None:
    """Whatever should be redactable passes, whatever is legacy, macro-enabled or another format does not."""
    folder = shared_dir / "data" / "documents"
    types = {"pdf": Format.PDF, "docx": Format.DOCX, "docm": Format.DOCX, "doc": Format.DOCX, "csv": Format.CSV,
             "xls": Format.CSV, "xlsx": Format.XLSX, "xlsm": Format.XLSX, "ppt": Format.PPTX, "pptx": Format.PPTX,
             "png": Format.PNG, "jpg": Format.JPEG, "tif": Format.TIFF}  # fmt: skip
    wrong = []
    with (folder / "manifest.csv").open(encoding="utf-8") as rows:
        for row in csv.DictReader(rows):
            kind = types[row["file"].partition("/")[0]]
            data = (folder / row["file"]).read_bytes()
            refused = refuses(data, MEDIA_TYPE[kind], row["file"])
            if kind is Format.PDF and b"/Encrypt" in data:
                continue  # only opening it tells
            if row["expected"] == "redactable" and refused:
                wrong.append(row["file"])
            if row["expected"] == "unsupported_format" and not refused:
                wrong.append(row["file"])
    assert wrong == []


ENCRYPTED = OLE + "EncryptedPackage".encode("utf-16-le") + bytes(512)
R = Reason


@pytest.mark.parametrize(
    ("data", "declared", "filename", "reason"),
    [
        (b"", "text/csv", "a.csv", R.EMPTY),
        (b"", "application/msword", "a.doc", R.EMPTY),
        (PDF, "application/x-made-up", "a.pdf", R.UNKNOWN_TYPE),
        (b"no type at all", UNDECLARED, "notes", R.UNKNOWN_TYPE),
        (PDF, MEDIA_TYPE[Format.PNG], "a.png", R.TYPE_MISMATCH),
        (SAMPLES[Format.PNG], MEDIA_TYPE[Format.JPEG], "a.jpg", R.TYPE_MISMATCH),
        (SAMPLES[Format.PNG], "text/csv", "a.csv", R.TYPE_MISMATCH),
        (word(), MEDIA_TYPE[Format.XLSX], "a.xlsx", R.TYPE_MISMATCH),
        (b"<html>", "text/csv", "a.csv", R.TYPE_MISMATCH),
        (OLE, DOCX, "a.docx", R.LEGACY_OFFICE),
        (OLE, "application/vnd.ms-excel", "a.xls", R.LEGACY_OFFICE),
        (OLE, "application/msword", "a.doc", R.LEGACY_OFFICE),
        (ENCRYPTED, DOCX, "a.docx", R.ENCRYPTED),
        (word(), DOCX, "letter.docm", R.MACRO_ENABLED),
        (rezipped(word(), word__vbaProject_dot_bin=b"x"), DOCX, "a.docx", R.MACRO_ENABLED),
        (PDF[:-8], MEDIA_TYPE[Format.PDF], "a.pdf", R.CORRUPT),
        (SAMPLES[Format.PNG][:-8], MEDIA_TYPE[Format.PNG], "a.png", R.CORRUPT),
        (word()[:-30], DOCX, "a.docx", R.CORRUPT),
        (b"a,b\n1,\0\n", "text/csv", "a.csv", R.CORRUPT),
    ],
)
def test_a_refusal_says_why(data: bytes, declared: str, filename: str, reason: Reason) -> None:
    for size in (7, 65536):
        with pytest.raises(UnsupportedFormat) as refused:
            sniff(data, declared, filename, size)
        assert refused.value.reason is reason
        assert refused.value.extra == {"reason": reason.value, "remedy": REMEDY[reason]}


@pytest.mark.parametrize("size", [1, 1000, 1024, 65536])
@pytest.mark.parametrize(
    ("kind", "filename"),
    [
        (Format.PDF, "scan"),
        (Format.DOCX, "letter.docx"),
        (Format.DOCX, "letter"),
        (Format.CSV, "rows.csv"),
        (Format.CSV, "rows.TSV"),
        (Format.PNG, "picture.jpg"),
        (Format.JPEG, ""),
    ],
)
def test_an_undeclared_type_is_told_by_content_and_ending(kind: Format, filename: str, size: int) -> None:
    assert sniff(SAMPLES[kind], UNDECLARED, filename, size) is kind
    assert sniff(SAMPLES[kind], f"{UNDECLARED}; x=y".upper(), filename, size) is kind


def test_an_undeclared_pdf_is_searched_for_encryption_from_its_first_byte() -> None:
    for size in (100, 4096):
        sniffer = Sniffer(UNDECLARED, "a.pdf")
        data = b"%PDF-1.7\n/Encrypt 1 0 R\n" + b" " * 3000 + b"%%EOF"
        for start in range(0, len(data), size):
            sniffer.feed(data[start : start + size])
        assert sniffer.finish() is Format.PDF and sniffer.needs_open


def test_every_reason_has_its_remedy() -> None:
    assert REMEDY.keys() == set(Reason)
