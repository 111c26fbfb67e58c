"""A real system in production's shape, measured: PostgreSQL, Redis, the API, one worker process for each pool."""

import contextlib
import subprocess
import sys
import time
from collections import defaultdict
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass
from datetime import datetime
from pathlib import Path

import httpx
from prometheus_client.parser import text_string_to_metric_families

from benchmarks.production import bearer, environment, running
from benchmarks.sizing.simulation import Kind, Pool
from examples.server import free_port
from schemas.stages import STAGES, Stage

MASKER = Path(sys.executable).with_name("masker")
_POLL = 0.05
_LIMIT = 900.0


@dataclass(frozen=True)
class Document:
    """A file to upload; `name` tells its format."""

    name: str
    data: bytes


@dataclass(frozen=True)
class Run:
    """When each document was taken, in order; how long each took until it was ready, as they came; when all were."""

    arrived: Sequence[float]
    took: Sequence[float]
    ended: float


class System:
    """A running system; its workers' metrics are read at `ports`. `workers`: their process ids, in the pools' order.

    `client` has the key of an account, `other` that of another one.
    """

    def __init__(self, client: httpx.Client, other: httpx.Client, ports: Sequence[int], workers: Sequence[int]) -> None:
        self.client, self.other, self._ports, self.workers = client, other, ports, workers

    def run(self, documents: Sequence[Document]) -> Run:
        """Uploads them one right after the other, and waits for all. Seconds since the first was sent."""
        began, waiting, arrived, took = time.perf_counter(), set(), list[float](), list[float]()
        for document in documents:
            waiting.add(self.upload(document))
            arrived.append(time.perf_counter() - began)
        while waiting:
            time.sleep(_POLL)
            if time.perf_counter() - began > _LIMIT:
                raise SystemExit(f"{len(waiting)} documents were not done after {_LIMIT:.0f} s")
            records = self.client.get("/api/v1/files", params={"limit": 100}).raise_for_status().json()["files"]
            for record in records:
                if record["file_id"] not in waiting or record["state"] in ("queued", "processing"):
                    continue
                if record["state"] != "ready":
                    raise SystemExit(f"a document failed: {record['error_code']}")
                waiting.discard(record["file_id"])
                moments = [datetime.fromisoformat(record[name]) for name in ("created_at", "processed_at")]
                took.append((moments[1] - moments[0]).total_seconds())
        return Run(arrived, took, time.perf_counter() - began)

    def upload(self, document: Document) -> str:
        """Sends a document and returns its `file_id`."""
        answer = self.client.post("/api/v1/files/redact", files={"file": (document.name, document.data)})
        return str(answer.raise_for_status().json()["file_id"])

    def kind(self, name: str, document: Document, repeats: int) -> Kind:
        """What a document costs in each stage, one at a time; the mean of `repeats`."""
        self.run([document])  # what is loaded once is loaded
        before = self._stage_seconds()
        took = [self.run([document]).took[0] for _ in range(repeats)]
        after = self._stage_seconds()
        stages = {row.stage: (after[row.stage] - before[row.stage]) / repeats for row in STAGES}
        between = max(0.0, sum(took) / repeats - sum(stages.values()))
        return Kind(name, stages, between / len(STAGES))

    def _stage_seconds(self) -> Mapping[Stage, float]:
        total: dict[Stage, float] = defaultdict(float)
        for port in self._ports:
            for family in text_string_to_metric_families(httpx.get(f"http://127.0.0.1:{port}/metrics").text):
                for sample in family.samples:
                    if sample.name == "masker_stage_duration_seconds_sum":
                        total[Stage(sample.labels["stage"])] += sample.value
        return total


@contextlib.contextmanager
def system(pools: Sequence[Pool]) -> Iterator[System]:
    """A system with these pools, gone with its data at the end."""
    many = {"CONCURRENT_JOBS": "1000", "ACTIVE_FILES": "10000", "DAILY_UPLOADS": "10000"}
    with environment(**many) as variables, contextlib.ExitStack() as stack:
        ports, workers = [free_port() for _ in pools], []
        for pool, port in zip(pools, ports, strict=True):
            command = [MASKER, "worker", "--queues", pool.name, "--processes", "1", "--threads", str(pool.slots)]
            own = {**variables, "MASKER_METRICS_PORT": str(port)}
            process = subprocess.Popen(command, env=own, stdout=subprocess.DEVNULL, stderr=subprocess.DEVNULL)
            workers.append(process.pid)
            stack.callback(process.wait, 60)
            stack.callback(process.terminate)
        keys = [bearer(variables, email) for email in ("sizing@example.com", "other@example.com")]
        port = free_port()
        url = stack.enter_context(running([MASKER, "serve", "--port", str(port)], port, variables))
        clients = [httpx.Client(base_url=url, headers={"Authorization": f"Bearer {key}"}, timeout=120) for key in keys]
        for client in clients:
            stack.enter_context(client)
        _wait_for(ports)
        yield System(*clients, ports, workers)


def _wait_for(ports: Sequence[int]) -> None:
    for port in ports:
        for _ in range(600):
            with contextlib.suppress(httpx.TransportError):
                httpx.get(f"http://127.0.0.1:{port}/metrics")
                break
            time.sleep(0.1)
        else:
            raise SystemExit("a worker did not start")
