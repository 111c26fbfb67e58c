"""The pages that the dashboard shows before and after: for who is signed in, of any document, and bounded."""

import base64
import secrets
from collections.abc import Iterator

import httpx
import pymupdf
import pytest

from examples.demo import DOCUMENTS
from examples.server import Server
from schemas.files import MEDIA_TYPE
from tests.servers.embedded import MAX_UPLOAD_BYTES

TYPE = {format_.value: media_type for format_, media_type in MEDIA_TYPE.items()}


@pytest.fixture(scope="module")
def session(server: Server) -> Iterator[httpx.Client]:
    with httpx.Client(base_url=server.url, headers={"Origin": server.url}, timeout=60) as client:
        email = f"{secrets.token_hex(6)}@example.com"
        client.post("/auth/register", json={"email": email, "password": "a long password"})
        yield client


def preview(session: httpx.Client, data: bytes, format_: str, **query: object) -> httpx.Response:
    return session.post("/preview", content=data, headers={"Content-Type": TYPE[format_]}, params=query)  # type: ignore[arg-type]


def long_pdf(pages: int, width: float = 595, height: float = 842) -> bytes:
    document = pymupdf.open()
    for number in range(pages):
        document.new_page(width=width, height=height).insert_text((50, 50), f"page {number}")
    return document.tobytes()


@pytest.mark.clause("DASH-19")
@pytest.mark.parametrize("name", ["customer-letter.pdf", "residence-permit-form.png", "residence-permit-form.tiff"])
def test_pages_are_pictures(session: httpx.Client, name: str) -> None:
    data = (DOCUMENTS / name).read_bytes()
    answer = preview(session, data, name.rpartition(".")[2]).json()
    assert answer["pages"] == len(pymupdf.open(stream=data)) == len(answer["pictures"])
    picture = pymupdf.Pixmap(base64.b64decode(answer["pictures"][0]))
    assert min(picture.width, picture.height) > 500
    assert picture.color_count() > 2  # it is not blank


@pytest.mark.clause("DASH-19")
@pytest.mark.parametrize("name", ["customer-letter.docx", "payroll.xlsx", "open-cases.pptx", "payroll.csv"])
def test_office_files_and_csv_are_lines(session: httpx.Client, name: str) -> None:
    answer = preview(session, (DOCUMENTS / name).read_bytes(), name.rpartition(".")[2]).json()
    lines = [line for page in answer["lines"] for line in page]
    assert answer["pictures"] == []
    assert any(
        line in lines for line in ("1058374925", "2183746524", "رقم الهوية: 1072645185", "Name: Fahad Omar Altajribi")
    )
    assert not [line for line in lines if "openxmlformats" in line]  # what a reader never sees is not shown


@pytest.mark.clause("DASH-19")
def test_a_long_document_comes_in_parts(session: httpx.Client) -> None:
    data = long_pdf(7)
    assert [len(preview(session, data, "pdf", first=first).json()["pictures"]) for first in (0, 5, 7, 10_000)] == [
        5,
        2,
        0,
        0,
    ]
    assert preview(session, data, "pdf", first=-1).status_code == 422


@pytest.mark.clause("DASH-19")
def test_a_huge_page_becomes_a_picture_of_bounded_size(session: httpx.Client) -> None:
    [picture] = preview(session, long_pdf(1, 14_400, 14_400), "pdf").json()["pictures"]
    drawn = pymupdf.Pixmap(base64.b64decode(picture))
    assert drawn.width * drawn.height < 1_600_000


@pytest.mark.clause("DASH-19")
def test_nobody_without_a_session_and_no_other_site_gets_one(server: Server, session: httpx.Client) -> None:
    data, kind = long_pdf(1), {"Content-Type": "application/pdf"}
    bearer = {"Authorization": f"Bearer {server.key}"}
    assert httpx.post(f"{server.url}/preview", content=data, headers=kind).status_code == 401
    assert httpx.post(f"{server.url}/preview", content=data, headers=kind | bearer).status_code == 401
    foreign = session.post("/preview", content=data, headers=kind | {"Origin": "https://other.example"})
    assert foreign.status_code == 403


@pytest.mark.clause("DASH-19")
@pytest.mark.parametrize(
    ("data", "format_", "status"),
    [
        (b"", "pdf", 400),
        (b"this is no PDF", "pdf", 400),
        (long_pdf(1)[:400], "pdf", 400),
        ((DOCUMENTS / "payroll.xlsx").read_bytes()[:3000], "xlsx", 400),
        ((DOCUMENTS / "payroll.xlsx").read_bytes(), "docx", 400),
        (b"%PDF-1.7" + bytes(MAX_UPLOAD_BYTES), "pdf", 413),
    ],
    ids=["empty", "other bytes", "cut PDF", "cut package", "other format", "too large"],
)
def test_what_cannot_be_shown_is_refused(session: httpx.Client, data: bytes, format_: str, status: int) -> None:
    refused = preview(session, data, format_)
    assert (refused.status_code, "Traceback" in refused.text) == (status, False)


@pytest.mark.clause("DASH-19")
def test_a_locked_document_is_refused(session: httpx.Client) -> None:
    locked = pymupdf.open(stream=long_pdf(1)).tobytes(encryption=pymupdf.PDF_ENCRYPT_AES_256, user_pw="u", owner_pw="o")
    assert preview(session, locked, "pdf").status_code == 400
