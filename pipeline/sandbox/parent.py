"""Runs one verb on one untrusted document in a killable child process: the parsers' cage, seen from outside.

Each call starts a fresh interpreter (measured: 45-60 ms with its cage; a warm server would save little and share state
between documents). Bytes go in through a sealed memory file and come back through a pipe; nothing touches a disk.
"""

import base64
import compileall
import errno
import fcntl
import logging
import os
import re
import signal
import subprocess
import sys
import sysconfig
import time
from collections.abc import Mapping, Sequence
from contextlib import suppress
from dataclasses import dataclass
from pathlib import Path
from select import POLLIN, poll
from typing import Any

from pipeline.codec import Malformed, to_bytes
from pipeline.sandbox import message, seccomp
from pipeline.sandbox.isolation import REQUIRED, hide
from schemas.errors import ErrorCode, StageFailed
from schemas.refusals import Reason

log = logging.getLogger("masker.sandbox")

_ROOT = Path(__file__).resolve().parents[2]
_REASONS: dict[str, Reason] = {reason.value: reason for reason in Reason}
_CODES = frozenset(value for name, value in vars(ErrorCode).items() if name.isupper())
_TYPE_NAME = re.compile(r"[A-Za-z_][A-Za-z0-9_]{0,60}", re.ASCII)
_PARTS = frozenset((*REQUIRED, "namespaces", "landlock"))
_LEAST_REPLY = 256 * 1024**2  # bytes that any child may answer
_REPLY_PER_BYTE = 8  # how many more for each byte that it was given
_SEAL_WAITS = (0.0, 0.01, 0.05, 0.2, 1.0)  # seconds between tries; the kernel itself waits for a sixth of one in each
_PATIENCE = 5.0  # seconds for the kernel to empty a namespace
_ENVIRONMENT = {
    "PATH": "/usr/local/bin:/usr/bin:/bin",
    "HOME": "/nonexistent",
    "LANG": "C.UTF-8",
    "LC_ALL": "C.UTF-8",
    "TZ": "UTC",
    # One document, one core: thread pools of the parsers' libraries only fight each other.
    "OMP_NUM_THREADS": "1",
    "OMP_THREAD_LIMIT": "1",
    "OPENBLAS_NUM_THREADS": "1",
    "MALLOC_ARENA_MAX": "2",
}


@dataclass(frozen=True, slots=True)
class Limits:
    """What one child may use. Bytes, and counts of processes with threads and of open files."""

    memory: int = 2 * 1024**3  # address space of each process
    reply: int = 1024**3
    processes: int = 64
    files: int = 256


class CageUnavailable(Exception):
    """Strict mode, and the cage cannot be built here; the message names what is missing."""


class ChildFailed(Exception):
    """The child ended without a usable answer; `reason` is `died`, `garbage`, or the type name of its exception."""

    def __init__(self, reason: str) -> None:
        super().__init__(reason)
        self.reason = reason


class ChildTimeout(ChildFailed):
    """The child took longer than it may."""

    def __init__(self) -> None:
        super().__init__("timeout")


class Sandbox:
    """Calls verbs in caged children; safe from many threads.

    `mode`: `strict` raises CageUnavailable where the cage cannot be built, `best-effort` warns once, naming what is
    missing. `answers` names the child's function (`module:name`); `code` are further directories that it may read.
    """

    def __init__(
        self,
        mode: str = "strict",
        *,
        limits: Limits = Limits(),
        answers: str = "pipeline.sandbox.child:answer",
        code: Sequence[Path] = (),
    ) -> None:
        self._strict = mode == "strict"
        self._limits = limits
        self._answers = answers
        packages = [path for path in sys.path if Path(path).name in ("site-packages", "dist-packages")]
        self._paths = [str(_ROOT), *packages]
        self._readable = [
            *(str(_ROOT / name) for name in ("pipeline", "schemas")),
            *packages,
            *(str(path) for path in code),
            *(sysconfig.get_path(name) for name in ("stdlib", "platstdlib")),
            str(Path(sys.base_prefix) / "lib"),
        ]
        # The child may not write, and nobody else imports what it imports: without this it would compile at each start.
        compileall.compile_dir(_ROOT / "pipeline", quiet=2)
        self._stay = False
        self._apart = False
        self._filters = {forks: self._filter(forks=forks) for forks in (False, True)}
        self.missing = self._probe()
        self._apart = "namespaces" not in self.missing

    def call(
        self, verb: str, meta: Mapping[str, Any], blobs: Mapping[str, bytes], seconds: float, *, forks: bool = False
    ) -> tuple[dict[str, Any], dict[str, bytes]]:
        """The verb's answer, still untrusted: meta and blobs of checked sizes.

        Raises StageFailed with the code that the child's handler chose, ChildTimeout after `seconds` of wall time,
        ChildFailed when it crashes, is killed by a limit or answers nonsense. `forks`: it may start other programs.
        """
        untrusted, results = self._run(verb, meta, blobs, seconds, forks)
        if "ok" in untrusted:
            answer = untrusted["ok"]
            if isinstance(answer, dict):
                return answer, results
        elif untrusted.get("failed") in _CODES:
            raise StageFailed(untrusted["failed"], _REASONS.get(str(untrusted.get("reason"))))
        elif isinstance(name := untrusted.get("broken"), str) and _TYPE_NAME.fullmatch(name):
            log.warning("sandbox: %s broke with %s", verb, name)
            raise ChildFailed(name)
        raise ChildFailed("garbage")

    def _run(
        self, verb: str, meta: Mapping[str, Any], blobs: Mapping[str, bytes], seconds: float, forks: bool
    ) -> tuple[dict[str, Any], dict[str, bytes]]:
        deadline = time.monotonic() + seconds
        plan = to_bytes(self._plan(seconds, forks))
        request = _sealed(
            [len(plan).to_bytes(4, "big"), plan, *message.pack({"verb": verb, "meta": dict(meta)}, blobs)]
        )
        try:
            reading, writing = os.pipe2(os.O_CLOEXEC)
            try:
                child = _start(request, writing)
            finally:
                os.close(writing)
        except BaseException:
            os.close(request)
            raise
        os.close(request)
        try:
            most = min(self._limits.reply, _LEAST_REPLY + _REPLY_PER_BYTE * sum(map(len, blobs.values())))
            return message.unpack(_Reader(reading, deadline).exactly, most)
        except Malformed:
            raise ChildFailed("garbage") from None
        finally:
            os.close(reading)
            _end(child, gently=self._apart)

    def _plan(self, seconds: float, forks: bool) -> dict[str, Any]:
        return {
            "parent": os.getpid(),
            "strict": self._strict,
            "stay": self._stay,
            "answers": self._answers,
            "paths": self._paths,
            "readable": self._readable,
            "filter": self._filters[forks],
            "forks": forks,
            "seconds": seconds,
            "memory": self._limits.memory,
            "processes": self._limits.processes,
            "files": self._limits.files,
        }

    def _filter(self, *, forks: bool) -> str:
        try:
            return base64.b64encode(seccomp.program(forks=forks)).decode()
        except seccomp.NoFilter as error:
            if self._strict:
                raise CageUnavailable(f"the parsers' sandbox cannot be built: {error}") from None
            return ""

    def _probe(self) -> tuple[str, ...]:
        """The parts of the cage that this machine refuses, by building one and trying its bars."""
        try:
            untrusted, _ = self._run("probe", {}, {}, 30, forks=False)
        except ChildFailed as failure:
            if os.geteuid() == 0 and not self._strict and not self._stay:
                self._stay = True  # the code may be readable for root alone
                return self._probe()
            raise CageUnavailable(
                f"the parsers' sandbox does not start ({failure.reason}); an ordinary user must be able to read {_ROOT}"
            ) from None
        answer = untrusted.get("ok", {})
        missing = tuple(sorted(_PARTS & {*untrusted.get("missing", ()), *answer.get("leaks", ())}))
        needed = [part for part in missing if part in REQUIRED]
        if self._strict and (needed or "ok" not in untrusted):
            raise CageUnavailable(
                f"the parsers' sandbox cannot be built here, missing: {', '.join(needed) or 'an answer'}"
            )
        if "landlock" in missing and os.geteuid() != 0:
            hide()  # the child has our user, and could read our keys in /proc
        if missing:
            log.warning("sandbox: this machine refuses parts of the parsers' cage: %s", ", ".join(missing))
        return missing


def _start(request: int, writing: int) -> subprocess.Popen[bytes]:
    """A fresh interpreter, isolated (-I), without site (-S), in a session of its own so that it can be killed whole."""
    with suppress(OSError):
        fcntl.fcntl(writing, fcntl.F_SETPIPE_SZ, 1024 * 1024)
    script = str(_ROOT / "pipeline" / "sandbox" / "child.py")
    return subprocess.Popen(
        [sys.executable, "-I", "-S", "-B", "-X", "utf8", script, str(request), str(writing)],
        stdin=subprocess.DEVNULL,
        stdout=subprocess.DEVNULL,
        stderr=subprocess.DEVNULL,  # a parser's complaint may quote the document
        env=_ENVIRONMENT,
        cwd="/",
        pass_fds=(request, writing),
        start_new_session=True,
    )


def _sealed(pieces: Sequence[bytes]) -> int:
    """A memory file that holds the pieces and can no longer be changed, not even by the child."""
    request = os.memfd_create("request", os.MFD_CLOEXEC | os.MFD_ALLOW_SEALING)
    try:
        with open(request, "wb", closefd=False) as file:
            file.writelines(pieces)
        _seal(request)
    except BaseException:
        os.close(request)
        raise
    return request


def _seal(file: int) -> None:
    """Seals a memory file against everything. The kernel refuses for as long as it moves one of the pages about."""
    seals = fcntl.F_SEAL_WRITE | fcntl.F_SEAL_GROW | fcntl.F_SEAL_SHRINK | fcntl.F_SEAL_SEAL
    for wait in _SEAL_WAITS:
        try:
            fcntl.fcntl(file, fcntl.F_ADD_SEALS, seals)
        except OSError as error:
            if error.errno != errno.EBUSY:
                raise
            time.sleep(wait)
        else:
            return
    fcntl.fcntl(file, fcntl.F_ADD_SEALS, seals)


class _Reader:
    """Reads exactly what is asked for from a descriptor until a deadline on the monotonic clock."""

    def __init__(self, descriptor: int, deadline: float) -> None:
        self._descriptor = descriptor
        self._deadline = deadline
        self._poll = poll()
        self._poll.register(descriptor, POLLIN)

    def exactly(self, size: int) -> bytes:
        pieces, left = [], size
        while left:
            rest = self._deadline - time.monotonic()
            if rest <= 0 or not self._poll.poll(rest * 1000):
                raise ChildTimeout
            piece = os.read(self._descriptor, min(left, 1024 * 1024))
            if not piece:
                raise ChildFailed("died")
            pieces.append(piece)
            left -= len(piece)
        return b"".join(pieces)


def _end(child: subprocess.Popen[bytes], *, gently: bool) -> None:
    """Kills the child's whole session; the filter keeps everything in it, and process 1 takes its namespace along.

    `gently`: the process we started only waits for process 1, and is given the time to reap it.
    """
    if gently and child.poll() is None:
        child.terminate()
        with suppress(OSError):
            ending = os.pidfd_open(child.pid)
            waiting = poll()
            waiting.register(ending, POLLIN)
            waiting.poll(_PATIENCE * 1000)
            os.close(ending)
    with suppress(ProcessLookupError, PermissionError):
        os.killpg(child.pid, signal.SIGKILL)
    child.kill()
    child.wait()
