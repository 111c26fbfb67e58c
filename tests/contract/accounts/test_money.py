"""What a text call costs, who pays for it first, and what comes back when there is no answer."""

import socket
from collections.abc import Iterator
from concurrent.futures import ThreadPoolExecutor
from contextlib import contextmanager
from dataclasses import replace
from pathlib import Path
from threading import Event
from time import monotonic
from urllib.parse import urlsplit
from uuid import UUID

import httpx
import pytest

from api.engine.scheduler import DetectionScheduler
from schemas.clock import utc_now
from storage import ledger
from storage.accounts import usage
from storage.opening import Storage
from tests.api.serving import Account, Served, serving, settings_for
from tests.contract.text.test_errors import PATHS, Blocked, Saboteur

_PATIENCE = 30  # seconds


def purse(served: Served, account: Account) -> tuple[int, int]:
    """Free and paid tokens that are left."""
    free_per_day = served.services.settings.free_tokens_per_day
    with served.services.storage.database.reading() as session:
        left = ledger.balance(session, account.id, free_per_day=free_per_day, now=utc_now())
    return left.free_tokens, left.paid_tokens


def moves(served: Served, account: Account) -> list[tuple[str, int, int]]:
    """The ledger, oldest first: what happened, free and paid tokens."""
    with served.services.storage.database.reading() as session:
        entries = ledger.entries(session, account.id, limit=1000)
    return [(entry.kind, entry.free_tokens, entry.paid_tokens) for entry in reversed(entries)]


@pytest.fixture(scope="module")
def poor(tmp_path_factory: pytest.TempPathFactory) -> Iterator[Served]:
    """A server that gives four free tokens a day."""
    with serving(settings_for(tmp_path_factory.mktemp("poor"), free_tokens_per_day=4)) as served:
        yield served


@pytest.mark.clause("BILL-01")
@pytest.mark.parametrize(
    ("text", "tokens"),
    [
        ("word", 1),
        ("two words", 2),
        ("  leading\tand\n\r\ntrailing \v\f", 3),
        ("no\u00a0break", 2),
        ("thin\u2009space narrow\u202fspace", 4),
        ("عربي\u3000中文\u2003ok", 3),
        ("next\u0085line\u2028separator\u2029paragraph", 4),
        ("zero\u200bwidth", 1),
        ("joiner\u200dand\u200cnon-joiner, and-hyphens/slashes", 2),
        ("nul\0inside", 1),
        ("\0", 1),
        ("\u200f", 1),
        ("\ufeff", 1),
        (" ", 0),
        (" \n\t\u00a0\u3000", 0),
        ("0501234567 a@example.com", 2),
        ("x " * 5000, 5000),
    ],
)
@pytest.mark.parametrize("path", PATHS)
def test_words(client: httpx.Client, served: Served, account: Account, path: str, text: str, tokens: int) -> None:
    before = served.balance(account)
    assert client.post(path, json={"text": text}).status_code == 200
    assert before - served.balance(account) == tokens


@pytest.mark.clause("BILL-02")
def test_free_tokens_go_first(poor: Served) -> None:
    """Both pay, and what is taken of each is remembered."""
    account = poor.account(paid_tokens=3)
    with poor.client(account) as client:
        for words in (3, 2, 2):
            assert client.post("/api/v1/mask", json={"text": "word " * words}).status_code == 200
    assert purse(poor, account) == (0, 0)
    assert moves(poor, account) == [("credit", 0, 3), ("charge", -3, 0), ("charge", -1, -1), ("charge", 0, -2)]


@pytest.mark.clause("BILL-02", "BILL-03", "BILL-04")
@pytest.mark.parametrize("path", PATHS)
def test_a_refusal_takes_nothing_and_says_what_is_missing(poor: Served, path: str) -> None:
    account = poor.account(paid_tokens=1)
    with poor.client(account) as client:
        refused = client.post(path, json={"text": "one two three four five six"})
        assert refused.status_code == 402
        assert refused.json() == {
            "detail": "insufficient_tokens",
            "needed_tokens": 6,
            "available_tokens": 5,
            "topup_url": "/billing",
        }
        assert "retry-after" not in refused.headers
        assert purse(poor, account) == (4, 1)
        assert client.post(path, json={"text": "one two three four five"}).status_code == 200
        assert client.post(path, json={"text": "one"}).json()["available_tokens"] == 0
        assert client.post(path, json={"text": " \n"}).status_code == 200  # what costs nothing is never refused
    assert purse(poor, account) == (0, 0)


@pytest.mark.clause("BILL-06", "GLOSS-23", "HTTP-22")
@pytest.mark.parametrize(
    ("path", "body", "status"),
    [
        ("/api/v1/mask", {"text": ""}, 422),
        ("/api/v1/mask", {"text": "one two", "key": "short"}, 400),
        ("/api/v1/mask", {"text": "one two", "glossary_id": str(UUID(int=5))}, 404),
        ("/api/v1/redact", {"text": "one two", "transforms": {"PERSON": "generalize"}}, 422),
        ("/api/v1/redact", {"text": "one two", "glossary_id": str(UUID(int=5))}, 404),
    ],
)
def test_what_is_refused_before_costs_nothing(poor: Served, path: str, body: dict[str, object], status: int) -> None:
    account = poor.account()
    with poor.client(account) as client:
        assert client.post(path, json=body).status_code == status
    assert moves(poor, account) == []


@pytest.mark.clause("BILL-07", "BILL-08", "HTTP-06", "HTTP-11")
@pytest.mark.parametrize("path", PATHS)
@pytest.mark.parametrize(("status", "queue"), [(500, None), (503, 0)])
def test_what_is_not_answered_comes_back_as_it_went(tmp_path: Path, path: str, status: int, queue: int | None) -> None:
    with serving(settings_for(tmp_path, free_tokens_per_day=4)) as served:
        account, other = served.account(paid_tokens=3), served.account()
        blocked = Blocked()
        threads = DetectionScheduler(Saboteur() if queue is None else blocked, 1, queue or 0)
        served.app.state.services = replace(served.services, detection=threads)
        with served.client(account) as client, served.client(other) as busy, ThreadPoolExecutor(1) as pool:
            if queue is not None:
                first = pool.submit(busy.post, path, json={"text": "one"})
                assert blocked.begun.wait(_PATIENCE)
            for _ in range(2):
                assert client.post(path, json={"text": "one two three four five six"}).status_code == status
                assert purse(served, account) == (4, 3)
            blocked.go_on.set()
            if queue is not None:
                assert first.result().status_code == 200
                assert client.post(path, json={"text": "one two three four five six"}).status_code == 200
        paid = [("charge", -4, -2)] if queue is not None else []
        assert moves(served, account) == [("credit", 0, 3), *(("charge", -4, -2), ("refund", 4, 2)) * 2, *paid]


@pytest.mark.clause("BILL-02")
@pytest.mark.parametrize("words", [1, 7])
def test_many_calls_at_once_spend_what_there_is(database_url: str, tmp_path: Path, words: int) -> None:
    """200 calls at once against 100 tokens are answered exactly as far as the tokens go, on either database."""
    settings = settings_for(tmp_path, free_tokens_per_day=40, rate_limit_per_minute=1000)
    opened = Storage.open(settings.model_copy(update={"database_url": database_url}))
    with serving(settings, opened) as served:
        account = served.account(paid_tokens=60)

        def call(number: int) -> int:
            """The tokens that were taken."""
            text = "word " * (1 + number % words)
            answer = client.post("/api/v1/redact", json={"text": text})
            assert answer.status_code in (200, 402), answer.text
            return 1 + number % words if answer.status_code == 200 else 0

        with served.client(account) as client, ThreadPoolExecutor(16) as pool:
            taken = list(pool.map(call, range(200)))
        if words == 1:
            assert (taken.count(1), taken.count(0)) == (100, 100)
        free, paid = purse(served, account)
        assert free >= 0 and paid >= 0 and free + paid == 100 - sum(taken)
        assert sum(kind == "charge" for kind, *_ in moves(served, account)) == sum(map(bool, taken))
    opened.close()


@pytest.mark.clause("BILL-01")
def test_a_caller_who_hangs_up_has_bought_the_answer(tmp_path: Path) -> None:
    """The work was done, so it is paid."""
    blocked = Blocked()
    with serving(settings_for(tmp_path)) as served:
        served.app.state.services = replace(served.services, detection=DetectionScheduler(blocked, 1, 8))
        account = served.account()
        before = served.balance(account)
        with half_a_call(served, account):
            assert blocked.begun.wait(_PATIENCE)
        blocked.go_on.set()
        wait_for_calls(served, account, 1)
        assert before - served.balance(account) == 3
        assert [kind for kind, *_ in moves(served, account)] == ["charge"]


@pytest.mark.clause("BILL-07")
def test_a_caller_who_hangs_up_while_waiting_gets_it_back(tmp_path: Path) -> None:
    """Nothing was done for it."""
    blocked = Blocked()
    with serving(settings_for(tmp_path, free_tokens_per_day=2)) as served:
        served.app.state.services = replace(served.services, detection=DetectionScheduler(blocked, 1, 8))
        first, second = served.account(paid_tokens=5), served.account(paid_tokens=5)
        with half_a_call(served, first):
            assert blocked.begun.wait(_PATIENCE)
            with half_a_call(served, second):
                wait_for_move(served, second, "charge")
            wait_for_move(served, second, "refund")
            assert purse(served, second) == (2, 5)
            blocked.go_on.set()
            wait_for_calls(served, first, 1)
        assert purse(served, first) == (0, 4)


@contextmanager
def half_a_call(served: Served, account: Account) -> Iterator[None]:
    """A call of three words whose caller hangs up at the end of the block, without reading the answer."""
    body, place = b'{"text": "one two three"}', urlsplit(served.url)
    assert place.hostname and place.port
    head = f"POST /api/v1/mask HTTP/1.1\r\nHost: x\r\nAuthorization: Bearer {account.bearer}\r\n"
    with socket.create_connection((place.hostname, place.port)) as caller:
        caller.sendall(f"{head}Content-Length: {len(body)}\r\n\r\n".encode() + body)
        yield


def wait_for_move(served: Served, account: Account, kind: str) -> None:
    """Until the ledger has an entry of this kind."""
    deadline, pause = monotonic() + _PATIENCE, Event()
    while kind not in [move for move, *_ in moves(served, account)]:
        assert monotonic() < deadline
        pause.wait(0.02)


def wait_for_calls(served: Served, account: Account, calls: int) -> None:
    """Until so many calls of the account ended well."""
    deadline, pause = monotonic() + _PATIENCE, Event()
    while True:
        served.app.state.services.usage_log.flush()
        with served.services.storage.database.reading() as session:
            days = usage.per_day(session, account.id, days=2, now=utc_now())
        if sum(day.calls for day in days) == calls:
            return
        assert monotonic() < deadline
        pause.wait(0.02)


@pytest.mark.clause("BILL-09")
def test_a_key_reads_the_balance(client: httpx.Client, served: Served, account: Account) -> None:
    client.post("/api/v1/redact", json={"text": "three more words"})
    with served.services.storage.database.transaction() as session:
        ledger.credit(session, account.id, 70, reference=f"test:{account.id}", now=utc_now())
    answer = client.get("/api/v1/balance")
    assert (answer.status_code, answer.json().keys()) == (200, {"free_tokens", "paid_tokens", "free_resets_at"})
    assert (answer.json()["free_tokens"], answer.json()["paid_tokens"]) == purse(served, account)
    assert client.get("/api/v1/balance", headers={"Authorization": ""}).status_code == 401
