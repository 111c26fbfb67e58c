"""Where children start no programs, one is forked and isolated before its call, and no call waits until it is gone."""

import gc
import os
import signal
import subprocess
import sys
import threading
import time
from collections.abc import Iterator
from concurrent.futures import ThreadPoolExecutor
from pathlib import Path

import pytest

from pipeline.sandbox import ending, message, parent, warm
from pipeline.sandbox.parent import Limits, Sandbox
from tests.pipeline.sandbox.test_sandbox import PRELOAD, SABOTEURS, reason
from tests.pipeline.sandbox.test_warm import (
    ROOT,
    call,
    descendants,
    forked_worker,
    is_warm,
    others_are_not_counted,  # noqa: F401 - a fixture
    parents,
    soon,
    zygotes,
)

LIMITS = Limits(memory=512 * 1024**2, reply=4 * 1024**2)


def open_sandbox(preload: str = PRELOAD, *, programs: bool = False) -> Sandbox:
    sandbox = Sandbox("strict", limits=LIMITS, preload=preload, programs=programs, **SABOTEURS)
    sandbox.warm()
    return sandbox


@pytest.fixture
def sandbox() -> Iterator[Sandbox]:
    sandbox = open_sandbox()
    yield sandbox
    sandbox.close()
    assert not zygotes()


def children() -> list[int]:
    """Those of the only zygote, without what they started."""
    [zygote] = zygotes()
    return [child for child, of in parents().items() if of == zygote]


def spare() -> int:
    """The only child of the zygote, isolated: it waits in the process that it has started."""
    assert soon(lambda: len(children()) == 1 and (descendants(children()[0]) or no_namespaces()))
    return children()[0]


def no_namespaces() -> bool:
    return "namespaces" in Sandbox("best-effort", preload=None, **SABOTEURS).missing


def test_a_child_that_waited_answers_without_its_zygote(sandbox: Sandbox, monkeypatch: pytest.MonkeyPatch):
    monkeypatch.setattr(warm, "_FORK_SECONDS", 0.3)
    waiting, before = spare(), zygotes()
    os.kill(before[0], signal.SIGSTOP)
    assert is_warm(sandbox)
    os.kill(before[0], signal.SIGCONT)
    assert zygotes() == before
    assert soon(lambda: waiting not in children())


def test_it_rehearses_while_it_waits():
    sandbox = open_sandbox("tests.pipeline.sandbox.saboteurs:preload_and_rehearse")
    for _ in range(2):
        spare()
        time.sleep(0.2)
        assert call(sandbox, "is_rehearsed") == {"rehearsed": True}
    sandbox.close()


def test_no_child_has_two_documents(sandbox: Sandbox):
    seen = []
    for name in (b"Fahad Alqahtani", b"Sara Alharbi", b"Noura Almithali"):
        seen.append(spare())
        assert call(sandbox, "keep_document", data=name) == {"seen": None}
    seen.append(spare())
    assert len(set(seen)) == 4


def test_it_is_isolated_like_a_child_of_its_own_interpreter(sandbox: Sandbox):
    cold = Sandbox("strict", limits=LIMITS, preload=None, programs=False, **SABOTEURS)
    spare()
    assert call(sandbox, "cage")["same"] == call(cold, "cage")["same"]
    spare()
    assert call(sandbox, "spy", {"victims": []})["kinds"] == sorted("ccc--p")


def test_there_is_never_more_than_one(sandbox: Sandbox):
    with ThreadPoolExecutor(4) as threads:
        assert all(threads.map(lambda _: is_warm(sandbox), range(20)))
    assert soon(lambda: len(children()) == 1)
    time.sleep(0.2)
    assert len(children()) == 1


def test_a_child_reaches_neither_the_zygote_nor_one_that_waits(sandbox: Sandbox):
    before, waiting = zygotes(), sandbox._warm._current.take_spare()
    victims = [*before, spare(), *descendants(spare())]
    outcomes = call(sandbox, "spy", {"victims": victims})["outcomes"]
    assert not [name for name, outcome in outcomes.items() if outcome.startswith("worked")], outcomes
    assert waiting.ask([*parent._head({"seconds": 5}), *message.pack({"verb": "echo", "meta": {}}, {})], 5)
    waiting.end()
    assert waiting.has_ended(5)
    waiting.close()
    assert zygotes() == before


def test_one_that_died_is_replaced_and_its_zygote_stays(sandbox: Sandbox):
    before, below = zygotes(), {spare(), *descendants(spare())}
    os.kill(spare(), signal.SIGKILL)
    assert soon(lambda: not below & parents().keys())
    assert is_warm(sandbox)
    assert zygotes() == before
    assert spare()


def test_a_fault_replaces_the_zygote_and_the_spare_child(sandbox: Sandbox):
    spare()
    before = {*zygotes(), *descendants(zygotes()[0])}
    assert reason(sandbox, "die", forks=True) == "died"
    assert soon(lambda: not before & parents().keys())
    assert is_warm(sandbox)
    spare()
    assert not before & {*zygotes(), *descendants(zygotes()[0])}


@pytest.mark.slow
def test_a_fault_ends_the_spare_child_while_others_work_on(sandbox: Sandbox):
    with ThreadPoolExecutor(1) as threads:
        working = threads.submit(reason, sandbox, "hang", forks=True, seconds=4)
        assert soon(lambda: len(children()) == 2)
        [first] = zygotes()
        assert reason(sandbox, "die", forks=True) == "died"
        assert soon(lambda: list(parents().values()).count(first) == 1)
        assert not working.done()
        assert working.result() == "timeout"
    assert zygotes() == []


def test_the_limits_of_a_call_count_from_its_request(sandbox: Sandbox):
    spare()
    time.sleep(1.5)
    assert sandbox.call("echo", {}, {}, 1, forks=True) == ({}, {})
    assert sandbox.call("cage", {}, {}, 7, forks=True)[0]["same"]["limits"]["RLIMIT_CPU"] == [9, 9]


@pytest.mark.slow
def test_the_last_child_of_a_zygote_prepares_none(sandbox: Sandbox, monkeypatch: pytest.MonkeyPatch):
    monkeypatch.setattr(warm, "_MAX_CHILDREN", 3)
    seen = []
    for _ in range(7):
        assert is_warm(sandbox)
        seen.extend(zygotes())
        assert soon(lambda: len(children()) == int(seen.count(zygotes()[0]) < 3))
    assert [seen.count(process) for process in dict.fromkeys(seen)] == [3, 3, 1]


@pytest.mark.slow
def test_a_zygote_that_does_not_end_its_child_is_killed(sandbox: Sandbox, monkeypatch: pytest.MonkeyPatch):
    monkeypatch.setattr(ending, "END_SECONDS", 0.2)
    spare()
    before = zygotes()
    os.kill(before[0], signal.SIGSTOP)
    assert is_warm(sandbox)
    time.sleep(0.5)
    assert is_warm(sandbox)
    assert not {*before} & {*zygotes()}


def test_a_child_for_programs_does_not_wait():
    sandbox = open_sandbox(programs=True)
    assert is_warm(sandbox)
    assert children() == []
    sandbox.close()


def test_a_forked_worker_leaves_the_spare_child_to_its_owner(sandbox: Sandbox):
    waiting, before = spare(), zygotes()
    process = forked_worker(sandbox, before)
    assert os.waitstatus_to_exitcode(os.waitpid(process, 0)[1]) == 0
    assert (zygotes(), spare()) == (before, waiting)
    assert is_warm(sandbox)
    assert zygotes() == before


@pytest.mark.slow
def test_calls_leave_no_descriptor(sandbox: Sandbox):
    def held() -> list[int]:
        spare()  # the child before has left
        assert is_warm(sandbox)
        spare()
        seen = (os.getpid(), *(zygotes() if os.geteuid() == 0 else ()))  # a zygote hides itself from its user
        return [len(list(Path(f"/proc/{process}/fd").iterdir())) for process in seen]

    before = held()
    for _ in range(30):
        assert is_warm(sandbox)
    assert held() == before


@pytest.mark.slow
def test_a_sandbox_that_nobody_closed_leaves_nothing():
    def held() -> int:
        return len(list(Path("/proc/self/fd").iterdir()))

    gc.collect()  # what other tests left
    before = held()
    sandbox = open_sandbox()
    assert is_warm(sandbox)
    del sandbox
    gc.collect()
    assert zygotes() == []
    assert held() == before


def test_it_outlives_the_thread_that_asked_for_it(sandbox: Sandbox):
    starter = threading.Thread(target=is_warm, args=(sandbox,))
    starter.start()
    starter.join()
    waiting = spare()
    time.sleep(0.1)
    assert children() == [waiting]


OWNER = """
import sys, time
from tests.pipeline.sandbox.test_spare import is_warm, open_sandbox
sandbox = open_sandbox()
assert is_warm(sandbox)
print("ready", flush=True)
sys.stdin.read()
"""


@pytest.mark.parametrize("is_killed", [False, True])
def test_it_ends_with_its_worker(is_killed: bool):
    environment = {**os.environ, "PYTHONPATH": str(ROOT)}
    with subprocess.Popen(
        [sys.executable, "-c", OWNER], cwd=ROOT, env=environment, stdin=subprocess.PIPE, stdout=subprocess.PIPE
    ) as process:
        assert process.stdout.readline() == b"ready\n"
        assert soon(lambda: len(descendants(process.pid)) >= 2)
        below = descendants(process.pid)
        if is_killed:
            process.kill()
        process.stdin.close()
        process.wait(20)
    assert soon(lambda: not below & parents().keys())
