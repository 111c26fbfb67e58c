"""Webhooks, sentence by sentence: a real receiver on loopback, and jobs that are carried by hand."""

import asyncio
import base64
import hashlib
import hmac
import json
import subprocess
import sys
import threading
from collections.abc import Iterator
from datetime import datetime, timedelta
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer
from pathlib import Path
from typing import Any
from uuid import UUID

import httpx
import pytest

from masker.client import WebhookError, verify_webhook, webhook_secret
from schemas.clock import utc_now
from storage.jobs.tables import Webhook
from tests.api.serving import Account
from tests.contract.shop import UPLOAD, Shop, opened
from workers.webhooks import Sender

CSV = b"name,phone\nReem Alharbi,0501234567\n"
NAME = "reem-alharbi-salary.csv"


class Receiver:
    """Keeps what it is sent, and answers with the statuses it was told, then with 204."""

    def __init__(self) -> None:
        self.calls: list[tuple[str, dict[str, str], bytes]] = []
        self.statuses: list[int] = []
        receiver = self

        class Handler(BaseHTTPRequestHandler):
            def do_POST(self) -> None:
                body = self.rfile.read(int(self.headers["Content-Length"]))
                receiver.calls.append((self.path, {name.lower(): value for name, value in self.headers.items()}, body))
                status = receiver.statuses.pop(0) if receiver.statuses else 204
                self.send_response(status)
                if status in (301, 302, 307, 308):
                    self.send_header("Location", "/elsewhere")
                self.send_header("Content-Length", "0")
                self.end_headers()

            def log_message(self, *_: Any) -> None:
                """Says nothing."""

        self._server = ThreadingHTTPServer(("127.0.0.1", 0), Handler)
        self.url = f"http://127.0.0.1:{self._server.server_port}/hooks?token=t0ken"
        threading.Thread(target=self._server.serve_forever, daemon=True).start()

    def close(self) -> None:
        self._server.shutdown()
        self._server.server_close()


@pytest.fixture
def receiver() -> Iterator[Receiver]:
    running = Receiver()
    yield running
    running.close()


@pytest.fixture(scope="module")
def allowing(tmp_path_factory: pytest.TempPathFactory) -> Iterator[Shop]:
    """A server that may call loopback."""
    with opened(tmp_path_factory.mktemp("allowing"), webhook_private_addresses=True) as running:
        yield running


@pytest.fixture
def account(allowing: Shop) -> Account:
    return allowing.account()


@pytest.fixture
def client(allowing: Shop, account: Account) -> Iterator[httpx.Client]:
    with allowing.client(account) as client:
        yield client
    allowing.forget()


def post(client: httpx.Client, url: str, data: bytes = CSV) -> httpx.Response:
    return client.post(UPLOAD, files={"file": (NAME, data, "text/csv")}, data={"callback_url": url})


def uploaded(client: httpx.Client, url: str, data: bytes = CSV) -> str:
    answer = post(client, url, data)
    assert answer.status_code == 201, answer.text
    return str(answer.json()["file_id"])


def send(shop: Shop, now: datetime | None = None, seconds: float = 5.0) -> int:
    """What a sender does at some time."""
    services, moment = shop.served.services, now or utc_now() + timedelta(seconds=1)
    sender = Sender(services.storage, services.settings, clock=lambda: moment, call_seconds=seconds)
    return asyncio.run(sender.send())


@pytest.mark.clause("HOOK-05", "HOOK-06", "HOOK-07", "HOOK-08")
def test_a_receiver_is_told_once(allowing: Shop, client: httpx.Client, account: Account, receiver: Receiver) -> None:
    file_id = uploaded(client, receiver.url)
    assert send(allowing) == 0  # queued
    allowing.work()
    assert send(allowing) == 1
    assert send(allowing, utc_now() + timedelta(days=1)) == 0
    [(path, headers, body)] = receiver.calls
    assert path == "/hooks?token=t0ken"
    said = json.loads(body)
    assert said["type"] == "file.ready"
    assert said["data"] == {
        "file_id": file_id, "state": "ready", "error_code": None, "poll_url": f"/api/v1/files/{file_id}"
    }  # fmt: skip
    assert not any(word in body.decode() for word in ("Reem", "reem", "0501234567", "salary"))
    assert headers["webhook-id"] == file_id
    secret = hmac.digest(account.bearer.encode(), b"masker-webhook-v1", "sha256")
    covered = f"{file_id}.{headers['webhook-timestamp']}.".encode() + body
    right = base64.b64encode(hmac.new(secret, covered, hashlib.sha256).digest()).decode()
    assert headers["webhook-signature"] == f"v1,{right}"


@pytest.mark.clause("HOOK-05")
def test_a_failure_is_told_with_its_code(allowing: Shop, client: httpx.Client, receiver: Receiver) -> None:
    file_id = uploaded(client, receiver.url)
    allowing.set(file_id, state="failed", error_code="verify_failed", due_at=None, has_residue=False)
    assert send(allowing) == 1
    said = json.loads(receiver.calls[0][2])
    assert (said["type"], said["data"]["error_code"]) == ("file.failed", "verify_failed")


@pytest.mark.clause("HOOK-01")
@pytest.mark.parametrize(
    "url",
    [
        "ftp://example.com/x", "example.com", "//example.com", "https://", "https:///x", "https://user:pw@example.com/",
        "https://user@example.com/", "https://example.com/#there", "https://example.com/#", "https://example.com:0/",
        "https://example.com:99999/", "https://[::1/", "https://exämple.com/", "https://example.com/a b",
        "https://example.com\\@127.0.0.1/", "javascript:alert(1)",
        "https://example.com/" + "a" * 2000, "\ufffe", "https://example.com/\x00",
    ],
)  # fmt: skip
def test_other_addresses_are_refused(allowing: Shop, client: httpx.Client, url: str) -> None:
    before = len(allowing.all_stored())
    answer = post(client, url)
    assert answer.status_code == 422
    assert answer.json()["detail"][0]["loc"] == ["body", "callback_url"]
    assert len(allowing.all_stored()) == before
    assert client.get("/api/v1/files").json()["files"] == []


@pytest.mark.clause("HOOK-02")
@pytest.mark.parametrize(
    "host",
    [
        "127.0.0.1", "localhost", "LOCALHOST.", "a.localhost", "10.1.2.3", "172.16.0.1", "192.168.1.1",
        "169.254.169.254",
        "0.0.0.0", "0x7f.1", "2130706433", "127.1", "[::1]", "[::]", "[::ffff:127.0.0.1]", "[::ffff:10.0.0.1]",
        "[64:ff9b::7f00:1]", "[2002:7f00:1::]", "[fe80::1]", "[fd00::1]", "[fec0::1]", "[ff02::1]", "224.0.0.1",
        "100.64.0.1", "intranet", "printer.local", "metadata.google.internal", "198.51.100.7",
    ],
)  # fmt: skip
def test_hosts_that_are_not_public_are_refused(shop: Shop, caller: httpx.Client, host: str) -> None:
    answer = post(caller, f"https://{host}/x")
    assert answer.status_code == 422, host
    assert answer.json()["detail"][0]["msg"] == "must be a public address"


@pytest.mark.clause("HOOK-01", "HOOK-03")
def test_plain_http_needs_the_setting(shop: Shop, caller: httpx.Client) -> None:
    assert post(caller, "http://example.com/x").status_code == 422
    assert post(caller, "https://hooks.example.com:8443/x?y=z").status_code == 201


@pytest.mark.clause("HOOK-02")
def test_a_name_that_leads_inside_is_not_called(tmp_path: Path, receiver: Receiver, monkeypatch: Any) -> None:
    """The name was fine at the upload; what it resolves to is known only when the call is made."""
    with opened(tmp_path) as shop, shop.client() as client:
        file_id = uploaded(client, "https://hooks.example.com/x")
        shop.finish(file_id)

        async def inside(*_: object, **__: object) -> list[Any]:
            port = int(receiver.url.split(":")[2].split("/")[0])
            return [(2, 1, 6, "", ("93.184.215.14", port)), (2, 1, 6, "", ("127.0.0.1", port))]

        monkeypatch.setattr(asyncio.base_events.BaseEventLoop, "getaddrinfo", inside)
        assert send(shop) == 0
        assert receiver.calls == []


@pytest.mark.clause("HOOK-04")
def test_sessions_have_no_webhooks(allowing: Shop, account: Account, receiver: Receiver) -> None:
    with allowing.served.browser(account) as browser:
        answer = post(browser, receiver.url)
    assert answer.status_code == 422
    assert "bearer" in answer.json()["detail"][0]["msg"]


@pytest.mark.clause("HOOK-08", "HOOK-09", "HOOK-10")
def test_it_is_repeated_until_it_is_heard(allowing: Shop, client: httpx.Client, receiver: Receiver) -> None:
    receiver.statuses = [500, 302, 404, 204]
    allowing.finish(uploaded(client, receiver.url))
    now = utc_now() + timedelta(seconds=1)
    for wait in (10, 60, 300):
        assert send(allowing, now) == 0
        assert send(allowing, now + timedelta(seconds=wait - 1)) == 0
        now += timedelta(seconds=wait)
    assert len(receiver.calls) == 3
    assert send(allowing, now) == 1
    assert {path for path, _, _ in receiver.calls} == {"/hooks?token=t0ken"}  # no redirect was followed
    assert len({headers["webhook-id"] for _, headers, _ in receiver.calls}) == 1
    assert len({headers["webhook-timestamp"] for _, headers, _ in receiver.calls}) == 4


@pytest.mark.clause("HOOK-09")
def test_gone_ends_it(allowing: Shop, client: httpx.Client, receiver: Receiver) -> None:
    receiver.statuses = [410]
    allowing.finish(uploaded(client, receiver.url))
    assert send(allowing) == 1
    assert send(allowing, utc_now() + timedelta(days=2)) == 0


@pytest.mark.clause("HOOK-10")
def test_it_is_given_up_after_eight_attempts(allowing: Shop, client: httpx.Client, receiver: Receiver) -> None:
    receiver.statuses = [503] * 20
    allowing.finish(uploaded(client, receiver.url))
    now = utc_now() + timedelta(seconds=1)
    for wait in (0, 10, 60, 300, 1800, 7200, 21600, 43200, 86400, 864000):
        now += timedelta(seconds=wait)
        send(allowing, now)
    assert len(receiver.calls) == 8


@pytest.mark.clause("HOOK-10")
def test_a_receiver_that_hangs_is_cut_off(allowing: Shop, client: httpx.Client) -> None:
    import socket

    with socket.create_server(("127.0.0.1", 0)) as silent:
        allowing.finish(uploaded(client, f"http://127.0.0.1:{silent.getsockname()[1]}/"))
        assert send(allowing, seconds=0.3) == 0


@pytest.mark.clause("HOOK-10")
def test_two_senders_take_an_attempt_once(allowing: Shop, client: httpx.Client, receiver: Receiver) -> None:
    for _ in range(2):
        allowing.finish(uploaded(client, receiver.url))
    services, now = allowing.served.services, utc_now() + timedelta(seconds=1)

    async def both() -> list[int]:
        senders = [Sender(services.storage, services.settings, clock=lambda: now) for _ in range(3)]
        return list(await asyncio.gather(*(sender.send() for sender in senders)))

    assert sum(asyncio.run(both())) == 2
    assert len(receiver.calls) == 2


@pytest.mark.clause("HOOK-10")
def test_one_that_does_not_open_does_not_stop_the_others(
    allowing: Shop, client: httpx.Client, receiver: Receiver
) -> None:
    broken, whole = (uploaded(client, receiver.url) for _ in range(2))
    for file_id in (broken, whole):
        allowing.finish(file_id)
    with allowing.served.services.storage.database.transaction() as session:
        session.get_one(Webhook, UUID(broken)).url_sealed = b"damaged"
    assert send(allowing) == 1
    assert [headers["webhook-id"] for _, headers, _ in receiver.calls] == [whole]


@pytest.mark.clause("HOOK-10")
def test_no_log_holds_an_address(receiver: Receiver) -> None:
    """In a process of its own that logs from INFO on, as workers do: httpx would log what it calls."""
    program = (
        "import asyncio, logging, sys; logging.basicConfig(level=logging.INFO); from workers.callbacks import call; "
        "logging.info('begun'); asyncio.run(call(sys.argv[1], b'{}', {}, seconds=5, allow_private=True))"
    )
    done = subprocess.run([sys.executable, "-c", program, receiver.url], capture_output=True, text=True, check=True)
    assert len(receiver.calls) == 1
    assert "begun" in done.stderr
    assert "t0ken" not in done.stderr and "/hooks" not in done.stderr


@pytest.mark.clause("HOOK-11")
def test_a_deleted_file_calls_nobody(allowing: Shop, client: httpx.Client, receiver: Receiver) -> None:
    file_id = uploaded(client, receiver.url)
    allowing.finish(file_id)
    assert client.delete(f"/api/v1/files/{file_id}").status_code == 204
    assert send(allowing) == 0
    assert receiver.calls == []


@pytest.mark.clause("HOOK-07")
def test_what_the_client_accepts(allowing: Shop, client: httpx.Client, account: Account, receiver: Receiver) -> None:
    file_id = uploaded(client, receiver.url)
    allowing.finish(file_id)
    now = utc_now() + timedelta(seconds=1)
    send(allowing, now)
    [(_, headers, body)] = receiver.calls
    secret, at = webhook_secret(account.bearer), now.timestamp()
    assert verify_webhook(body, headers, secret, now=at)["data"]["file_id"] == file_id
    made = subprocess.run(
        ["/bin/sh", "-c", 'printf masker-webhook-v1 | openssl dgst -sha256 -hmac "$KEY" -binary | base64'],
        env={"KEY": account.bearer, "PATH": "/usr/bin:/bin"}, capture_output=True, text=True, check=True,
    )  # fmt: skip
    assert secret == f"whsec_{made.stdout.strip()}"
    other = {**headers, "webhook-signature": "v0,x v1," + headers["webhook-signature"][3:]}
    assert verify_webhook(body, other, secret, now=at)["type"] == "file.ready"
    for wrong in (
        (body + b" ", headers, secret, at), (body, headers, webhook_secret("another"), at),
        (body, headers, secret, at + 301), (body, headers, secret, at - 302), (body, {}, secret, at),
        (body, {**headers, "webhook-timestamp": "soon"}, secret, at), (body, headers, "whsec_!", at),
        (body, {**headers, "webhook-timestamp": str(int(at) + 1)}, secret, at),
        (body, {**headers, "webhook-id": "x"}, secret, at), (body, {**headers, "webhook-signature": "v1"}, secret, at),
    ):  # fmt: skip
        with pytest.raises(WebhookError):
            verify_webhook(wrong[0], wrong[1], wrong[2], now=wrong[3])


@pytest.mark.clause("HOOK-01")
def test_address_and_secret_are_sealed(allowing: Shop, client: httpx.Client, account: Account) -> None:
    uploaded(client, "https://hooks.example.com/x?token=t0ken")
    database = allowing.served.services.settings.data_dir
    for path in database.iterdir():
        if path.name.startswith("masker.db"):
            held = path.read_bytes()
            assert b"t0ken" not in held and b"hooks.example" not in held
