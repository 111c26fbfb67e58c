"""Traces of a running system: from a call over the queue into children, stores and the provider, and nobody in them."""

import gzip
import re
import threading
import time
from collections.abc import Iterator
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer
from pathlib import Path
from typing import NamedTuple

import httpx
import pytest
from dramatiq.brokers.redis import RedisBroker
from opentelemetry.proto.collector.trace.v1.trace_service_pb2 import ExportTraceServiceRequest

from examples.server import embedded_server, free_port
from tests.api.proxy.provider import ScriptedProvider, Turn
from tests.journey.test_production import environment, masker, running, until

__all__ = ["environment"]

PARENT = "00-0af7651916cd43dd8448eb211c80319c-b7ad6b7169203331-01"  # the example of W3C Trace Context
TEXT = "Reem Alharbi, national ID 1012345672, write to reem.alharbi@example.com"
PROXY = "/api/v1/proxy/anthropic/v1/messages"
PROMPT = {"model": "m", "max_tokens": 9, "messages": [{"role": "user", "content": TEXT}]}
ANSWER = b'{"content":[{"type":"text","text":"hello"}]}'
CSV = b"name,phone\nReem Alharbi,0501234567\n"
HIDDEN = re.compile(rb"reem|alharbi|1012345672|0501234567|watched|sk-planted|mk_live", re.IGNORECASE)


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


def test_one_trace_for_each_call_and_file(
    environment: dict[str, str],
    tmp_path: Path,
    collector: Collector,
    provider: ScriptedProvider,
    redis_url: str,
) -> None:
    environment |= {
        "MASKER_TRACES_URL": collector.url,
        "MASKER_TRACES_TO_PROVIDERS": "true",
        "MASKER_ANTHROPIC_BASE_URL": provider.url,
    }
    masker(environment, "migrate")
    masker(environment, "account", "create", "--email", "watched@example.com")
    key = masker(environment, "key", "create", "--email", "watched@example.com")["key"]
    port = free_port()
    headers = {"Authorization": f"Bearer {key}", "traceparent": PARENT, "tracestate": "who=reem", "baggage": "u=reem"}
    with (
        running(environment, tmp_path, "serve", "--port", str(port)),
        httpx.Client(base_url=f"http://127.0.0.1:{port}", headers=headers, timeout=60) as client,
    ):
        until(60, "ready", lambda: client.get("/api/v1/health/ready").status_code == 200)
        assert client.post("/api/v1/mask", json={"text": TEXT}).status_code == 200
        answer = client.post(PROXY, json=PROMPT, headers={"X-Provider-Key": "sk-planted"})
        assert answer.status_code == 200
        part = {"file": ("reem-alharbi.csv", CSV, "text/csv")}
        job = client.post("/api/v1/files/redact", files=part).raise_for_status().json()
        queued = RedisBroker(url=redis_url).client
        kept = b"".join(b"".join(map(bytes, queued.hvals(name))) for name in queued.keys("dramatiq:*.msgs"))
        assert b"0af7651916cd43dd8448eb211c80319c" in kept
        assert not HIDDEN.search(kept)
        with running(environment, tmp_path, "worker", "--processes", "1"):
            until(60, "the file", lambda: client.get(job["poll_url"]).json()["state"] == "ready")
    spans = collector.spans()  # both processes have ended, so everything was sent
    assert not HIDDEN.search(b"".join(collector.received))
    ours = [span for span in spans if span.trace == "0af7651916cd43dd8448eb211c80319c"]
    names = {span.name for span in ours}
    assert {"POST /api/v1/mask", "provider anthropic", "database", "limiter", "objects"} <= names
    by_id = {span.id: span for span in ours}
    path, span = [], next(span for span in ours if span.name == "stage store")
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
    assert provider.turn.headers.get("traceparent") == (f"00-{call.trace}-{call.id}-01")
    assert not provider.turn.headers.keys() & {"tracestate", "baggage"}
    done = next(span for span in ours if span.name == "stage redact")
    assert done.attributes == {"masker.job_id": job["file_id"], "masker.stage": "redact", "masker.outcome": "done"}
    for line in (line for log in tmp_path.glob("serve-*.log") for line in log.read_text().splitlines()):
        if '"route":"/api/v1/mask"' in line.replace(" ", ""):
            assert "0af7651916cd43dd8448eb211c80319c" in line


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
