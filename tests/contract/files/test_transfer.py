"""Bytes and names on their way in and out: forms, sizes, pages of the list, downloads and what they are called."""

import json
import socket
from collections.abc import Iterator
from datetime import timedelta
from pathlib import Path
from urllib.parse import unquote
from uuid import uuid4

import httpx
import pytest

from schemas.clock import utc_now
from schemas.spans import Term
from storage.accounts import glossaries
from tests.api.forms import BOUNDARY, FORM_TYPE, Part, field_part, file_part, form, in_pieces
from tests.api.serving import Account, serving, settings_for
from tests.contract.shop import UPLOAD, Shop, opened, record, refused, upload
from tests.contract.wire import address, exchange, head, read

CSV = "name,email\r\nNoura Almithali,noura@example.com\r\n"
LIMIT = 200_000


@pytest.fixture(scope="module")
def shop(tmp_path_factory: pytest.TempPathFactory) -> Iterator[Shop]:
    """A shop that takes small files, many of them."""
    folder = tmp_path_factory.mktemp("shop")
    with opened(folder, max_upload_bytes=LIMIT, concurrent_jobs=200, active_files=200, daily_uploads=1000) as shop:
        yield shop


def post(client: httpx.Client, *parts: Part) -> httpx.Response:
    return client.post(UPLOAD, content=form(*parts), headers={"Content-Type": FORM_TYPE})


@pytest.mark.clause("FILE-01", "FILE-10", "FILE-28", "FILE-56")
def test_upload_poll_download(shop: Shop, caller: httpx.Client) -> None:
    taken = upload(caller, CSV)
    assert refused(caller.get(f"{taken['poll_url']}/download")) == (404, "not_ready")
    shop.work()
    row = caller.get(str(taken["poll_url"])).json()
    answer = caller.get(row["download_url"])
    assert answer.status_code == 200
    assert answer.content == b"name,email\r\nPERSON_NAME_01,EMAIL_01\r\n"
    assert int(answer.headers["content-length"]) == row["size_bytes_out"] == len(answer.content)
    assert answer.headers["x-content-type-options"] == "nosniff"
    assert caller.get(row["download_url"]).content == answer.content  # as often as one likes


@pytest.mark.clause("FILE-56")
def test_a_download_is_whole_whatever_was_asked_for(shop: Shop, caller: httpx.Client) -> None:
    """Parts of it, or none because it is known, are not offered (RFC 9110, 14.2)."""
    taken = upload(caller, CSV)
    shop.work()
    url = f"{taken['poll_url']}/download"
    whole = caller.get(url)
    for headers in (
        {"Range": "bytes=0-3"},
        {"If-None-Match": "*"},
        {"If-Modified-Since": "Sun, 01 Nov 2026 00:00:00 GMT"},
    ):
        answer = caller.get(url, headers=headers)
        assert (answer.status_code, answer.content) == (200, whole.content)
    looked = caller.head(url)
    assert (looked.status_code, looked.content) == (200, b"")
    for name in ("content-length", "content-type", "content-disposition"):
        assert looked.headers[name] == whole.headers[name]
    with shop.client() as other:
        assert other.head(url).status_code == 404


@pytest.mark.clause("HTTP-02")
def test_codes_that_stay(shop: Shop, caller: httpx.Client) -> None:
    file_id = str(upload(caller, CSV)["file_id"])
    for answer, code in (
        (caller.get("/api/v1/files", params={"cursor": "x"}), "invalid_cursor"),
        (post(caller, file_part(b"", "a.csv")), "unsupported_format"),
        (post(caller, file_part(b"a" * (LIMIT + 1))), "file_too_large"),
        (caller.get(f"/api/v1/files/{file_id}/download"), "not_ready"),
        (caller.post(f"/api/v1/files/{file_id}/pin"), "not_ready"),
    ):
        assert answer.json()["detail"] == code


@pytest.mark.clause("FILE-22")
def test_too_large(shop: Shop, caller: httpx.Client, owner: Account) -> None:
    exact, over = (form(file_part(b"a,b\n" * (LIMIT // 4) + more)) for more in (b"", b"x"))
    for body in (exact, in_pieces(exact, 7000)):
        answer = caller.post(UPLOAD, content=body, headers={"Content-Type": FORM_TYPE})
        assert answer.status_code == 201
    for body in (over, in_pieces(over, 7000)):
        answer = caller.post(UPLOAD, content=body, headers={"Content-Type": FORM_TYPE})
        assert refused(answer) == (413, "file_too_large")
    announced = {**owner.headers, "Content-Type": FORM_TYPE, "Content-Length": str(LIMIT + 3 * 1024**2)}
    answer_ = exchange(shop.served, head("POST", UPLOAD, announced))  # not one byte of it is sent
    assert (answer_.status, answer_.json()) == (413, {"detail": "file_too_large"})


@pytest.mark.clause("FILE-22")
@pytest.mark.parametrize("length", ["-1", "1e9", "0x10", "9" * 5000, "12, 13", "", "٥"])
def test_a_length_that_is_none(shop: Shop, owner: Account, length: str) -> None:
    """What announces its length wrongly is refused, and costs nobody a byte of memory."""
    headers = {**owner.headers, "Content-Type": FORM_TYPE, "Content-Length": length}
    with socket.create_connection(address(shop.served), timeout=20) as wire:
        wire.sendall("\r\n".join([*head("POST", UPLOAD, headers), "", ""]).encode() + form(file_part()))
        with wire.makefile("rb") as stream:
            assert read(stream).status in (400, 413, 422)


@pytest.mark.clause("FILE-22")
def test_a_length_that_lies(shop: Shop, owner: Account) -> None:
    body = form(file_part(CSV.encode()))
    headers = {**owner.headers, "Content-Type": FORM_TYPE}
    short = exchange(shop.served, head("POST", UPLOAD, {**headers, "Content-Length": str(len(body) - 20)}), body)
    assert short.status == 422
    with socket.create_connection(address(shop.served), timeout=20) as wire:
        lines = head("POST", UPLOAD, {**headers, "Content-Length": str(len(body) + 1000)})
        wire.sendall("\r\n".join([*lines, "", ""]).encode() + body)
        wire.shutdown(socket.SHUT_WR)
        while wire.recv(65536):
            pass
    with shop.client(owner) as client:
        assert client.get("/api/v1/files").json()["files"] == []
    assert not [item for item in shop.all_stored() if shop.owner_of(item.job_id) == owner.id]


@pytest.mark.clause("FILE-22")
def test_chunks_without_end(shop: Shop, owner: Account) -> None:
    """A body in chunks that announces nothing and never ends is cut off."""
    headers = {**owner.headers, "Content-Type": FORM_TYPE, "Transfer-Encoding": "chunked"}
    start = form(file_part(), end=False)[: -len("\r\n")]
    with socket.create_connection(address(shop.served), timeout=20) as wire:
        wire.sendall("\r\n".join([*head("POST", UPLOAD, headers), "", ""]).encode())
        wire.sendall(b"%x\r\n%s\r\n" % (len(start), start))
        piece = b"a,b\n" * 5000
        for _ in range(LIMIT // len(piece) + 2):
            wire.sendall(b"%x\r\n%s\r\n" % (len(piece), piece))
        with wire.makefile("rb") as stream:
            answer = read(stream)
    assert (answer.status, answer.json()) == (413, {"detail": "file_too_large"})


@pytest.mark.clause("FILE-05", "FILE-06")
def test_nothing_touches_a_disk_in_the_clear(tmp_path: Path) -> None:
    mark = b"Noura-Almithali-was-here"
    with serving(settings_for(tmp_path / "data", max_upload_bytes=LIMIT)) as served:
        account = served.account()
        with served.client(account) as client:
            body = form(
                file_part(b"a,b\n" + mark * 5000, f"{mark.decode()}.csv"), field_part("glossary", mark.decode())
            )
            cut = (body[start : start + 50_000] for start in range(0, len(body) - 10, 50_000))
            for content in (body, cut):
                client.post(UPLOAD, content=content, headers={"Content-Type": FORM_TYPE})
        kept = [path for path in tmp_path.rglob("*") if path.is_file()]
        assert kept and not [path for path in kept if mark in path.read_bytes()]


@pytest.mark.clause("FILE-13")
def test_a_glossary_in_either_shape(shop: Shop, caller: httpx.Client, owner: Account) -> None:
    storage = shop.served.services.storage
    with storage.database.transaction() as session:
        stored = glossaries.create(
            session,
            storage.keyring,
            account_id=owner.id,
            name="g",
            entries=[Term("Mistral")],
            enabled=False,
            now=utc_now(),
        )
    body = b"a,b\r\nProject Zephyr,Sirocco\r\nFalcon, Mistral\r\n"
    for glossary, kept, gone in (
        ('["Project Zephyr", "Falcon, x"]', ("Sirocco", "Falcon"), ("Zephyr", "Mistral")),
        (" Sirocco ,Falcon,, ", ("Project Zephyr",), ("Sirocco", "Falcon", "Mistral")),
        ("\ufeffSirocco", ("Falcon",), ("Sirocco",)),
        ("", ("Falcon", "Sirocco", "Zephyr"), ("Mistral",)),
    ):
        answer = post(
            caller, file_part(body), field_part("glossary", glossary), field_part("glossary_id", str(stored.id))
        )
        assert answer.status_code == 201, answer.text
        shop.work()
        row = record(caller, answer.json()["file_id"])
        text = caller.get(row["download_url"]).text
        assert [term for term in kept if term not in text] == [], glossary
        assert [term for term in gone if term in text] == [], glossary


@pytest.mark.clause("GLOSS-25")
@pytest.mark.parametrize(
    ("count", "length", "status"),
    [(1000, 1, 201), (1001, 1, 422), (1, 200, 201), (1, 201, 422)],
)
def test_how_many_terms_and_how_long(caller: httpx.Client, count: int, length: int, status: int) -> None:
    terms = [f"{number}".rjust(length, "z") if length > 1 else f"t{number}" for number in range(count)]
    for glossary in (json.dumps(terms), ", ".join(terms)):
        answer = post(caller, field_part("glossary", glossary), file_part())
        assert answer.status_code == status
        assert status == 201 or {tuple(item) for item in answer.json()["detail"]} == {("type", "loc", "msg")}


@pytest.mark.clause("FILE-47", "FILE-48", "FILE-49")
def test_the_list_page_by_page(shop: Shop, caller: httpx.Client) -> None:
    files = [str(upload(caller, CSV)["file_id"]) for _ in range(53)][::-1]
    for limit, shown in (("", 50), ("?limit=1000", 50), ("?limit=50", 50), ("?limit=0", 1), ("?limit=-9", 1)):
        page = caller.get(f"/api/v1/files{limit}").json()
        assert page.keys() == {"files", "next_cursor"}
        assert [row["file_id"] for row in page["files"]] == files[:shown]
        assert page["next_cursor"] == files[shown - 1]
    first = caller.get("/api/v1/files", params={"limit": 20}).json()
    upload(caller, CSV)  # newer than the page
    for gone in (files[5], files[22]):
        caller.delete(f"/api/v1/files/{gone}")
    second = caller.get("/api/v1/files", params={"limit": 20, "cursor": first["next_cursor"]}).json()
    expected = [file_id for file_id in files[20:] if file_id != files[22]]
    assert [row["file_id"] for row in second["files"]] == expected[:20]
    third = caller.get("/api/v1/files", params={"cursor": second["next_cursor"]}).json()
    assert [row["file_id"] for row in third["files"]] == expected[20:]
    assert third["next_cursor"] is None
    last = {"cursor": third["files"][-1]["file_id"]}
    assert caller.get("/api/v1/files", params=last).json() == {"files": [], "next_cursor": None}
    caller.delete(f"/api/v1/files/{first['next_cursor']}")
    deleted = caller.get("/api/v1/files", params={"cursor": first["next_cursor"]})
    assert refused(deleted) == (400, "invalid_cursor")  # nobody knows any more how old it was


@pytest.mark.clause("FILE-49")
def test_files_of_one_moment(shop: Shop, caller: httpx.Client) -> None:
    """None is shown twice or left out where many bear the same time."""
    files = [str(upload(caller, CSV)["file_id"]) for _ in range(7)]
    moment = utc_now() - timedelta(hours=1)
    for file_id in files:
        shop.set(file_id, created_at=moment)
    seen: list[str] = []
    cursor = None
    while True:
        page = caller.get("/api/v1/files", params={"limit": 2, **({"cursor": cursor} if cursor else {})}).json()
        seen += [row["file_id"] for row in page["files"]]
        cursor = page["next_cursor"]
        if cursor is None:
            break
    assert sorted(seen) == sorted(files)


@pytest.mark.clause("FILE-50")
def test_cursors_that_are_none(shop: Shop, caller: httpx.Client) -> None:
    with shop.client() as other:
        theirs = str(upload(other, CSV)["file_id"])
    mine = str(upload(caller, CSV)["file_id"])
    wrong = [theirs, str(uuid4()), "", " ", mine + " ", "{" + mine + "}", mine.replace("-", ""), f"urn:uuid:{mine}"]
    for cursor in (*wrong, "' OR 1=1 --", "\0", "\ud7ff", "٣", "%", "x" * 8000, "../" + mine):
        assert refused(caller.get("/api/v1/files", params={"cursor": cursor})) == (400, "invalid_cursor"), cursor
    for limit in ("x", "", "1.5", "٥٠", "1e3", "null"):
        answer = caller.get("/api/v1/files", params={"limit": limit})
        assert answer.status_code == 422
        assert all(item.keys() == {"type", "loc", "msg"} for item in answer.json()["detail"])
    assert caller.get("/api/v1/files", params={"limit": "9" * 400}).status_code in (200, 422)


NAMES = [
    ('filename="رواتب نورة.csv"', "رواتب نورة.csv"),
    ("filename*=UTF-8''%D9%86%D9%88%D8%B1%D8%A9.csv", None),
    ('filename="a\\"b.csv"', 'a"b.csv'),
    ('filename="a%22%0D%0AX-Evil: 1.csv"', "a%22%0D%0AX-Evil: 1.csv"),
    ('filename="../../etc/passwd"', "../../etc/passwd"),
    ('filename="C:\\Users\\Noura\\a.csv"', None),
    ('filename="' + "ن" * 10_000 + '.csv"', "ن" * 10_000 + ".csv"),
    ('filename="a\u202egpj.\u200bcsv"', "a\u202egpj.\u200bcsv"),
    ("filename=\"emoji 🦅; x='y'.csv\"", "emoji 🦅; x='y'.csv"),
    ('filename="."', "."),
    ('filename=" "', None),
    ('filename="CON.csv"', "CON.csv"),
    ('filename="a\x7f\x1bb.csv"', None),
    ("", "untitled"),
    ('filename=""', "untitled"),
]


@pytest.mark.clause("FILE-15", "FILE-29", "FILE-59")
@pytest.mark.parametrize(("parameter", "shown"), NAMES)
def test_names_as_they_come_and_as_they_go(shop: Shop, caller: httpx.Client, parameter: str, shown: str | None) -> None:
    answer = post(caller, Part("; ".join(filter(None, ('name="file"', parameter))), "text/csv", CSV.encode()))
    assert answer.status_code == 201, answer.text
    file_id = answer.json()["file_id"]
    assert shown is None or record(caller, file_id)["original_filename"] == shown
    shop.work()
    download = caller.get(f"/api/v1/files/{file_id}/download")
    assert download.status_code == 200
    assert "x-evil" not in download.headers
    header = download.headers["content-disposition"]
    assert header.startswith('attachment; filename="') and header.isascii() and header.isprintable()
    assert header.count('"') == 2
    name = unquote(header.partition("UTF-8''")[2]) or header.split('"')[1]
    assert name and len(name) <= 200
    assert not set('/\\"\r\n\u202e\u200b\x1b') & set(name)


@pytest.mark.clause("FILE-29")
def test_a_name_of_bytes_that_are_no_text(shop: Shop, caller: httpx.Client) -> None:
    for raw in (b"\xed\xa0\x80.csv", b"\xff\xfe.csv", "نورة.csv".encode("cp1256")):
        body = form(file_part(filename="MARK")).replace(b"MARK", raw)
        answer = caller.post(UPLOAD, content=body, headers={"Content-Type": FORM_TYPE})
        assert answer.status_code == 201
        name = record(caller, answer.json()["file_id"])["original_filename"]
        assert name.endswith(".csv") and "\ufffd" in name


@pytest.mark.clause("FILE-59")
@pytest.mark.parametrize(
    ("filename", "offered"),
    [
        ("salary_1012345672.csv", "salary_NATIONAL_ID_01.csv"),
        ("noura@example.com", "EMAIL_01"),
        ("Noura-Almithali.csv", "PERSON_NAME_01.csv"),
        ("x/1012345672/plain.csv", "plain.csv"),
    ],
)
def test_values_in_names(shop: Shop, caller: httpx.Client, filename: str, offered: str) -> None:
    """The placeholders are the document's."""
    answer = post(caller, file_part(CSV.encode(), filename))
    shop.work()
    row = record(caller, answer.json()["file_id"])
    assert row["original_filename"] == filename
    header = caller.get(row["download_url"]).headers["content-disposition"]
    assert header == f'attachment; filename="{offered}"'


@pytest.mark.clause("HTTP-09")
def test_ids_that_are_none(caller: httpx.Client) -> None:
    mine = str(upload(caller, CSV)["file_id"])
    for file_id in (
        "x", "%00", mine.replace("-", ""), "{" + mine + "}", mine + "0", mine[:-1], "..%2f" + mine, "٣" * 36, "-" * 36,
        f"urn:uuid:{mine}", "%20" + mine, mine + "%0A", "a" * 4000,
    ):  # fmt: skip
        for method, path in (("GET", ""), ("GET", "/download"), ("DELETE", ""), ("POST", "/pin"), ("POST", "/unpin")):
            answer = caller.request(method, f"/api/v1/files/{file_id}{path}")
            assert answer.status_code == 404, (method, file_id)
    assert caller.get(f"/api/v1/files/{mine.upper()}").status_code == 200
    assert caller.get(f"/api/v1/files/{mine}").json()["state"] == "queued"


@pytest.mark.clause("FILE-21")
def test_the_form_before_the_format_before_the_money(tmp_path: Path) -> None:
    with opened(tmp_path, max_upload_bytes=LIMIT, free_tokens_per_day=0) as shop, shop.client() as client:
        bad, foreign = field_part("glossary", "x" * 201), field_part("glossary_id", str(uuid4()))
        huge, wrong = file_part(b"a" * (LIMIT + 1)), file_part(b"\x00\x01", "a.pdf", "application/pdf")
        assert post(client, bad, foreign, huge).status_code == 413
        assert post(client, bad, foreign, wrong).status_code == 422
        assert post(client, wrong, foreign).status_code == 404
        assert post(client, wrong).status_code == 400
        assert post(client, file_part()).status_code == 402
        assert shop.all_stored() == []
        assert client.get("/api/v1/files").json()["files"] == []


@pytest.mark.clause("FILE-22")
def test_a_field_without_an_end(caller: httpx.Client) -> None:
    """A field may not be endless either."""
    start = f'--{BOUNDARY}\r\nContent-Disposition: form-data; name="glossary"\r\n\r\n'.encode()

    def body() -> Iterator[bytes]:
        yield start
        for _ in range(60):
            yield b"x" * 100_000

    answer = caller.post(UPLOAD, content=body(), headers={"Content-Type": FORM_TYPE})
    assert refused(answer) == (413, "file_too_large")
