"""A file all the way through an embedded server: polled until ready, downloaded, expired, charged."""

import csv
from collections.abc import Iterator
from datetime import timedelta
from io import StringIO
from typing import Any
from uuid import UUID

import httpx
import pytest

from schemas.clock import utc_now
from storage.jobs import records as jobs
from storage.jobs.tables import Job
from tests.api.polling import ended
from tests.api.serving import Account, Served

CSV = "name,email,id\r\nNoura Almithali,noura@example.com,1000000008\r\nNoura Almithali,b@example.com,x\r\n"


@pytest.fixture
def owner(working: Served) -> Account:
    """A new account."""
    return working.account()


@pytest.fixture
def caller(working: Served, owner: Account) -> Iterator[httpx.Client]:
    """A client of `owner`."""
    with working.client(owner) as client:
        yield client


def done(caller: httpx.Client, name: str, data: bytes, content_type: str) -> dict[str, Any]:
    """The record of an upload that has ended."""
    return ended(caller, caller.post("/api/v1/files/redact", files={"file": (name, data, content_type)}).json())


@pytest.mark.clause("FILE-39", "FILE-59")
def test_a_redacted_file(caller: httpx.Client, working: Served, owner: Account) -> None:
    before = working.balance(owner)
    job = done(caller, "noura@example.com راتب.csv", CSV.encode(), "text/csv; charset=utf-8")
    assert (job["state"], job["error_code"]) == ("ready", None)
    assert job["download_url"] == job["poll_url"] + "/download"
    answer = caller.get(job["download_url"])
    assert answer.status_code == 200
    rows = list(csv.reader(StringIO(answer.content.decode())))
    assert rows[0] == ["name", "email", "id"]
    assert rows[1][1:] == ["EMAIL_01", "NATIONAL_ID_01"]
    assert rows[1][0] == rows[2][0] == "PERSON_NAME_01"
    assert answer.headers["content-type"] == "text/csv; charset=utf-8"
    assert answer.headers["content-disposition"].startswith("attachment; ")
    assert "noura" not in answer.headers["content-disposition"]
    assert len(answer.content) == job["size_bytes_out"] == int(answer.headers["content-length"])
    assert before - working.balance(owner) == job["word_count"] > 0
    assert job["processed_at"] >= job["created_at"]


@pytest.mark.clause("FILE-09")
def test_any_key_of_the_account_may_download_and_no_other(caller: httpx.Client, working: Served) -> None:
    job = done(caller, "a.csv", CSV.encode(), "text/csv")
    with working.client() as other:
        answer = other.get(job["download_url"])
        assert (answer.status_code, answer.json()) == (404, {"detail": "File not found"})


@pytest.mark.clause("FILE-45", "FILE-58")
def test_past_its_time(caller: httpx.Client, working: Served) -> None:
    job = done(caller, "a.csv", CSV.encode(), "text/csv")
    with working.services.storage.database.transaction() as session:
        row = session.get(Job, UUID(job["file_id"]))
        assert row is not None
        row.expires_at = utc_now() - timedelta(seconds=1)
    answer = caller.get(job["download_url"])
    assert (answer.status_code, answer.json()) == (410, {"detail": "expired"})
    record = caller.get(job["poll_url"]).json()
    assert (record["state"], record["download_url"]) == ("expired", None)


@pytest.mark.clause("FILE-41")
def test_a_failed_file(caller: httpx.Client, working: Served, owner: Account) -> None:
    broken = b"%PDF-1.7\nthis is no document at all\nstartxref\n0\n%%EOF\n"
    before = working.balance(owner)
    job = done(caller, "a.pdf", broken, "application/pdf")
    assert (job["state"], job["error_code"], job["download_url"]) == ("failed", "unsupported_format", None)
    answer = caller.get(job["poll_url"] + "/download")
    assert (answer.status_code, answer.json()) == (404, {"detail": "not_ready"})
    assert working.balance(owner) == before


@pytest.mark.clause("FILE-05")
def test_a_result_that_was_tampered_with_is_never_whole(caller: httpx.Client, working: Served, owner: Account) -> None:
    """What is stored is authenticated: a changed object does not open."""
    job = done(caller, "a.csv", CSV.encode(), "text/csv")
    with working.services.storage.database.reading() as session:
        key = jobs.download_key(jobs.get(session, owner.id, UUID(job["file_id"])))
    path = working.services.settings.data_dir / "objects" / key
    sealed = bytearray(path.read_bytes())
    sealed[-1] ^= 1
    path.write_bytes(sealed)
    assert caller.get(job["download_url"]).status_code == 500
