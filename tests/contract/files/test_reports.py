"""`/api/v1/files/{file_id}/report`: what is handed over with a file, checked by the standard alone."""

import base64
import hashlib
import json
from collections.abc import Iterator
from datetime import timedelta
from typing import Any
from uuid import UUID, uuid4

import httpx
import pytest
from cryptography.exceptions import InvalidSignature
from cryptography.hazmat.primitives.asymmetric.ed25519 import Ed25519PublicKey
from cryptography.hazmat.primitives.serialization import load_pem_public_key

from schemas.clock import utc_now
from storage.jobs.tables import Job
from tests.api.polling import ended
from tests.api.serving import Account, Served

CSV = "name,email,id\r\nNoura Almithali,noura@example.com,1000000008\r\nNoura Almithali,b@example.com,x\r\n"
VALUES = ("Noura", "noura@example.com", "1000000008", "b@example.com", "customers")


@pytest.fixture(scope="module")
def owner(working: Served) -> Account:
    """The account of the file."""
    return working.account()


@pytest.fixture(scope="module")
def ready(working: Served, owner: Account) -> dict[str, Any]:
    """The record of a finished file."""
    with working.client(owner) as caller:
        upload = {"file": ("customers.csv", CSV.encode(), "text/csv")}
        return ended(caller, caller.post("/api/v1/files/redact", files=upload).json())


@pytest.fixture
def caller(working: Served, owner: Account) -> Iterator[httpx.Client]:
    with working.client(owner) as client:
        yield client


def check(signed: dict[str, Any], key: dict[str, Any]) -> None:
    """As a stranger would: RFC 8785 bytes of the report, RFC 8032 signature. InvalidSignature."""
    data = json.dumps(signed["report"], sort_keys=True, separators=(",", ":"), ensure_ascii=False).encode()
    public = Ed25519PublicKey.from_public_bytes(base64.b64decode(key["public_key"]))
    public.verify(base64.b64decode(signed["signature"]["value"]), data)


@pytest.mark.clause("REPORT-01", "HTTP-42")
def test_a_ready_file_carries_a_signed_report(caller: httpx.Client, ready: dict[str, Any]) -> None:
    answer = caller.get(f"/api/v1/files/{ready['file_id']}/report")
    assert answer.status_code == 200
    report = answer.json()["report"]
    output = caller.get(ready["download_url"]).content
    assert report["output"] == {"sha256": hashlib.sha256(output).hexdigest(), "bytes": len(output)}
    assert report["file_id"] == ready["file_id"] and report["format"] == "csv"
    assert report["findings"] == {"EMAIL_ADDRESS": 2, "NATIONAL_ID": 1, "PERSON": 2}
    assert sum(report["findings"].values()) == ready["entity_count"]
    assert report["residual_count"] == 0 and report["rounds"] == 1 and report["removed_unread"] == {}
    assert report["second_reading"]["readers"] and report["ocr_passes"] == {"document": 0, "output": 0}
    assert ready["created_at"] <= report["verified_at"] <= ready["processed_at"] and report["milliseconds"] > 0
    assert not [value for value in VALUES if value.lower() in answer.text.lower()]


@pytest.mark.clause("REPORT-02")
def test_anybody_checks_the_signature_with_the_published_key(
    working: Served, caller: httpx.Client, ready: dict[str, Any]
) -> None:
    signed = caller.get(f"/api/v1/files/{ready['file_id']}/report").json()
    key = httpx.get(f"{working.url}/api/v1/files/report-key").json()
    assert key["algorithm"] == signed["signature"]["algorithm"] == "Ed25519"
    assert key["key_id"] == signed["signature"]["key_id"]
    pem = load_pem_public_key(key["pem"].encode())
    assert isinstance(pem, Ed25519PublicKey) and pem.public_bytes_raw() == base64.b64decode(key["public_key"])
    check(signed, key)


@pytest.mark.clause("REPORT-02")
@pytest.mark.parametrize("field", ["residual_count", "rounds", "verified_at", "service"])
def test_a_changed_report_does_not_verify(
    working: Served, caller: httpx.Client, ready: dict[str, Any], field: str
) -> None:
    signed = caller.get(f"/api/v1/files/{ready['file_id']}/report").json()
    signed["report"][field] = "2001-01-01T00:00:00Z" if field == "verified_at" else 7
    with pytest.raises(InvalidSignature):
        check(signed, httpx.get(f"{working.url}/api/v1/files/report-key").json())


@pytest.mark.clause("REPORT-03")
def test_the_report_outlives_the_bytes(working: Served, ready: dict[str, Any], caller: httpx.Client) -> None:
    """An expired file cannot be downloaded, but what was handed over can still be shown to have been clean."""
    with working.services.storage.database.transaction() as session:
        job = session.get(Job, UUID(ready["file_id"]))
        assert job is not None
        kept, job.expires_at = job.expires_at, utc_now() - timedelta(seconds=1)
    assert caller.get(ready["download_url"]).status_code == 410
    assert caller.get(f"/api/v1/files/{ready['file_id']}/report").status_code == 200
    with working.services.storage.database.transaction() as session:
        job = session.get(Job, job.id)
        assert job is not None
        job.expires_at = kept


@pytest.mark.clause("FILE-55")
def test_strangers_and_unfinished_files(working: Served, ready: dict[str, Any], client: httpx.Client) -> None:
    path = f"/api/v1/files/{ready['file_id']}/report"
    assert httpx.get(working.url + path).status_code == 401
    with working.client(working.account()) as stranger:
        assert (stranger.get(path).status_code, stranger.get(path).json()) == (404, {"detail": "File not found"})
        for unknown in (uuid4(), "nonsense"):
            assert stranger.get(f"/api/v1/files/{unknown}/report").json() == {"detail": "File not found"}
    waiting = client.post("/api/v1/files/redact", files={"file": ("a.csv", CSV.encode(), "text/csv")}).json()
    answer = client.get(f"{waiting['poll_url']}/report")
    assert (answer.status_code, answer.json()) == (404, {"detail": "not_ready"})
