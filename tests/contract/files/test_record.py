"""The file job record as a job moves: every field in every state, and how far the job is."""

from datetime import datetime, timedelta
from uuid import UUID

import httpx
import pytest

from schemas.errors import ErrorCode
from schemas.stages import STAGES, Stage
from tests.contract.papers import picture, scan
from tests.contract.shop import UPLOAD, Shop, record, refused, upload

CSV = "name,email\r\nNoura Almithali,noura@example.com\r\n"
WORDS = 5
STATES = ("queued", "processing", "ready", "failed", "expired")


def test_a_job_from_upload_to_expiry(shop: Shop, caller: httpx.Client) -> None:
    """“Returned by `GET /api/v1/files/{file_id}` and as each row of the list.” “file_id | UUID | job id”; “state |
    string | queued, processing, ready, failed, expired”; “size_bytes_in | integer | uploaded size”; “size_bytes_out |
    integer or null | null until ready”; “word_count | integer or null | words extracted and masked; billing basis”;
    “entity_count | integer or null | entities redacted”; “created_at | datetime (UTC) | upload time”; “processed_at |
    datetime or null | when processing finished”; “expires_at | datetime | TTL boundary”; “download_url | string or null
    | `/api/v1/files/{file_id}/download` when ready, else null”; “poll_url | string | self link”; “(none) | `POST
    /api/v1/files/redact` | upload accepted | queued | 201 returned with state queued”; “queued | a worker claims the
    job | job durably enqueued | processing”; “processing | worker completes | output re-extracted by an independent
    verifier and proven clean | ready | `download_url` set”; “The file surface is completed by polling `GET
    /api/v1/files/{file_id}`.” “4. Asynchronous file failures: the upload returns 201 with state queued”
    """
    taken = upload(caller, CSV)
    file_id = str(taken["file_id"])
    assert taken["state"] == "queued"
    seen = [record(caller, file_id)]
    assert caller.get("/api/v1/files").json()["files"] == seen
    assert str(UUID(seen[0]["file_id"])) == file_id
    assert seen[0]["poll_url"] == f"/api/v1/files/{file_id}"
    assert caller.get(seen[0]["poll_url"]).json() == seen[0]
    shop.work(Stage.EXTRACT)
    for info in STAGES[3:]:
        shop.work(info.stage)
        seen.append(record(caller, file_id))
        assert seen[-1]["state"] == "processing"
        assert (seen[-1]["size_bytes_out"], seen[-1]["download_url"], seen[-1]["processed_at"]) == (None, None, None)
    shop.work()
    ready = record(caller, file_id)
    assert (ready["state"], ready["error_code"], ready["is_persisted"]) == ("ready", None, False)
    assert ready["size_bytes_in"] == len(CSV)
    assert (ready["word_count"], ready["entity_count"]) == (WORDS, 2)
    assert ready["download_url"] == f"/api/v1/files/{file_id}/download"
    assert ready["size_bytes_out"] == len(caller.get(ready["download_url"]).content)
    times = [datetime.fromisoformat(ready[name]) for name in ("created_at", "processed_at", "expires_at")]
    assert times == sorted(times) and all(ready[name].endswith("Z") for name in ("created_at", "processed_at"))
    assert times[2] - times[0] == timedelta(hours=24)
    assert caller.get("/api/v1/files").json()["files"] == [ready]
    assert {key: taken[key] for key in taken if key != "state"}.items() <= ready.items()
    shop.past(file_id)
    expired = record(caller, file_id)
    assert {**ready, "state": "expired", "download_url": None, "expires_at": expired["expires_at"]} == expired
    assert {row["state"] for row in (*seen, ready, expired)} <= set(STATES)


def test_a_failed_job_says_why(shop: Shop, caller: httpx.Client) -> None:
    """“error_code | string or null | set when state is failed”; “The job may later end in state failed with an
    `error_code`.” “other file error codes | `unsupported_format` (found corrupt or encrypted only while processing),
    `timeout`”; “What only full parsing finds: state failed, same code”
    """
    file_id = str(upload(caller, b"%PDF-1.7\nno document\n%%EOF\n", "a.pdf", "application/pdf")["file_id"])
    assert record(caller, file_id)["error_code"] is None
    shop.work()
    failed = record(caller, file_id)
    assert (failed["state"], failed["error_code"]) == ("failed", "unsupported_format")
    assert (failed["stage"], failed["progress"]) == ("sniff", 0.0)
    assert failed["processed_at"] is not None
    assert (failed["size_bytes_out"], failed["download_url"]) == (None, None)


def test_progress_goes_one_way(shop: Shop, caller: httpx.Client) -> None:
    """Two fields of our own, `stage` and `progress`: at OCR every page that was read counts."""
    file_id = str(
        upload(caller, scan("Office one", "Office two", "Office three"), "a.pdf", "application/pdf")["file_id"]
    )
    seen = [record(caller, file_id)]
    while shop.bench.step() is not None:
        seen.append(record(caller, file_id))
    progress = [row["progress"] for row in seen]
    assert progress == sorted(progress)
    assert (progress[0], progress[-1]) == (0.0, 1.0)
    assert all(0 <= value <= 1 for value in progress)
    reading = [row["progress"] for row in seen if row["stage"] == "ocr"]
    assert len(reading) == len(set(reading)) == 3  # none of three is read, one, two
    order = list(dict.fromkeys(row["stage"] for row in seen))
    assert order == [*(info.stage.value for info in STAGES), None]
    assert {row["stage"] for row in seen if row["state"] == "ready"} == {None}


def test_a_second_round_does_not_go_back(shop: Shop, caller: httpx.Client) -> None:
    """“the second reading finds something new in the output | one more redact-and-verify round with it; after that
    `verify_failed`”: progress grows in the second round too.
    """
    file_id = str(upload(caller, CSV)["file_id"])
    shop.work(Stage.REDACT)
    with shop.careless("forgets"):
        seen = [record(caller, file_id)]
        while shop.bench.step() is not None:
            seen.append(record(caller, file_id))
    assert [row["stage"] for row in seen] == ["redact", "verify", "redact", "verify", "verify"]
    assert [row["progress"] for row in seen] == sorted(row["progress"] for row in seen)
    assert len({row["progress"] for row in seen[:4]}) == 4
    assert (seen[-1]["state"], seen[-1]["error_code"]) == ("failed", "verify_failed")
    assert refused(caller.get(f"/api/v1/files/{file_id}/download")) == (404, "not_ready")


@pytest.mark.parametrize(
    ("saboteur", "code"),
    [("crashes", "redaction_incomplete"), ("has_many_pages", "too_many_pages"), ("forgets", "verify_failed")],
)
def test_known_codes(shop: Shop, caller: httpx.Client, saboteur: str, code: str) -> None:
    """“Known codes: `redaction_incomplete`, `verify_failed`, `image_redact_failed`, `too_many_pages`,
    `masker_unavailable`, `internal_error`.” A parser that goes wrong ends its own job, and names no more than a code.
    """
    with shop.careless(saboteur):
        file_id = str(upload(caller, CSV)["file_id"])
        shop.work()
    assert record(caller, file_id)["error_code"] == code
    known = {value for name, value in vars(ErrorCode).items() if name.isupper()}
    assert {
        "redaction_incomplete", "verify_failed", "image_redact_failed", "too_many_pages", "masker_unavailable",
        "internal_error", "unsupported_format", "timeout", "insufficient_tokens",
    } == known  # fmt: skip


def test_a_transient_failure_may_be_sent_again(shop: Shop, caller: httpx.Client) -> None:
    """“The last two are transient and safe to re-upload.”: a job whose workers died too often ends, and its like is
    taken again.
    """
    file_id = str(upload(caller, CSV)["file_id"])
    settings = shop.served.services.settings
    for _ in range(settings.max_attempts):
        shop.claim(file_id, Stage.SNIFF)
        shop.set(file_id, lease_until=datetime.fromisoformat("2026-01-01T00:00:00+00:00"), due_at=None)
    shop.set(file_id, due_at=datetime.fromisoformat("2026-01-01T00:00:00+00:00"))
    shop.sweep()
    failed = record(caller, file_id)
    assert (failed["state"], failed["error_code"]) == ("failed", "internal_error")
    again = str(upload(caller, CSV)["file_id"])
    shop.work()
    assert record(caller, again)["state"] == "ready"


def test_a_picture_that_cannot_be_read(shop: Shop, caller: httpx.Client) -> None:
    """“image_redact_failed” is the code of a picture that OCR breaks at."""
    with shop.careless("reads_nothing"):
        file_id = str(upload(caller, picture("Mobile: 0501234567"), "a.png", "image/png")["file_id"])
        shop.work()
    assert record(caller, file_id)["error_code"] == "image_redact_failed"


def test_what_was_declared_is_what_is_shown(shop: Shop, caller: httpx.Client) -> None:
    """“content_type | string | declared upload content type”; “download | Content-Type as declared; attachment”."""
    for declared in ("text/csv", "application/csv", "text/csv; charset=utf-8"):
        answer = caller.post(UPLOAD, files={"file": ("a.csv", CSV.encode(), declared)})
        file_id = answer.json()["file_id"]
        shop.work()
        row = record(caller, file_id)
        assert row["content_type"] == declared
        download = caller.get(row["download_url"])
        assert download.headers["content-type"] == declared
        assert download.headers["content-disposition"].startswith("attachment; ")
