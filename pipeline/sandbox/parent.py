"""Runs one verb on one untrusted document in an isolated child process that can be killed.

Each call starts a new interpreter (measured: 45 to 60 ms with its isolation, and the import of a parser), or a fork of
a process that has loaded the parsers. The request is a sealed memory file, the reply comes through a pipe; no file is
written.
"""

import base64
import compileall
import logging
import os
import re
import sys
import sysconfig
import time
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass
from functools import cache, partial
from pathlib import Path
from select import POLLIN, poll
from typing import Any, Protocol

from pipeline.codec import Malformed, to_bytes
from pipeline.sandbox import ending, interpreter, message, seccomp
from pipeline.sandbox.interpreter import ROOT
from pipeline.sandbox.isolation import REQUIRED, hide
from pipeline.sandbox.memory_file import sealed
from pipeline.sandbox.prepared import reply_pipe
from pipeline.sandbox.warm import WarmChildren
from schemas.errors import ErrorCode, StageFailed
from schemas.refusals import Reason

log = logging.getLogger("masker.sandbox")

_REASONS: dict[str, Reason] = {reason.value: reason for reason in Reason}
_CODES = frozenset(value for name, value in vars(ErrorCode).items() if name.isupper())
_TYPE_NAME = re.compile(r"[A-Za-z_][A-Za-z0-9_]{0,60}", re.ASCII)
_MEASURES = frozenset((*REQUIRED, "namespaces", "landlock"))
_BY_HAND = "set MASKER_SANDBOX=off by hand to parse untrusted documents without it"
_MIN_REPLY = 256 * 1024**2  # bytes that every child may reply
_REPLY_PER_BYTE = 8  # further bytes of the reply for each byte of the request


@dataclass(frozen=True, slots=True)
class Limits:
    """Resource limits of one child: bytes, number of processes with threads, number of open files."""

    memory: int = 2 * 1024**3  # address space of each process
    reply: int = 1024**3
    processes: int = 64
    files: int = 256


class SandboxUnavailable(Exception):
    """The isolation that the mode requires is not possible here; the message names what is missing and the setting."""


class ChildFailed(Exception):
    """The child gave no valid reply; `reason` is `died`, `garbage`, or the name of its exception type."""

    def __init__(self, reason: str) -> None:
        super().__init__(reason)
        self.reason = reason


class ChildTimeout(ChildFailed):
    """The child exceeded its time."""

    def __init__(self) -> None:
        super().__init__("timeout")


class _Child(Protocol):
    """A started child. `reply`: the descriptor that its reply comes from."""

    reply: int

    def end(self, *, is_faulty: bool) -> None:
        """Ends all its processes. `is_faulty`: it gave no valid reply."""


class Sandbox:
    """Calls verbs in isolated children; thread-safe.

    `mode`: `strict` raises SandboxUnavailable if a required measure fails, `best-effort` if all fail, `off` in neither
    case. The last two log one warning per process with the failed measures. `answers` names the function of the child
    (`module:name`); `code` are further readable directories. `preload` names the function that loads the parsers of
    OCR once, in a zygote that lives until `close` or the end of this object (None: no zygote, each child loads them
    itself). `programs`: whether children of the zygote may start programs, as Tesseract. `parsers` names the function
    that loads what all other children need, in a zygote of its own, whose children start no programs; there is one
    after `warm_parsers` only. Both return a function that children call while they wait for their request, or None.
    """

    def __init__(
        self,
        mode: str = "strict",
        *,
        limits: Limits = Limits(),
        answers: str = "pipeline.sandbox.child:answer",
        code: Sequence[Path] = (),
        preload: str | None = "pipeline.preload:readers",
        programs: bool = True,
        parsers: str = "pipeline.preload:parsers",
    ) -> None:
        self._mode = mode
        self._strict = mode == "strict"
        self.has_programs = programs
        self._limits = limits
        self._answers = answers
        packages = [path for path in sys.path if Path(path).name in ("site-packages", "dist-packages")]
        self._paths = [str(ROOT), *packages]
        self._readable = [
            *(str(ROOT / name) for name in ("pipeline", "schemas")),
            *packages,
            *(str(path) for path in code),
            *(sysconfig.get_path(name) for name in ("stdlib", "platstdlib")),
            str(Path(sys.base_prefix) / "lib"),
        ]
        # The child may not write byte code: without this, each child would compile what it imports.
        compileall.compile_dir(ROOT / "pipeline", quiet=2)
        self._keep_user = False
        self._has_parsers = False
        self._has_namespaces = False
        self._filters = {forks: self._filter(partial(seccomp.program, forks=forks)) for forks in (False, True)}
        self.missing = self._probe()
        self._has_namespaces = "namespaces" not in self.missing
        # Only Landlock keeps a zygote and its children apart that have the same user.
        is_apart = os.geteuid() == 0 or "landlock" not in self.missing
        self._warm = self._children(preload, forks=True) if preload and is_apart else None
        self._parsers = self._children(parsers, forks=False) if is_apart else None

    def warm(self) -> None:
        """Starts the zygote, so that the first call for it does not wait until it has loaded."""
        if self._warm is not None:
            self._warm.warm()

    def warm_parsers(self) -> None:
        """Starts the zygote of the parsers: from now on it forks all children that `forks` does not ask for.

        It costs as much as the import of every parser, which the children of a few documents then save.
        """
        if self._parsers is not None:
            self._has_parsers = True
            self._parsers.warm()

    def close(self) -> None:
        """Ends the zygotes when their running children have ended. The next call for one starts another."""
        for children in (self._warm, self._parsers):
            if children is not None:
                children.close()

    def call(
        self, verb: str, meta: Mapping[str, Any], blobs: Mapping[str, bytes], seconds: float, *, forks: bool = False
    ) -> tuple[dict[str, Any], dict[str, bytes]]:
        """The reply to a verb: untrusted meta and blobs, with checked sizes.

        StageFailed with the code of the child's handler; ChildTimeout after `seconds` of wall time, counted from its
        start; ChildFailed if the child crashes, is killed by a limit or sends an invalid reply. `forks`: the child
        comes from the zygote of `preload`, and may start programs if this sandbox allows it.
        """
        untrusted, results = self._run(verb, meta, blobs, seconds, forks)
        if "ok" in untrusted:
            answer = untrusted["ok"]
            if isinstance(answer, dict):
                return answer, results
        elif untrusted.get("failed") in _CODES:
            raise StageFailed(untrusted["failed"], _REASONS.get(str(untrusted.get("reason"))))
        elif isinstance(name := untrusted.get("broken"), str) and _TYPE_NAME.fullmatch(name):
            log.warning("sandbox: a child broke", extra={"verb": verb, "error": name})
            raise ChildFailed(name)
        raise ChildFailed("garbage")

    def _run(
        self, verb: str, meta: Mapping[str, Any], blobs: Mapping[str, bytes], seconds: float, forks: bool
    ) -> tuple[dict[str, Any], dict[str, bytes]]:
        parts = message.pack({"verb": verb, "meta": dict(meta)}, blobs)
        most = min(self._limits.reply, _MIN_REPLY + _REPLY_PER_BYTE * sum(map(len, blobs.values())))
        child = self._start(parts, seconds, forks)
        deadline = time.monotonic() + seconds
        is_faulty = True
        try:
            answer = message.unpack(_Reader(child.reply, deadline).exactly, most)
            is_faulty = False
        except Malformed:
            raise ChildFailed("garbage") from None
        finally:
            child.end(is_faulty=is_faulty)
        return answer

    def _start(self, message: Sequence[bytes], seconds: float, forks: bool) -> _Child:
        """A started child whose request is this message."""
        children = self._warm if forks else self._parsers if self._has_parsers else None
        warm = children.start([*_head({"seconds": seconds}), *message]) if children is not None else None
        if warm is not None:
            return warm
        head = _head({**self._plan(forks=forks), "seconds": seconds})
        return _ColdChild([*head, *message], has_namespace=self._has_namespaces)

    def _plan(self, *, forks: bool) -> dict[str, Any]:
        return {
            "parent": os.getpid(),
            "root": os.geteuid() == 0,
            "strict": self._strict,
            "stay": self._keep_user,
            "answers": self._answers,
            "paths": self._paths,
            "readable": self._readable,
            "filter": self._filters[forks and self.has_programs],
            "forks": forks and self.has_programs,
            "memory": self._limits.memory,
            "processes": self._limits.processes,
            "files": self._limits.files,
        }

    def _children(self, preload: str, *, forks: bool) -> WarmChildren:
        """The children of a zygote that has called `preload`."""
        child = self._plan(forks=forks)
        filter_ = self._filter(seccomp.zygote_program)
        plan = {**child, "child": child, "filter": filter_, "preload": preload, "namespaces": self._has_namespaces}
        return WarmChildren(plan, start_programs=child["forks"])

    def _filter(self, program: Callable[[], bytes]) -> str:
        try:
            return base64.b64encode(program()).decode()
        except seccomp.FilterUnavailable as error:
            if self._strict:
                raise SandboxUnavailable(f"MASKER_SANDBOX=strict: no seccomp ({error})") from None
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
                f"the parsers' sandbox does not start ({failure.reason}); an ordinary user must be able to read {ROOT}"
            ) from None
        answer = untrusted.get("ok", {})
        missing = tuple(sorted(_MEASURES & {*untrusted.get("missing", ()), *answer.get("leaks", ())}))
        required = [part for part in missing if part in REQUIRED]
        if self._strict and (required or "ok" not in untrusted):
            raise SandboxUnavailable(
                f"MASKER_SANDBOX=strict: the parsers' sandbox cannot be built here, missing: "
                f"{', '.join(required) or 'an answer'}"
            )
        if self._mode == "best-effort" and set(missing) == _MEASURES:
            raise SandboxUnavailable(f"no part of the parsers' sandbox can be built here; {_BY_HAND}")
        if "landlock" in missing and os.geteuid() != 0:
            hide()  # the child has the same user and could read keys in /proc
        if missing or self._mode == "off":
            _warn_once(self._mode, missing)
        return missing


@cache
def _warn_once(mode: str, missing: tuple[str, ...]) -> None:
    """Logs what protects the parsers less than it should, once per process."""
    if mode == "off":
        log.warning("sandbox: off by hand (MASKER_SANDBOX=off), missing: %s", ", ".join(missing) or "nothing")
    else:
        log.warning("sandbox: this machine refuses parts of the parsers' isolation: %s", ", ".join(missing))


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


def _head(head: Mapping[str, Any]) -> tuple[bytes, bytes]:
    """The trusted part of a request, which the child reads first."""
    written = to_bytes(head)
    return len(written).to_bytes(4, "big"), written


class _ColdChild:
    """A child in an interpreter of its own. `has_namespace`: its started process only waits for process 1."""

    def __init__(self, request: Sequence[bytes], *, has_namespace: bool) -> None:
        self._has_namespace = has_namespace
        file = sealed(request)
        try:
            self.reply, write_end = reply_pipe()
            try:
                self._process = interpreter.start("child.py", (file, write_end))
            except BaseException:
                os.close(self.reply)
                raise
            finally:
                os.close(write_end)
        finally:
            os.close(file)

    def end(self, *, is_faulty: bool) -> None:
        """Kills the session of the child. The filter keeps all its processes in it."""
        os.close(self.reply)
        process = self._process.pid
        ending.ask(process, has_namespace=self._has_namespace)
        ending.wait(process)
        ending.finish(process)
        self._process.wait()
