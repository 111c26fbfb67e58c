"""The rate limit, by the interface's rows and rules: per key or account, a sliding minute, and never in the way."""

import os
import signal
import socket
import time
from collections.abc import Iterator
from contextlib import closing
from dataclasses import replace
from pathlib import Path

import httpx
import pytest

from schemas.clock import utc_now
from storage.accounts import keys
from storage.opening import Storage
from storage.rate_limiter import MemoryLimiter
from tests.api.serving import Account, Served, serving, settings_for
from tests.contract import browsers
from tests.servers import RedisServer
from tests.servers.process import free_port

LIMIT = 4
TEXT = {"text": "one two"}


class Limited(Served):
    """A server whose limiter's clock the test turns."""

    now = 0.0

    def start_anew(self) -> None:
        """All windows are empty."""
        Limited.now += 1000


@pytest.fixture(scope="module")
def limited(tmp_path_factory: pytest.TempPathFactory) -> Iterator[Limited]:
    """Four calls a minute."""
    settings = settings_for(
        tmp_path_factory.mktemp("limited"), rate_limit_per_minute=LIMIT, max_text_bytes=100_000, free_tokens_per_day=50
    )
    with serving(settings) as served:
        served.app.state.services = replace(served.services, limiter=MemoryLimiter(lambda: Limited.now))
        yield Limited(served.url, served.app, served.services)


def refused(answer: httpx.Response) -> int:
    """The seconds of a clean refusal."""
    assert (answer.status_code, answer.json()) == (429, {"detail": "Rate limit exceeded"})
    assert not [name for name in answer.headers if name.lower().startswith("x-ratelimit")]
    return int(answer.headers["retry-after"])


def used_up(client: httpx.Client) -> None:
    """A client none of whose calls of this minute are left."""
    for _ in range(LIMIT):
        assert client.get("/api/v1/files").status_code == 200


@pytest.mark.clause("HTTP-30", "HTTP-31", "HTTP-33")
def test_a_full_window(limited: Limited) -> None:
    with limited.client() as client:
        for _ in range(LIMIT):
            answer = client.post("/api/v1/mask", json=TEXT)
            assert answer.status_code == 200
            assert not [name for name in answer.headers if "ratelimit" in name.lower() or name == "retry-after"]
        assert refused(client.post("/api/v1/mask", json=TEXT)) == 60


@pytest.mark.clause("HTTP-12", "HTTP-30", "HTTP-32")
def test_retry_after(limited: Limited) -> None:
    with limited.client() as client:
        for _ in range(LIMIT):
            client.post("/api/v1/mask", json=TEXT)
            Limited.now += 7.25
        assert refused(client.post("/api/v1/mask", json=TEXT)) == 31  # 60 - 29
        Limited.now += 30.9
        wait = refused(client.post("/api/v1/mask", json=TEXT))
        assert wait == 1
        Limited.now += wait
        assert client.post("/api/v1/mask", json=TEXT).status_code == 200  # the first is out of the window
        assert refused(client.post("/api/v1/mask", json=TEXT)) == 7


@pytest.mark.clause("HTTP-34")
def test_a_refused_call_does_not_count(limited: Limited) -> None:
    with limited.client() as client:
        used_up(client)
        for _ in range(10):
            Limited.now += 5.9
            refused(client.get("/api/v1/files"))
        Limited.now += 1.0
        used_up(client)


@pytest.mark.clause("HTTP-22", "HTTP-23", "HTTP-34")
@pytest.mark.parametrize(
    ("method", "path", "send", "status"),
    [
        ("POST", "/api/v1/mask", {"json": {}}, 422),
        ("POST", "/api/v1/mask", {"json": {"text": "x", "key": "?"}}, 400),
        ("POST", "/api/v1/redact", {"content": b"x" * 200_000}, 413),
        ("POST", "/api/v1/mask", {"json": {"text": "x", "glossary_id": "00000000-0000-4000-8000-000000000000"}}, 404),
        ("POST", "/api/v1/mask", {"json": {"text": "x " * 1000}}, 402),
        ("POST", "/api/v1/files/redact", {"files": {"file": ("a.txt", b"x", "text/plain")}}, 400),
        ("GET", "/api/v1/files", {"params": {"cursor": "x"}}, 400),
        ("GET", "/api/v1/files/x", {}, 404),
        ("GET", "/api/v1/files/x/download", {}, 404),
        ("DELETE", "/api/v1/files/x", {}, 404),
        ("GET", "/v1/glossaries", {}, 200),
        ("PUT", "/me/entities", {"json": {"enabled": []}}, 422),
    ],
)
def test_every_authenticated_call_counts(
    limited: Limited, method: str, path: str, send: dict[str, object], status: int
) -> None:
    with limited.client() as client:
        for _ in range(LIMIT):
            assert client.request(method, path, **send).status_code == status
        refused(client.get("/api/v1/files"))
        refused(client.request(method, path, **send))


@pytest.mark.clause("HTTP-36")
def test_calls_without_a_caller_do_not_count(limited: Limited) -> None:
    """Who is not authenticated has no window."""
    account = limited.account()
    with limited.client(account) as client:
        used_up(client)
        for path in ("/api/v1/health", "/api/v1/health/ready", "/docs"):
            for _ in range(2 * LIMIT):
                assert client.get(path).status_code == 200
        assert client.get("/nothing").status_code == 404
    with httpx.Client(base_url=limited.url) as stranger:
        for _ in range(2 * LIMIT):
            assert stranger.post("/api/v1/mask", json=TEXT).status_code == 401


@pytest.mark.clause("HTTP-22", "HTTP-23")
def test_it_is_told_before_the_body_is_read(limited: Limited) -> None:
    """The body never comes, the answer does."""
    account = limited.account()
    with limited.client(account) as client:
        used_up(client)
    head = f"POST /api/v1/mask HTTP/1.1\r\nHost: x\r\nAuthorization: Bearer {account.bearer}\r\n"
    with closing(socket.create_connection(("127.0.0.1", int(limited.url.rpartition(":")[2])), timeout=20)) as line:
        line.sendall(f"{head}Content-Type: application/json\r\nContent-Length: 999999999\r\n\r\n".encode())
        assert line.recv(1000).startswith(b"HTTP/1.1 429 ")


def second_key(limited: Served, account: Account) -> Account:
    with limited.services.storage.database.transaction() as session:
        pepper = keys.pepper(session, limited.services.storage.keyring)
        _, bearer = keys.mint(session, pepper, account_id=account.id, name="second", now=utc_now())
    return Account(account.id, bearer)


@pytest.mark.clause("HTTP-30")
def test_one_window_per_key(limited: Limited) -> None:
    account = limited.account()
    other = second_key(limited, account)
    with limited.client(account) as client, limited.client(other) as another, limited.client() as stranger:
        used_up(client)
        used_up(another)
        used_up(stranger)
        for one in (client, another, stranger):
            refused(one.get("/api/v1/files"))


@pytest.mark.clause("HTTP-30")
def test_one_window_per_account_for_sessions(limited: Limited) -> None:
    """Two sessions share theirs, a key has its own."""
    account = limited.account()
    with limited.browser(account) as first, limited.browser(account) as second, limited.client(account) as bearer:
        for number in range(LIMIT):
            assert (first, second)[number % 2].get("/me").status_code == 200
        for session in (first, second):
            refused(session.get("/me"))
            refused(session.get("/api/v1/files"))
            refused(session.get("/v1/keys"))
        used_up(bearer)
    cookie = browsers.cookie_of(browsers.registered(limited.url)).value
    with browsers.page(limited.url, cookie) as other:
        assert other.get("/me").status_code == 200


@pytest.mark.clause("HTTP-37")
def test_the_limit_is_a_setting(client: httpx.Client) -> None:
    statuses = [client.get("/api/v1/files").status_code for _ in range(121)]
    assert statuses == [200] * 120 + [429]


@pytest.mark.clause("HTTP-30")
def test_servers_on_one_redis_count_together(tmp_path: Path, redis_url: str) -> None:
    settings = settings_for(tmp_path / "data", rate_limit_per_minute=LIMIT, redis_url=redis_url)
    with serving(settings) as one, serving(settings, Storage.open(settings)) as two:
        account = one.account()
        with one.client(account) as first, two.client(account) as second:
            for number in range(LIMIT):
                assert (first, second)[number % 2].get("/api/v1/files").status_code == 200
            assert 1 <= refused(first.get("/api/v1/files")) <= 60
            assert 1 <= refused(second.get("/api/v1/files")) <= 60


@pytest.mark.clause("HTTP-35")
def test_calls_go_on_while_redis_is_dead(tmp_path: Path) -> None:
    port = free_port()
    servers = [RedisServer(port)]
    settings = settings_for(tmp_path / "data", rate_limit_per_minute=LIMIT, redis_url=servers[0].url)
    try:
        with serving(settings) as served, served.client() as client:
            used_up(client)
            refused(client.get("/api/v1/files"))
            os.kill(servers[0].pid, signal.SIGKILL)
            servers[0].stop()
            for _ in range(3 * LIMIT):
                assert client.post("/api/v1/mask", json=TEXT).status_code == 200
            servers.append(RedisServer(port))
            deadline = time.monotonic() + 30
            while client.get("/api/v1/files").status_code == 200:
                assert time.monotonic() < deadline, "it never counts again"
            refused(client.get("/api/v1/files"))
    finally:
        for server in servers:
            server.stop()
