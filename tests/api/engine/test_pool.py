"""The process pool: the same answers as in this process, and processes that die, grow, hang or fail."""

import json
import os
import signal
import subprocess
import sys
from collections.abc import Iterator
from datetime import date
from pathlib import Path
from threading import Thread

import pytest

from api.engine.pool import ProcessPool, WorkFailed
from api.engine.text_work import MaskWork, RedactWork, run_work
from api.http.errors import Invalid
from pipeline.detect.detector import Detector
from schemas.errors import MaskerUnavailable
from schemas.spans import DetectOptions, Term, TermSet
from schemas.text import MaskRequest

ROOT = Path(__file__).parents[3]
MEMORY = 2 * 1024**3
TEXT = "Call Noura Alharbi on 0501234567, born 1990-01-02, about Zephyr. كلمت سلطان العتيبي\n" * 20
OPTIONS = DetectOptions(terms=(TermSet((Term("zephyr"),)),))
REDACT = RedactWork(("DATE_TIME",), date(2026, 11, 21), "redact_01234567", 0.0)
MASK = MaskWork("k" * 40, True, None, False, "mask_01234567", 0.0)


@pytest.fixture(scope="module")
def large() -> Iterator[ProcessPool]:
    """A pool of one process."""
    texts = ProcessPool(1, MEMORY)
    yield texts
    texts.close()


@pytest.fixture(scope="module")
def detector() -> Detector:
    """A detector in this process."""
    return Detector()


def timeless(answer: bytes) -> dict[str, object]:
    return {**json.loads(answer), "processing_time_ms": 0}


def test_the_detection_is_that_of_this_process(large: ProcessPool, detector: Detector) -> None:
    for options in (OPTIONS, DetectOptions(explain=True)):
        assert large.detect(TEXT, options) == detector.detect(TEXT, options)


def test_the_answers_are_those_of_this_process(large: ProcessPool, detector: Detector) -> None:
    there, here = large.run(TEXT, OPTIONS, REDACT), run_work(REDACT, detector.detect(TEXT, OPTIONS))
    assert there.found == here.found
    assert timeless(there.answer) == timeless(here.answer)
    masked = timeless(large.run(TEXT, OPTIONS, MASK).answer)
    assert masked["masked_text"] == timeless(run_work(MASK, detector.detect(TEXT, OPTIONS)).answer)["masked_text"]


def test_bodies_are_parsed_and_refused(large: ProcessPool) -> None:
    raw = json.dumps({"text": TEXT, "glossary": ["a"], "explain": True, "other": 1}).encode()
    body, warning = large.parse(raw, MaskRequest)
    assert warning == "unknown fields ignored: other"
    assert (body.text, body.glossary, body.explain, type(body)) == (TEXT, ["a"], True, MaskRequest)
    for wrong in (b"[" * 1000, b'{"text": ""}', b'{"text": "\\ud800"}', b"\xff"):
        with pytest.raises(Invalid) as refused:
            large.parse(wrong, MaskRequest)
        assert refused.value.errors[0].keys() == {"type", "loc", "msg"}


def test_an_unexpected_failure_names_only_its_type_and_affects_no_other_call(large: ProcessPool) -> None:
    before = large.pids
    with pytest.raises(WorkFailed, match=r"^ValueError$"):
        large.run(TEXT, OPTIONS, MaskWork("k", True, b"no key", False, "mask_01234567", 0.0))
    assert large.pids == before
    assert large.run("x", OPTIONS, REDACT).found == {}


def test_a_process_that_was_started_early_gets_the_first_text() -> None:
    warm = ProcessPool(2, MEMORY)
    try:
        for _ in range(2):
            warm.warm()
        before = warm.pids
        assert len(before) == 1
        assert len(warm.detect(TEXT, OPTIONS).spans) > 20
        assert warm.pids == before
    finally:
        warm.close()
    warm.warm()
    assert warm.pids == []


def test_a_process_that_is_killed_between_texts_is_replaced(large: ProcessPool) -> None:
    large.detect("x", OPTIONS)
    (pid,) = large.pids
    os.kill(pid, signal.SIGKILL)
    os.waitid(os.P_PID, pid, os.WEXITED | os.WNOWAIT)
    assert len(large.detect(TEXT, OPTIONS).spans) > 20
    assert large.pids != [pid]


def failing(large: ProcessPool) -> tuple[Thread, list[BaseException]]:
    """Gives a text to a stopped process; yields the errors of that call."""
    met: list[BaseException] = []
    large.detect("x", OPTIONS)
    (pid,) = large.pids
    os.kill(pid, signal.SIGSTOP)

    def call() -> None:
        try:
            large.detect("y" * 1_000_000, OPTIONS)
        except MaskerUnavailable as error:
            met.append(error)

    thread = Thread(target=call)
    thread.start()
    return thread, met


def test_a_process_that_is_killed_while_it_works(large: ProcessPool) -> None:
    """Its call is refused, and the next call gets another process."""
    thread, met = failing(large)
    os.kill(large.pids[0], signal.SIGKILL)
    thread.join(30)
    assert isinstance(met[0], MaskerUnavailable) and met[0].retry_after
    assert large.detect(TEXT, OPTIONS).spans


def test_a_process_that_hangs_is_replaced(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr("api.engine.pool._SECONDS_PER_BYTE", 0.0)
    large = ProcessPool(1, MEMORY)
    large.detect("x", OPTIONS)
    monkeypatch.setattr("api.engine.pool._START_SECONDS", 0.2)
    (pid,) = large.pids
    thread, met = failing(large)
    thread.join(30)
    assert isinstance(met[0], MaskerUnavailable)
    assert large.pids == [] and not Path(f"/proc/{pid}").exists()
    large.close()


def test_closing_ends_processes_that_work() -> None:
    large = ProcessPool(1, MEMORY)
    thread, met = failing(large)
    large.close()
    thread.join(30)
    assert isinstance(met[0], MaskerUnavailable)
    assert large.pids == []
    with pytest.raises(MaskerUnavailable):
        large.detect("x", OPTIONS)


def test_memory_is_bounded(large: ProcessPool) -> None:
    """A text that needs more memory than a process may have is refused; a new process answers the next one."""
    large.detect("x", OPTIONS)
    status = Path(f"/proc/{large.pids[0]}/status").read_text()
    needed = 1024 * int(next(line.split()[1] for line in status.splitlines() if line.startswith("VmPeak")))
    large = ProcessPool(1, needed + 64 * 1024**2)
    assert large.detect("0501234567", OPTIONS).spans
    (pid,) = large.pids
    with pytest.raises(MaskerUnavailable):
        large.detect(TEXT * 6000, OPTIONS)
    assert large.detect("0501234567", OPTIONS).spans
    assert large.pids != [pid]
    large.close()


ORPHAN = """
import sys
sys.path.insert(0, sys.argv[1])
from api.engine.pool import ProcessPool
from schemas.spans import DetectOptions
large = ProcessPool(1, 8 * 1024**3)
large.detect("x", DetectOptions())
print(large.pids[0], flush=True)
large.detect("Noura Alharbi, 0501234567, 2026-11-21. " * 250_000, DetectOptions())
"""


@pytest.mark.slow
def test_it_does_not_outlive_a_killed_parent() -> None:
    """Also while it works on a text that takes long."""
    command = [sys.executable, "-c", ORPHAN, str(ROOT)]
    with subprocess.Popen(command, stdout=subprocess.PIPE, text=True) as parent:
        assert parent.stdout is not None
        pid = int(parent.stdout.readline())
        begun = processor_seconds(pid)
        while processor_seconds(pid) < begun + 1:  # it has the whole text, and is at it
            os.sched_yield()
        parent.kill()
    while runs(pid):
        assert processor_seconds(pid) < begun + 4, "it goes on"
        os.sched_yield()


def processor_seconds(pid: int) -> float:
    """The processor time of a process; 0 when it has ended."""
    try:
        fields = Path(f"/proc/{pid}/stat").read_text().rpartition(")")[2].split()
    except FileNotFoundError:
        return 0.0
    return (int(fields[11]) + int(fields[12])) / os.sysconf("SC_CLK_TCK")


def runs(pid: int) -> bool:
    """Whether the process runs; a zombie does not."""
    try:
        return Path(f"/proc/{pid}/stat").read_text().rpartition(")")[2].split()[0] != "Z"
    except FileNotFoundError:
        return False


def test_a_large_parent_does_not_make_a_child_look_large() -> None:
    """The peak that the kernel tells of a child begins with that of its parent."""
    child = "from api.engine.pool_child import resident_bytes; import resource; "
    child += "print(resident_bytes(), resource.getrusage(resource.RUSAGE_SELF).ru_maxrss * 1024)"
    parent = f"import subprocess, sys; kept = b'x' * {400 * 1024**2}; "
    parent += f"subprocess.run([sys.executable, '-c', {child!r}], check=True)"
    found = subprocess.run([sys.executable, "-c", parent], capture_output=True, text=True, check=True)
    resident, peak = map(int, found.stdout.split())
    assert resident < 200 * 1024**2 < 400 * 1024**2 < peak
