"""The start of a sandbox child, from the request to its answer, beside what a process costs on this machine.

    python -m benchmarks.documents.start [--rounds 40]

A child in a new interpreter, one that the zygote of the parsers of OCR forks for the call, and one that the zygote of
all parsers has forked before it. Floors, in the same rounds: a bare fork that is waited for, and `python -c pass`. Exit
status 1 when the median of a child exceeds the target.
"""

import argparse
import os
import statistics
import subprocess
import sys
import time
from collections.abc import Callable, Mapping, Sequence

from pipeline.sandbox.parent import Sandbox

TARGET = 0.080  # seconds
_SECONDS = 60.0  # that a call may take
FORK, PASS = "fork and wait", "python -c pass"
COLD, FORKED, WAITING = "child, new interpreter", "child, forked for the call", "child that has waited"


def bare_fork() -> None:
    """A fork of this process, without a sandbox, that ends at once."""
    child = os.fork()
    if child == 0:
        os._exit(0)
    os.waitpid(child, 0)


def bare_interpreter() -> None:
    """A Python that does nothing."""
    subprocess.run([sys.executable, "-c", "pass"], check=True)


def measured(calls: Mapping[str, Callable[[], object]], rounds: int) -> dict[str, list[float]]:
    """The seconds of each call in each round: in turn, so that the load of the machine meets them alike."""
    spent: dict[str, list[float]] = {name: [] for name in calls}
    for _ in range(rounds):
        for name, call in calls.items():
            started = time.perf_counter()
            call()
            spent[name].append(time.perf_counter() - started)
    return spent


def missed(spent: Mapping[str, Sequence[float]]) -> list[str]:
    """The children whose median exceeds the target."""
    return [name for name in (COLD, FORKED, WAITING) if statistics.median(spent[name]) > TARGET]


def show(spent: Mapping[str, Sequence[float]]) -> None:
    """Prints a line for each kind of process, and whether the target is met."""
    floor = statistics.median(spent[PASS])
    print(f"{'':28}{'median ms':>10}{'p90 ms':>9}{'÷ python -c pass':>18}")
    for name, seconds in spent.items():
        median, p90 = statistics.median(seconds), statistics.quantiles(seconds, n=10)[-1]
        print(f"{name:28}{median * 1000:10.1f}{p90 * 1000:9.1f}{median / floor:17.2f}x")
    late = ", ".join(missed(spent))
    print(
        f"target: the median of each child is at most {TARGET * 1000:.0f} ms: {f'MISSED by {late}' if late else 'met'}"
    )


def main() -> int:
    """0 when every child starts in time."""
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--rounds", type=int, default=40)
    rounds = parser.parse_args().rounds
    cold, warm = Sandbox("best-effort", preload=None), Sandbox("best-effort")
    warm.warm()
    warm.warm_parsers()
    calls: dict[str, Callable[[], object]] = {
        FORK: bare_fork,
        PASS: bare_interpreter,
        COLD: lambda: cold.call("probe", {}, {}, _SECONDS),
        FORKED: lambda: warm.call("probe", {}, {}, _SECONDS, forks=True),
        WAITING: lambda: warm.call("probe", {}, {}, _SECONDS),
    }
    measured(calls, 2)  # what is loaded once is loaded
    spent = measured(calls, rounds)
    warm.close()
    show(spent)
    return 1 if missed(spent) else 0


if __name__ == "__main__":
    raise SystemExit(main())
