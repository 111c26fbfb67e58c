"""How files end: deleted in any state, expired, failed, purged, taken up again; and that no byte outlives them."""

from datetime import datetime, timedelta
from uuid import uuid4

import httpx
import pytest

from schemas.clock import utc_now
from schemas.stages import Stage
from storage import ledger
from storage.jobs.objects import input_key
from tests.api.serving import Account
from tests.contract.shop import UPLOAD, Shop, opened, record, refused, upload
from workers.run import ClaimLost
from workers.stages import WORK

CSV = "name,email\r\nNoura Almithali,noura@example.com\r\n"
BROKEN = b"%PDF-1.7\nno document\n%%EOF\n"


def entries(shop: Shop, owner: Account) -> list[str]:
    with shop.served.services.storage.database.reading() as session:
        return [entry.kind for entry in reversed(ledger.entries(session, owner.id, limit=50))]


def gone(shop: Shop, client: httpx.Client, file_id: str) -> None:
    """Nothing is left of a file, for anybody."""
    assert shop.stored(file_id) == []
    for method, path in (("GET", ""), ("GET", "/download"), ("POST", "/pin"), ("POST", "/unpin"), ("DELETE", "")):
        assert refused(client.request(method, f"/api/v1/files/{file_id}{path}")) == (404, "File not found")
    assert file_id not in {row["file_id"] for row in client.get("/api/v1/files").json()["files"]}


@pytest.mark.clause("FILE-51")
def test_deleted_before_anybody_began(shop: Shop, caller: httpx.Client, owner: Account) -> None:
    """Queued; and a second one finds nothing."""
    file_id = str(upload(caller, CSV)["file_id"])
    answer = caller.delete(f"/api/v1/files/{file_id}")
    assert (answer.status_code, answer.content) == (204, b"")
    gone(shop, caller, file_id)
    shop.work()
    gone(shop, caller, file_id)
    assert entries(shop, owner) == []


@pytest.mark.clause("FILE-51")
@pytest.mark.parametrize("stage", [Stage.SNIFF, Stage.EXTRACT, Stage.DETECT, Stage.REDACT, Stage.VERIFY, Stage.STORE])
def test_deleted_while_a_worker_has_it(shop: Shop, caller: httpx.Client, owner: Account, stage: Stage) -> None:
    file_id = str(upload(caller, CSV)["file_id"])
    before = shop.served.balance(owner)
    shop.work(stage)
    run = shop.claim(file_id, stage)
    objects, key = shop.served.services.storage.objects, input_key(run.claim.job_id)
    kept = objects.get(key)
    assert caller.delete(f"/api/v1/files/{file_id}").status_code == 204
    gone(shop, caller, file_id)
    if stage in (Stage.SNIFF, Stage.EXTRACT):  # as if it had loaded the document before
        objects.put(key, kept)
        with pytest.raises(ClaimLost):
            WORK[stage](run)
        run.discard()
    shop.work()
    shop.sweep(hours=1)
    gone(shop, caller, file_id)
    assert shop.served.balance(owner) == before
    assert entries(shop, owner) in ([], ["hold", "release"])


@pytest.mark.clause("FILE-51")
@pytest.mark.parametrize("end", ["ready", "failed", "expired", "pinned"])
def test_deleted_when_it_has_ended(shop: Shop, caller: httpx.Client, owner: Account, end: str) -> None:
    """What was charged for a ready file stays charged."""
    data, type_ = (BROKEN, "application/pdf") if end == "failed" else (CSV, "text/csv")
    file_id = str(upload(caller, data, "a", type_)["file_id"])
    shop.work()
    if end == "expired":
        shop.past(file_id)
        shop.sweep()
    if end == "pinned":
        caller.post(f"/api/v1/files/{file_id}/pin")
    balance = shop.served.balance(owner)
    assert record(caller, file_id)["state"] == ("ready" if end == "pinned" else end)
    assert caller.delete(f"/api/v1/files/{file_id}").status_code == 204
    gone(shop, caller, file_id)
    assert shop.served.balance(owner) == balance


@pytest.mark.clause("FILE-55", "HTTP-08")
def test_nobody_deletes_what_is_not_theirs(shop: Shop, caller: httpx.Client) -> None:
    file_id = str(upload(caller, CSV)["file_id"])
    with shop.client() as other:
        strange, unknown = (other.delete(f"/api/v1/files/{id_}") for id_ in (file_id, uuid4()))
    assert refused(strange) == refused(unknown) == (404, "File not found")
    assert {*strange.headers} == {*unknown.headers}
    assert record(caller, file_id)["state"] == "queued"
    assert shop.stored(file_id)


@pytest.mark.clause("FILE-44", "FILE-58")
def test_expiry(shop: Shop, caller: httpx.Client) -> None:
    file_id = str(upload(caller, CSV)["file_id"])
    shop.work()
    shop.sweep(hours=23, minutes=59)
    assert record(caller, file_id)["state"] == "ready" and len(shop.stored(file_id)) == 1
    assert shop.sweep(hours=24, seconds=1).expired >= 1
    assert shop.stored(file_id) == []
    for _ in range(2):
        assert refused(caller.get(f"/api/v1/files/{file_id}/download")) == (410, "expired")
    row = record(caller, file_id)
    assert (row["state"], row["download_url"], row["entity_count"]) == ("expired", None, 2)
    assert shop.sweep(days=2).expired == 0


@pytest.mark.clause("FILE-44", "FILE-46", "RUN-10")
def test_the_row_is_kept_for_a_while(shop: Shop, caller: httpx.Client) -> None:
    expired = str(upload(caller, CSV)["file_id"])
    failed = str(upload(caller, BROKEN, "a.pdf", "application/pdf")["file_id"])
    shop.work()
    shop.past(expired)
    shop.sweep()
    shop.sweep(days=29, hours=23)
    assert record(caller, expired)["state"] == "expired"
    assert record(caller, failed)["state"] == "failed"
    assert shop.sweep(days=30, minutes=1).purged >= 2
    for file_id in (expired, failed):
        gone(shop, caller, file_id)


@pytest.mark.clause("FILE-45")
def test_a_late_job_goes_on(shop: Shop, caller: httpx.Client) -> None:
    file_id = str(upload(caller, CSV)["file_id"])
    shop.work(Stage.DETECT)
    shop.past(file_id)
    shop.sweep()
    assert record(caller, file_id)["state"] == "processing"
    shop.work()
    assert record(caller, file_id)["state"] == "expired"
    assert refused(caller.get(f"/api/v1/files/{file_id}/download")) == (410, "expired")
    assert shop.stored(file_id)
    shop.sweep()
    assert shop.stored(file_id) == []


@pytest.mark.clause("FILE-41", "FILE-56", "FILE-57")
def test_failed_is_the_end(shop: Shop, caller: httpx.Client, owner: Account) -> None:
    before = shop.served.balance(owner)
    file_id = str(upload(caller, CSV)["file_id"])
    shop.work(Stage.STORE)  # what it costs is held by now
    assert shop.served.balance(owner) < before
    run = shop.claim(file_id, Stage.STORE)
    run.fail("internal_error")
    failed = record(caller, file_id)
    assert (failed["state"], failed["error_code"]) == ("failed", "internal_error")
    assert shop.stored(file_id) == []
    assert shop.served.balance(owner) == before
    assert entries(shop, owner) == ["hold", "release"]
    for stage in Stage:
        shop.served.services.storage.queue.announce(stage, run.claim.job_id)
    shop.work()
    shop.sweep(hours=25)
    assert record(caller, file_id) == failed
    assert refused(caller.get(f"/api/v1/files/{file_id}/download")) == (404, "not_ready")


@pytest.mark.clause("FILE-38")
def test_a_job_that_lost_its_worker_is_taken_up_again(shop: Shop, caller: httpx.Client) -> None:
    """The row is the job, whatever became of a message or of who had it."""
    file_id = str(upload(caller, CSV)["file_id"])
    assert shop.bench.next_message() is not None  # the message is lost, with whoever took it
    shop.work()
    assert record(caller, file_id)["state"] == "queued"
    shop.set(file_id, due_at=utc_now() - timedelta(seconds=1))
    shop.sweep()
    shop.work(Stage.REDACT)
    dead = shop.claim(file_id, Stage.REDACT)
    dead.artifacts.save_candidate(b"half of a ")
    ago = utc_now() - timedelta(seconds=1)
    shop.set(file_id, lease_until=ago, due_at=ago)
    shop.sweep()
    shop.work()
    assert record(caller, file_id)["state"] == "ready"
    assert len(shop.stored(file_id)) == 1
    with pytest.raises(ClaimLost):
        dead.advance(Stage.VERIFY)


@pytest.mark.clause("RUN-09")
def test_a_quick_end(tmp_path_factory: pytest.TempPathFactory) -> None:
    with opened(tmp_path_factory.mktemp("quick"), file_ttl_seconds=60) as shop, shop.client() as client:
        taken = upload(client, CSV)
        began, ends = (datetime.fromisoformat(str(taken[name])) for name in ("created_at", "expires_at"))
        assert ends - began == timedelta(seconds=60)
        shop.work()
        assert shop.sweep(seconds=61).expired == 1


@pytest.mark.clause("BILL-02", "FILE-26", "FILE-63")
def test_too_few_tokens_when_the_work_is_done(tmp_path_factory: pytest.TempPathFactory) -> None:
    with opened(tmp_path_factory.mktemp("poor"), free_tokens_per_day=0) as shop:
        owner = shop.account(paid_tokens=4)
        with shop.client(owner) as client:
            file_id = str(upload(client, CSV)["file_id"])  # five words
            shop.work()
            row = record(client, file_id)
            assert (row["state"], row["error_code"], row["word_count"]) == ("failed", "insufficient_tokens", 5)
            assert shop.stored(file_id) == []
            assert shop.served.balance(owner) == 4
            assert entries(shop, owner) == ["credit"]
            answer = client.post(UPLOAD, files={"file": ("a.pdf", BROKEN, "application/pdf")})
            assert answer.status_code == 402
            assert answer.json() == {
                "detail": "insufficient_tokens", "needed_tokens": 10, "available_tokens": 4, "topup_url": "/billing",
            }  # fmt: skip
            assert len(client.get("/api/v1/files").json()["files"]) == 1
        rich = shop.account(paid_tokens=5)
        with shop.client(rich) as client:
            file_id = str(upload(client, CSV)["file_id"])
            shop.work()
            assert record(client, file_id)["state"] == "ready"
            assert shop.served.balance(rich) == 0


@pytest.mark.clause("BILL-05")
def test_the_free_tokens_come_first_and_refill(shop: Shop, caller: httpx.Client, owner: Account) -> None:
    """A file is paid for like a text, from the free tokens of the day first; the ledger names both sides."""
    file_id = str(upload(caller, CSV)["file_id"])
    shop.work()
    assert record(caller, file_id)["state"] == "ready"
    with shop.served.services.storage.database.reading() as session:
        held = ledger.entries(session, owner.id, limit=5)[1]
        tomorrow = ledger.balance(session, owner.id, free_per_day=10_000, now=utc_now() + timedelta(days=1))
    assert (held.kind, held.free_tokens, held.paid_tokens, held.reason) == ("hold", -5, 0, "file")
    assert tomorrow.free_tokens == 10_000
