"""Forks sandbox children from a zygote: a process that has loaded the parsers once and holds no document.

A child is isolated like one in an interpreter of its own and ends with its call. The zygote is started with the first
call. It is replaced after a fault of its own or of a child, so that no document meets an address space that another one
has explored, and after a number of children.
"""

import array
import logging
import os
import socket
import subprocess
import threading
import time
import weakref
from collections.abc import Mapping
from typing import Any

from pipeline.codec import to_bytes
from pipeline.sandbox import ending, interpreter
from pipeline.sandbox.memory_file import sealed
from pipeline.sandbox.message import FORKED, READY

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
        self._end_lock = threading.Lock()
        self.users = 0  # running children
        self.children = 0  # running and ended children
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

    def fork(self, request: int, reply: int) -> socket.socket | None:
        """The connection of a new child that handles `request`; None if the zygote does not fork it."""
        try:
            connection, theirs = socket.socketpair()
        except OSError:
            return None
        try:
            with theirs:
                descriptors = array.array("i", [request, reply, theirs.fileno()])
                self._control.sendmsg([FORKED], [(socket.SOL_SOCKET, socket.SCM_RIGHTS, descriptors)])
            connection.settimeout(_FORK_SECONDS)
            if connection.recv(1) == FORKED:
                return connection
        except OSError:
            pass
        connection.close()
        return None

    def end(self) -> None:
        """Kills the zygote and its children. In a process that the owner forked, it only closes the socket."""
        with self._end_lock:
            if os.getpid() == self._owner and self._process.returncode is None:
                ending.finish_session(self._process.pid)
                self._process.wait()
            self._control.close()

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
    """A child of a zygote that handles one request."""

    def __init__(self, children: "WarmChildren", zygote: Zygote, connection: socket.socket) -> None:
        self._children = children
        self._zygote = zygote
        self._connection = connection

    def end(self, *, is_faulty: bool) -> None:
        """Ends all its processes. `is_faulty`: it gave no valid reply, so that its zygote forks no other child."""
        with self._connection:
            has_ended = self._has_ended()
        if not has_ended:
            self._zygote.end()
        self._children.release(self._zygote, is_faulty=is_faulty or not has_ended)

    def _has_ended(self) -> bool:
        self._connection.settimeout(2 * ending.END_SECONDS)
        try:
            # Not only closed: a process that this one forked may hold a copy.
            self._connection.shutdown(socket.SHUT_WR)
            return self._connection.recv(1) == b""
        except TimeoutError:
            return False
        except OSError:  # the zygote died
            return True


class WarmChildren:
    """Starts children from one zygote at a time, which ends with this object or its process; thread-safe.

    `plan`: what `isolation.prepare` needs, and `answers`, `strict`, `preload`, `namespaces` (whether a child has them).
    """

    _lock: threading.Lock
    _current: Zygote | None
    _finalizers: "dict[Zygote, weakref.finalize[[], WarmChildren]]"

    def __init__(self, plan: Mapping[str, Any]) -> None:
        self._plan = plan
        self._next_try = 0.0
        self._has_warned = False
        self.forget()
        _INSTANCES.add(self)

    def start(self, request: int, reply: int) -> WarmChild | None:
        """A child for the request in a sealed memory file, with a pipe for its reply; None if there is no zygote."""
        for _ in range(2):  # the first may have died a moment ago
            zygote = self._acquire()
            if zygote is None:
                return None
            connection = zygote.fork(request, reply)
            if connection is not None:
                return WarmChild(self, zygote, connection)
            self.release(zygote, is_faulty=True)
        return None

    def warm(self) -> None:
        """Starts a zygote if there is none."""
        with self._lock:
            if self._current is None:
                self._current = self._started()

    def release(self, zygote: Zygote, *, is_faulty: bool) -> None:
        """Ends the use of a zygote by one child, and the zygote if it was the last use of a replaced one."""
        with self._lock:
            zygote.users -= 1
            if is_faulty and zygote is self._current:
                self._current = None
            is_over = zygote is not self._current and not zygote.users
        if is_over:
            self._end(zygote)

    def close(self) -> None:
        """Ends the zygote when its running children have ended. A later child starts another."""
        with self._lock:
            zygote, self._current = self._current, None
            is_over = zygote is not None and not zygote.users
        if zygote is not None and is_over:
            self._end(zygote)

    def forget(self) -> None:
        """Leaves the zygote to the process that started it: for a process that it forked."""
        self._lock = threading.Lock()
        self._current = None
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
            self._end(unused)
        return zygote

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
        self._finalizers[zygote] = weakref.finalize(self, zygote.end)
        return zygote

    def _end(self, zygote: Zygote) -> None:
        finalizer = self._finalizers.pop(zygote, None)
        if finalizer is not None:
            finalizer()


_INSTANCES: "weakref.WeakSet[WarmChildren]" = weakref.WeakSet()


def _forget_all() -> None:
    for instance in _INSTANCES:
        instance.forget()


os.register_at_fork(after_in_child=_forget_all)
