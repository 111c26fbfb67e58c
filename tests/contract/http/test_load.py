"""Load: what is shed and refunded, that callers wait in turn, and that a large text stands in nobody's way."""

import base64
import json
import os
import select
import signal
import socket
from collections.abc import Iterator
from concurrent.futures import Future, ThreadPoolExecutor
from contextlib import closing, contextmanager
from dataclasses import replace
from pathlib import Path
from threading import Event, Lock

import httpx
import pytest
from cryptography.hazmat.primitives.ciphers.aead import AESGCM

from api.engine.pool import ProcessPool
from api.engine.scheduler import LARGE_CHARACTERS, MEDIUM_CHARACTERS, DetectionScheduler
from schemas.spans import Detection, DetectOptions
from tests.api.serving import Account, Served, serving, settings_for
from tests.contract.wire import until

SENTENCE = "Write to noura@example.com or 0501234567 about nothing else today. "
MEDIUM = SENTENCE * (MEDIUM_CHARACTERS // len(SENTENCE) + 1)
LARGE = SENTENCE * (LARGE_CHARACTERS // len(SENTENCE) + 1)
MEGABYTES = SENTENCE * 20_000  # 1.3 MB: its body is parsed apart too
FREE = 50


class Busy:
    """A detector that keeps every text until the test lets it go, and says whose texts it had, in order."""

    def __init__(self) -> None:
        self.seen: list[str] = []
        self._go_on, self._lock = Event(), Lock()

    def detect(self, text: str, options: DetectOptions = DetectOptions()) -> Detection:
        with self._lock:
            self.seen.append(text)
        assert self._go_on.wait(60)
        return Detection(text, ())

    def let_go(self) -> None:
        self._go_on.set()


@contextmanager
def busy(folder: Path, queue: int) -> Iterator[tuple[Served, Busy]]:
    """A server with one thread for detection and so many waiting places."""
    detector = Busy()
    with serving(settings_for(folder, free_tokens_per_day=FREE)) as served:
        served.app.state.services = replace(served.services, detection=DetectionScheduler(detector, 1, queue))
        try:
            yield Served(served.url, served.app, served.app.state.services), detector
        finally:
            detector.let_go()


def waiting(served: Served) -> int:
    return served.services.detection.waiting


@pytest.mark.clause("BILL-07", "HTTP-11", "RUN-13")
def test_past_the_queue_calls_are_shed_and_refunded(tmp_path: Path) -> None:
    with busy(tmp_path, queue=2) as (served, detector), ThreadPoolExecutor(4) as callers:
        account = served.account(paid_tokens=100)
        with served.client(account) as client:
            calls = [callers.submit(client.post, "/api/v1/mask", json={"text": "w " * 20}) for _ in range(3)]
            until(lambda: waiting(served) == 2 and len(detector.seen) == 1)
            for path in ("/api/v1/mask", "/api/v1/redact"):
                answer = client.post(path, json={"text": "w " * 30})
                assert (answer.status_code, answer.json()) == (503, {"detail": "masker_unavailable"})
                assert int(answer.headers["retry-after"]) >= 1
            assert served.balance(account) == FREE + 100 - 60
            detector.let_go()
            assert [call.result().status_code for call in calls] == [200] * 3
            assert served.balance(account) == FREE + 100 - 60


@pytest.mark.clause("RUN-13")
def test_one_caller_cannot_take_every_place(tmp_path: Path) -> None:
    with (
        busy(tmp_path, queue=3) as (served, detector),
        ThreadPoolExecutor(8) as callers,
        served.client() as greedy,
        served.client() as modest,
    ):
        first = callers.submit(greedy.post, "/api/v1/mask", json={"text": "greedy 0"})
        until(lambda: len(detector.seen) == 1)
        more = [callers.submit(greedy.post, "/api/v1/mask", json={"text": f"greedy {n}"}) for n in range(1, 4)]
        until(lambda: waiting(served) == 3)
        one = callers.submit(modest.post, "/api/v1/mask", json={"text": "modest"})
        until(lambda: any(call.done() for call in more))
        assert statuses(more, 1) == [503]
        detector.let_go()
        assert one.result().status_code == first.result().status_code == 200
        assert sorted(call.result().status_code for call in more) == [200, 200, 503]
        assert detector.seen.index("modest") <= 2


def statuses(calls: list["Future[httpx.Response]"], wanted: int) -> list[int]:
    done = [call.result().status_code for call in calls if call.done()]
    assert len(done) == wanted
    return done


@pytest.mark.clause("BILL-07")
def test_who_hangs_up_while_waiting_is_refunded_and_frees_the_place(tmp_path: Path) -> None:
    with busy(tmp_path, queue=1) as (served, detector), ThreadPoolExecutor(4) as callers:
        account = served.account()
        with served.client() as client:
            first = callers.submit(client.post, "/api/v1/mask", json={"text": "first"})
            until(lambda: len(detector.seen) == 1)
            with closing(raw_call(served, account, "seven words that nobody will ever see")):
                until(lambda: waiting(served) == 1)
                assert served.balance(account) == FREE - 7
            until(lambda: waiting(served) == 0)
            until(lambda: served.balance(account) == FREE)
            second = callers.submit(client.post, "/api/v1/mask", json={"text": "second"})
            until(lambda: waiting(served) == 1)
            detector.let_go()
            assert (first.result().status_code, second.result().status_code) == (200, 200)
        assert detector.seen == ["first", "second"]


def raw_call(served: Served, account: Account, text: str, *, missing: int = 0) -> socket.socket:
    """A call whose connection the test can close; the last `missing` bytes of its body never come."""
    body = json.dumps({"text": text}).encode()
    head = f"POST /api/v1/mask HTTP/1.1\r\nHost: x\r\nAuthorization: Bearer {account.bearer}\r\n"
    line = socket.create_connection(("127.0.0.1", int(served.url.rpartition(":")[2])), timeout=20)
    line.sendall(
        f"{head}Content-Type: application/json\r\nContent-Length: {len(body)}\r\n\r\n".encode()
        + body[: len(body) - missing]
    )
    return line


@pytest.fixture(scope="module")
def served(tmp_path_factory: pytest.TempPathFactory) -> Iterator[Served]:
    """A server with one process each for medium and large texts, and two waiting places, one of them for large ones."""
    settings = settings_for(
        tmp_path_factory.mktemp("load"), detect_max_concurrency=1, detect_max_queue=2, free_tokens_per_day=10**9
    )
    with serving(settings) as server:
        yield server


@contextmanager
def halted(served: Served, client: httpx.Client) -> Iterator[int]:
    """The process for large texts, made to stand still."""
    assert client.post("/api/v1/mask", json={"text": LARGE}).status_code == 200
    (pid,) = large_texts(served).pids
    os.kill(pid, signal.SIGSTOP)
    try:
        yield pid
    finally:
        if Path(f"/proc/{pid}").exists():
            os.kill(pid, signal.SIGCONT)


def large_texts(served: Served) -> ProcessPool:
    processes = served.services.detection.processes
    assert processes is not None
    return processes.large


@pytest.mark.clause("MASK-06")
def test_a_large_text_is_masked_as_a_small_one(served: Served) -> None:
    key = bytes(range(32))
    text = "ابدأ 😀 " + MEGABYTES
    with served.client() as client:
        body = {"text": text, "key": base64.b64encode(key).decode(), "glossary": ["nothing else"]}
        answer = client.post("/api/v1/mask", json=body).json()
    nonce, ciphertext = (base64.b64decode(answer[name]) for name in ("nonce_payload", "ciphertext"))
    mapping = json.loads(AESGCM(key).decrypt(nonce, ciphertext, None))
    assert set(mapping.values()) == {"noura@example.com", "0501234567", "nothing else"}
    assert len(answer["spans"]) == answer["pii_count"] == 60_000
    restored = answer["masked_text"]
    for token, original in mapping.items():
        restored = restored.replace(token, original)
    assert restored == text


@pytest.mark.clause("HTTP-03", "HTTP-22")
def test_a_large_body_that_is_wrong(served: Served) -> None:
    account = served.account()
    before = served.balance(account)
    with served.client(account) as client:
        for wrong in ({"text": MEGABYTES, "glossary": [7]}, {"text": MEGABYTES, "use_judge": "yes"}, [MEGABYTES]):
            answer = client.post("/api/v1/mask", json=wrong)
            assert answer.status_code == 422
            assert [item.keys() for item in answer.json()["detail"]] == [{"type", "loc", "msg"}]
            assert "noura" not in answer.text
    assert served.balance(account) == before


@pytest.mark.clause("RUN-13")
def test_small_calls_are_answered_while_a_large_text_takes_forever(served: Served) -> None:
    """A large text is no reason to."""
    with served.client() as client, served.client() as other, ThreadPoolExecutor(1) as callers:
        with halted(served, client):
            call = callers.submit(client.post, "/api/v1/redact", json={"text": LARGE})
            until(lambda: large_texts(served).at_work == 1)
            for _ in range(5):
                answer = other.post("/api/v1/mask", json={"text": SENTENCE})
                assert (answer.status_code, answer.json()["pii_count"]) == (200, 2)
            assert other.post("/api/v1/redact", json={"text": MEDIUM}).status_code == 200
            assert not call.done()
        assert call.result().status_code == 200


@pytest.mark.clause("BILL-07", "HTTP-11")
def test_large_texts_past_their_places_are_shed_and_refunded(served: Served) -> None:
    """Small texts still find room."""
    account = served.account()
    with served.client() as client, served.client(account) as other, ThreadPoolExecutor(2) as callers:
        with halted(served, client):
            calls = [callers.submit(client.post, "/api/v1/redact", json={"text": LARGE}) for _ in range(2)]
            until(lambda: waiting(served) == 1)
            before = served.balance(account)
            answer = other.post("/api/v1/mask", json={"text": LARGE})
            assert (answer.status_code, answer.json()) == (503, {"detail": "masker_unavailable"})
            assert int(answer.headers["retry-after"]) >= 1
            assert served.balance(account) == before
            assert other.post("/api/v1/mask", json={"text": SENTENCE}).status_code == 200
        assert [call.result().status_code for call in calls] == [200, 200]


@pytest.mark.clause("BILL-07", "BILL-08", "HTTP-11")
def test_a_crash_under_a_large_text_is_refunded(served: Served, caplog: pytest.LogCaptureFixture) -> None:
    """The next one is answered."""
    account = served.account()
    with served.client() as client, served.client(account) as other, ThreadPoolExecutor(1) as callers:
        before = served.balance(account)
        with halted(served, client) as pid:
            call = callers.submit(other.post, "/api/v1/mask", json={"text": LARGE})
            until(lambda: large_texts(served).at_work == 1)
            os.kill(pid, signal.SIGKILL)
            answer = call.result()
        assert (answer.status_code, answer.json()) == (503, {"detail": "masker_unavailable"})
        assert served.balance(account) == before
        assert other.post("/api/v1/mask", json={"text": LARGE}).status_code == 200
        assert before - served.balance(account) == len(LARGE.split())
    assert "noura" not in caplog.text


@pytest.mark.clause("HTTP-11", "HTTP-21")
def test_bodies_that_are_held_at_once_are_bounded(tmp_path: Path) -> None:
    text = "x" * 190_000
    sizes = {"max_text_bytes": 200_000, "proxy_max_body_bytes": 200_000}
    settings = settings_for(tmp_path, rate_limit_per_minute=10**6, **sizes)
    with serving(settings) as served, served.client() as other:
        account = served.account()
        with served.client(account) as client:
            held = [raw_call(served, account, text, missing=1) for _ in range(4)]
            (refused, *_), _, _ = select.select(held, (), (), 30)
            assert refused.recv(1000).startswith(b"HTTP/1.1 503 ")
            until(lambda: client.post("/api/v1/redact", json={"text": text}).status_code == 503)
            assert client.post("/api/v1/redact", json={"text": SENTENCE}).status_code == 200
            assert other.post("/api/v1/redact", json={"text": text}).status_code == 200
            for line in held:
                line.close()
            until(lambda: client.post("/api/v1/redact", json={"text": text}).status_code == 200)
