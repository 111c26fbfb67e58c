"""What is taken in and what comes out, format by format, and what each costs."""

import io
import zipfile

import httpx
import pymupdf
import pytest
from PIL import Image

from pipeline.sniff import Sniffer
from schemas.entities import EntityType
from schemas.files import MEDIA_TYPE, Format
from schemas.refusals import REMEDY, Reason
from schemas.stages import Stage
from storage.accounts import entity_sets
from tests.api.serving import Account
from tests.contract.papers import WORDS, frames, pages, paper, picture, scan, sheet, slides, word
from tests.contract.shop import UPLOAD, Shop, opened, record, refused, upload
from tests.hiding_places.proof.inspection import traces

PAGES = {Format.PDF: 2, Format.PPTX: 2, Format.PNG: 1, Format.JPEG: 1, Format.TIFF: 1}
OLE = b"\xd0\xcf\x11\xe0\xa1\xb1\x1a\xe1" + bytes(4000)
OFFICE = (Format.DOCX, Format.XLSX, Format.PPTX)


def done(shop: Shop, client: httpx.Client, data: bytes, format_: Format) -> tuple[dict[str, object], bytes]:
    """The record of a document that became ready, and its output."""
    file_id = str(upload(client, data, f"a.{format_.value}", MEDIA_TYPE[format_])["file_id"])
    shop.work()
    row = record(client, file_id)
    assert (row["state"], row["error_code"]) == ("ready", None)
    return row, client.get(row["download_url"]).content


@pytest.mark.clause("FILE-02", "FILE-32", "FILE-60", "FILE-61")
@pytest.mark.parametrize(
    "format_",
    [pytest.param(one, marks=[pytest.mark.slow] if one in (Format.JPEG, Format.TIFF) else []) for one in Format],
)
def test_each_format_comes_back_as_itself_and_costs_what_it_says(
    shop: Shop, caller: httpx.Client, owner: Account, format_: Format
) -> None:
    before = shop.served.balance(owner)
    data = paper(format_)
    assert traces(data, "0501234567") or format_ in (Format.PNG, Format.JPEG, Format.TIFF)
    file_id = str(upload(caller, data, f"a.{format_.value}", MEDIA_TYPE[format_])["file_id"])
    shop.work(Stage.BILL)
    assert shop.served.balance(owner) == before
    shop.work()
    row = record(caller, file_id)
    assert (row["state"], row["error_code"], row["entity_count"]) == ("ready", None, 1)
    output = caller.get(row["download_url"])
    assert output.headers["content-type"] == MEDIA_TYPE[format_]
    sniffer = Sniffer(MEDIA_TYPE[format_])
    sniffer.feed(output.content)
    assert sniffer.finish() is format_
    assert not traces(output.content, "0501234567")
    assert row["word_count"] == WORDS
    assert before - shop.served.balance(owner) == WORDS + 10 * PAGES.get(format_, 0)


@pytest.mark.clause("FILE-03")
@pytest.mark.slow
def test_pictures_everywhere_are_read(shop: Shop, caller: httpx.Client, owner: Account) -> None:
    shown = picture("Mobile: 0501234567")
    for data, format_, cost in (
        (scan("Mobile: 0501234567"), Format.PDF, 2 + 10),
        (word("A picture", image=shown), Format.DOCX, 2 + 2),
    ):
        before = shop.served.balance(owner)
        row, output = done(shop, caller, data, format_)
        assert row["entity_count"] == 1
        assert output != data
        assert before - shop.served.balance(owner) == cost


@pytest.mark.clause("FILE-07", "FILE-60")
@pytest.mark.slow
def test_a_picture_keeps_its_measures(shop: Shop, caller: httpx.Client, owner: Account) -> None:
    """A TIFF of three frames too."""
    data = frames(["Mobile: 0501234567"], ["Office"], ["Desk"])
    before = shop.served.balance(owner)
    _, output = done(shop, caller, data, Format.TIFF)
    with Image.open(io.BytesIO(data)) as was, Image.open(io.BytesIO(output)) as now:
        assert (now.n_frames, now.size, now.mode) == (was.n_frames, was.size, was.mode) == (3, (1000, 210), "L")  # type: ignore[attr-defined]
    assert before - shop.served.balance(owner) == 4 + 10
    for mode in ("1", "RGB"):
        data = picture("Office", kind="PNG", mode=mode)
        _, output = done(shop, caller, data, Format.PNG)
        with Image.open(io.BytesIO(output)) as now:
            assert (now.size, now.mode == "RGB") == ((1000, 210), mode == "RGB")


@pytest.mark.clause("FILE-08")
def test_text_that_says_what_it_shows_stays_text(shop: Shop, caller: httpx.Client) -> None:
    _, output = done(shop, caller, pages("Office hours of 0501234567", "Second page"), Format.PDF)
    with pymupdf.open(stream=output, filetype="pdf") as document:
        text = [page.get_text() for page in document]
    assert "Office hours of" in text[0] and "Second page" in text[1]
    assert "0501234567" not in "".join(text)


@pytest.mark.clause("FILE-62")
def test_what_is_redacted_and_not_billed(shop: Shop, caller: httpx.Client, owner: Account) -> None:
    import docx
    import openpyxl  # type: ignore[import-untyped]

    document, book = docx.Document(), openpyxl.Workbook()
    document.core_properties.author = "Noura Salem Almithali"
    document.add_paragraph("Two words")
    book.active.title = "Noura Salem Almithali"
    book.active["A1"] = "Two words"
    for made, format_ in ((document, Format.DOCX), (book, Format.XLSX)):
        buffer, before = io.BytesIO(), shop.served.balance(owner)
        made.save(buffer)
        assert traces(buffer.getvalue(), "Almithali")
        row, output = done(shop, caller, buffer.getvalue(), format_)
        assert not traces(output, "Almithali")
        assert row["word_count"] == before - shop.served.balance(owner) == 2


@pytest.mark.clause("DETECT-09", "DETECT-42", "FILE-04")
def test_files_know_no_toggles_no_least_score_and_no_check_digits(
    shop: Shop, caller: httpx.Client, owner: Account
) -> None:
    with shop.served.services.storage.database.transaction() as session:
        entity_sets.select_for_account(session, owner.id, frozenset({EntityType.IBAN}), 1)
    rows = [
        "1012345678,id",
        "2000000001,permit",
        "10.20.30.40,host",
        "4111111111111112,no card",
        "0501234567,mobile",
    ]
    body = ("value,what\r\n" + "".join(f"{row}\r\n" for row in rows)).encode()
    row, output = done(shop, caller, body, Format.CSV)
    text = output.decode()
    for gone in ("1012345678", "2000000001", "10.20.30.40", "0501234567"):
        assert gone not in text
    assert "CARD_01" not in text
    assert row["entity_count"] == 4


@pytest.mark.clause("FILE-11", "FILE-18")
@pytest.mark.parametrize("format_", Format)
def test_other_bytes_than_declared(shop: Shop, caller: httpx.Client, format_: Format) -> None:
    whole = paper(format_)
    wrong = [b"", OLE, b"\x7fELF" + bytes(500), b"<html><body>no document</body></html>"]
    wrong += [paper(other) for other in Format if other is not format_]
    if format_ not in (Format.CSV, Format.TIFF):
        wrong.append(whole[: len(whole) * 2 // 3])
    for data in wrong:
        answer = caller.post(UPLOAD, files={"file": (f"a.{format_.value}", data, MEDIA_TYPE[format_])})
        assert refused(answer) == (400, "unsupported_format"), data[:20]
    for type_ in ("text/plain", "image/gif", "application/zip", "application/msword", ""):
        answer = caller.post(UPLOAD, files={"file": (f"a.{format_.value}", whole, type_)})
        assert refused(answer) == (400, "unsupported_format")
    assert caller.get("/api/v1/files").json()["files"] == []


@pytest.mark.clause("FILE-18")
@pytest.mark.parametrize("format_", OFFICE)
def test_macros_and_passwords(caller: httpx.Client, format_: Format) -> None:
    """Packages that carry a program, by part, by type or by name, and packages with locked entries."""
    whole = paper(format_)
    plain = whole_types(whole)
    for name, data in (
        ("a", repacked(whole, add={"word/vbaProject.bin": b"x"})),
        ("a", repacked(whole, types=plain.replace(b".main+xml", b".macroEnabled.main+xml"))),
        (f"a.{format_.value[:-1]}m", whole),
        ("a", locked(whole)),
        ("a", OLE),
    ):
        answer = caller.post(UPLOAD, files={"file": (name, data, MEDIA_TYPE[format_])})
        assert refused(answer) == (400, "unsupported_format"), name


@pytest.mark.clause("FILE-16")
@pytest.mark.parametrize(
    ("type_", "format_"),
    [
        ("image/jpg", Format.JPEG),
        ("image/tif", Format.TIFF),
        ("image/x-tiff", Format.TIFF),
        ("IMAGE/TIFF", Format.TIFF),
        (f"{MEDIA_TYPE[Format.XLSX]}; charset=binary", Format.XLSX),
        (MEDIA_TYPE[Format.PPTX].upper(), Format.PPTX),
    ],
)
def test_other_names_of_the_same(caller: httpx.Client, type_: str, format_: Format) -> None:
    answer = caller.post(UPLOAD, files={"file": ("a", paper(format_), type_)})
    assert answer.status_code == 201


@pytest.mark.clause("FILE-16")
def test_a_workbook_by_the_name_of_the_old_one(caller: httpx.Client) -> None:
    for data, status in ((paper(Format.CSV), 201), (sheet("x"), 400), (OLE, 400)):
        answer = caller.post(UPLOAD, files={"file": ("a.xls", data, "application/vnd.ms-excel")})
        assert answer.status_code == status


@pytest.mark.clause("FILE-19")
def test_a_pdf_that_opens_without_a_password(shop: Shop, caller: httpx.Client) -> None:
    with pymupdf.open(stream=pages("Mobile: 0501234567"), filetype="pdf") as document:
        free, shut = (
            document.tobytes(encryption=pymupdf.PDF_ENCRYPT_AES_256, owner_pw="owner", user_pw=password)
            for password in ("", "secret")
        )
    answer = caller.post(UPLOAD, files={"file": ("a.pdf", shut, MEDIA_TYPE[Format.PDF])})
    assert refused(answer) == (400, "unsupported_format")
    row, output = done(shop, caller, free, Format.PDF)
    assert row["entity_count"] == 1
    assert b"/Encrypt" not in output


@pytest.mark.clause("FILE-60")
def test_the_price_of_every_slide_and_page(shop: Shop, caller: httpx.Client, owner: Account) -> None:
    for data, format_ in ((slides("x", "", ""), Format.PPTX), (pages("x", "", ""), Format.PDF)):
        before = shop.served.balance(owner)
        done(shop, caller, data, format_)
        assert before - shop.served.balance(owner) == 1 + 30


@pytest.mark.clause("RUN-08")
def test_more_pages_than_allowed(tmp_path_factory: pytest.TempPathFactory) -> None:
    with opened(tmp_path_factory.mktemp("pages"), max_file_pages=2) as shop, shop.client() as client:
        for count, state in ((2, "ready"), (3, "failed")):
            file_id = str(upload(client, pages(*["x"] * count), "a.pdf", MEDIA_TYPE[Format.PDF])["file_id"])
            shop.work()
            row = record(client, file_id)
            assert (row["state"], row["error_code"]) == (state, "too_many_pages" if state == "failed" else None)


def whole_types(package: bytes) -> bytes:
    with zipfile.ZipFile(io.BytesIO(package)) as parts:
        return parts.read("[Content_Types].xml")


def repacked(package: bytes, add: dict[str, bytes] | None = None, types: bytes | None = None) -> bytes:
    """The package with further parts, or other content types."""
    buffer = io.BytesIO()
    with zipfile.ZipFile(io.BytesIO(package)) as parts, zipfile.ZipFile(buffer, "w", zipfile.ZIP_DEFLATED) as made:
        for name in sorted(parts.namelist(), key=lambda name: name != "[Content_Types].xml"):
            made.writestr(name, types if types and name == "[Content_Types].xml" else parts.read(name))
        for name, data in (add or {}).items():
            made.writestr(name, data)
    return buffer.getvalue()


def locked(package: bytes) -> bytes:
    """The package with the mark of traditional encryption at its first entry (APPNOTE 4.4.4)."""
    data = bytearray(package)
    data[data.index(b"PK\x01\x02") + 8] |= 1
    return bytes(data)


@pytest.mark.clause("FILE-66")
@pytest.mark.parametrize("format_", Format)
def test_an_undeclared_type_is_told_by_content_and_ending(caller: httpx.Client, format_: Format) -> None:
    """`application/octet-stream` declares nothing (RFC 2046, section 4.5.1)."""
    upload = {"file": (f"a.{format_.value}", paper(format_), "application/octet-stream")}
    assert caller.post(UPLOAD, files=upload).status_code == 201
    unknown = {"file": ("a", b"\x7fELF" + bytes(500), "application/octet-stream")}
    answer = caller.post(UPLOAD, files=unknown)
    assert refused(answer) == (400, "unsupported_format") and answer.json()["reason"] == "unknown_type"


LOCKED = OLE + "EncryptedPackage".encode("utf-16-le") + bytes(512)


@pytest.mark.clause("FILE-64")
@pytest.mark.parametrize(
    ("name", "data", "media_type", "reason"),
    [
        ("a.csv", b"", "text/csv", Reason.EMPTY),
        ("a.gif", b"GIF89a", "image/gif", Reason.UNKNOWN_TYPE),
        ("a.pdf", b"\x89PNG", "application/pdf", Reason.TYPE_MISMATCH),
        ("a.doc", OLE + bytes(600), "application/msword", Reason.LEGACY_OFFICE),
        ("a.docx", LOCKED, MEDIA_TYPE[Format.DOCX], Reason.ENCRYPTED),
        ("a.xlsm", paper(Format.XLSX), MEDIA_TYPE[Format.XLSX], Reason.MACRO_ENABLED),
        ("a.pdf", b"%PDF-1.7 cut", "application/pdf", Reason.CORRUPT),
    ],
)
def test_a_refusal_says_why_and_what_helps(
    caller: httpx.Client, name: str, data: bytes, media_type: str, reason: Reason
) -> None:
    answer = caller.post(UPLOAD, files={"file": (name, data, media_type)})
    expected = {"detail": "unsupported_format", "reason": reason.value, "remedy": REMEDY[reason]}
    assert (answer.status_code, answer.json()) == (400, expected)
