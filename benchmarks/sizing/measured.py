"""A real system in production's shape, measured: PostgreSQL, Redis, the API, one worker process for each pool."""

import contextlib
import os
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
from benchmarks.sizing.simulation import Cost, Kind, Pool
from examples.server import free_port
from schemas.stages import STAGE, Stage
from tests.servers.process import descendants

MASKER = Path(sys.executable).with_name("masker")
_POLL = 0.25  # rarely, because each time takes the API some milliseconds of a processor
_LIMIT = 900.0
_TICK = 1 / os.sysconf("SC_CLK_TCK")
_OWN_TIMES = slice(11, 15)  # of /proc/PID/stat behind the name: of the process, and of children that it waited for
_BUSY_TIMES = (1, 2, 3, 6, 7, 8)  # of the first line of /proc/stat: all but idle and waiting for disks


@dataclass(frozen=True)
class Document:
    """A file to upload; `name` tells its format."""

    name: str
    data: bytes


@dataclass(frozen=True)
class Run:
    """When each document was taken, in order; how long each took until it was ready, as they came; when all were.

    `processor`: the processor seconds of the whole system, this process included. `others`: the cores, on average, that
    all other processes of the machine used meanwhile.
    """

    arrived: Sequence[float]
    took: Sequence[float]
    ended: float
    processor: float
    others: float


class System:
    """A running system; its workers' metrics are read at `ports`. `workers`: their process ids, in the pools' order.

    `client` has the key of an account, `other` that of another one.
    """

    def __init__(
        self,
        client: httpx.Client,
        other: httpx.Client,
        ports: Sequence[int],
        workers: Sequence[int],
        pools: Sequence[Pool],
    ) -> None:
        self.client, self.other, self._ports, self.workers, self._pools = client, other, ports, workers, pools
        self._idle = [0.0 for _ in (*workers, os.getpid())]

    def run(self, documents: Sequence[Document]) -> Run:
        """Uploads them one right after the other, and waits for all. Seconds since the first was sent."""
        began, own, whole = time.perf_counter(), processor_seconds(os.getpid()), machine_seconds()
        waiting, arrived, took = set(), list[float](), list[float]()
        for document in documents:
            waiting.add(self.upload(document))
            arrived.append(time.perf_counter() - began)
        while waiting:
            time.sleep(_POLL)
            if time.perf_counter() - began > _LIMIT:
                raise SystemExit(f"{len(waiting)} documents were not done after {_LIMIT:.0f} s")
            for record in self._records():
                if record["file_id"] not in waiting or record["state"] in ("queued", "processing"):
                    continue
                if record["state"] != "ready":
                    raise SystemExit(f"a document failed: {record['error_code']}")
                waiting.discard(record["file_id"])
                moments = [datetime.fromisoformat(record[name]) for name in ("created_at", "processed_at")]
                took.append((moments[1] - moments[0]).total_seconds())
        ended = time.perf_counter() - began
        own = processor_seconds(os.getpid()) - own
        return Run(arrived, took, ended, own, max(0.0, machine_seconds() - whole - own) / ended)

    def _records(self) -> list[dict[str, str]]:
        answer = self.client.get("/api/v1/files", params={"limit": 100})
        return list(answer.raise_for_status().json()["files"])

    def upload(self, document: Document) -> str:
        """Sends a document and returns its `file_id`."""
        answer = self.client.post("/api/v1/files/redact", files={"file": (document.name, document.data)})
        return str(answer.raise_for_status().json()["file_id"])

    @property
    def idle(self) -> float:
        """The processors that the whole system uses while it waits for documents."""
        return self._idle[-1]

    def rest(self, seconds: float) -> None:
        """Measures what each process uses while it waits: later measurements of documents are without it."""
        before, began = self._processors(), time.perf_counter()
        while (took := time.perf_counter() - began) < seconds:
            time.sleep(_POLL)
            self._records()
        self._idle = [(now - then) / took for then, now in zip(before, self._processors(), strict=True)]

    def kind(self, name: str, document: Document, repeats: int) -> Kind:
        """What a document costs in each stage, alone. Of `repeats` the fastest: what else runs only adds to it."""
        return min(
            (self._once(name, document) for _ in range(repeats)),
            key=lambda kind: sum(cost.time for cost in kind.stages.values()),
        )

    def _once(self, name: str, document: Document) -> Kind:
        stages_before, before, began = self._stage_seconds(), self._processors(), time.perf_counter()
        took = self.run([document]).took[0]
        passed, after, stages_after = time.perf_counter() - began, self._processors(), self._stage_seconds()
        times = {stage: seconds - stages_before[stage] for stage, seconds in stages_after.items()}
        times = {stage: seconds for stage, seconds in times.items() if seconds > 0}
        *spent, everything = (
            max(0.0, now - then - idle * passed) for then, now, idle in zip(before, after, self._idle, strict=True)
        )
        stages: dict[Stage, Cost] = {}
        for pool, processor in zip(self._pools, spent, strict=True):
            own = {stage: seconds for stage, seconds in times.items() if STAGE[stage].queue in pool.queues}
            for stage, seconds in own.items():
                stages[stage] = Cost(seconds, processor * seconds / sum(own.values()))
        waited, beside = took - sum(times.values()), everything - sum(spent)
        return Kind(name, stages, Cost(max(0.0, waited) / len(times), max(0.0, beside) / len(times)))

    def _stage_seconds(self) -> Mapping[Stage, float]:
        total: dict[Stage, float] = defaultdict(float)
        for port in self._ports:
            for family in text_string_to_metric_families(httpx.get(f"http://127.0.0.1:{port}/metrics").text):
                for sample in family.samples:
                    if sample.name == "masker_stage_duration_seconds_sum":
                        total[Stage(sample.labels["stage"])] += sample.value
        return total

    def _processors(self) -> list[float]:
        """The processor seconds of each pool, and of everything together."""
        return [processor_seconds(process) for process in (*self.workers, os.getpid())]


def processor_seconds(process: int) -> float:
    """The processor seconds that a process and all below it have used, those that have ended among them."""
    ticks = 0
    for each in descendants(process):
        with contextlib.suppress(OSError):
            ticks += sum(map(int, Path(f"/proc/{each}/stat").read_text().rpartition(")")[2].split()[_OWN_TIMES]))
    return ticks * _TICK


def machine_seconds() -> float:
    """The processor seconds that all processes of the machine have used."""
    times = Path("/proc/stat").read_text().partition("\n")[0].split()
    return sum(int(times[column]) for column in _BUSY_TIMES) * _TICK


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
        yield System(*clients, ports, workers, pools)


def _wait_for(ports: Sequence[int]) -> None:
    for port in ports:
        for _ in range(600):
            with contextlib.suppress(httpx.TransportError):
                httpx.get(f"http://127.0.0.1:{port}/metrics")
                break
            time.sleep(0.1)
        else:
            raise SystemExit("a worker did not start")
