"""The judgement of a running system sees what is planted in it, and has no remark on one that did its work."""

import random
import subprocess
import sys
import threading
from collections import Counter
from dataclasses import replace

import pytest

from benchmarks.storm.__main__ import Outcome, Rage, section, unwanted
from benchmarks.storm.checks import Verdict, check
from benchmarks.storm.load import TEXT, Seen, callers_of, run_for
from benchmarks.storm.system import System

EMAIL = "storm@example.com"


def loaded(system: System, seconds: float) -> dict[str, Seen]:
    """An account whose callers called for some seconds."""
    seen = Seen(system.account(EMAIL))
    load = threading.Thread(target=run_for, args=(callers_of(system.url, seen, 7), seconds))
    load.start()
    load.join()
    return {EMAIL: seen}


@pytest.mark.parametrize("error", [RuntimeError("no"), SystemExit("masker key ended with 1")])
def test_a_fault_that_fails_is_a_remark(error: BaseException) -> None:
    def broken() -> None:
        raise error

    system = System("embedded")
    with system._stack:  # nothing of it runs
        rage = Rage(system, random.Random(1), (), [])
        assert not rage._tried("new master key", broken)
    assert rage.remarks == [f"new master key ended with {type(error).__name__}: {error}"]
    assert not rage.done


def test_a_fault_that_cannot_be_done_is_a_remark_unless_it_is_left_out() -> None:
    missing = {"disk": "no right to mount", "clock": "no libfaketime"}
    assert unwanted(missing, ["clock"]) == ["not run: fill the disk (no right to mount)"]
    outcome = Outcome("embedded", 1, 1, Counter(), missing | {"clock": "left out"}, {}, Verdict())
    assert "| faults not run | put the clock (left out), fill the disk (no right to mount) |" in section(outcome)


def test_what_is_left_out_is_not_done() -> None:
    system = System("embedded")
    with system._stack:
        assert any(name.startswith("fill the disk") for name in Rage(system, random.Random(1), (), [])._faults)
        assert not Rage(system, random.Random(1), ["disk"], [])._faults


@pytest.mark.slow
@pytest.mark.timeout(300)
def test_what_is_planted_is_seen(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr("benchmarks.storm.checks._ORPHANS", 2.0)  # nothing but what is planted outlives
    with System("embedded") as system:
        accounts = loaded(system, 10)
        seen = accounts[EMAIL]
        number = seen.values[0]
        with (system.logs / "api.log").open("a") as log:
            log.write(f"a line with {number}\n")
        (system.temporary / "page.txt").write_text(number)
        system.provider.heard.append(f'{{"content": "{number}"}}'.encode())
        seen.count(TEXT, "200")
        seen.remark("a caller's own")
        name = next(iter(seen.files.values()))
        seen.papers[name] = replace(seen.papers[name], proof="what no file says")
        with subprocess.Popen(
            [sys.executable, "-c", "input()"], env=system.environment, stdin=subprocess.PIPE
        ) as stray:
            verdict = check(system, accounts)
            stray.communicate(b"\n")
    assert verdict.calls["200"] > 10
    assert verdict.read["read"] > 0
    expected = (
        "a value stands in logs/api.log",
        "a value stands in tmp/page.txt",
        "the provider was sent a value",
        "a caller's own",
        f"a file that is ready is not the redacted one ({name.rpartition('.')[2]})",
        "a process outlived the system",
        "text of 12 words",
    )
    left = [each for each in verdict.remarks if not each.startswith(expected)]
    assert left == []
    assert [each for each in expected if not any(remark.startswith(each) for remark in verdict.remarks)] == []
