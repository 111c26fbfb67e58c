"""Runs one verb on one untrusted document in an isolated child process that can be killed.

Each call starts a new interpreter (measured: 45 to 60 ms with its isolation; a warm process would save little and share
state between documents). The request is a sealed memory file, the reply comes through a pipe; no file is written.
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
_MEASURES = frozenset((*REQUIRED, "namespaces", "landlock"))
_MIN_REPLY = 256 * 1024**2  # bytes that every child may reply
_REPLY_PER_BYTE = 8  # further bytes of the reply for each byte of the request
# Seconds between attempts to seal; in each attempt the kernel itself waits up to a sixth of a second.
_SEAL_WAITS = (0.0, 0.01, 0.05, 0.2, 1.0)
_END_SECONDS = 5.0  # seconds for the kernel to end all processes of a namespace
_ENVIRONMENT = {
    "PATH": "/usr/local/bin:/usr/bin:/bin",
    "HOME": "/nonexistent",
    "LANG": "C.UTF-8",
    "LC_ALL": "C.UTF-8",
    "TZ": "UTC",
    # One document, one core: the thread pools of several children would compete.
    "OMP_NUM_THREADS": "1",
    "OMP_THREAD_LIMIT": "1",
    "OPENBLAS_NUM_THREADS": "1",
    "MALLOC_ARENA_MAX": "2",
}


@dataclass(frozen=True, slots=True)
class Limits:
    """Resource limits of one child: bytes, number of processes with threads, number of open files."""

    memory: int = 2 * 1024**3  # address space of each process
    reply: int = 1024**3
    processes: int = 64
    files: int = 256


class SandboxUnavailable(Exception):
    """The isolation that strict mode requires is not possible here; the message names what is missing."""


class ChildFailed(Exception):
    """The child gave no valid reply; `reason` is `died`, `garbage`, or the name of its exception type."""

    def __init__(self, reason: str) -> None:
        super().__init__(reason)
        self.reason = reason


class ChildTimeout(ChildFailed):
    """The child exceeded its time."""

    def __init__(self) -> None:
        super().__init__("timeout")


class Sandbox:
    """Calls verbs in isolated children; thread-safe.

    `mode`: `strict` raises SandboxUnavailable if a required measure fails, `best-effort` logs one warning with the
    failed measures. `answers` names the function of the child (`module:name`); `code` are further readable directories.
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
        # The child may not write byte code: without this, each child would compile what it imports.
        compileall.compile_dir(_ROOT / "pipeline", quiet=2)
        self._keep_user = False
        self._has_namespaces = False
        self._filters = {forks: self._filter(forks=forks) for forks in (False, True)}
        self.missing = self._probe()
        self._has_namespaces = "namespaces" not in self.missing

    def call(
        self, verb: str, meta: Mapping[str, Any], blobs: Mapping[str, bytes], seconds: float, *, forks: bool = False
    ) -> tuple[dict[str, Any], dict[str, bytes]]:
        """The reply to a verb: untrusted meta and blobs, with checked sizes.

        StageFailed with the code of the child's handler; ChildTimeout after `seconds` of wall time; ChildFailed if the
        child crashes, is killed by a limit or sends an invalid reply. `forks`: the child may start programs.
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
            read_end, write_end = os.pipe2(os.O_CLOEXEC)
            try:
                child = _start(request, write_end)
            finally:
                os.close(write_end)
        except BaseException:
            os.close(request)
            raise
        os.close(request)
        try:
            most = min(self._limits.reply, _MIN_REPLY + _REPLY_PER_BYTE * sum(map(len, blobs.values())))
            return message.unpack(_Reader(read_end, deadline).exactly, most)
        except Malformed:
            raise ChildFailed("garbage") from None
        finally:
            os.close(read_end)
            _end(child, has_namespace=self._has_namespaces)

    def _plan(self, seconds: float, forks: bool) -> dict[str, Any]:
        return {
            "parent": os.getpid(),
            "strict": self._strict,
            "stay": self._keep_user,
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
        except seccomp.FilterUnavailable as error:
            if self._strict:
                raise SandboxUnavailable(f"the parsers' sandbox cannot be built: {error}") from None
            return ""

    def _probe(self) -> tuple[str, ...]:
        """The isolation measures that fail on this machine, found by starting and testing a child."""
        try:
            untrusted, _ = self._run("probe", {}, {}, 30, forks=False)
        except ChildFailed as failure:
            if os.geteuid() == 0 and not self._strict and not self._keep_user:
                self._keep_user = True  # the code may be readable for root only
                return self._probe()
            raise SandboxUnavailable(
                f"the parsers' sandbox does not start ({failure.reason}); an ordinary user must be able to read {_ROOT}"
            ) from None
        answer = untrusted.get("ok", {})
        missing = tuple(sorted(_MEASURES & {*untrusted.get("missing", ()), *answer.get("leaks", ())}))
        required = [part for part in missing if part in REQUIRED]
        if self._strict and (required or "ok" not in untrusted):
            raise SandboxUnavailable(
                f"the parsers' sandbox cannot be built here, missing: {', '.join(required) or 'an answer'}"
            )
        if "landlock" in missing and os.geteuid() != 0:
            hide()  # the child has the same user and could read keys in /proc
        if missing:
            log.warning("sandbox: this machine refuses parts of the parsers' isolation: %s", ", ".join(missing))
        return missing


def _start(request: int, write_end: int) -> subprocess.Popen[bytes]:
    """Starts an interpreter, isolated (-I), without site (-S), in its own session, so that all of it can be killed."""
    with suppress(OSError):
        fcntl.fcntl(write_end, fcntl.F_SETPIPE_SZ, 1024 * 1024)
    script = str(_ROOT / "pipeline" / "sandbox" / "child.py")
    return subprocess.Popen(
        [sys.executable, "-I", "-S", "-B", "-X", "utf8", script, str(request), str(write_end)],
        stdin=subprocess.DEVNULL,
        stdout=subprocess.DEVNULL,
        stderr=subprocess.DEVNULL,  # error messages of parsers may quote the document
        env=_ENVIRONMENT,
        cwd="/",
        pass_fds=(request, write_end),
        start_new_session=True,
    )


def _sealed(parts: Sequence[bytes]) -> int:
    """A sealed memory file with these bytes; nobody can change it, not even the child."""
    request = os.memfd_create("request", os.MFD_CLOEXEC | os.MFD_ALLOW_SEALING)
    try:
        with open(request, "wb", closefd=False) as file:
            file.writelines(parts)
        _seal(request)
    except BaseException:
        os.close(request)
        raise
    return request


def _seal(file: int) -> None:
    """Seals a memory file against every change. The kernel refuses with EBUSY while it migrates one of the pages."""
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
    """Reads exact numbers of bytes from a descriptor until a deadline on the monotonic clock."""

    def __init__(self, descriptor: int, deadline: float) -> None:
        self._descriptor = descriptor
        self._deadline = deadline
        self._poll = poll()
        self._poll.register(descriptor, POLLIN)

    def exactly(self, size: int) -> bytes:
        parts, left = [], size
        while left:
            rest = self._deadline - time.monotonic()
            if rest <= 0 or not self._poll.poll(rest * 1000):
                raise ChildTimeout
            part = os.read(self._descriptor, min(left, 1024 * 1024))
            if not part:
                raise ChildFailed("died")
            parts.append(part)
            left -= len(part)
        return b"".join(parts)


def _end(child: subprocess.Popen[bytes], *, has_namespace: bool) -> None:
    """Kills the session of the child. The filter keeps all its processes in it; with process 1 its namespace ends.

    `has_namespace`: the started process only waits for process 1 and gets time to reap it.
    """
    if has_namespace and child.poll() is None:
        child.terminate()
        with suppress(OSError):
            process = os.pidfd_open(child.pid)
            end_poll = poll()
            end_poll.register(process, POLLIN)
            end_poll.poll(_END_SECONDS * 1000)
            os.close(process)
    with suppress(ProcessLookupError, PermissionError):
        os.killpg(child.pid, signal.SIGKILL)
    child.kill()
    child.wait()
