"""A worker process ends after its runner, also when it cannot end by itself."""

import os
import signal
import subprocess
import sys
import time
from pathlib import Path

# A runner with one child that says its number; the child then waits for ever, or ends as it is asked to.
RUNNER = """
import multiprocessing, signal, sys, time
from workers.orphans import end_with_runner

def work(is_stuck):
    signal.signal(signal.SIGTERM, lambda *_: None if is_stuck else sys.exit(0))
    end_with_runner(grace=float(sys.argv[2]))
    print(multiprocessing.current_process().pid, flush=True)
    lock = multiprocessing.Lock()
    lock.acquire()
    lock.acquire()

child = multiprocessing.get_context("fork").Process(target=work, args=(sys.argv[1] == "stuck",))
child.start()
time.sleep(60)
"""
ROOT = Path(__file__).parents[2]


def is_alive(pid: int) -> bool:
    """Whether a process lives; one that nobody has waited for does not."""
    try:
        return Path(f"/proc/{pid}/stat").read_text().rpartition(")")[2].split()[0] != "Z"
    except FileNotFoundError:
        return False


def seconds_until_gone(how: str, grace: float) -> float:
    """How long a child outlives its killed runner."""
    command = [sys.executable, "-c", RUNNER, how, str(grace)]
    with subprocess.Popen(command, stdout=subprocess.PIPE, cwd=ROOT) as runner:
        assert runner.stdout is not None
        child = int(runner.stdout.readline())
        assert is_alive(child)
        runner.kill()
        runner.wait()
        began = time.monotonic()
        while is_alive(child) and time.monotonic() < began + 30:
            time.sleep(0.05)
        took = time.monotonic() - began
        if is_alive(child):
            os.kill(child, signal.SIGKILL)
            raise AssertionError("it goes on")
        return took


def test_a_child_that_is_stuck_is_gone_after_the_grace() -> None:
    assert seconds_until_gone("stuck", 1.0) >= 0.9


def test_a_child_that_can_ends_at_once() -> None:
    assert seconds_until_gone("willing", 25.0) < 15


def test_a_runner_that_was_gone_before_is_noticed() -> None:
    script = """
import multiprocessing, os, signal, time
from workers import orphans
class Gone:
    pid = 1 << 22
multiprocessing.parent_process = lambda: Gone
signal.signal(signal.SIGTERM, lambda *_: print("asked", flush=True))
orphans.end_with_runner(grace=0.2)
time.sleep(30)
"""
    done = subprocess.run([sys.executable, "-c", script], cwd=ROOT, capture_output=True, timeout=25, check=False)
    assert (done.returncode, done.stdout) == (1, b"asked\n")
