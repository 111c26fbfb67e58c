"""Pinning: which files can be kept beyond their time, how many, and what that changes."""

import base64
import secrets
from concurrent.futures import ThreadPoolExecutor
from pathlib import Path
from uuid import uuid4

import httpx
import pytest

from schemas.settings import load_settings
from schemas.stages import Stage
from tests.contract.shop import Shop, opened, record, refused, shop_of, upload

CSV = "name\r\nNoura Almithali\r\n"


def ready(shop: Shop, client: httpx.Client) -> str:
    """A finished file's id."""
    file_id = str(upload(client, CSV)["file_id"])
    shop.work()
    assert record(client, file_id)["state"] == "ready"
    return file_id


def finished(shop: Shop, client: httpx.Client) -> str:
    """The same without the work."""
    file_id = str(upload(client, CSV)["file_id"])
    shop.finish(file_id)
    return file_id


def pin(client: httpx.Client, file_id: str, verb: str = "pin") -> httpx.Response:
    return client.post(f"/api/v1/files/{file_id}/{verb}")


@pytest.mark.clause("FILE-34", "FILE-52", "FILE-53")
def test_a_pinned_file_outlives_its_time(shop: Shop, caller: httpx.Client) -> None:
    file_id = ready(shop, caller)
    answer = pin(caller, file_id)
    assert answer.status_code == 200
    assert answer.json() == record(caller, file_id)
    assert answer.json()["is_persisted"] is True
    shop.past(file_id)
    assert shop.sweep(hours=1).expired == 0
    assert record(caller, file_id)["state"] == "ready"
    assert caller.get(f"/api/v1/files/{file_id}/download").status_code == 200


@pytest.mark.clause("FILE-52")
def test_unpinning_gives_the_time_back(shop: Shop, caller: httpx.Client) -> None:
    file_id = ready(shop, caller)
    before = record(caller, file_id)
    pin(caller, file_id)
    answer = pin(caller, file_id, "unpin")
    assert (answer.status_code, answer.json()) == (200, before)
    assert shop.sweep(hours=25).expired >= 1
    assert record(caller, file_id)["state"] == "expired"


@pytest.mark.clause("FILE-54")
def test_unpinned_after_its_time(shop: Shop, caller: httpx.Client) -> None:
    file_id = ready(shop, caller)
    pin(caller, file_id)
    shop.past(file_id)
    was = record(caller, file_id)
    answer = pin(caller, file_id, "unpin")
    assert answer.status_code == 200
    assert answer.json()["expires_at"] == was["expires_at"]
    assert (answer.json()["state"], answer.json()["is_persisted"]) == ("expired", False)
    assert shop.stored(file_id)
    shop.sweep()
    assert shop.stored(file_id) == []


@pytest.mark.clause("FILE-52")
def test_both_answer_with_the_record_however_often(shop: Shop, caller: httpx.Client) -> None:
    """A repeated one changes nothing."""
    file_id = finished(shop, caller)
    for verb, pinned in (("pin", True), ("pin", True), ("unpin", False), ("unpin", False)):
        answer = pin(caller, file_id, verb)
        assert (answer.status_code, answer.json()["is_persisted"]) == (200, pinned)
        assert answer.json() == record(caller, file_id)


@pytest.mark.clause("FILE-53")
def test_only_a_ready_file_can_be_pinned(shop: Shop, caller: httpx.Client) -> None:
    """Queued, processing, failed, expired, past its time."""
    file_id = str(upload(caller, CSV)["file_id"])
    for until in (Stage.SNIFF, Stage.DETECT, Stage.STORE):
        shop.work(until)
        assert refused(pin(caller, file_id)) == (409, "not_ready")
        assert pin(caller, file_id, "unpin").json() == record(caller, file_id)
    shop.work()
    shop.past(file_id)
    assert refused(pin(caller, file_id)) == (409, "not_ready")
    shop.sweep()
    assert refused(pin(caller, file_id)) == (409, "not_ready")
    broken = str(upload(caller, b"%PDF-1.7\nnothing\n%%EOF\n", "a.pdf", "application/pdf")["file_id"])
    shop.work()
    assert record(caller, broken)["state"] == "failed"
    assert refused(pin(caller, broken)) == (409, "not_ready")


@pytest.mark.clause("FILE-53")
def test_five_may_be_pinned(shop: Shop, caller: httpx.Client) -> None:
    files = [finished(shop, caller) for _ in range(7)]
    assert [pin(caller, file_id).status_code for file_id in files[:5]] == [200] * 5
    assert refused(pin(caller, files[5])) == (409, "too_many_pinned")
    assert pin(caller, files[0]).status_code == 200  # it is pinned already
    assert record(caller, files[5])["is_persisted"] is False
    pin(caller, files[0], "unpin")
    assert pin(caller, files[5]).status_code == 200
    assert refused(pin(caller, files[0])) == (409, "too_many_pinned")
    assert caller.delete(f"/api/v1/files/{files[1]}").status_code == 204
    assert pin(caller, files[6]).status_code == 200
    with shop.client() as other:
        assert pin(other, finished(shop, other)).status_code == 200


@pytest.mark.clause("FILE-55")
def test_nobody_pins_what_is_not_theirs(shop: Shop, caller: httpx.Client) -> None:
    mine = finished(shop, caller)
    with shop.client() as other:
        for file_id in (mine, str(uuid4()), "nonsense", "%00", mine.replace("-", "")):
            for verb in ("pin", "unpin"):
                assert refused(pin(other, file_id, verb)) == (404, "File not found")
    assert record(caller, mine)["is_persisted"] is False


@pytest.mark.clause("FILE-53")
@pytest.mark.parametrize("kind", ["sqlite", "postgresql"])
def test_of_many_pins_at_once_no_more_than_five_hold(request: pytest.FixtureRequest, tmp_path: Path, kind: str) -> None:
    """On both databases, while some are unpinned and deleted at the same time."""
    settings = load_settings(
        _env_file=None,
        data_dir=tmp_path,
        database_url="" if kind == "sqlite" else request.getfixturevalue("postgres_url"),
        master_key=base64.b64encode(secrets.token_bytes(32)).decode(),
        rate_limit_per_minute=100_000,
    )
    with shop_of(settings) as shop, shop.client(shop.account()) as client:
        files = [finished(shop, client) for _ in range(9)]
        with ThreadPoolExecutor(9) as threads:
            statuses = list(threads.map(lambda file_id: pin(client, file_id).status_code, files))
            assert sorted(statuses) == [200] * 5 + [409] * 4
            again = list(threads.map(lambda file_id: pin(client, file_id).status_code, files))
            assert again == statuses

            def turn(number: int) -> int:
                file_id = files[number % 9]
                return pin(client, file_id, "unpin" if number % 3 else "pin").status_code

            assert set(threads.map(turn, range(36))) <= {200, 409}
        pinned = [row for row in client.get("/api/v1/files").json()["files"] if row["is_persisted"]]
        assert len(pinned) <= 5


@pytest.mark.clause("RUN-11")
def test_as_many_as_the_operator_says(tmp_path: Path) -> None:
    with opened(tmp_path, pinned_files=1) as shop, shop.client(shop.account()) as client:
        first, second = finished(shop, client), finished(shop, client)
        assert pin(client, first).status_code == 200
        assert refused(pin(client, second)) == (409, "too_many_pinned")
