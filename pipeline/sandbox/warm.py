"""Forks sandbox children from a zygote: a process that has loaded the parsers once and holds no document.

A child is isolated like one in an interpreter of its own and ends with its call. The zygote is started with the first
call. It is replaced after a fault of its own or of a child, so that no document meets an address space that another one
has explored, and after a number of children.

Where children start no programs, a spare one waits for the next call: it is forked and isolated while the call before
is answered. And a call does not wait until its child is gone, which without programs is one process: the next one does.
"""

import logging
import os
import socket
import subprocess
import threading
import time
import weakref
from collections import deque
from collections.abc import Mapping, Sequence
from contextlib import suppress
from typing import Any, NamedTuple

from pipeline.codec import to_bytes
from pipeline.sandbox import ending, interpreter
from pipeline.sandbox.memory_file import sealed
from pipeline.sandbox.message import READY
from pipeline.sandbox.prepared import Prepared

log = logging.getLogger("masker.sandbox")

_MAX_CHILDREN = 1000  # children of one zygote
_LOAD_SECONDS = 60.0  # seconds for a zygote to load what it preloads
_FORK_SECONDS = 10.0  # seconds for a zygote to fork
_RETRY_SECONDS = 60.0  # seconds without a zygote after one could not be started


class Unavailable(Exception):
    """No zygote could be started; the message is `died`, `timeout` or the name of an exception type."""


class Zygote:
    """One running zygote. Unavailable or OSError if it cannot be started."""

    def __init__(self, plan: Mapping[str, Any]) -> None:
        self._owner = os.getpid()
        self._lock = threading.Lock()
        self.users = 0  # running children
        self.children = 0  # running and ended children
        self._spare: Prepared | None = None
        self._control, theirs = socket.socketpair(socket.AF_UNIX, socket.SOCK_SEQPACKET)
        try:
            with theirs:
                self._process = _started(plan, theirs)
        except OSError:
            self._control.close()
            raise
        try:
            self._wait_until_ready()
        except BaseException:
            self.end()
            raise

    def is_usable(self) -> bool:
        """Whether it may fork another child."""
        return self.children < _MAX_CHILDREN and not ending.has_exited(self._process.pid)

    def fork(self) -> Prepared:
        """A child that it forks now. OSError if it cannot be told to."""
        return Prepared(self._control)

    def prepare(self) -> None:
        """Has it fork a spare child, if there is none and it may fork another."""
        with self._lock:
            if self._spare is None and self.children < _MAX_CHILDREN:
                with suppress(OSError):
                    self._spare = Prepared(self._control)

    def take_spare(self) -> Prepared | None:
        """The spare child, which the caller ends."""
        with self._lock:
            spare, self._spare = self._spare, None
        return spare

    def end(self) -> None:
        """Kills the zygote and its children. In a process that the owner forked, it only closes the socket."""
        self.end_spare()
        with self._lock:
            if os.getpid() == self._owner and self._process.returncode is None:
                ending.finish_session(self._process.pid)
                self._process.wait()
            self._control.close()

    def end_spare(self) -> None:
        """Ends the spare child, if there is one, and waits for it: its zygote reaps it."""
        spare = self.take_spare()
        if spare is not None:
            if os.getpid() == self._owner:
                spare.end()
                spare.has_ended(ending.END_SECONDS)
            spare.close()

    def _wait_until_ready(self) -> None:
        self._control.settimeout(_LOAD_SECONDS)
        try:
            said = self._control.recv(100)
        except TimeoutError:
            raise Unavailable("timeout") from None
        except OSError:
            said = b""
        if said != READY:
            raise Unavailable(said.decode("ascii", "replace") or "died")
        self._control.settimeout(_FORK_SECONDS)


def _started(plan: Mapping[str, Any], control: socket.socket) -> subprocess.Popen[bytes]:
    file = sealed([to_bytes({**plan, "parent": os.getpid()})])
    try:
        return interpreter.start("zygote.py", (file, control.fileno()))
    finally:
        os.close(file)


class WarmChild:
    """A child of a zygote that handles one request. `reply`: the descriptor that its reply comes from."""

    def __init__(self, children: "WarmChildren", zygote: Zygote, process: Prepared) -> None:
        self._children = children
        self._zygote = zygote
        self._process = process
        self.reply = process.reply

    def end(self, *, is_faulty: bool) -> None:
        """Ends all its processes. `is_faulty`: it gave no valid reply, so that its zygote forks no other child."""
        self._process.end()
        self._children.end(self._process, self._zygote, is_faulty=is_faulty)


class _Leaving(NamedTuple):
    """A child that was told to end, and when its zygote is too late for that (monotonic seconds)."""

    process: Prepared
    zygote: Zygote
    last_moment: float


class WarmChildren:
    """Starts children from one zygote at a time, which ends with this object or its process; thread-safe.

    `plan`: what `isolation.prepare` needs, and `answers`, `strict`, `preload`, `namespaces` (whether a child has them),
    `child` (the plan of `child.main_of_fork`). `start_programs`: whether children do.
    """

    _lock: threading.Lock
    _current: Zygote | None
    _leaving: deque[_Leaving]
    _finalizers: "dict[Zygote, weakref.finalize[[Zygote, deque[_Leaving]], WarmChildren]]"

    def __init__(self, plan: Mapping[str, Any], *, start_programs: bool) -> None:
        self._plan = plan
        self._start_programs = start_programs
        self._next_try = 0.0
        self._has_warned = False
        self.forget()
        _INSTANCES.add(self)

    def start(self, request: Sequence[bytes]) -> WarmChild | None:
        """A child for the request of these bytes; None if there is no zygote."""
        self._finish_leaving()
        for _ in range(2):  # the first may have died a moment ago
            zygote = self._acquire()
            if zygote is None:
                return None
            try:
                process = _asked(zygote, request)
            except BaseException:
                self._release(zygote, is_faulty=False)
                raise
            if process is not None:
                self._prepare(zygote)
                return WarmChild(self, zygote, process)
            self._release(zygote, is_faulty=True)
        return None

    def warm(self) -> None:
        """Starts a zygote if there is none."""
        with self._lock:
            if self._current is None:
                self._current = self._started()
            zygote = self._current
        if zygote is not None:
            self._prepare(zygote)

    def end(self, process: Prepared, zygote: Zygote, *, is_faulty: bool) -> None:
        """Ends the use of a zygote by a child that was told to end."""
        leaving = _Leaving(process, zygote, time.monotonic() + 2 * ending.END_SECONDS)
        with self._lock:
            waits = is_faulty or self._start_programs or zygote is not self._current
            if not waits:
                self._leaving.append(leaving)
        if waits:
            self._finish(leaving, is_faulty=is_faulty)
        if is_faulty:
            self._finish_leaving()

    def close(self) -> None:
        """Ends the zygote when its running children have ended. A later child starts another."""
        self._finish_leaving()
        with self._lock:
            zygote, self._current = self._current, None
            is_over = zygote is not None and not zygote.users
        if zygote is not None:
            self._retire(zygote, is_over=is_over)

    def forget(self) -> None:
        """Leaves the zygote to the process that started it: for a process that it forked."""
        self._lock = threading.Lock()
        self._current = None
        self._leaving = deque()
        self._finalizers = {}

    def _acquire(self) -> Zygote | None:
        unused = None
        with self._lock:
            if self._current is not None and not self._current.is_usable():
                unused = None if self._current.users else self._current
                self._current = None
            if self._current is None:
                self._current = self._started()
            if self._current is not None:
                self._current.users += 1
                self._current.children += 1
            zygote = self._current
        if unused is not None:
            self._retire(unused, is_over=True)
        return zygote

    def _prepare(self, zygote: Zygote) -> None:
        if not self._start_programs and zygote is self._current:
            zygote.prepare()

    def _finish_leaving(self) -> None:
        while True:
            try:
                leaving = self._leaving.popleft()
            except IndexError:
                return
            self._finish(leaving, is_faulty=False)

    def _finish(self, leaving: _Leaving, *, is_faulty: bool) -> None:
        """Waits until a child is gone, and kills its zygote if that does not end it in time."""
        has_ended = leaving.process.has_ended(max(0.0, leaving.last_moment - time.monotonic()))
        leaving.process.close()
        if not has_ended:
            leaving.zygote.end()
        self._release(leaving.zygote, is_faulty=is_faulty or not has_ended)

    def _release(self, zygote: Zygote, *, is_faulty: bool) -> None:
        """Ends the use of a zygote by one child, and the zygote if it was the last use of a replaced one."""
        with self._lock:
            zygote.users -= 1
            if is_faulty and zygote is self._current:
                self._current = None
            is_replaced, is_over = zygote is not self._current, not zygote.users
        if is_replaced:
            self._retire(zygote, is_over=is_over)

    def _retire(self, zygote: Zygote, *, is_over: bool) -> None:
        """Ends a zygote that is replaced, if no child runs, or else its spare child."""
        finalizer = self._finalizers.pop(zygote, None) if is_over else None
        if finalizer is not None:
            finalizer()
        else:
            zygote.end_spare()

    def _started(self) -> Zygote | None:
        if time.monotonic() < self._next_try:
            return None
        try:
            zygote = Zygote(self._plan)
        except (Unavailable, OSError) as error:
            reason = str(error) if isinstance(error, Unavailable) else type(error).__name__
            self._next_try = time.monotonic() + _RETRY_SECONDS
            if not self._has_warned:
                log.warning("sandbox: no warm process: each child loads the parsers itself", extra={"reason": reason})
            self._has_warned = True
            return None
        self._finalizers[zygote] = weakref.finalize(self, _end, zygote, self._leaving)
        return zygote


def _asked(zygote: Zygote, request: Sequence[bytes]) -> Prepared | None:
    """A child that has its request: the spare one if it lives, or else one that is forked now; None if none is."""
    spare = zygote.take_spare()
    if spare is not None and spare.ask(request, _FORK_SECONDS):
        return spare
    try:
        process = zygote.fork()
    except OSError:
        return None
    return process if process.ask(request, _FORK_SECONDS) else None


def _end(zygote: Zygote, leaving: deque[_Leaving]) -> None:
    """Ends a zygote, with its children that were told to end."""
    for each in leaving:
        if each.zygote is zygote:
            each.process.close()
    zygote.end()


_INSTANCES: "weakref.WeakSet[WarmChildren]" = weakref.WeakSet()


def _forget_all() -> None:
    for instance in _INSTANCES:
        instance.forget()


os.register_at_fork(after_in_child=_forget_all)
