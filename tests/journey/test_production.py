"""The main job in production's shape: `masker serve` and `masker worker` apart, on PostgreSQL, Redis and S3."""

import base64
import contextlib
import json
import os
import re
import secrets
import subprocess
import sys
import threading
import time
from collections.abc import Callable, Iterator
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer
from pathlib import Path
from typing import Any

import httpx
import pytest

from examples.demo import DOCUMENTS, MEDIA_TYPES, MESSAGE
from examples.envelope import open_envelope, restore
from examples.reread import survivors
from examples.server import free_port
from schemas.files import JobState
from tests.servers import Bucket

MASKER = Path(sys.executable).with_name("masker")
PLANTED: dict[str, list[str]] = json.loads((DOCUMENTS / "planted.json").read_text())


@pytest.fixture
def environment(postgres_url: str, redis_url: str, s3: Bucket, tmp_path: Path) -> dict[str, str]:
    kept = {name: value for name, value in os.environ.items() if not name.startswith("MASKER_")}
    return {
        **kept,
        "MASKER_S3_ENDPOINT_URL": s3.endpoint_url,
        "MASKER_S3_REGION": s3.region,
        "MASKER_S3_ACCESS_KEY_ID": s3.access_key_id,
        "MASKER_S3_SECRET_ACCESS_KEY": s3.secret_access_key,
        "MASKER_S3_BUCKET": s3.bucket,
        "MASKER_DATABASE_URL": postgres_url,
        "MASKER_REDIS_URL": redis_url,
        "MASKER_MASTER_KEY": base64.b64encode(secrets.token_bytes(32)).decode(),
        "MASKER_DATA_DIR": str(tmp_path / "unused"),
        "MASKER_SANDBOX": "best-effort",
        "MASKER_RATE_LIMIT_PER_MINUTE": "100000",  # the test polls without a pause
        "MASKER_METRICS_PORT": str(free_port()),
        "MASKER_WEBHOOK_PRIVATE_ADDRESSES": "true",
    }


@contextlib.contextmanager
def running(environment: dict[str, str], folder: Path, *arguments: str) -> Iterator[subprocess.Popen[bytes]]:
    """A `masker` process of its own, ended with the block."""
    log = folder / f"{arguments[0]}-{secrets.token_hex(3)}.log"
    with log.open("wb") as stream:
        process = subprocess.Popen([MASKER, *arguments], env=environment, cwd=folder, stdout=stream, stderr=stream)
    try:
        yield process
    finally:
        process.terminate()
        try:
            process.wait(30)
        except subprocess.TimeoutExpired:
            process.kill()
            process.wait()


def masker(environment: dict[str, str], *arguments: str) -> dict[str, Any]:
    done = subprocess.run(
        [MASKER, *arguments, "--json"], env=environment, capture_output=True, text=True, check=True, timeout=60
    )
    answer: dict[str, Any] = json.loads(done.stdout)
    return answer


def until(seconds: float, what: str, done: Callable[[], Any]) -> Any:
    """The first truthy answer; fails after `seconds`."""
    deadline = time.monotonic() + seconds
    while time.monotonic() < deadline:
        with contextlib.suppress(httpx.TransportError):
            if answer := done():
                return answer
        time.sleep(0.05)
    pytest.fail(f"not within {seconds} s: {what}")


def metrics_ports(folder: Path) -> list[int]:
    """The ports that the `masker` processes with logs in `folder` say they took: others may have had the first ones."""
    lines = [line for log in sorted(folder.glob("*-*.log")) for line in log.read_text().splitlines()]
    return [json.loads(line)["port"] for line in lines if "metrics are served" in line]


@pytest.fixture
def client(environment: dict[str, str], tmp_path: Path) -> Iterator[httpx.Client]:
    subprocess.run([MASKER, "migrate"], env=environment, check=True, capture_output=True, timeout=60)
    masker(environment, "account", "create", "--email", "journey@example.com", "--paid-tokens", "5000")
    key = masker(environment, "key", "create", "--email", "journey@example.com")["key"]
    port = free_port()
    with (
        running(environment, tmp_path, "serve", "--port", str(port)),
        running(
            environment, tmp_path, "worker", "--queues", "documents,ocr,reread", "--processes", "1", "--threads", "2"
        ),
        running(environment, tmp_path, "worker", "--queues", "detect,verify,light", "--processes", "1"),
        httpx.Client(
            base_url=f"http://127.0.0.1:{port}", headers={"Authorization": f"Bearer {key}"}, timeout=60
        ) as client,
    ):
        until(60, "ready", lambda: client.get("/api/v1/health/ready").status_code == 200)
        yield client


def redacted(client: httpx.Client, path: Path) -> tuple[dict[str, Any], bytes]:
    part = {"file": (path.name, path.read_bytes(), MEDIA_TYPES[path.suffix])}
    job = client.post("/api/v1/files/redact", files=part).raise_for_status().json()
    record = poll(client, job["poll_url"], path.name)
    assert record["state"] == "ready", record
    return record, client.get(record["download_url"]).raise_for_status().content


def poll(client: httpx.Client, url: str, name: str) -> dict[str, Any]:
    def ended() -> dict[str, Any] | None:
        job: dict[str, Any] = client.get(url).json()
        return job if job["state"] in {JobState.READY, JobState.FAILED} else None

    record: dict[str, Any] = until(90, f"{name} ends", ended)
    return record


@pytest.mark.slow
@pytest.mark.timeout(240)
def test_text_and_every_sample_document(client: httpx.Client, tmp_path: Path) -> None:
    answer = client.post("/api/v1/mask", json={"text": MESSAGE}).raise_for_status().json()
    mapping = open_envelope(answer, client.headers["Authorization"].removeprefix("Bearer "))
    assert restore(answer["masked_text"], mapping) == MESSAGE
    assert "1058374925" not in client.post("/api/v1/redact", json={"text": MESSAGE}).json()["redacted_text"]
    for name, values in PLANTED.items():
        record, content = redacted(client, DOCUMENTS / name)
        target = tmp_path / name
        target.write_bytes(content)
        assert survivors(DOCUMENTS / name, values), f"{name}: the re-reader sees nothing even before"
        assert survivors(target, values) == [], name
        assert record["entity_count"] >= len(values), name
    listed = client.get("/api/v1/files").json()["files"]
    assert [job["original_filename"] for job in listed] == list(reversed(PLANTED))
    assert client.delete(f"/api/v1/files/{listed[0]['file_id']}").status_code == 204
    assert client.get(listed[0]["poll_url"]).status_code == 404


@pytest.mark.slow
@pytest.mark.timeout(240)
def test_a_worker_calls_back_and_each_process_has_its_metrics(client: httpx.Client, tmp_path: Path) -> None:
    called: list[bytes] = []

    class Receiver(BaseHTTPRequestHandler):
        def do_POST(self) -> None:
            called.append(self.rfile.read(int(self.headers["Content-Length"])))
            self.send_response(204)
            self.end_headers()

        def log_message(self, *_: Any) -> None:
            """Says nothing."""

    with ThreadingHTTPServer(("127.0.0.1", 0), Receiver) as receiver:
        threading.Thread(target=receiver.serve_forever, daemon=True).start()
        part = {"file": ("payroll.csv", (DOCUMENTS / "payroll.csv").read_bytes(), "text/csv")}
        form = {"callback_url": f"http://127.0.0.1:{receiver.server_port}/done"}
        file_id = client.post("/api/v1/files/redact", files=part, data=form).raise_for_status().json()["file_id"]
        until(60, "the webhook comes", lambda: called)
        receiver.shutdown()
    assert json.loads(called[0])["data"] == {
        "file_id": file_id, "state": "ready", "error_code": None, "poll_url": f"/api/v1/files/{file_id}",
    }  # fmt: skip
    told = [httpx.get(f"http://127.0.0.1:{port}/metrics").text for port in metrics_ports(tmp_path)]
    assert len(told) == 3
    stages = re.findall(r'stage_duration_seconds_count{outcome="done",stage="(\w+)"}', "".join(told))
    assert {"extract", "detect", "redact", "verify", "store"} <= set(stages)
    of_api = ["http_request_duration_seconds_count" in each for each in told]
    assert sum(of_api) == 1
    assert ['masker_queue_oldest_seconds{queue="ocr"} 0.0' in each for each in told] == of_api
