"""A running system seen from outside: its traces go everywhere, and what callers sent is nowhere.

Values are planted wherever a caller can put one; then logs, metrics, traces, messages, temporary files, the pages of
the database and the objects are searched for them.
"""

import gzip
import json
import re
import threading
import time
from collections.abc import Callable, Iterator
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer
from pathlib import Path
from typing import NamedTuple

import httpx
import psycopg
import pytest
import redis
from opentelemetry.proto.collector.trace.v1.trace_service_pb2 import ExportTraceServiceRequest

from examples.server import embedded_server, free_port
from tests.api.proxy.provider import ScriptedProvider, Turn
from tests.journey.test_production import environment, masker, metrics_ports, running, until
from tests.servers import PostgreSQL, Swift

__all__ = ["environment"]

TRACE = "0af7651916cd43dd8448eb211c80319c"
PARENT = f"00-{TRACE}-b7ad6b7169203331-01"  # the example of W3C Trace Context
TEXT = "Zurayq Alharbi, national ID 1098765413, write to zurayq@planted.example"
PROXY = "/api/v1/proxy/anthropic/v1/messages"
PROMPT = {"model": "m", "max_tokens": 9, "messages": [{"role": "user", "content": TEXT}]}
ANSWER = b'{"content":[{"type":"text","text":"hello"}]}'
CSV = b"name,phone\nZurayq Alharbi,0507313137\n"
HIDDEN = re.compile(rb"zurayq|1098765413|planted|0507313137|mk_live_", re.IGNORECASE)
WATCHED = "watched@example.com"  # an account's address is in its row alone


class Seen(NamedTuple):
    """What a test asks of a span."""

    service: str
    name: str
    trace: str
    id: str
    parent: str
    attributes: dict[str, object]


class Collector:
    """Takes OTLP over HTTP, as a real one does, and keeps all of it."""

    def __init__(self) -> None:
        self.received: list[bytes] = []
        outer = self

        class Handler(BaseHTTPRequestHandler):
            def do_POST(self) -> None:
                body = self.rfile.read(int(self.headers["Content-Length"]))
                outer.received.append(gzip.decompress(body) if self.headers["Content-Encoding"] == "gzip" else body)
                self.send_response(200)
                self.send_header("Content-Length", "0")
                self.end_headers()

            def log_message(self, *_: object) -> None:
                """Nothing."""

        self._server = ThreadingHTTPServer(("127.0.0.1", 0), Handler)
        self.url = f"http://127.0.0.1:{self._server.server_address[1]}/v1/traces"
        threading.Thread(target=self._server.serve_forever, daemon=True).start()

    def spans(self) -> list[Seen]:
        found = []
        for body in self.received:
            for resource in ExportTraceServiceRequest.FromString(body).resource_spans:
                (service,) = (
                    item.value.string_value for item in resource.resource.attributes if item.key == "service.name"
                )
                for span in (span for scope in resource.scope_spans for span in scope.spans):
                    attributes = {item.key: item.value.string_value or item.value.int_value for item in span.attributes}
                    ids = (span.trace_id.hex(), span.span_id.hex(), span.parent_span_id.hex())
                    assert not span.events and not span.trace_state and not span.status.message
                    found.append(Seen(service, span.name, *ids, attributes))
        return found

    def close(self) -> None:
        self._server.shutdown()
        self._server.server_close()


@pytest.fixture
def collector() -> Iterator[Collector]:
    taking = Collector()
    yield taking
    taking.close()


@pytest.fixture
def provider() -> Iterator[ScriptedProvider]:
    scripted = ScriptedProvider()
    scripted.begin(lambda turn: turn.send(200, ANSWER))
    yield scripted
    scripted.close()


@pytest.mark.slow
def test_one_trace_for_each_call_and_file_and_no_value_anywhere(
    environment: dict[str, str],
    tmp_path: Path,
    collector: Collector,
    provider: ScriptedProvider,
    redis_url: str,
    postgresql: PostgreSQL,
    _swift: Swift,
) -> None:
    temporary = tmp_path / "temporary"
    temporary.mkdir()
    environment |= {
        "MASKER_TRACES_URL": collector.url,
        "MASKER_TRACES_TO_PROVIDERS": "true",
        "MASKER_ANTHROPIC_BASE_URL": provider.url,
        "TMPDIR": str(temporary),
    }
    masker(environment, "migrate")
    masker(environment, "account", "create", "--email", WATCHED)
    key = masker(environment, "key", "create", "--email", WATCHED)["key"]
    port = free_port()
    headers = {
        "Authorization": f"Bearer {key}",
        "traceparent": PARENT,
        "tracestate": "who=zurayq",
        "baggage": "u=zurayq",
    }
    seen: list[bytes] = []
    with (
        running(environment, tmp_path, "serve", "--port", str(port)),
        httpx.Client(base_url=f"http://127.0.0.1:{port}", headers=headers, timeout=60) as client,
    ):
        until(60, "ready", lambda: client.get("/api/v1/health/ready").status_code == 200)
        assert client.post("/api/v1/mask", json={"text": TEXT}).status_code == 200
        answer = client.post(PROXY, json=PROMPT, headers={"X-Provider-Key": "sk-planted"})
        assert answer.status_code == 200
        _plant(client)
        part = {"file": ("zurayq-planted.csv", CSV, "text/csv")}
        fields = {"glossary": json.dumps(["Zurayq planted"]), "callback_url": f"{provider.url}/zurayq"}
        job = client.post("/api/v1/files/redact", files=part, data=fields).raise_for_status().json()
        queued = everything(redis_url)
        assert TRACE.encode() in queued
        seen.append(queued)
        with running(environment, tmp_path, "worker", "--processes", "1"):
            until(60, "the file", lambda: client.get(job["poll_url"]).json()["state"] == "ready")
            seen += [httpx.get(f"http://127.0.0.1:{each}/metrics").content for each in metrics_ports(tmp_path)]
            assert len(seen) == 3  # of the server and of the worker
            seen.append(everything(redis_url))
    with psycopg.connect(environment["MASKER_DATABASE_URL"].replace("+psycopg", ""), autocommit=True) as database:
        database.execute("CHECKPOINT")  # rows are in the pages now
    folders = {
        "temporary files": temporary,
        "logs": tmp_path,
        "database": postgresql.directory,
        "objects": _swift.directory,
    }
    for where, folder in folders.items():
        for path in (path for path in folder.rglob("*") if path.is_file()):
            assert not HIDDEN.search(path.read_bytes()), f"{where}: {path.name}"
    assert not HIDDEN.search(b"".join([*seen, *collector.received]))
    assert len(list(postgresql.directory.rglob("*"))) > 100
    _check_traces(collector, provider, job["file_id"])
    lines = [line for log in tmp_path.glob("serve-*.log") for line in log.read_text().splitlines()]
    masked = [line for line in lines if '"/api/v1/mask"' in line]
    assert masked and all(TRACE in line for line in masked)


def everything(redis_url: str) -> bytes:
    """Every key and value in Redis."""
    client = redis.Redis.from_url(redis_url)
    of: dict[bytes, Callable[[bytes], object]] = {
        b"string": client.get,
        b"hash": client.hgetall,
        b"list": lambda key: client.lrange(key, 0, -1),
        b"set": client.smembers,
        b"zset": lambda key: client.zrange(key, 0, -1),
        b"none": lambda _: b"",  # its time ended a moment ago
    }
    return b"".join(key + repr(of[client.type(key)](key)).encode() for key in client.scan_iter())


def _plant(client: httpx.Client) -> None:
    """Values where no value belongs."""
    odd = {"User-Agent": "zurayq/1098765413", "X-Zurayq": "planted", "Cookie": "session=zurayq"}
    client.get("/api/v1/files/zurayq@planted.example", headers=odd)
    client.get("/zurayq?id=1098765413", headers=odd)
    client.post("/api/v1/mask", content=b'{"text": "Zurayq 1098765413')
    client.post("/api/v1/mask", json={"zurayq": "1098765413"})
    client.post("/auth/login", json={"email": "zurayq@planted.example", "password": "planted planted"})
    client.post("/api/v1/files/redact", files={"file": ("zurayq.pdf", b"%PDF-1.7 Zurayq 1098765413")})
    client.post("/api/v1/mask", json={"text": TEXT}, headers={"Authorization": "Bearer mk_live_planted"})
    made = client.post("/v1/glossaries", json={"name": "Zurayq", "entries": [{"term": "Zurayq planted"}]})
    assert made.status_code == 201


def _check_traces(collector: Collector, provider: ScriptedProvider, file_id: str) -> None:
    """Both processes have ended, so every span was sent."""
    ours = [span for span in collector.spans() if span.trace == TRACE]
    names = {span.name for span in ours}
    assert {"POST /api/v1/mask", "provider anthropic", "database", "limiter", "objects"} <= names
    by_id = {span.id: span for span in ours}
    path, span = (
        [],
        next(span for span in ours if span.name == "stage store" and span.attributes["masker.job_id"] == file_id),
    )
    while span.id in by_id:
        path.append((span.service, span.name))
        if span.parent not in by_id:
            break
        span = by_id[span.parent]
    assert span.parent == "b7ad6b7169203331"
    stages = ["store", "bill", "verify", "redact", "detect", "extract", "sniff"]
    assert path == [
        *(("masker-worker", f"stage {stage}") for stage in stages),
        ("masker-api", "POST /api/v1/files/redact"),
    ]
    assert all(by_id[span.parent].name.startswith("stage ") for span in ours if span.name.startswith("sandbox "))
    (call,) = (span for span in ours if span.name == "provider anthropic")
    assert call.attributes["http.response.status_code"] == 200
    (turn,) = (turn for turn in provider.turns if turn.path.startswith("/v1/messages"))
    assert turn.headers["traceparent"] == f"00-{call.trace}-{call.id}-01"
    assert not turn.headers.keys() & {"tracestate", "baggage"}
    done = next(span for span in ours if span.name == "stage redact")
    assert done.attributes == {"masker.job_id": file_id, "masker.stage": "redact", "masker.outcome": "done"}


@pytest.mark.slow
def test_a_collector_that_is_away_holds_up_nothing(provider: ScriptedProvider, monkeypatch: pytest.MonkeyPatch) -> None:
    """Also one that takes the connection and never answers. And no provider hears of the trace by itself."""
    monkeypatch.setenv("OTEL_BSP_SCHEDULE_DELAY", "200")  # milliseconds
    prompts = []

    def play(turn: Turn) -> None:
        if turn.path == "/v1/traces":
            turn.gone.wait(60)
        else:
            prompts.append(turn)
            turn.send(200, ANSWER)

    provider.begin(play)
    with (
        embedded_server(
            TRACES_URL=f"{provider.url}/v1/traces", ANTHROPIC_BASE_URL=provider.url, NAMES="rules"
        ) as server,
        httpx.Client(base_url=server.url, headers={"Authorization": f"Bearer {server.key}"}, timeout=60) as client,
    ):
        for _ in range(5):
            assert client.post("/api/v1/mask", json={"text": TEXT}).status_code == 200
        answer = client.post(PROXY, json=PROMPT, headers={"X-Provider-Key": "sk-planted", "traceparent": PARENT})
        assert answer.status_code == 200
        until(30, "the first batch", lambda: len(provider.turns) > len(prompts))
        began = time.monotonic()
    assert time.monotonic() - began < 12, "the process waited for the collector, until it was killed"
    (turn,) = prompts
    assert "traceparent" not in turn.headers
