"""How many files an account may have: per day, at work and kept; exact however many uploads come at once."""

import base64
import secrets
import socket
import threading
from collections import Counter
from concurrent.futures import ThreadPoolExecutor
from datetime import UTC, datetime, timedelta
from pathlib import Path
from uuid import UUID

import httpx
import pytest

from schemas.clock import riyadh_day, utc_now
from schemas.errors import TooManyFilesToday
from schemas.settings import load_settings
from storage.jobs import records as jobs
from storage.jobs.tables import UploadCount
from tests.api.forms import FORM_TYPE, file_part, form
from tests.api.serving import Account
from tests.contract.shop import UPLOAD, Shop, opened, record, refused, shop_of, upload
from tests.contract.wire import address, exchange, head

CSV = "name\r\nNoura Almithali\r\n"


def send(client: httpx.Client) -> httpx.Response:
    return client.post(UPLOAD, files={"file": ("a.csv", CSV.encode(), "text/csv")})


def count(shop: Shop, owner: Account, uploads: int, days_ago: int = 0) -> None:
    """Lets the account have uploaded so often on a day."""
    with shop.served.services.storage.database.transaction() as session:
        row = session.get_one(UploadCount, owner.id)
        row.day, row.uploads = riyadh_day(utc_now() - timedelta(days=days_ago)), uploads


@pytest.mark.clause("FILE-24")
def test_two_at_work(shop: Shop, caller: httpx.Client) -> None:
    first, second = (str(upload(caller, CSV)["file_id"]) for _ in range(2))
    for state in ("queued", "processing"):
        shop.set(first, state=state)
        answer = send(caller)
        assert refused(answer) == (429, "too_many_concurrent_jobs")
        assert "retry-after" not in answer.headers
    shop.set(first, state="failed")
    third = send(caller)
    assert third.status_code == 201
    shop.finish(second)
    assert send(caller).status_code == 201


@pytest.mark.clause("FILE-25")
def test_fifty_in_all(shop: Shop, caller: httpx.Client) -> None:
    files = []
    for _ in range(50):
        files.append(str(upload(caller, CSV)["file_id"]))
        shop.finish(files[-1])
    assert refused(send(caller)) == (429, "quota_active")
    shop.past(files[0])
    assert record(caller, files[0])["state"] == "expired"  # and so it is none of the 50, swept or not
    fresh = send(caller)
    assert fresh.status_code == 201
    shop.finish(fresh.json()["file_id"])
    assert refused(send(caller)) == (429, "quota_active")
    caller.delete(f"/api/v1/files/{files[1]}")
    fresh = send(caller)
    assert fresh.status_code == 201
    shop.set(fresh.json()["file_id"], state="failed")
    fresh = send(caller)
    assert fresh.status_code == 201
    shop.finish(fresh.json()["file_id"])
    caller.post(f"/api/v1/files/{files[2]}/pin")
    shop.past(files[2])
    assert refused(send(caller)) == (429, "quota_active")  # a pinned file is there however old


@pytest.mark.clause("FILE-23")
def test_a_hundred_a_day(shop: Shop, caller: httpx.Client, owner: Account) -> None:
    file_id = str(upload(caller, CSV)["file_id"])
    count(shop, owner, 99)
    last = str(upload(caller, CSV)["file_id"])
    answer = send(caller)
    assert refused(answer) == (429, "too_many_files_today")
    assert "retry-after" not in answer.headers
    shop.set(file_id, state="failed")
    for gone in (file_id, last):
        caller.delete(f"/api/v1/files/{gone}")
    assert caller.get("/api/v1/files").json()["files"] == []
    assert refused(send(caller)) == (429, "too_many_files_today")
    with shop.client() as other:
        assert send(other).status_code == 201
    count(shop, owner, 100, days_ago=1)
    assert send(caller).status_code == 201


@pytest.mark.clause("FILE-23")
def test_the_day_turns_at_nine_in_the_evening_of_utc(shop: Shop, owner: Account) -> None:
    midnight = datetime(2026, 11, 21, 21, 0, tzinfo=UTC)
    services = shop.served.services
    quotas = jobs.Quotas(100, 2, 50)
    with shop.client(owner) as client:
        upload(client, CSV)
    with services.storage.database.transaction() as session:
        row = session.get_one(UploadCount, owner.id)
        row.day, row.uploads = riyadh_day(midnight - timedelta(seconds=1)), 100
    with services.storage.database.reading() as session:
        with pytest.raises(TooManyFilesToday):
            jobs.check_quotas(session, owner.id, quotas, midnight - timedelta(microseconds=1))
        jobs.check_quotas(session, owner.id, quotas, midnight)


@pytest.mark.clause("FILE-21")
@pytest.mark.parametrize("kind", ["sqlite", "postgresql"])
def test_a_rush_takes_no_more_places_than_there_are(request: pytest.FixtureRequest, tmp_path: Path, kind: str) -> None:
    settings = load_settings(
        _env_file=None,
        data_dir=tmp_path,
        database_url="" if kind == "sqlite" else request.getfixturevalue("postgres_url"),
        master_key=base64.b64encode(secrets.token_bytes(32)).decode(),
        rate_limit_per_minute=100_000,
        concurrent_jobs=2,
        active_files=3,
        daily_uploads=4,
    )
    with shop_of(settings) as shop, shop.client(shop.account()) as client:

        def rush() -> Counter[object]:
            start = threading.Barrier(10)

            def one(_: int) -> object:
                start.wait(20)
                answer = send(client)
                return answer.json()["detail"] if answer.status_code == 429 else answer.status_code

            with ThreadPoolExecutor(10) as threads:
                return Counter(threads.map(one, range(10)))

        def files() -> list[str]:
            return [row["file_id"] for row in client.get("/api/v1/files").json()["files"]]

        assert rush() == {201: 2, "too_many_concurrent_jobs": 8}
        for file_id in files():
            shop.finish(file_id)
        assert rush() == {201: 1, "quota_active": 9}
        for file_id in files():
            client.delete(f"/api/v1/files/{file_id}")
        assert rush() == {201: 1, "too_many_files_today": 9}
        assert len(files()) == 1
        assert len(shop.stored(files()[0])) == 1
        kept = {str(item.job_id) for item in shop.all_stored()}
        assert kept == set(files())  # of those refused in the transaction nothing is left


@pytest.mark.clause("FILE-21")
def test_a_quota_that_fills_while_the_body_comes(shop: Shop, owner: Account, caller: httpx.Client) -> None:
    """What was free when the upload began may be taken by its end."""
    body = form(file_part(CSV.encode() * 1000))
    upload(caller, CSV)
    before = {item.key for item in shop.all_stored()}
    with socket.create_connection(address(shop.served), timeout=20) as wire:
        headers = {**owner.headers, "Content-Type": FORM_TYPE, "Content-Length": str(len(body))}
        wire.sendall("\r\n".join([*head("POST", UPLOAD, headers), "", ""]).encode() + body[:100])
        # Its writer's draft appears when the first look at the quotas is behind it.
        drafts = shop.served.services.settings.data_dir / "objects" / ".drafts"
        while not any(drafts.iterdir()):
            threading.Event().wait(0.005)
        taken = upload(caller, CSV)
        wire.sendall(body[100:])
        answer = ""
        while not answer.endswith("}") and (piece := wire.recv(65536)):
            answer += piece.decode()
    assert answer.startswith("HTTP/1.1 429 ") and "too_many_concurrent_jobs" in answer
    left = {item.key for item in shop.all_stored()} - before
    assert {UUID(key.split("/")[1]) for key in left} == {UUID(taken["file_id"])}


@pytest.mark.clause("RUN-11")
def test_the_operators_own_numbers(tmp_path: Path) -> None:
    with opened(tmp_path, concurrent_jobs=3) as shop, shop.client() as client:
        for _ in range(3):
            upload(client, CSV)
        assert refused(send(client)) == (429, "too_many_concurrent_jobs")


@pytest.mark.clause("FILE-21")
def test_a_full_quota_is_told_before_the_body_is_read(shop: Shop, owner: Account, caller: httpx.Client) -> None:
    for _ in range(2):
        upload(caller, CSV)
    announced = {**owner.headers, "Content-Type": FORM_TYPE, "Content-Length": "5000"}

    def answer(**more: str) -> tuple[int, object]:
        got = exchange(shop.served, head("POST", UPLOAD, announced | more))
        return got.status, got.json()["detail"]

    assert answer() == (429, "too_many_concurrent_jobs")
    count(shop, owner, 100)
    assert answer() == (429, "too_many_files_today")
    assert answer(**{"Content-Length": str(10**10)}) == (413, "file_too_large")
