"""Runs the service for a long time under an even load, and writes to docs/reliability.md what it held at each moment.

    python -m benchmarks.storm.soak [--minutes 30] [--seed 1]

The system of the storm in production's shape, without a fault. Files live for two minutes, so that as many end as come.
Exit status 1 with a remark: memory, descriptors, connections or objects that grow, or what a storm may not leave.
"""

import argparse
import random
import sys
import threading
import time
from collections import defaultdict
from collections.abc import Sequence
from contextlib import suppress
from dataclasses import dataclass
from pathlib import Path
from statistics import fmean, quantiles
from string import ascii_lowercase

import httpx
import psycopg
import redis
from sqlalchemy import func
from sqlmodel import select

from benchmarks.storm.checks import Verdict, check
from benchmarks.storm.load import Caller, Seen, callers_of, run_for
from benchmarks.storm.reliability import machine, write
from benchmarks.storm.system import System
from storage.jobs.tables import Job
from storage.opening import Storage

SAMPLE_SECONDS = 15.0
TTL_SECONDS = 120
SHOWN = 12  # samples in the report
LARGE = 30_000  # words of a large text
WORDS, SHORT = 24_000, 120  # different words that the API reads at first, so many in each text
# What may be more at the end than after a quarter of the time: a share, and a number.
GROWTH = {"API MB": (0.05, 10), "workers MB": (0.10, 40), "descriptors": (0.05, 20), "processes": (0.0, 12),
          "database connections": (0.0, 10), "Redis connections": (0.0, 10), "Redis keys": (0.25, 20),
          "temporary files": (0.25, 20), "objects": (0.25, 40)}  # fmt: skip
_OTHERS = "SELECT count(*) - 1 FROM pg_stat_activity WHERE datname = current_database()"
INTRODUCTION = """Two accounts send texts, batches, prompts to a model provider, terms of a glossary and files without a
pause, a third large texts, to a system in production's shape (API, two worker commands, PostgreSQL, Redis, an S3
server) without a fault; files live for two minutes. Memory is proportional (PSS): what processes share counts once. A
remark is anything that was more in the last quarter than in the second, beyond a small share, and anything that a storm
may not leave."""


class LargeTexts(Caller):
    """Masks texts of 200 KB, now and then."""

    def work(self, client: httpx.Client) -> None:
        """One text."""
        number, mail = self.person()
        text = f"The national ID is {number} and the mail {mail}. " + "word " * LARGE
        answer = client.post("/api/v1/mask", json={"text": text})
        if answer.status_code != 200 or number in answer.json()["masked_text"]:
            self.seen.remark(f"a large text was answered with {answer.status_code}")


@dataclass
class Clock:
    """Milliseconds to the head of every answer, by method and kind of path."""

    lock: threading.Lock
    timed: dict[str, list[float]]

    def begin(self, request: httpx.Request) -> None:
        """Before a call."""
        request.extensions["begun"] = time.perf_counter()

    def end(self, response: httpx.Response) -> None:
        """When its answer begins."""
        request = response.request
        parts = request.url.path.split("/")
        route = "/".join("{file_id}" if len(part) == 36 else part for part in parts)
        size = " (large)" if len(request.content if route.endswith("mask") else b"") > 100_000 else ""
        with self.lock:
            taken = (time.perf_counter() - request.extensions["begun"]) * 1000
            self.timed[f"{request.method} {route}{size}"].append(taken)


Sample = dict[str, float]


def sample(system: System, storage: Storage, seconds: float) -> Sample:
    """What the system holds now."""
    families = {service.name: service.family() for service in system.services}
    everything = [pid for family in families.values() for pid in family]
    with psycopg.connect(system.own_urls["database"].replace("+psycopg", ""), autocommit=True) as connection:
        row = connection.execute(_OTHERS).fetchone()
    client = redis.Redis.from_url(system.own_urls["redis"])
    clients = int(client.info("clients")["connected_clients"]) - 1
    keys = client.dbsize()
    client.close()
    with storage.database.reading() as session:
        rows = session.exec(select(func.count()).select_from(Job)).one()
    return {
        "minute": seconds / 60,
        "API MB": sum(map(proportional, families["API"])),
        "workers MB": sum(proportional(pid) for name, family in families.items() if name != "API" for pid in family),
        "descriptors": sum(map(descriptors, everything)),
        "processes": len(everything),
        "database connections": row[0] if row else 0,
        "Redis connections": clients,
        "Redis keys": keys,
        "temporary files": sum(1 for _ in system.temporary.rglob("*")),
        "objects": sum(1 for _ in storage.objects.entries("")),
        "rows of files": rows,
    }


def fill_caches(url: str, key: str, seed: int) -> None:
    """Lets the API read more different words than it remembers, so that these take no further memory in the soak."""
    chance = random.Random(seed)
    with httpx.Client(base_url=url, headers={"Authorization": f"Bearer {key}"}, timeout=60) as client:
        for _ in range(WORDS // SHORT):
            words = ("".join(chance.choices(ascii_lowercase, k=9)) for _ in range(SHORT))
            client.post("/api/v1/mask", json={"text": " ".join(words)}).raise_for_status()


def proportional(pid: int) -> float:
    """The proportional set size of a process in MB; 0 when it has ended."""
    with suppress(OSError):
        for line in Path(f"/proc/{pid}/smaps_rollup").read_text().splitlines():
            if line.startswith("Pss:"):
                return int(line.split()[1]) / 1000
    return 0.0


def descriptors(pid: int) -> int:
    """Open descriptors of a process; 0 when it has ended."""
    with suppress(OSError):
        return len(list(Path(f"/proc/{pid}/fd").iterdir()))
    return 0


def grown(samples: Sequence[Sample]) -> list[str]:
    """Remarks: what was more in the last quarter than in the second."""
    quarter = max(1, len(samples) // 4)
    found = []
    for name, (share, number) in GROWTH.items():
        before = fmean(each[name] for each in samples[quarter : 2 * quarter])
        after = fmean(each[name] for each in samples[-quarter:])
        if after > before * (1 + share) + number:
            found.append(f"{name} grew from {before:.0f} to {after:.0f}")
    return found


def soak(seconds: float, seed: int) -> tuple[list[Sample], dict[str, list[float]], Verdict]:
    """The samples, the times of the calls, and the judgement."""
    clock = Clock(threading.Lock(), defaultdict(list))
    with System("production", MASKER_FILE_TTL_SECONDS=str(TTL_SECONDS)) as system:
        emails = [f"soak{number}@example.com" for number in range(2)]
        accounts = {email: Seen(system.account(email)) for email in emails}
        large = Seen(system.account("large@example.com"))
        callers: list[Caller] = [LargeTexts(system.url, large, seed, 5.0)]
        for number, seen in enumerate(accounts.values()):
            callers += callers_of(system.url, seen, seed + 10 * (number + 1))
        for caller in callers:
            caller.hooks = {"request": [clock.begin], "response": [clock.end]}
        load = threading.Thread(target=run_for, args=(callers, seconds), daemon=True)
        storage = system.open_storage()
        fill_caches(system.url, large.key, seed)
        samples = []
        began = time.monotonic()
        load.start()
        while load.is_alive():
            load.join(SAMPLE_SECONDS)
            samples.append(sample(system, storage, time.monotonic() - began))
            print(" ".join(f"{name} {value:.0f}" for name, value in samples[-1].items()), flush=True)
        deadline = time.monotonic() + 2 * TTL_SECONDS
        while time.monotonic() < deadline and any(True for _ in storage.objects.entries("")):
            time.sleep(1)
        left = sum(1 for _ in storage.objects.entries(""))
        storage.close()
        verdict = check(system, accounts)
    verdict.remarks += large.remarks + grown(samples)
    if left:
        verdict.remarks.append(f"{left} objects were left when every file had expired")
    return samples, clock.timed, verdict


def section(samples: Sequence[Sample], timed: dict[str, list[float]], verdict: Verdict, minutes: float) -> str:
    """The report."""
    names = list(samples[0])
    step = max(1, len(samples) // SHOWN)
    lines = [INTRODUCTION, "", f"{machine()}; {minutes:g} minutes.", "", "### What the system held", ""]
    lines += [f"| {' | '.join(names)} |", f"|{'---|' * len(names)}"]
    lines += [f"| {' | '.join(f'{each[name]:.0f}' for name in names)} |" for each in samples[::step]]
    lines += ["", "### Calls", "", "| call | number | p50 ms | p99 ms | longest |", "|---|---|---|---|---|"]
    for route, taken in sorted(timed.items()):
        if len(taken) > 1:
            cuts = quantiles(taken, n=100, method="inclusive")
            lines.append(f"| {route} | {len(taken)} | {cuts[49]:.0f} | {cuts[98]:.0f} | {max(taken):.0f} |")
    files = ", ".join(f"{state} {count}" for state, count in sorted(verdict.files.items()))
    lines += ["", f"Calls paid: {verdict.calls_paid}. Files: {files}. **Remarks: {len(verdict.remarks)}.**", ""]
    return "\n".join([*lines, *(f"- {remark}" for remark in verdict.remarks)]).rstrip() + "\n"


def main() -> int:
    """Soaks, writes the report, returns the exit status."""
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--minutes", type=float, default=30.0)
    parser.add_argument("--seed", type=int, default=random.randrange(1000))
    chosen = parser.parse_args()
    samples, timed, verdict = soak(chosen.minutes * 60, chosen.seed)
    report = section(samples, timed, verdict, chosen.minutes)
    write("a long load", report)
    print(report)
    return 1 if verdict.remarks else 0


if __name__ == "__main__":
    sys.exit(main())
