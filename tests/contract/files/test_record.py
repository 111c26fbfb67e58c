"""The file job record as a job moves: every field in every state, and how far the job is."""

from datetime import datetime, timedelta
from uuid import UUID

import httpx
import pytest

from schemas.errors import ErrorCode
from schemas.refusals import REMEDY, Reason
from schemas.stages import STAGES, Stage
from tests.contract.papers import picture, scan
from tests.contract.shop import UPLOAD, Shop, record, refused, upload

CSV = "name,email\r\nNoura Almithali,noura@example.com\r\n"
WORDS = 5
STATES = ("queued", "processing", "ready", "failed", "expired")


@pytest.mark.clause(
    "FILE-01",
    "FILE-10",
    "FILE-28",
    "FILE-29",
    "FILE-30",
    "FILE-31",
    "FILE-32",
    "FILE-33",
    "FILE-36",
    "FILE-38",
    "FILE-39",
    "FILE-42",
)
def test_a_job_from_upload_to_expiry(shop: Shop, caller: httpx.Client) -> None:
    taken = upload(caller, CSV)
    file_id = str(taken["file_id"])
    assert taken["state"] == "queued"
    seen = [record(caller, file_id)]
    assert caller.get("/api/v1/files").json()["files"] == seen
    assert str(UUID(seen[0]["file_id"])) == file_id
    assert seen[0]["poll_url"] == f"/api/v1/files/{file_id}"
    assert caller.get(seen[0]["poll_url"]).json() == seen[0]
    shop.work(Stage.EXTRACT)
    for stage in (Stage.DETECT, Stage.REDACT, Stage.VERIFY, Stage.BILL, Stage.STORE):
        shop.work(stage)
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


@pytest.mark.clause("FILE-20", "FILE-35", "FILE-42", "FILE-43", "FILE-65")
def test_a_failed_job_says_why(shop: Shop, caller: httpx.Client) -> None:
    file_id = str(upload(caller, b"%PDF-1.7\nno document\n%%EOF\n", "a.pdf", "application/pdf")["file_id"])
    assert record(caller, file_id)["error_code"] is None
    shop.work()
    failed = record(caller, file_id)
    assert (failed["state"], failed["error_code"]) == ("failed", "unsupported_format")
    assert (failed["reason"], failed["remedy"]) == ("corrupt", REMEDY[Reason.CORRUPT])
    assert (failed["stage"], failed["progress"]) == ("sniff", 0.0)
    assert failed["processed_at"] is not None
    assert (failed["size_bytes_out"], failed["download_url"]) == (None, None)


@pytest.mark.clause("FILE-37")
def test_progress_goes_one_way(shop: Shop, caller: httpx.Client) -> None:
    """Fields of our own: at OCR every page that was read counts."""
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
    pages = [(row["pages_read"], row["pages_to_read"]) for row in seen if row["stage"] == "ocr"]
    assert pages == [(0, 3), (1, 3), (2, 3)]
    assert (seen[0]["pages_to_read"], seen[-1]["pages_read"], seen[-1]["pages_to_read"]) == (0, 3, 3)
    order = list(dict.fromkeys(row["stage"] for row in seen))
    assert order == [*(info.stage.value for info in STAGES), None]
    assert {row["stage"] for row in seen if row["state"] == "ready"} == {None}


@pytest.mark.clause("FILE-40")
def test_a_second_round_does_not_go_back(shop: Shop, caller: httpx.Client) -> None:
    """Progress grows in the second round too."""
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


@pytest.mark.clause("FILE-43")
@pytest.mark.parametrize(
    ("saboteur", "file", "code"),
    [
        ("crashes", (CSV,), "redaction_incomplete"),
        ("has_many_pages", (scan("Office one"), "a.pdf", "application/pdf"), "too_many_pages"),
        ("forgets", (CSV,), "verify_failed"),
    ],
)
def test_known_codes(shop: Shop, caller: httpx.Client, saboteur: str, file: tuple[bytes, str, str], code: str) -> None:
    """A parser that goes wrong ends its own job, and names no more than a code."""
    with shop.careless(saboteur):
        file_id = str(upload(caller, *file)["file_id"])
        shop.work()
    assert record(caller, file_id)["error_code"] == code
    known = {value for name, value in vars(ErrorCode).items() if name.isupper()}
    assert {
        "redaction_incomplete", "verify_failed", "image_redact_failed", "too_many_pages", "masker_unavailable",
        "internal_error", "unsupported_format", "timeout", "insufficient_tokens",
    } == known  # fmt: skip


@pytest.mark.clause("FILE-43")
def test_a_transient_failure_may_be_sent_again(shop: Shop, caller: httpx.Client) -> None:
    """A job whose workers died too often ends, and its like is taken again."""
    file_id = str(upload(caller, CSV)["file_id"])
    settings = shop.served.services.settings
    long_ago = datetime.fromisoformat("2026-01-01T00:00:00+00:00")
    for _ in range(settings.max_attempts):
        shop.claim(file_id, Stage.SNIFF)
        shop.set(file_id, lease_until=long_ago, due_at=long_ago)
    shop.sweep()
    failed = record(caller, file_id)
    assert (failed["state"], failed["error_code"]) == ("failed", "internal_error")
    again = str(upload(caller, CSV)["file_id"])
    shop.work()
    assert record(caller, again)["state"] == "ready"


@pytest.mark.clause("FILE-43")
def test_a_picture_that_cannot_be_read(shop: Shop, caller: httpx.Client) -> None:
    """Is the code of a picture that OCR breaks at."""
    with shop.careless("reads_nothing"):
        file_id = str(upload(caller, picture("Mobile: 0501234567"), "a.png", "image/png")["file_id"])
        shop.work()
    assert record(caller, file_id)["error_code"] == "image_redact_failed"


@pytest.mark.clause("FILE-29", "FILE-59")
def test_what_was_declared_is_what_is_shown(shop: Shop, caller: httpx.Client) -> None:
    for declared in ("text/csv", "application/csv", "text/csv; charset=utf-8"):
        answer = caller.post(UPLOAD, files={"file": ("a.csv", CSV.encode(), declared)})
        file_id = answer.json()["file_id"]
        shop.work()
        row = record(caller, file_id)
        assert row["content_type"] == declared
        download = caller.get(row["download_url"])
        assert download.headers["content-type"] == declared
        assert download.headers["content-disposition"].startswith("attachment; ")
