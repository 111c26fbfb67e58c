"""A zygote forks isolated children, ends each with its call, and is replaced when anything goes wrong."""

import gc
import logging
import os
import secrets
import signal
import subprocess
import sys
import threading
import time
from collections.abc import Iterator
from concurrent.futures import Future, ThreadPoolExecutor
from contextlib import suppress
from pathlib import Path

import cv2
import numpy as np
import pytest

from examples.demo import DOCUMENTS
from pipeline import stages
from pipeline.documents.document import Raster
from pipeline.sandbox import ending, warm
from pipeline.sandbox.parent import ChildFailed, ChildTimeout, Limits, Sandbox
from schemas.errors import StageFailed
from schemas.files import Format
from tests.pipeline.sandbox.test_sandbox import PRELOAD, SABOTEURS, gone, reason, running

ROOT = Path(__file__).parents[3]


def open_sandbox(preload: str | None = PRELOAD, parsers: str = PRELOAD) -> Sandbox:
    limits = Limits(memory=512 * 1024**2, reply=4 * 1024**2)
    return Sandbox("strict", limits=limits, preload=preload, parsers=parsers, **SABOTEURS)


@pytest.fixture(scope="module")
def cold() -> Sandbox:
    return open_sandbox(None)


@pytest.fixture
def sandbox() -> Iterator[Sandbox]:
    sandbox = open_sandbox()
    yield sandbox
    sandbox.close()
    assert not zygotes()


def call(sandbox: Sandbox, verb: str, meta: dict | None = None, data: bytes = b"", seconds: float = 20) -> dict:
    return sandbox.call(verb, meta or {}, {"data": data}, seconds, forks=True)[0]


def is_warm(sandbox: Sandbox) -> bool:
    return call(sandbox, "is_preloaded")["preloaded"]


def parents() -> dict[int, int]:
    """The parent of every process that is no zombie."""
    found = {}
    for path in Path("/proc").glob("[0-9]*/stat"):
        try:
            state, parent = path.read_text("utf-8", "replace").rpartition(")")[2].split()[:2]
        except OSError:
            continue
        if state not in "ZX":
            found[int(path.parent.name)] = int(parent)
    return found


STRAY: set[int] = set()  # zygotes of sandboxes that other tests of this process keep


def zygotes(parent: int | None = None) -> list[int]:
    found = running_script("zygote.py") - STRAY
    return [process for process, of in parents().items() if of == (parent or os.getpid()) and process in found]


@pytest.fixture(autouse=True)
def others_are_not_counted() -> None:
    STRAY.clear()
    STRAY.update(zygotes())


def running_script(name: str) -> set[int]:
    found = set()
    for path in Path("/proc").glob("[0-9]*/cmdline"):
        try:
            if any(part.endswith(name.encode()) for part in path.read_bytes().split(b"\0")):
                found.add(int(path.parent.name))
        except OSError:
            continue
    return found


def descendants(process: int) -> set[int]:
    of, found, more = parents(), {process}, True
    while more:
        more = {child for child, parent in of.items() if parent in found} - found
        found |= more
    return found - {process}


def servers() -> set[int]:
    """The processes below this one that are of no sandbox: servers of other tests."""
    return descendants(os.getpid()).difference(*({zygote, *descendants(zygote)} for zygote in zygotes()))


def soon(condition) -> bool:
    patience = threading.Event()
    return any(condition() or patience.wait(0.02) for _ in range(500))


def marker() -> str:
    return f"{secrets.randbelow(9_000_000) + 90_000_000}"


def forked_worker(sandbox: Sandbox, before: list[int]) -> int:
    """A fork of this process, which ends with 0 if it has started a zygote of its own and closed it."""
    process = os.fork()
    if process == 0:
        status = 1
        try:
            signal.alarm(20)
            own = is_warm(sandbox) and len(zygotes()) == 1 and zygotes() != before
            sandbox.close()
            status = 0 if own and not zygotes() else 2
        finally:
            os._exit(status)
    return process


class Waiting:
    """A child that holds a document and waits until its program ends."""

    def __init__(self, sandbox: Sandbox, threads: ThreadPoolExecutor) -> None:
        self.marker = marker()
        self.answer: Future = threads.submit(call, sandbox, "wait", {"marker": self.marker}, b"Fahad Alqahtani", 30)
        assert soon(lambda: running(self.marker))

    def answers(self) -> bool:
        """Ends the program; whether the child then answers with its document."""
        for program in running(self.marker):
            os.kill(int(program), signal.SIGKILL)
        return self.answer.result() == {"document": "Fahad Alqahtani"}


@pytest.fixture
def threads() -> Iterator[ThreadPoolExecutor]:
    with ThreadPoolExecutor(4) as pool:
        yield pool


class TestIsolation:
    def test_a_forked_child_is_isolated_like_one_in_an_interpreter_of_its_own(self, sandbox: Sandbox, cold: Sandbox):
        assert is_warm(sandbox)
        assert not is_warm(cold)
        forked, other, own = call(sandbox, "cage"), call(sandbox, "cage"), call(cold, "cage")
        assert forked["same"] == own["same"]
        assert forked["same"]["niceness"] >= 10
        assert forked["same"]["capabilities"] == [0] * 6
        assert forked["same"]["sockets"] == []
        assert forked["death signal"] == signal.SIGKILL
        for name in ("pid", "net", "ipc", "uts"):
            if "namespaces" not in sandbox.missing:
                assert forked["own"][name] != Path(f"/proc/self/ns/{name}").readlink().name
        if os.geteuid() == 0:  # each child has a user of its own
            users = [{*given["own"]["user"], *given["own"]["user group"]} for given in (forked, other, own)]
            assert [len(ids) for ids in users] == [1, 1, 1]
            assert len({0}.union(*users)) == 4

    def test_the_processor_time_of_a_call_is_limited(self, sandbox: Sandbox):
        assert sandbox.call("cage", {}, {}, 7, forks=True)[0]["same"]["limits"]["RLIMIT_CPU"] == [9, 9]

    def test_out_of_memory_it_is_killed_before_the_worker(self, sandbox: Sandbox, threads: ThreadPoolExecutor):
        waiting = Waiting(sandbox, threads)
        for process in [*zygotes(), *descendants(zygotes()[0])]:
            assert Path(f"/proc/{process}/oom_score_adj").read_text() == "1000\n"
        assert waiting.answers()

    def test_a_later_child_does_not_find_the_document_of_an_earlier_one(self, sandbox: Sandbox):
        assert call(sandbox, "keep_document", data=b"Fahad Alqahtani") == {"seen": None}
        assert call(sandbox, "keep_document", data=b"Sara Alharbi") == {"seen": None}

    def test_a_child_reaches_neither_the_zygote_nor_another_child(
        self, sandbox: Sandbox, cold: Sandbox, threads: ThreadPoolExecutor
    ):
        waiting = [Waiting(sandbox, threads), Waiting(sandbox, threads)]
        [zygote] = zygotes()
        victims = [zygote, *descendants(zygote)]
        assert len(victims) >= 5
        given = call(sandbox, "spy", {"victims": victims})
        assert not [name for name, outcome in given["outcomes"].items() if outcome.startswith("worked")], given
        # The standard streams, its request (open twice, for it is mapped) and its reply.
        assert given["kinds"] == call(cold, "spy", {"victims": []})["kinds"] == sorted("ccc--p")
        assert all(child.answers() for child in waiting)
        assert zygotes() == [zygote]

    def test_a_child_that_kills_everything_kills_no_other(self, sandbox: Sandbox, threads: ThreadPoolExecutor):
        waiting = Waiting(sandbox, threads)
        with pytest.raises(ChildFailed):
            call(sandbox, "kill_all")
        assert waiting.answers()

    def test_the_zygote_is_isolated_itself(self, sandbox: Sandbox):
        assert is_warm(sandbox)
        status = dict(
            line.split(":\t", 1)
            for line in Path(f"/proc/{zygotes()[0]}/status").read_text().splitlines()
            if "\t" in line
        )
        assert status["Seccomp"] == "2"
        assert status["NoNewPrivs"] == "1"
        assert status["Threads"] == "1"
        assert "0" not in status["Uid"].split() or os.geteuid() != 0
        assert not int(status["CapEff"], 16) & ~warm_capabilities()
        tried = call(sandbox, "zygote")
        if "landlock" in sandbox.missing:
            tried.pop("read"), tried.pop("write")
        assert not [name for name, outcome in tried.items() if str(outcome).startswith("worked")], tried
        assert tried["memory"] == [512 * 1024**2] * 2
        assert tried["written"] == [0, 0]

    def test_no_process_of_it_leads_a_way_into_the_worker(self, sandbox: Sandbox):
        assert is_warm(sandbox)
        held = [path.readlink().name for path in Path(f"/proc/{zygotes()[0]}/fd").iterdir()]
        assert sum(name.startswith("socket") for name in held) == 1
        assert not [name for name in held if name.startswith(("memfd:", "pipe:"))]


def warm_capabilities() -> int:
    return 1 << 2 | 1 << 5 | 1 << 6 | 1 << 7 | 1 << 21


class TestEnds:
    @pytest.mark.parametrize(
        ("verb", "reasons"),
        [
            ("hang", {"timeout"}),
            pytest.param("garbage", {"garbage"}, marks=pytest.mark.slow),
            pytest.param("die", {"died"}, marks=pytest.mark.slow),
            pytest.param("segfault", {"died"}, marks=pytest.mark.slow),
            ("hog", {"MemoryError"}),
            pytest.param("fork_bomb", {"timeout", "died"}, marks=pytest.mark.slow),
        ],
    )
    def test_a_fault_fails_its_call_alone_and_leaves_nothing(self, sandbox: Sandbox, verb: str, reasons: set[str]):
        assert is_warm(sandbox)
        before, others = zygotes(), servers()
        started = time.monotonic()
        assert reason(sandbox, verb, forks=True, seconds=1 if verb in ("hang", "fork_bomb") else 20) in reasons
        # An exception is an answer. After anything else no child meets the same address space.
        assert zygotes() == (before if verb == "hog" else [])
        assert verb != "hang" or time.monotonic() - started < ending.END_SECONDS
        assert soon(lambda: not descendants(os.getpid()) - set(before) - others)
        assert is_warm(sandbox)

    def test_programs_of_a_child_end_with_it(self, sandbox: Sandbox):
        mark, others = marker(), servers()
        assert call(sandbox, "daemon", {"marker": mark}) == {"escaped": []}
        assert not running(mark)
        assert soon(lambda: descendants(os.getpid()) - others == set(zygotes()))

    @pytest.mark.slow
    def test_a_killed_child_fails_its_call(self, sandbox: Sandbox, threads: ThreadPoolExecutor):
        waiting = Waiting(sandbox, threads)
        [first] = [child for child, parent in parents().items() if parent == zygotes()[0]]
        os.kill(first, signal.SIGKILL)
        assert str(waiting.answer.exception()) == "died"
        assert gone(waiting.marker)
        assert is_warm(sandbox)

    def test_a_killed_zygote_is_replaced(self, sandbox: Sandbox):
        assert is_warm(sandbox)
        before = zygotes()
        os.kill(before[0], signal.SIGKILL)
        assert is_warm(sandbox)
        assert len(zygotes()) == 1
        assert zygotes() != before

    def test_the_children_of_a_killed_zygote_end(self, sandbox: Sandbox, threads: ThreadPoolExecutor):
        waiting = [Waiting(sandbox, threads), Waiting(sandbox, threads)]
        os.kill(zygotes()[0], signal.SIGKILL)
        assert {str(child.answer.exception()) for child in waiting} == {"died"}
        assert all(gone(child.marker) for child in waiting)
        assert is_warm(sandbox)

    def test_a_zygote_that_stopped_is_replaced(self, sandbox: Sandbox, monkeypatch: pytest.MonkeyPatch):
        monkeypatch.setattr(warm, "_FORK_SECONDS", 0.3)
        assert is_warm(sandbox)
        before = zygotes()
        os.kill(before[0], signal.SIGSTOP)
        assert is_warm(sandbox)
        assert zygotes() != before
        assert len(zygotes()) == 1

    @pytest.mark.slow
    def test_a_zygote_that_comes_too_late_keeps_its_other_children(
        self, sandbox: Sandbox, threads: ThreadPoolExecutor, monkeypatch: pytest.MonkeyPatch
    ):
        waiting = Waiting(sandbox, threads)
        [late] = zygotes()
        os.kill(late, signal.SIGSTOP)
        with monkeypatch.context() as patch:
            patch.setattr(warm, "_FORK_SECONDS", 0.3)
            sandbox._warm._current._control.settimeout(0.3)
            assert is_warm(sandbox)
        os.kill(late, signal.SIGCONT)
        time.sleep(0.5)  # for the child that nobody waits for
        assert len(descendants(late)) == 3
        assert waiting.answers()
        assert late not in zygotes()

    def test_a_zygote_that_does_not_end_its_child_is_killed(
        self, sandbox: Sandbox, threads: ThreadPoolExecutor, monkeypatch: pytest.MonkeyPatch
    ):
        monkeypatch.setattr(ending, "END_SECONDS", 0.2)
        waiting = Waiting(sandbox, threads)
        os.kill(zygotes()[0], signal.SIGSTOP)
        assert waiting.answers()
        assert gone(waiting.marker)
        assert zygotes() == []

    def test_it_is_replaced_after_a_number_of_children(self, sandbox: Sandbox, monkeypatch: pytest.MonkeyPatch):
        monkeypatch.setattr(warm, "_MAX_CHILDREN", 3)
        seen = []
        for _ in range(7):
            assert is_warm(sandbox)
            seen.extend(zygotes())
        assert [seen.count(process) for process in dict.fromkeys(seen)] == [3, 3, 1]

    def test_many_calls_leave_no_descriptor_and_no_process(self, sandbox: Sandbox):
        def held() -> tuple[int, int, set[int]]:
            [zygote] = zygotes()
            counts = [len(list(Path(f"/proc/{process}/fd").iterdir())) for process in (os.getpid(), zygote)]
            return (*counts, every_descendant())

        def every_descendant() -> set[int]:
            """Zombies too."""
            path = Path(f"/proc/{zygotes()[0]}/task/{zygotes()[0]}/children")
            return {zygotes()[0], *map(int, path.read_text().split())}

        assert is_warm(sandbox)
        before = held()
        for _ in range(50):
            assert is_warm(sandbox)
        assert held() == before

    def test_two_threads_have_children_at_once(self, sandbox: Sandbox, threads: ThreadPoolExecutor):
        waiting = [Waiting(sandbox, threads), Waiting(sandbox, threads)]
        assert all(running(child.marker) for child in waiting)
        assert all(child.answers() for child in waiting)
        assert len(zygotes()) == 1

    def test_a_fault_does_not_end_the_other_children(self, sandbox: Sandbox, threads: ThreadPoolExecutor):
        waiting = Waiting(sandbox, threads)
        assert reason(sandbox, "die", forks=True) == "died"
        assert is_warm(sandbox)
        assert len(zygotes()) == 2
        assert waiting.answers()
        assert len(zygotes()) == 1

    def test_it_outlives_the_thread_that_started_it(self, sandbox: Sandbox):
        starter = threading.Thread(target=is_warm, args=(sandbox,))
        starter.start()
        starter.join()
        before = zygotes()
        assert len(before) == 1
        time.sleep(0.1)
        assert is_warm(sandbox)
        assert zygotes() == before

    def test_it_ends_with_its_owner(self):
        sandbox = open_sandbox()
        assert is_warm(sandbox)
        assert len(zygotes()) == 1
        del sandbox
        gc.collect()
        assert zygotes() == []

    def test_a_forked_worker_has_a_zygote_of_its_own(self, sandbox: Sandbox):
        assert is_warm(sandbox)
        before = zygotes()
        with sandbox._warm._lock:  # as another thread may at this moment
            process = forked_worker(sandbox, before)
        assert os.waitstatus_to_exitcode(os.waitpid(process, 0)[1]) == 0
        assert zygotes() == before
        assert is_warm(sandbox)
        assert zygotes() == before


OWNER = """
import os, sys, threading, time
from tests.pipeline.sandbox.test_warm import call, open_sandbox
sandbox = open_sandbox()
call(sandbox, "is_preloaded")
if sys.argv[1] == "ends":
    print("ready", flush=True)
    sys.stdin.read()
    sys.exit()
helper = os.fork()  # holds copies of the worker's descriptors
if not helper:
    time.sleep(1000)
threading.Timer(0.5, lambda: print("ready", helper, flush=True)).start()
call(sandbox, "wait", {"marker": sys.argv[2]}, seconds=1000)
"""
NO_NAMESPACES = """
import errno, pyseccomp
rules = pyseccomp.SyscallFilter(pyseccomp.ALLOW)
rules.add_rule(pyseccomp.ERRNO(errno.EPERM), "unshare")
rules.load()
"""


def owner(code: str, *arguments: str) -> subprocess.Popen[bytes]:
    return subprocess.Popen(
        [sys.executable, "-c", code, *arguments],
        cwd=ROOT,
        env={**os.environ, "PYTHONPATH": str(ROOT)},
        stdin=subprocess.PIPE,
        stdout=subprocess.PIPE,
    )


class TestOwner:
    @pytest.mark.parametrize("before", ["", NO_NAMESPACES])
    def test_a_killed_worker_takes_the_zygote_and_its_children_along(self, before: str):
        mark = marker()
        with owner(before + OWNER, "works", mark) as process:
            helper = int(process.stdout.readline().split()[1])
            assert soon(lambda: running(mark))
            zygote = zygotes(process.pid)
            below = descendants(process.pid)
            assert len(zygote) == 1
            process.kill()
        # Without namespaces a program of the child goes on, as it would in a child of an interpreter of its own.
        left = {helper, *(int(found) for found in running(mark) if before)}
        try:
            assert soon(lambda: not (below - left) & parents().keys())
        finally:
            for survivor in left:
                with suppress(ProcessLookupError):  # it may have ended by itself
                    os.kill(survivor, signal.SIGKILL)

    @pytest.mark.slow
    def test_it_ends_with_the_interpreter(self):
        with owner(OWNER, "ends") as process:
            assert process.stdout.readline() == b"ready\n"
            below = descendants(process.pid)
            assert below
            process.stdin.close()
            assert process.wait(20) == 0
        assert not below & parents().keys()


WITHOUT_NAMESPACES = """
import os, signal, sys, threading
from tests.pipeline.sandbox.test_warm import *
sandbox = open_sandbox()
assert sandbox.missing == ("namespaces",), sandbox.missing
assert is_warm(sandbox)
mark = marker()
assert call(sandbox, "daemon", {"marker": mark}) == {"escaped": []}
assert gone(mark)
assert reason(sandbox, "fork_bomb", forks=True, seconds=1) in {"timeout", "died"}
assert reason(sandbox, "hang", forks=True, seconds=1) == "timeout"
assert is_warm(sandbox)
assert call(sandbox, "cage")["same"]["capabilities"] == [0] * 6
with ThreadPoolExecutor(2) as threads:
    waiting = Waiting(sandbox, threads)
    [zygote] = zygotes()
    victims = [process for process in [zygote, *descendants(zygote)]]
    given = call(sandbox, "spy", {"victims": victims})["outcomes"]
    assert not [name for name, outcome in given.items() if outcome.startswith("worked")], given
    assert waiting.answers()
    waiting = Waiting(sandbox, threads)
    os.kill(zygotes()[0], signal.SIGKILL)
    assert str(waiting.answer.exception()) == "died"
    assert gone(waiting.marker)
assert is_warm(sandbox)
sandbox.close()
assert not descendants(os.getpid())
print("done")
"""


@pytest.mark.slow
def test_it_works_without_namespaces():
    with owner(NO_NAMESPACES + WITHOUT_NAMESPACES) as process:
        assert process.communicate(timeout=100)[0] == b"done\n"


class TestUnavailable:
    @pytest.mark.parametrize(
        ("preload", "type_"),
        [
            ("preload_that_fails", "ValueError"),
            ("preload_that_dies", "died"),
            ("preload_with_a_thread", "MoreThanOneThread"),
            ("no_such_function", "AttributeError"),
        ],
    )
    @pytest.mark.slow
    def test_children_load_the_parsers_themselves(self, preload: str, type_: str, caplog: pytest.LogCaptureFixture):
        sandbox = open_sandbox(PRELOAD.replace("preload", preload))
        assert [is_warm(sandbox) for _ in range(3)] == [False] * 3
        assert len(caplog.records) == 1
        assert type_ in caplog.text
        assert "1012345672" not in caplog.text
        assert not zygotes()

    def test_a_zygote_that_never_gets_ready(self, monkeypatch: pytest.MonkeyPatch, caplog: pytest.LogCaptureFixture):
        monkeypatch.setattr(warm, "_LOAD_SECONDS", 0.0001)
        assert not is_warm(open_sandbox())
        assert "timeout" in caplog.text
        assert not zygotes()

    def test_it_is_tried_again_later(self, monkeypatch: pytest.MonkeyPatch, caplog: pytest.LogCaptureFixture):
        sandbox = open_sandbox()
        with monkeypatch.context() as patch:
            patch.setattr(warm, "_LOAD_SECONDS", 0.0001)
            patch.setattr(warm, "_RETRY_SECONDS", 0.0)
            assert not is_warm(sandbox)
            assert not is_warm(sandbox)
            assert len(caplog.records) == 1
        assert is_warm(sandbox)
        del sandbox
        assert not zygotes()  # the failure holds no reference

    def test_a_zygote_without_a_required_measure_is_not_used(self, caplog: pytest.LogCaptureFixture):
        sandbox = open_sandbox()
        sandbox._warm._plan = {**sandbox._warm._plan, "filter": ""}
        assert not is_warm(sandbox)
        assert "SandboxUnavailable" in caplog.text

    @pytest.mark.parametrize("preload", [None, PRELOAD])
    def test_a_child_without_a_required_measure_answers_nothing(self, preload: str | None):
        sandbox = open_sandbox(preload)
        call(sandbox, "is_preloaded")
        sandbox.close()  # the next zygote gets the plan of its children anew
        sandbox._filters[True] = ""
        if sandbox._warm is not None:
            sandbox._warm._plan["child"]["filter"] = ""
        with pytest.raises(ChildFailed) as failure:
            call(sandbox, "is_preloaded")
        assert failure.value.reason == "SandboxUnavailable"
        sandbox.close()


def test_rasters_are_read_by_children_of_a_zygote():
    image = np.full((200, 600), 255, np.uint8)
    cv2.putText(image, "Hello", (20, 120), cv2.FONT_HERSHEY_SIMPLEX, 1.5, 0, 3)
    raster, pixels = Raster("page/0", 600, 200, 300), cv2.imencode(".png", image)[1].tobytes()
    with_zygote, without = Sandbox("strict"), Sandbox("strict", preload=None)
    reading = stages.read_raster(with_zygote, raster, pixels, 60)
    assert "Hello" in reading.text
    assert len(zygotes()) == 1
    assert reading == stages.read_raster(without, raster, pixels, 60)
    with_zygote.close()
    assert not zygotes()


def test_the_time_of_a_call_counts_from_the_start_of_its_child(caplog: pytest.LogCaptureFixture):
    caplog.set_level(logging.WARNING)
    sandbox = open_sandbox()
    with pytest.raises(ChildTimeout):
        call(sandbox, "hang", seconds=0.3)
    assert not caplog.records


class TestParsers:
    """The second zygote, of what starts no programs."""

    @pytest.mark.slow
    def test_it_is_there_when_it_was_asked_for_and_reads_the_same(self, threads: ThreadPoolExecutor):
        sandbox = Sandbox("strict")
        by_format = {path.suffix.removeprefix("."): path for path in sorted(DOCUMENTS.iterdir())}
        documents = [path for format_, path in by_format.items() if format_ in {*Format} - {Format.TIFF}]
        assert len(documents) > 5

        def read(path: Path) -> object:
            format_, data = path.suffix.removeprefix("."), path.read_bytes()
            try:
                second: object = stages.second_reading(sandbox, format_, data, 60)
            except StageFailed as failed:  # not every input could be an output
                second = failed.code
            return stages.extract(sandbox, format_, data, 60), second

        cold = list(threads.map(read, documents))
        assert not zygotes()
        sandbox.warm_parsers()
        [zygote] = zygotes()
        assert list(threads.map(read, documents)) == cold
        assert zygotes() == [zygote]
        sandbox.close()
        assert not zygotes()

    def test_its_children_start_no_programs(self):
        sandbox = open_sandbox(parsers=PRELOAD)
        sandbox.warm_parsers()
        assert sandbox.call("is_preloaded", {}, {}, 20)[0] == {"preloaded": True}
        tried, _ = sandbox.call("processes", {"victim": os.getpid()}, {}, 20)
        assert not [name for name, outcome in tried.items() if outcome.startswith("worked")], tried
        sandbox.close()

    def test_a_fault_replaces_it(self):
        sandbox = open_sandbox(parsers=PRELOAD)
        sandbox.warm_parsers()
        before = zygotes()
        assert reason(sandbox, "die") == "died"
        assert not zygotes()
        assert sandbox.call("is_preloaded", {}, {}, 20)[0] == {"preloaded": True}
        assert zygotes() != before
        sandbox.close()

    @pytest.mark.slow
    def test_where_it_cannot_load_each_child_loads_its_parser(self, caplog: pytest.LogCaptureFixture):
        sandbox = open_sandbox(parsers=PRELOAD.replace("preload", "preload_that_dies"))
        sandbox.warm_parsers()
        assert sandbox.call("is_preloaded", {}, {}, 20)[0] == {"preloaded": False}
        assert "no warm process" in caplog.text
