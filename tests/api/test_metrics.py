"""Metrics: what a running server and its workers tell, and that they tell nothing of anybody."""

import json
import re
import time
from collections.abc import Iterator
from pathlib import Path

import httpx
import pytest
import yaml

from examples.server import Server, embedded_server, free_port
from schemas.errors import ErrorCode
from schemas.telemetry.metrics import REGISTRY
from tests.servers.embedded import Embedded

ROOT = Path(__file__).parents[2]

TEXT = "Reem Alharbi, national ID 1012345672, write to reem.alharbi@example.com"
CSV = b"name,phone\nReem Alharbi,0501234567\n"


@pytest.fixture(scope="module")
def port() -> int:
    return free_port()


@pytest.fixture(scope="module")
def server(port: int) -> Iterator[Server]:
    with embedded_server("watched@example.com", METRICS_PORT=str(port), SWEEP_INTERVAL_SECONDS="1") as running:
        yield running


def test_what_a_server_tells(server: Server, port: int) -> None:
    with httpx.Client(base_url=server.url, headers={"Authorization": f"Bearer {server.key}"}, timeout=60) as client:
        for _ in range(3):
            assert client.post("/api/v1/mask", json={"text": TEXT}).status_code == 200
        client.get("/api/v1/files/reem.alharbi@example.com")
        client.get("/reem.alharbi")
        letter = (ROOT / "examples" / "documents" / "customer-letter.pdf").read_bytes()
        for name, data in (("reem-alharbi.csv", CSV), ("letter.pdf", letter), ("x.pdf", b"%PDF-1.7\nnothing")):
            client.post("/api/v1/files/redact", files={"file": (name, data)})
        for _ in range(600):
            states = {row["state"] for row in client.get("/api/v1/files").json()["files"]}
            if states == {"ready"}:
                break
            time.sleep(0.1)
    told = httpx.get(f"http://127.0.0.1:{port}/metrics").text
    values = dict(re.findall(r"^(masker_[^ ]+) ([0-9.e+]+)$", told, re.MULTILINE))
    assert (
        values['masker_http_request_duration_seconds_count{method="POST",route="/api/v1/mask",status="200"}'] == "3.0"
    )
    assert values['masker_http_request_duration_seconds_count{method="GET",route="-",status="404"}'] == "1.0"
    assert float(values['masker_entities_total{type="NATIONAL_ID"}']) > 3  # texts and the letter
    assert float(values["masker_words_total"]) == 3 * len(TEXT.split())
    assert values['masker_refunds_total{outcome="refunded"}'] == "0.0"
    assert values['masker_stage_duration_seconds_count{outcome="done",stage="redact"}'] == "2.0"
    assert float(values['masker_entities_total{type="PHONE_NUMBER"}']) >= 1  # in the files
    assert float(values['masker_pages_total{format="pdf"}']) >= 1
    assert float(values['masker_store_duration_seconds_count{store="database"}']) > 10
    assert float(values['masker_store_duration_seconds_count{store="objects"}']) > 5
    for queue in ("light", "documents", "ocr", "detect", "verify"):
        assert values[f'masker_queue_waiting{{queue="{queue}"}}'] == "0.0"
        assert values[f'masker_queue_oldest_seconds{{queue="{queue}"}}'] == "0.0"
    hidden = r"reem|alharbi|1012345672|0501234567|watched|mk_live|[0-9a-f]{8}-[0-9a-f]{4}-"
    assert not re.findall(hidden, told, re.IGNORECASE)


@pytest.mark.slow
def test_no_port_no_metrics(embedded: Embedded) -> None:
    """A server whose settings name none for metrics listens on its own port alone."""
    port = embedded.server.url.rpartition(":")[2]
    lines = {path.parent: path.read_bytes() for path in Path("/proc").glob("[0-9]*/cmdline")}
    (server,) = (process for process, line in lines.items() if f"serve\0--port\0{port}\0".encode() in line)
    own = {str(path.readlink()) for path in (server / "fd").iterdir()}
    sockets = [line.split() for kind in ("tcp", "tcp6") for line in Path("/proc/net", kind).read_text().splitlines()]
    listening = [row[1] for row in sockets if row[3] == "0A" and f"socket:[{row[9]}]" in own]
    assert [int(address.rpartition(":")[2], 16) for address in listening] == [int(port)]


def expected_names() -> set[str]:
    return {family.name for family in REGISTRY.collect()} | {"masker_queue_oldest_seconds", "masker_queue_waiting"}


def asked(expression: str) -> set[str]:
    return {re.sub(r"_(?:bucket|count|sum|total)$", "", name) for name in re.findall(r"masker_\w+", expression)}


def test_the_dashboard_shows_every_metric_and_no_other() -> None:
    board = json.loads((ROOT / "examples" / "monitoring" / "grafana.json").read_text())
    assert len({panel["id"] for panel in board["panels"]}) == len(board["panels"])
    places = [(panel["gridPos"]["x"], panel["gridPos"]["y"]) for panel in board["panels"]]
    assert len(set(places)) == len(places)
    expressions = [target["expr"] for panel in board["panels"] for target in panel["targets"]]
    assert set().union(*map(asked, expressions)) == expected_names()
    for panel in board["panels"]:
        for target in panel["targets"]:
            shown, grouped = (
                re.findall(r"\{\{(\w+)\}\}", target["legendFormat"]),
                re.findall(r"by \(([^)]+)\)", target["expr"]),
            )
            assert set(shown) == {name for group in grouped for name in group.split(", ")} - {"le"}


def test_alert_rules_ask_for_metrics_that_exist() -> None:
    rules = yaml.safe_load((ROOT / "examples" / "monitoring" / "alerts.yaml").read_text())
    for rule in (rule for group in rules["groups"] for rule in group["rules"]):
        assert asked(rule["expr"]) <= expected_names()
        for label, values in re.findall(r"(\w+)=~?\"([\w|]+)\"", rule["expr"]):
            known = {
                "outcome": {"done", "failed", "late", "broken", "refunded", "not_charged"},
                "cause": {"timeout", "died", "garbage", "broke"},
            }.get(label, set(vars(ErrorCode).values()))
            assert set(values.split("|")) <= known
        assert rule["annotations"]["summary"] and rule["labels"]["severity"] in {"info", "warning", "critical"}
