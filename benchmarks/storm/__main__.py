"""Runs the service under load while its parts fail, and writes what became of it to docs/reliability.md.

    python -m benchmarks.storm [--mode embedded|production|both] [--minutes 10] [--seed 1] [--logs DIR]
                               [--without disk|clock]

The faults and the load follow from the seed; what they meet depends on the machine. Exit status 1 with a remark:
something was lost, doubled, left or readable, or a fault could not be done. Needs the servers of the tests (`make
storm` sets them up), the right to mount for a full disk, and libfaketime for wrong clocks.
"""

import argparse
import random
import shutil
import sys
import threading
import time
from collections import Counter
from collections.abc import Callable, Collection, Mapping
from contextlib import suppress
from dataclasses import dataclass
from pathlib import Path

import redis

from benchmarks.storm.checks import Verdict, check
from benchmarks.storm.load import Caller, Seen, callers_of, run_for
from benchmarks.storm.reliability import machine, write
from benchmarks.storm.system import System

MODES = ("embedded", "production")
OPTIONAL = {"disk": "fill the disk", "clock": "put the clock"}  # what not every machine can do: how such faults begin
LAST_SECONDS = 10  # without a new fault


@dataclass(frozen=True)
class Outcome:
    """One storm. `not_run`: those of OPTIONAL that were not done, with the reason."""

    mode: str
    minutes: float
    seed: int
    faults: Counter[str]
    not_run: dict[str, str]
    accounts: dict[str, Seen]
    verdict: Verdict


class Rage:
    """The faults of one storm. `without`: those of OPTIONAL that are left out."""

    def __init__(self, system: System, chance: random.Random, without: Collection[str], seen: Collection[Seen]) -> None:
        self._system, self._chance, self._seen = system, chance, seen
        self.done: Counter[str] = Counter()
        self.remarks: list[str] = []
        left_out = tuple(OPTIONAL[name] for name in without)
        faults = system.faults()
        self._faults = {name: fault for name, fault in faults.items() if not left_out or not name.startswith(left_out)}
        self._bag: list[str] = []

    def run(self, seconds: float) -> None:
        """One fault after the other, each kind as often as the others, until the time is over.

        A new master key after a third of the time; the old one is taken out after two, or when the time is over.
        """
        began = time.monotonic()
        keys = {"new master key": (1 / 3, self._system.rotate), "old key out": (2 / 3, self._system.take_old_key_out)}
        while (passed := time.monotonic() - began) < seconds - LAST_SECONDS:
            time.sleep(self._chance.uniform(1, 4))
            if keys and passed > seconds * next(iter(keys.values()))[0]:
                name = next(iter(keys))
                _, change = keys.pop(name)
                if not self._tried(name, self._changing(change)):
                    keys.clear()  # the old key stays
            else:
                name = self._next()
                self._tried(name, lambda name=name: self._faults[name](self._chance.uniform(0.5, 5)))
            print(f"{passed:5.0f} s  {name}", flush=True)
        for name, (_, change) in keys.items():
            if not self._tried(name, self._changing(change)):
                break  # the old key stays

    def _changing(self, change: Callable[[], None]) -> Callable[[], None]:
        def changed() -> None:
            self._system.wait_until_ready()
            change()

        return changed

    def _next(self) -> str:
        if not self._bag:
            self._bag = sorted(self._faults)
            self._chance.shuffle(self._bag)
        return self._bag.pop()

    def _tried(self, name: str, fault: Callable[[], None]) -> bool:
        """Whether it went through; otherwise a remark, and the services are started again."""
        is_done = True
        try:
            fault()
            self.done[name] += 1
        except (Exception, SystemExit) as error:
            is_done = False
            self.remarks.append(f"{name} ended with {type(error).__name__}: {error}")
            self._system.start_services()
        with suppress(redis.RedisError):
            if self._system.redis_holds([value.encode() for seen in self._seen for value in tuple(seen.values)]):
                self.remarks.append(f"a value stands in Redis after: {name}")
        return is_done


def storm(mode: str, seconds: float, seed: int, logs: Path | None, without: Collection[str] = ()) -> Outcome:
    """A system of its own in a storm of so many seconds, and the judgement. `logs`: a folder for its logs."""
    with System(mode) as system:
        emails = [f"storm{number}@example.com" for number in range(2)]
        accounts = {email: Seen(system.account(email)) for email in emails}
        callers: list[Caller] = []
        for number, seen in enumerate(accounts.values()):
            callers += callers_of(system.url, seen, seed + 10 * number)
        load = threading.Thread(target=run_for, args=(callers, seconds))
        rage = Rage(system, random.Random(seed), without, accounts.values())
        load.start()
        rage.run(seconds)
        load.join()
        verdict = check(system, accounts)
        if logs is not None:
            shutil.copytree(system.logs, logs / mode, dirs_exist_ok=True)
        verdict.remarks += rage.remarks + unwanted(system.missing, without)
        not_run = system.missing | dict.fromkeys(without, "left out")
    return Outcome(mode, seconds / 60, seed, rage.done, not_run, accounts, verdict)


def unwanted(missing: Mapping[str, str], without: Collection[str]) -> list[str]:
    """Remarks on faults that were not run although nobody left them out. `missing`: what each of them needs."""
    return [f"not run: {OPTIONAL[name]} ({why})" for name, why in missing.items() if name not in without]


def main() -> int:
    """Storms, writes the report, returns the exit status."""
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--mode", choices=(*MODES, "both"), default="both", help="which system (default: both)")
    parser.add_argument("--minutes", type=float, default=10.0, help="of each storm")
    parser.add_argument("--seed", type=int, default=1, help="of faults and load")
    parser.add_argument("--logs", type=Path, help="a folder that gets the logs of the system")
    parser.add_argument("--without", choices=OPTIONAL, action="append", default=[], help="leaves a fault out")
    chosen = parser.parse_args()
    modes = MODES if chosen.mode == "both" else (chosen.mode,)
    remarks = 0
    for mode in modes:
        outcome = storm(mode, chosen.minutes * 60, chosen.seed, chosen.logs, chosen.without)
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
    not_run = ", ".join(f"{OPTIONAL[name]} ({why})" for name, why in sorted(outcome.not_run.items()))
    lines = [
        f"{machine()}; {outcome.minutes:g} minutes, seed {outcome.seed}.",
        "",
        "| | |",
        "|---|---|",
        f"| faults | {_counts(outcome.faults)} |",
        f"| faults not run | {not_run or 'none'} |",
        f"| paid calls | {_counts(verdict.calls)} (by status; none: the connection broke off) |",
        f"| of these paid | {verdict.calls_paid} |",
        f"| charges of killed processes, refunded by others | {verdict.abandoned} |",
        f"| uploads | {_counts(uploads)} (by status; none: no answer) |",
        f"| files | {_counts(verdict.files)}{f'; failed with {_counts(verdict.errors)}' if verdict.errors else ''} |",
        f"| downloads in the storm | {_counts(downloads)} (by status) |",
        f"| files after it | {_counts(verdict.read)} (read: ready, downloaded and searched) |",
        f"| all had ended | {verdict.settled_after:.0f} s after the storm |",
        f"| objects of uploads without an answer | {verdict.objects_without_row}, sealed, swept later |",
        f"| **remarks** | **{len(verdict.remarks)}** |",
    ]
    return "\n".join([*lines, "", *(f"- {remark}" for remark in verdict.remarks)]).rstrip()


def _counts(found: Counter[str]) -> str:
    return ", ".join(f"{name} {count}" for name, count in sorted(found.items())) or "none"


if __name__ == "__main__":
    sys.exit(main())
