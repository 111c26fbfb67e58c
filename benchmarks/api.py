"""Requests per second of `/mask` with a 1 KB message, beside floors of the same run.

    python -m benchmarks.api [--seconds 4]

One API process over real PostgreSQL and Redis serves 16 connections. Each connection sends its next call when the last
one is answered. The floors (benchmarks/floors.py) are an echo and servers that only charge.

With x calls a second, a floor's f, and d seconds of detection per call (processor time of the serving thread, measured
in the same server under the same load), the rest of a call must reach 0.7 of the floor: 1 / (1/x - d) >= 0.7 f. The
first target uses the ledger floor, which charges each call in its own transaction. The second one compares `rest`,
which is the service without the cost of detection, with the cashier floor, which shares transactions as the service
does: 0.75 of it. The floors run under uvicorn as it comes; what the same cashier reaches under the service's own server
is printed too, and the difference above beside the cashier. That difference leaves to the rest what detection does to
the code around it: the processor's caches are emptied, and its thread waits for a processor, longest where others use
the machine too. The floors have no such neighbour: there, a cashier that detects reached only 0.6 to 0.75 of the
cashier that does not, by the same difference.

The service as it comes, with the fast tagger of names, must reach 0.6 of the calls of the service with rules alone.
Exit status 1 when a target is missed.
"""

import argparse
import asyncio
import json
import sys
import time
from collections.abc import Iterator
from contextlib import ExitStack, contextmanager
from pathlib import Path
from statistics import median, quantiles
from typing import NamedTuple
from urllib.parse import urlsplit

import httpx

from benchmarks.detect import sample
from benchmarks.production import bearer, environment, running
from examples.server import MASKER, free_port

CONNECTIONS = 16
ROUNDS = 3
TARGET = 0.7  # of the ledger floor
TARGET_OF_CASHIER = 0.75  # without detection
TARGET_WITH_TAGGER = 0.6  # of the service with rules alone
EMAIL = "bench@example.com"


class Round(NamedTuple):
    """Calls per second, and each call's milliseconds."""

    rate: float
    took: list[float]


@contextmanager
def servers() -> Iterator[tuple[dict[str, str], str]]:
    """The addresses of the floors and the service, and a key for the real ones."""
    with environment() as variables, ExitStack() as stack:
        key = bearer(variables, EMAIL)
        urls: dict[str, str] = {}
        for name in ("echo", "ledger", "cashier", "own-server", "rest", "masker", "rules", "timed"):
            port = free_port()
            floor: list[str | Path] = [sys.executable, "-m", "benchmarks.floors", name, str(port), EMAIL]
            command: list[str | Path] = [MASKER, "serve", "--port", str(port)] if name in ("masker", "rules") else floor
            own = {**variables, "MASKER_NAMES": "rules"} if name == "rules" else variables
            urls[name] = stack.enter_context(running(command, port, own))
        yield urls, key


async def load(url: str, key: str, text: str, seconds: float) -> Round:
    """Calls over all connections for so many seconds. RuntimeError at the first answer that is not 200."""
    body = json.dumps({"text": text}, ensure_ascii=False).encode()
    at = urlsplit(url)
    head = f"POST /api/v1/mask HTTP/1.1\r\nHost: {at.netloc}\r\nAuthorization: Bearer {key}\r\n"
    request = f"{head}Content-Type: application/json\r\nContent-Length: {len(body)}\r\n\r\n".encode() + body
    took: list[float] = []
    began = time.perf_counter()

    async def connection() -> None:
        reader, writer = await asyncio.open_connection(at.hostname, at.port)
        while (sent := time.perf_counter()) < began + seconds:
            writer.write(request)
            answer = await reader.readuntil(b"\r\n\r\n")
            length = next(line for line in answer.lower().split(b"\r\n") if line.startswith(b"content-length:"))
            await reader.readexactly(int(length.partition(b":")[2]))
            if not answer.startswith(b"HTTP/1.1 200"):
                raise RuntimeError(answer.partition(b"\r\n")[0].decode())
            took.append((time.perf_counter() - sent) * 1000)
        writer.close()

    await asyncio.gather(*(connection() for _ in range(CONNECTIONS)))
    return Round(len(took) / (time.perf_counter() - began), took)


def main() -> int:
    """Prints the table and the ratio."""
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--seconds", type=float, default=4.0, help="of each round")
    seconds: float = parser.parse_args().seconds
    text = sample(1000)
    rounds: dict[str, list[Round]] = {}
    with servers() as (urls, key):
        for url in urls.values():
            asyncio.run(load(url, key, text, seconds / 4))  # caches, pools, the first charge
        for _ in range(ROUNDS):  # in turns: a change of the speed of the machine affects all
            for name, url in urls.items():
                rounds.setdefault(name, []).append(asyncio.run(load(url, key, text, seconds)))
        detection = httpx.get(f"{urls.pop('timed')}/bench").raise_for_status().json()["detection_seconds"]
    del rounds["timed"]
    return _print(rounds, detection)


def _print(rounds: dict[str, list[Round]], detection: float) -> int:
    print(f"{'':11}{'req/s':>8}{'p50 ms':>9}{'p99 ms':>9}")
    for name, measured in rounds.items():
        took = [each for one in measured for each in one.took]
        cuts = quantiles(took, n=100, method="inclusive")
        print(f"{name:11}{median(one.rate for one in measured):8.0f}{cuts[49]:9.1f}{cuts[98]:9.1f}")
    x, floor, cashier, own_server, rest, rules = (
        median(one.rate for one in rounds[name])
        for name in ("masker", "ledger", "cashier", "own-server", "rest", "rules")
    )
    beside = 1 / max(1 / x - detection, 1e-9)
    print(f"\ndetection d: {detection * 1000:.2f} ms of the serving thread per call")
    print(f"beside detection: {beside:.0f} calls/s, {beside / floor:.2f} of the ledger floor (wanted: >= {TARGET})")
    print(f"{'':18}{beside / cashier:.2f} of the cashier floor, which charges calls together as the service does")
    print(
        f"without detection: {rest:.0f} calls/s, {rest / cashier:.2f} of the cashier floor "
        f"(wanted: >= {TARGET_OF_CASHIER}), {rest / own_server:.2f} of the cashier under the service's own server"
    )
    print(f"with the fast tagger: {x / rules:.2f} of the calls with rules alone (wanted: >= {TARGET_WITH_TAGGER})")
    met = beside >= TARGET * floor, rest >= TARGET_OF_CASHIER * cashier, x >= TARGET_WITH_TAGGER * rules
    return 0 if all(met) else 1


if __name__ == "__main__":
    sys.exit(main())
