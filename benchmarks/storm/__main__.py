"""Runs the service under load while its parts fail, and writes what became of it to docs/reliability.md.

    python -m benchmarks.storm [--mode embedded|production|both] [--minutes 10] [--seed 1] [--logs DIR]

The faults and the load follow from the seed; what they meet depends on the machine. Exit status 1 with a remark:
something was lost, doubled, left or readable. Needs the servers of the tests (`make storm` sets them up).
"""

import argparse
import random
import shutil
import sys
import threading
import time
from collections import Counter
from dataclasses import dataclass
from pathlib import Path

from benchmarks.storm.checks import Verdict, check
from benchmarks.storm.load import Caller, Files, Seen, Texts, run_for
from benchmarks.storm.reliability import machine, write
from benchmarks.storm.system import System

MODES = ("embedded", "production")
PAID_TOKENS = 1_000_000_000


@dataclass(frozen=True)
class Outcome:
    """One storm."""

    mode: str
    minutes: float
    seed: int
    faults: Counter[str]
    accounts: dict[str, Seen]
    verdict: Verdict


def storm(mode: str, seconds: float, seed: int, logs: Path | None) -> Outcome:
    """A system of its own in a storm of so many seconds, and the judgement. `logs`: a folder for its logs."""
    chance = random.Random(seed)
    with System(mode) as system:
        accounts = {f"storm{number}@example.com": Seen() for number in range(2)}
        callers: list[Caller] = []
        for number, (email, seen) in enumerate(accounts.items()):
            key = system.account(email)
            callers += [Texts(system.url, key, seen, seed + 10 * number, 0.1) for _ in range(1)]
            callers += [Files(system.url, key, seen, seed + 10 * number + 1, 1.0) for _ in range(1)]
        load = threading.Thread(target=run_for, args=(callers, seconds))
        load.start()
        faults = _rage(system, chance, seconds)
        load.join()
        system.wait_until_ready()
        verdict = check(system, accounts, PAID_TOKENS)
        if logs is not None:
            shutil.copytree(system.logs, logs / mode, dirs_exist_ok=True)
    return Outcome(mode, seconds / 60, seed, faults, accounts, verdict)


def _rage(system: System, chance: random.Random, seconds: float) -> Counter[str]:
    """One fault after the other, each kind as often as the others, until the time is over; a new master key halfway."""
    done: Counter[str] = Counter()
    began, is_rotated, bag = time.monotonic(), False, list[str]()
    faults = system.faults()
    while (passed := time.monotonic() - began) < seconds - 10:
        time.sleep(chance.uniform(1, 4))
        if passed > seconds / 2 and not is_rotated:
            is_rotated = True
            system.wait_until_ready()
            system.rotate()
            done["new master key"] += 1
            continue
        if not bag:
            bag = sorted(faults)
            chance.shuffle(bag)
        name = bag.pop()
        faults[name](chance.uniform(0.5, 5))
        done[name] += 1
        print(f"{passed:5.0f} s  {name}", flush=True)
    return done


def main() -> int:
    """Storms, writes the report, returns the exit status."""
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--mode", choices=(*MODES, "both"), default="both", help="which system (default: both)")
    parser.add_argument("--minutes", type=float, default=10.0, help="of each storm")
    parser.add_argument("--seed", type=int, default=1, help="of faults and load")
    parser.add_argument("--logs", type=Path, help="a folder that gets the logs of the system")
    chosen = parser.parse_args()
    modes = MODES if chosen.mode == "both" else (chosen.mode,)
    remarks = 0
    for mode in modes:
        outcome = storm(mode, chosen.minutes * 60, chosen.seed, chosen.logs)
        text = section(outcome)
        write(mode, text)
        print(text)
        remarks += len(outcome.verdict.remarks)
    return 1 if remarks else 0


def section(outcome: Outcome) -> str:
    """What happened in one mode."""
    verdict = outcome.verdict
    uploads: Counter[str] = sum((seen.uploads for seen in outcome.accounts.values()), Counter())
    downloads: Counter[str] = sum((seen.downloads for seen in outcome.accounts.values()), Counter())
    lines = [
        f"{machine()}; {outcome.minutes:g} minutes, seed {outcome.seed}.",
        "",
        "| | |",
        "|---|---|",
        f"| faults | {_counts(outcome.faults)} |",
        f"| texts | {verdict.texts_answered} answered, {verdict.unanswered} without an answer or with a 5xx; "
        f"{verdict.texts_paid} paid |",
        f"| uploads | {_counts(uploads)} (by status; none: no answer) |",
        f"| files | {_counts(verdict.files)}{f'; failed with {_counts(verdict.errors)}' if verdict.errors else ''} |",
        f"| downloads | {_counts(downloads)} (by status), none with a value |",
        f"| all had ended | {verdict.settled_after:.0f} s after the storm |",
        f"| objects of uploads without an answer | {verdict.objects_without_row}, sealed, swept later |",
        f"| **remarks** | **{len(verdict.remarks)}** |",
    ]
    return "\n".join([*lines, "", *(f"- {remark}" for remark in verdict.remarks)]).rstrip()


def _counts(found: Counter[str]) -> str:
    return ", ".join(f"{name} {count}" for name, count in sorted(found.items())) or "none"


if __name__ == "__main__":
    sys.exit(main())
