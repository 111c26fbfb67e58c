"""Latency of 1 KB calls while other callers send large texts, beside the same calls to an idle server.

A real `masker serve` on loopback with PostgreSQL and Redis. Two connections send a 1 KB mask call, wait for its answer,
pause, and send the next one. Meanwhile none, one or two callers send texts of 5 MB or of 30 KB as fast as they are
answered. A separate process makes the load. Exit status 1 when the p99 under load exceeds the target ratio.
"""

import http.client
import json
import sys
import threading
import time
from collections.abc import Iterator
from contextlib import contextmanager
from statistics import quantiles
from typing import NamedTuple
from urllib.parse import urlsplit

from benchmarks.production import bearer, environment, running
from examples.server import MASKER, free_port

SECONDS = 20.0  # of each phase
LARGE_CHARACTERS, MEDIUM_CHARACTERS = 5_000_000, 30_000
SMALL_CALLERS, REST_SECONDS = 2, 0.01
PHASES = (
    ("nobody", 0, 0),
    ("1 caller of 5 MB", 1, LARGE_CHARACTERS),
    ("2 callers of 5 MB", 2, LARGE_CHARACTERS),
    ("2 callers of 30 KB", 2, MEDIUM_CHARACTERS),
)
TARGET = 5.0  # times the idle p99
FILLING = "Please call Noura Alharbi on 0501234567 or write to noura@example.com about order 4711 at noon. " * 60_000


class Server(NamedTuple):
    """Address of the server, and one key each for small and large calls."""

    url: str
    small: str
    large: str


class Timed(NamedTuple):
    """Milliseconds of every small call, the number of finished large calls, and answers other than 200."""

    small: list[float]
    large: int
    refused: int

    def percentile(self, hundredth: int) -> float:
        """Of the small calls, in milliseconds."""
        return quantiles(self.small, n=100, method="inclusive")[hundredth - 1]


@contextmanager
def server() -> Iterator[Server]:
    """A running server; the process and its data are gone when the block ends."""
    with environment() as variables:
        keys = [bearer(variables, email) for email in ("small@example.com", "large@example.com")]
        port = free_port()
        with running([MASKER, "serve", "--port", str(port)], port, variables) as url:
            yield Server(url, *keys)


class Caller:
    """One connection that sends one text again and again."""

    def __init__(self, url: str, key: str, characters: int) -> None:
        self._connection = http.client.HTTPConnection(urlsplit(url).netloc, timeout=300)
        self._body = json.dumps({"text": FILLING[:characters]}).encode()
        self._headers = {"Authorization": f"Bearer {key}", "Content-Type": "application/json"}

    def call(self) -> int:
        """The status of one call, its answer read to the end."""
        self._connection.request("POST", "/api/v1/mask", self._body, self._headers)
        answer = self._connection.getresponse()
        answer.read()
        return answer.status


def measure(at: Server, large_callers: int, seconds: float, characters: int = LARGE_CHARACTERS) -> Timed:
    """Small calls for so many seconds, while so many callers send texts of so many characters."""
    timed, large, refused = list[float](), list[int](), list[int]()
    end = time.perf_counter() + seconds

    def small_calls() -> None:
        caller = Caller(at.url, at.small, 1000)
        while time.perf_counter() < end:
            begun = time.perf_counter()
            status = caller.call()
            timed.append((time.perf_counter() - begun) * 1000)
            if status != 200:
                refused.append(status)
            time.sleep(REST_SECONDS)

    def large_calls() -> None:
        caller = Caller(at.url, at.large, characters)
        while time.perf_counter() < end:
            (large if caller.call() == 200 else refused).append(1)

    threads = [threading.Thread(target=small_calls) for _ in range(SMALL_CALLERS)]
    threads += [threading.Thread(target=large_calls) for _ in range(large_callers)]
    for thread in threads:
        thread.start()
    for thread in threads:
        thread.join()
    return Timed(timed, len(large), len(refused))


def main() -> int:
    """Prints one line per phase; 0 when the p99 under load stays within the target."""
    worst = 0.0
    names = ("calls", "p50 ms", "p99 ms", "÷ idle p50", "÷ idle p99", "their texts")
    print(f"{'beside 1 KB calls':20}" + "".join(f"{name:>12}" for name in names))
    with server() as at:
        measure(at, 1, 1)  # everything is loaded, and the process for large texts too
        idle = measure(at, 0, SECONDS)
        for name, callers, characters in PHASES:
            timed = measure(at, callers, SECONDS, characters) if callers else idle
            p50, p99 = timed.percentile(50), timed.percentile(99)
            worst = max(worst, p99 / idle.percentile(99))
            print(
                f"{name:20}{len(timed.small):12}{p50:12.1f}{p99:12.1f}{p50 / idle.percentile(50):11.2f}x"
                f"{p99 / idle.percentile(99):11.2f}x{timed.large:12}"
            )
            if timed.refused:
                raise SystemExit(f"{timed.refused} calls were refused")
    print(f"target: p99 at most {TARGET:.0f} times the idle one: {'met' if worst <= TARGET else 'MISSED'}")
    return 0 if worst <= TARGET else 1


if __name__ == "__main__":
    sys.exit(main())
