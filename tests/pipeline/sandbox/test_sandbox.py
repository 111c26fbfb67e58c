"""A document that kills or hangs the sandbox child fails its call; the worker continues.

Every attack runs against a child in an interpreter of its own and against one that a zygote forked.
"""

import ctypes
import mmap
import os
import resource
import secrets
import signal
import tempfile
import threading
import time
from collections.abc import Iterator
from concurrent.futures import ThreadPoolExecutor
from contextlib import suppress
from pathlib import Path

import pytest

from pipeline.sandbox.parent import ChildFailed, ChildTimeout, Limits, Sandbox
from schemas.errors import StageFailed
from tests.servers.process import descendants

TESTS = Path(__file__).parents[2]
SABOTEURS = {"answers": "tests.pipeline.sandbox.saboteurs:answer", "code": (TESTS,)}
PRELOAD = "tests.pipeline.sandbox.saboteurs:preload"


class WarmSandbox(Sandbox):
    """Every child comes from a zygote."""

    def call(self, verb, meta, blobs, seconds, *, forks=False):
        return super().call(verb, meta, blobs, seconds, forks=True)


@pytest.fixture(scope="module", params=["cold", "warm", pytest.param("warm without programs", marks=pytest.mark.slow)])
def sandbox(request: pytest.FixtureRequest) -> Iterator[Sandbox]:
    limits = Limits(memory=512 * 1024**2, reply=4 * 1024**2)
    if request.param == "cold":
        yield Sandbox("strict", limits=limits, preload=None, **SABOTEURS)
        return
    has_programs = request.param == "warm"
    sandbox = WarmSandbox("strict", limits=limits, preload=PRELOAD, programs=has_programs, **SABOTEURS)
    assert sandbox.call("is_preloaded", {}, {}, 20)[0] == {"preloaded": True}
    yield sandbox
    assert sandbox.call("is_preloaded", {}, {}, 20)[0] == {"preloaded": True}
    sandbox.close()


def reason(sandbox: Sandbox, verb: str, meta: dict | None = None, *, forks: bool = False, seconds: float = 20) -> str:
    with pytest.raises(ChildFailed) as failure:
        sandbox.call(verb, meta or {}, {}, seconds, forks=forks)
    return failure.value.reason


def test_bytes_and_words_go_there_and_back(sandbox: Sandbox):
    meta = {"text": "هوية 1012345672", "number": 5, "list": [None, True, 1.5]}
    blobs = {"data": secrets.token_bytes(3_000_000), "empty": b"", "قناة": b"\x00\xff"}
    assert sandbox.call("echo", meta, blobs, 20) == (meta, blobs)


@pytest.mark.parametrize("verb", ["hang", "spin", "false_size", "two_names"])
def test_a_child_that_never_ends_is_killed_in_time(sandbox: Sandbox, verb: str):
    started = time.monotonic()
    assert reason(sandbox, verb, seconds=0.5) in {"timeout", "garbage"}
    assert time.monotonic() - started < 10


def test_a_hang_is_told_from_a_crash(sandbox: Sandbox):
    with pytest.raises(ChildTimeout):
        sandbox.call("hang", {}, {}, 0.5)


def test_a_child_that_is_frozen_goes_on_when_it_is_thawed(sandbox: Sandbox):
    """As by SIGSTOP, or when a machine sleeps."""
    with ThreadPoolExecutor(1) as thread:
        running = thread.submit(sandbox.call, "take_a_second", {}, {}, 20)
        time.sleep(0.5)
        children = descendants(os.getpid())[1:]
        for signal_ in (signal.SIGSTOP, signal.SIGCONT):
            for child in children:
                with suppress(ProcessLookupError):
                    os.kill(child, signal_)
            time.sleep(0.2)
        assert running.result() == ({"done": True}, {})


@pytest.mark.parametrize("verb", ["die", "segfault", "kill_itself", "close_everything", "cut_short"])
def test_a_child_that_dies_fails_its_call(sandbox: Sandbox, verb: str):
    assert reason(sandbox, verb) == "died"


@pytest.mark.parametrize("verb", ["garbage", "flood", "not_an_object", "false_size", "two_names"])
def test_a_child_that_answers_nonsense_fails_its_call(sandbox: Sandbox, verb: str):
    assert reason(sandbox, verb) == "garbage"


def test_an_answer_past_the_bound_is_not_even_read(sandbox: Sandbox):
    assert len(sandbox.call("large", {"size": 3 * 1024**2}, {}, 20)[1]["data"]) == 3 * 1024**2
    before = resource.getrusage(resource.RUSAGE_SELF).ru_maxrss
    assert reason(sandbox, "large", {"size": 200 * 1024**2}) == "garbage"
    assert resource.getrusage(resource.RUSAGE_SELF).ru_maxrss - before < 100 * 1024  # KiB


def test_a_child_that_eats_memory_meets_its_limit(sandbox: Sandbox):
    assert reason(sandbox, "hog") == "MemoryError"


def test_noise_on_the_standard_streams_is_not_an_answer(sandbox: Sandbox, capfd: pytest.CaptureFixture[str]):
    assert sandbox.call("noise", {}, {}, 20) == ({"said": "something"}, {})
    assert capfd.readouterr() == ("", "")


@pytest.mark.parametrize("verb", ["raise_text", "leave"])
def test_no_text_of_a_document_leaves_with_an_exception(
    sandbox: Sandbox, verb: str, caplog: pytest.LogCaptureFixture, capfd: pytest.CaptureFixture[str]
):
    said = reason(sandbox, verb, {"secret": "Fahad Alqahtani 1012345672"})
    assert said in {"ValueError", "SystemExit"}
    assert "1012345672" not in caplog.text + "".join(capfd.readouterr())
    assert said in caplog.text


def test_a_handler_chooses_among_the_known_codes_only(sandbox: Sandbox):
    with pytest.raises(StageFailed) as failure:
        sandbox.call("refuse", {"code": "unsupported_format"}, {}, 20)
    assert failure.value.code == "unsupported_format"
    assert reason(sandbox, "refuse", {"code": "Fahad Alqahtani"}) == "garbage"


def test_it_reaches_no_network(sandbox: Sandbox):
    tried, _ = sandbox.call("network", {}, {}, 20)
    assert tried.pop("dns") in {"EPERM", "gaierror", "?"}
    assert set(tried.values()) <= {"EPERM", "ENOSYS"}, tried


def test_where_none_are_needed_no_programs_start(sandbox: Sandbox):
    if sandbox.has_programs:
        pytest.skip("it may start programs")
    assert reason(sandbox, "program", {"command": ["/usr/bin/true"]}) == "PermissionError"


def test_programs_that_ocr_starts_reach_no_network_either(sandbox: Sandbox):
    if not sandbox.has_programs:
        pytest.skip("it starts none")
    code = "import socket\ntry: socket.socket()\nexcept PermissionError: print('denied')"
    meta, blobs = sandbox.call("program", {"command": ["/usr/bin/python3", "-c", code]}, {}, 20, forks=True)
    if meta["status"] == 127 or "No such file" in meta["errors"]:
        pytest.skip("no system Python")
    assert blobs["data"] == b"denied\n", meta


def test_it_starts_nothing_and_touches_no_other_process(sandbox: Sandbox):
    tried, _ = sandbox.call("processes", {"victim": os.getpid()}, {}, 20)
    if sandbox.has_programs and isinstance(sandbox, WarmSandbox):  # a child for OCR may start programs
        tried.pop("fork"), tried.pop("exec")
    assert not [name for name, outcome in tried.items() if outcome.startswith("worked")], tried


def test_it_is_an_ordinary_user_without_secrets(sandbox: Sandbox, monkeypatch: pytest.MonkeyPatch):
    monkeypatch.setenv("MASKER_MASTER_KEY", "c2VjcmV0")
    shown, _ = sandbox.call("who", {}, {}, 20)
    assert 0 not in shown["users"]
    assert shown["privileges"] == "EPERM"
    assert shown["raise"] != "worked: None"
    assert shown["memory"] == [512 * 1024**2] * 2
    assert shown["core"] == [0, 0]
    assert "c2VjcmV0" not in str(shown["environment"])
    assert {name for name in shown["environment"] if name.startswith("MASKER")} == set()
    assert not {"pydantic", "sqlalchemy", "redis", "pymupdf", "lxml"} & set(shown["modules"])


@pytest.fixture
def open_directory():
    """A directory that every user may read and write, unlike the one of pytest."""
    with tempfile.TemporaryDirectory() as name:
        Path(name).chmod(0o777)
        yield Path(name)


def test_it_reads_no_file_but_code_and_writes_none(sandbox: Sandbox, open_directory: Path):
    secret = open_directory / "master.key"
    secret.write_text("secret")
    read = {
        "key": str(secret),
        "parent": f"/proc/{os.getpid()}/environ",
        "users": "/etc/passwd",
        "root": "/root/.profile",
    }
    write = [str(open_directory / "left"), "/tmp/masker-left-behind", "/dev/shm/masker-left-behind"]
    shown, _ = sandbox.call("files", {"read": read, "write": write}, {}, 20)
    if "landlock" in sandbox.missing:
        shown.pop("key"), shown.pop("users")
    assert not [name for name, outcome in shown.items() if outcome.startswith("worked: b")], shown
    assert not [path for path in write if Path(path).exists() and Path(path).stat().st_size]
    assert shown["memory file"] == "EFBIG"


def running(marker: str) -> list[str]:
    found = []
    for path in Path("/proc").glob("[0-9]*/cmdline"):
        try:
            if marker.encode() in path.read_bytes().split(b"\0"):
                found.append(path.parent.name)
        except OSError:
            continue
    return found


def gone(marker: str) -> bool:
    """Whether all of them ended: the kernel ends a namespace shortly after its process 1 is reaped."""
    patience = threading.Event()
    return any(not running(marker) or patience.wait(0.02) for _ in range(500))


def test_nothing_that_it_started_outlives_it(sandbox: Sandbox):
    if not sandbox.has_programs:
        pytest.skip("it starts none")
    marker = f"{secrets.randbelow(9_000_000) + 90_000_000}"
    meta, _ = sandbox.call("daemon", {"marker": marker}, {}, 20, forks=True)
    assert meta == {"escaped": []}
    assert gone(marker)


def test_a_fork_bomb_ends_with_its_call(sandbox: Sandbox):
    assert reason(sandbox, "fork_bomb", forks=True, seconds=1) in {"timeout", "died"}
    assert sandbox.call("echo", {"still": "here"}, {}, 20)[0] == {"still": "here"}


def test_many_threads_call_at_once_and_each_gets_its_own_answer(sandbox: Sandbox):
    def call(number: int) -> object:
        if number % 4 == 0:
            return reason(sandbox, "segfault")
        return sandbox.call("echo", {"number": number}, {"data": bytes([number]) * 70_000}, 60)

    with ThreadPoolExecutor(4) as pool:
        answers = list(pool.map(call, range(12)))
    for number, given in enumerate(answers):
        assert given == ("died" if number % 4 == 0 else ({"number": number}, {"data": bytes([number]) * 70_000}))


@pytest.fixture
def reaper():
    """Makes this process the subreaper of orphans, like process 1 of a container."""
    libc = ctypes.CDLL(None)
    libc.prctl(36, 1, 0, 0, 0)
    yield
    libc.prctl(36, 0, 0, 0, 0)


@pytest.mark.usefixtures("reaper")
def test_a_call_leaves_no_descriptor_and_no_zombie(sandbox: Sandbox):
    def held() -> tuple[int, int]:
        children = Path(f"/proc/self/task/{threading.get_native_id()}/children")
        return len(list(Path("/proc/self/fd").iterdir())), len(children.read_text().split())

    sandbox.call("echo", {}, {}, 20)
    before = held()
    for verb in ("die", "garbage", "hang", "echo"):
        try:
            sandbox.call(verb, {}, {}, 0.5 if verb == "hang" else 20)
        except ChildFailed:
            continue
    assert held() == before


def test_a_request_that_the_kernel_is_still_busy_with_is_waited_for(sandbox: Sandbox, monkeypatch: pytest.MonkeyPatch):
    create, waits = os.memfd_create, []

    def create_busy(name: str, flags: int) -> int:
        file = create(name, flags)
        os.ftruncate(file, 1)
        in_use = mmap.mmap(file, 1)  # while it is mapped for writing the kernel refuses the seal: EBUSY
        waits.append(in_use)
        threading.Timer(0.3, in_use.close).start()
        return file

    monkeypatch.setattr(os, "memfd_create", create_busy)
    for _ in range(2):  # a spare child has its file since the call before
        _, blobs = sandbox.call("echo", {}, {"a": b"text"}, 20)
        assert blobs == {"a": b"text"}
    assert waits[0].closed
