"""`/api/v1/files`, sentence by sentence of the interface: what happens before a worker takes over."""

from collections.abc import Callable
from datetime import datetime, timedelta
from uuid import UUID, uuid4

import httpx
import pytest

from schemas.clock import utc_now
from schemas.refusals import REMEDY, Reason
from schemas.spans import Term
from storage.accounts import glossaries
from storage.jobs import records as jobs
from storage.jobs.objects import stored
from tests.api.forms import BOUNDARY, CSV, FORM_TYPE, Part, field_part, file_part, form, in_pieces
from tests.api.serving import Account, Served, serving, settings_for

UPLOAD = "/api/v1/files/redact"
PDF = b"%PDF-1.7\n1 0 obj<</Type/Catalog>>endobj\ntrailer<</Root 1 0 R>>\nstartxref\n0\n%%EOF\n"


def send(client: httpx.Client, *parts: Part) -> httpx.Response:
    return client.post(UPLOAD, content=form(*parts), headers={"Content-Type": FORM_TYPE})


def objects(served: Served, before: set[str] = frozenset()) -> set[str]:  # type: ignore[assignment]
    return {item.key for item in stored(served.services.storage.objects)} - before


@pytest.mark.clause("FILE-17")
def test_an_upload_is_queued(client: httpx.Client) -> None:
    answer = send(client, file_part())
    assert answer.status_code == 201
    body = answer.json()
    assert body.keys() == {"file_id", "state", "created_at", "expires_at", "poll_url"}
    assert body["state"] == "queued"
    assert body["poll_url"] == f"/api/v1/files/{UUID(body['file_id'])}"
    assert body["created_at"].endswith("Z") and body["expires_at"].endswith("Z")
    lifetime = datetime.fromisoformat(body["expires_at"]) - datetime.fromisoformat(body["created_at"])
    assert lifetime == timedelta(hours=24)


@pytest.mark.clause("FILE-28")
def test_the_record_of_a_new_job(client: httpx.Client) -> None:
    """The table of the file job record."""
    body = send(client, file_part(filename="رواتب.csv", content_type="text/csv; charset=utf-8")).json()
    record = client.get(body["poll_url"]).json()
    assert record == {
        "file_id": body["file_id"],
        "state": "queued",
        "original_filename": "رواتب.csv",
        "content_type": "text/csv; charset=utf-8",
        "size_bytes_in": len(CSV),
        "size_bytes_out": None,
        "word_count": None,
        "entity_count": None,
        "created_at": body["created_at"],
        "processed_at": None,
        "expires_at": body["expires_at"],
        "is_persisted": False,
        "error_code": None,
        "reason": None,
        "remedy": None,
        "download_url": None,
        "poll_url": body["poll_url"],
        "stage": "sniff",
        "progress": 0.0,
        "pages_to_read": 0,
        "pages_read": 0,
    }
    assert client.get("/api/v1/files").json() == {"files": [record], "next_cursor": None}


@pytest.mark.clause("FILE-15")
@pytest.mark.parametrize(
    "part",
    [
        Part('name="file"', "text/csv", CSV),
        Part('name="file"; filename=""', "text/csv", CSV),
        Part("name=file", "text/csv", CSV),
    ],
)
def test_a_part_without_a_name(client: httpx.Client, part: Part) -> None:
    record = client.get(send(client, part).json()["poll_url"]).json()
    assert record["original_filename"] == "untitled"


@pytest.mark.clause("FILE-16")
@pytest.mark.parametrize("content_type", ["application/csv", "application/vnd.ms-excel", "TEXT/CSV; Charset=UTF-8"])
def test_accepted_aliases(client: httpx.Client, content_type: str) -> None:
    assert send(client, file_part(content_type=content_type)).status_code == 201


@pytest.mark.clause("FILE-13", "FILE-14")
@pytest.mark.parametrize("size", [1, 7, 61, 100_000])
def test_fields_come_in_any_order_and_bytes_in_any_pieces(
    client: httpx.Client, served: Served, account: Account, size: int
) -> None:
    for glossary, terms in (('["Zephyr, Inc.", "Mistral"]', ["Zephyr, Inc.", "Mistral"]), (" a , b,,", ["a", "b"])):
        parts = (file_part(), field_part("glossary", glossary), field_part("other", "x"))
        order = parts if glossary.startswith("[") else parts[::-1]
        answer = client.post(UPLOAD, content=in_pieces(form(*order), size), headers={"Content-Type": FORM_TYPE})
        assert answer.status_code == 201
        keyring = served.services.storage.keyring
        with served.services.storage.database.reading() as session:
            job = jobs.get(session, account.id, UUID(answer.json()["file_id"]))
            assert [term.term for term in jobs.terms(job, keyring)] == terms
        assert client.delete(answer.json()["poll_url"]).status_code == 204


@pytest.mark.clause("FILE-05")
def test_bytes_arrive_whole_and_sealed(client: httpx.Client, served: Served) -> None:
    data = b"name\r\n" + b"".join(b"Noura %d\r\n" % number for number in range(200_000))
    before = objects(served)
    answer = client.post(UPLOAD, files={"file": ("a.csv", data, "text/csv")})
    assert answer.status_code == 201
    (key,) = objects(served, before)
    assert served.services.storage.objects.get(key) == data
    root = served.services.settings.data_dir
    assert not any(b"Noura" in path.read_bytes() for path in root.rglob("*") if path.is_file())


@pytest.mark.clause("FILE-12", "HTTP-10")
def test_a_persisted_glossary(client: httpx.Client, served: Served, account: Account) -> None:
    storage, other = served.services.storage, served.account()
    with storage.database.transaction() as session:
        mine, theirs = (
            glossaries.create(
                session, storage.keyring, account_id=owner, name="g", entries=[Term("x")], enabled=False, now=utc_now()
            )
            for owner in (account.id, other.id)
        )
    assert send(client, file_part(), field_part("glossary_id", str(mine.id))).status_code == 201
    before = objects(served)
    for wrong in (str(theirs.id), str(uuid4()), "no-uuid"):
        answer = send(client, field_part("glossary_id", wrong), file_part())
        assert (answer.status_code, answer.json()) == (404, {"detail": "Glossary not found"})
    assert objects(served) == before


@pytest.mark.clause("GLOSS-21", "HTTP-03")
@pytest.mark.parametrize(
    "glossary", ['["a", 1]', '{"a": 1}', '["a"', '[""]', '["\\ud800"]', "[" * 9999, "x" * 201, ",".join(["x"] * 1001)]
)
def test_a_bad_inline_glossary(client: httpx.Client, served: Served, glossary: str) -> None:
    before = objects(served)
    answer = send(client, file_part(), field_part("glossary", glossary))
    if glossary.startswith("{"):
        assert answer.status_code == 201  # no JSON array: a comma-separated list of one term
        return
    assert answer.status_code == 422
    assert all(item.keys() == {"type", "loc", "msg"} for item in answer.json()["detail"])
    assert objects(served) == before


@pytest.mark.clause("FILE-11")
@pytest.mark.parametrize(
    ("content_type", "body"),
    [
        (FORM_TYPE, form()),
        (FORM_TYPE, form(field_part("glossary", "a"))),
        (FORM_TYPE, form(field_part("file", "just a field"))),
        (FORM_TYPE, form(Part('name="file"; filename=""', "application/octet-stream", b""))),
        (FORM_TYPE, form(file_part(), file_part())),
        (FORM_TYPE, form(file_part(), end=False)),
        (FORM_TYPE, form(file_part())[:-30]),
        (FORM_TYPE, form(Part('filename="nameless.csv"', "text/csv", CSV))),
        (FORM_TYPE, form(*[field_part("x", "y")] * 200, file_part())),
        (FORM_TYPE, b"no form at all"),
        (FORM_TYPE, f"--{BOUNDARY}\r\n".encode() + b"X: " + b"y" * 100_000),
        (FORM_TYPE, b""),
        ("multipart/form-data", form(file_part())),
        ("multipart/form-data; boundary=" + "x" * 300, form(file_part())),
        ("application/json", b"{}"),
        ("text/csv", CSV),
        ("", CSV),
    ],
)
def test_an_upload_without_a_whole_file_part(
    client: httpx.Client, served: Served, content_type: str, body: bytes
) -> None:
    """Nothing is left behind."""
    before = objects(served)
    answer = client.post(UPLOAD, content=body, headers={"Content-Type": content_type})
    assert answer.status_code == 422
    assert all(item.keys() == {"type", "loc", "msg"} for item in answer.json()["detail"])
    assert objects(served) == before
    assert client.get("/api/v1/files").json()["files"] == []


@pytest.mark.clause("FILE-18")
@pytest.mark.parametrize(
    "part",
    [
        file_part(b""),
        file_part(b"no text \0", "a", "application/octet-stream"),
        file_part(content_type=None),
        file_part(content_type="application/pdf"),
        file_part(PDF[:-8], "a.pdf", "application/pdf"),
        file_part(PDF, "a.csv", "text/csv"),
        file_part(b"\xd0\xcf\x11\xe0\xa1\xb1\x1a\xe1" + bytes(600), "a.xls", "application/vnd.ms-excel"),
        file_part(b"PK\x03\x04" + bytes(100), "a.csv", "text/csv"),
        file_part(b"\x89PNG\r\n\x1a\n" + bytes(100), "a.png", "image/png"),
        file_part(CSV, "a.gif", "image/gif"),
        file_part(b"a\0b", "a.csv", "text/csv"),
    ],
)
def test_what_the_bytes_tell(client: httpx.Client, served: Served, part: Part) -> None:
    before = objects(served)
    answer = send(client, part)
    assert (answer.status_code, answer.json()["detail"]) == (400, "unsupported_format")
    assert answer.json()["remedy"] == REMEDY[Reason(answer.json()["reason"])]
    assert objects(served) == before


@pytest.mark.clause("FILE-22")
def test_too_large_by_length_and_mid_stream(client: httpx.Client, served: Served) -> None:
    limit = served.services.settings.max_upload_bytes
    before = objects(served)
    exact = b"a,b\n" * (limit // 4)
    for data, status in ((exact, 201), (exact + b"x", 413), (exact * 3, 413)):
        body = form(file_part(data))
        for content in (body, in_pieces(body, 200_000)):
            answer = client.post(UPLOAD, content=content, headers={"Content-Type": FORM_TYPE})
            assert answer.status_code == status
            if status == 413:
                assert answer.json() == {"detail": "file_too_large"}
            else:
                client.delete(answer.json()["poll_url"])
    assert objects(served) == before


@pytest.mark.clause("FILE-23", "FILE-24", "FILE-25")
def test_quotas(tmp_path_factory: pytest.TempPathFactory) -> None:
    settings = settings_for(tmp_path_factory.mktemp("quotas"), concurrent_jobs=2, daily_uploads=3)
    with serving(settings) as served, served.client() as client:
        first, second = (send(client, file_part()).json() for _ in range(2))
        refused = send(client, file_part())
        assert (refused.status_code, refused.json()) == (429, {"detail": "too_many_concurrent_jobs"})
        assert "retry-after" not in refused.headers
        assert client.delete(first["poll_url"]).status_code == 204
        assert send(client, file_part()).status_code == 201
        assert client.delete(second["poll_url"]).status_code == 204
        refused = send(client, file_part())
        assert (refused.status_code, refused.json()) == (429, {"detail": "too_many_files_today"})


@pytest.mark.clause("FILE-26")
@pytest.mark.parametrize(("part", "needed"), [(file_part(PDF, "a.pdf", "application/pdf"), 10), (file_part(), 1)])
def test_the_pre_check_of_the_balance(tmp_path_factory: pytest.TempPathFactory, part: Part, needed: int) -> None:
    """10 for PDF and images, 1 for the others."""
    with serving(settings_for(tmp_path_factory.mktemp("poor"), free_tokens_per_day=0)) as served:
        poor, just = served.account(paid_tokens=needed - 1), served.account(paid_tokens=needed)
        with served.client(poor) as client:
            answer = send(client, part)
            assert answer.status_code == 402
            assert answer.json() == {
                "detail": "insufficient_tokens",
                "needed_tokens": needed,
                "available_tokens": needed - 1,
                "topup_url": "/billing",
            }
            assert client.get("/api/v1/files").json()["files"] == []
        assert objects(served) == set()
        with served.client(just) as client:
            assert send(client, part).status_code == 201
        assert served.balance(just) == needed


@pytest.mark.clause("FILE-47", "FILE-48", "FILE-49")
def test_list_pages(client: httpx.Client, served: Served, account: Account) -> None:
    ids = [send(client, file_part()).json()["file_id"] for _ in range(2)]
    page = client.get("/api/v1/files", params={"limit": 1}).json()
    assert [row["file_id"] for row in page["files"]] == [ids[1]]
    older = client.get("/api/v1/files", params={"limit": -5, "cursor": page["next_cursor"]}).json()
    assert [row["file_id"] for row in older["files"]] == [ids[0]]
    assert older["next_cursor"] is None
    whole = client.get("/api/v1/files", params={"limit": 10**30}).json()
    assert len(whole["files"]) == 2


@pytest.mark.clause("FILE-50")
@pytest.mark.parametrize("cursor", ["", "x", str(UUID(int=5)), "\0"])
def test_a_bad_cursor(client: httpx.Client, cursor: str) -> None:
    answer = client.get("/api/v1/files", params={"cursor": cursor})
    assert (answer.status_code, answer.json()) == (400, {"detail": "invalid_cursor"})


CALLS: list[Callable[[httpx.Client, str], httpx.Response]] = [
    lambda client, id_: client.get(f"/api/v1/files/{id_}"),
    lambda client, id_: client.get(f"/api/v1/files/{id_}/download"),
    lambda client, id_: client.delete(f"/api/v1/files/{id_}"),
]


@pytest.mark.clause("FILE-55")
@pytest.mark.parametrize("call", CALLS)
def test_another_accounts_file(
    client: httpx.Client, served: Served, call: Callable[[httpx.Client, str], httpx.Response]
) -> None:
    """A malformed id in a path: as an unknown one."""
    mine = send(client, file_part()).json()["file_id"]
    with served.client() as other:
        for id_ in (mine, str(uuid4()), "nonsense", "%00", "١"):
            answer = call(other, id_)
            assert (answer.status_code, answer.json()) == (404, {"detail": "File not found"})
    assert client.get(f"/api/v1/files/{mine}").status_code == 200


@pytest.mark.clause("FILE-57")
def test_a_download_that_is_not_ready(client: httpx.Client) -> None:
    answer = client.get(send(client, file_part()).json()["poll_url"] + "/download")
    assert (answer.status_code, answer.json()) == (404, {"detail": "not_ready"})


@pytest.mark.clause("FILE-51")
def test_delete(client: httpx.Client, served: Served) -> None:
    before = objects(served)
    url = send(client, file_part()).json()["poll_url"]
    assert len(objects(served, before)) == 1
    answer = client.delete(url)
    assert (answer.status_code, answer.content) == (204, b"")
    assert objects(served) == before
    assert client.get(url).status_code == client.delete(url).status_code == 404
