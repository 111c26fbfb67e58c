"""Forks a child for each packet on the control socket of a zygote, and ends it when its connection is closed.

A packet brings four descriptors: a memory file for the request, a pipe that tells when the request is in it, a pipe
for the reply, and the connection. The zygote never reads a request. The forked child keeps the first three alone,
isolates itself like every child and reads its request after that. The zygote writes a byte to the connection. When the
sandbox closes its end, the zygote ends the child with everything that the child started, and closes the connection in
turn.
"""

import array
import os
import socket
import time
from collections.abc import Callable, Mapping
from contextlib import suppress
from select import POLLIN, poll
from typing import Any, NamedTuple, NoReturn

from pipeline.sandbox import child, ending
from pipeline.sandbox.message import FORKED

_DESCRIPTORS = 4  # of a packet


class _Running(NamedTuple):
    process: int
    exit: int  # descriptor that is readable when the process has exited
    connection: int


class Forks:
    """The children of this process. `sandbox`: pidfd of the process that they and the zygote die with.

    `plan` and `rehearse`: as for `child.main_of_fork`, the plan without `parent` and `paths`.
    """

    def __init__(
        self,
        control: socket.socket,
        sandbox: int,
        plan: Mapping[str, Any],
        rehearse: Callable[[], object] | None,
        *,
        has_namespaces: bool,
    ) -> None:
        self._control = control
        self._sandbox = sandbox
        self._plan = {**plan, "parent": os.getpid(), "paths": []}
        self._rehearse = rehearse
        self._has_namespaces = has_namespaces
        self._running: dict[int, _Running] = {}  # by connection
        self._ending: dict[int, tuple[_Running, float]] = {}  # by exit descriptor, with its last moment
        # What a child inherits: import directories and what the preloaded code opened, before there was a document.
        self._inherited = [number for number in _open_descriptors() if number not in (control.fileno(), sandbox)]
        self._poll = poll()
        self._poll.register(control, POLLIN)
        self._poll.register(sandbox, POLLIN)

    def serve(self) -> NoReturn:
        """Serves until the sandbox closes the control socket or ends; the children end with this process."""
        while True:
            for descriptor, _ in self._poll.poll(1000 if self._ending else None):
                if descriptor == self._sandbox:
                    os._exit(0)
                elif descriptor == self._control.fileno():
                    self._accept()
                elif descriptor in self._running:
                    self._end(descriptor)
                else:
                    self._reap(descriptor)
            for running, last_moment in self._ending.values():
                if time.monotonic() > last_moment:
                    ending.finish(running.process)

    def _accept(self) -> None:
        *of_child, connection = self._received()
        try:
            process = os.fork()
        except OSError:
            process = -1
        if process == 0:
            try:
                self._become_child(of_child)
            finally:
                os._exit(1)
        for descriptor in of_child:
            os.close(descriptor)
        if process < 0:
            os.close(connection)  # the sandbox does without a zygote
            return
        os.setpgid(process, process)
        self._running[connection] = _Running(process, os.pidfd_open(process), connection)
        self._poll.register(connection, POLLIN)
        with suppress(BrokenPipeError):  # the sandbox did not wait so long; it has closed the connection
            os.write(connection, FORKED)

    def _received(self) -> list[int]:
        """The descriptors of the next packet; ends the process if there is none."""
        numbers = array.array("i")
        size = socket.CMSG_LEN(_DESCRIPTORS * numbers.itemsize)
        _, control, _, _ = self._control.recvmsg(1, size, socket.MSG_CMSG_CLOEXEC)
        for _, _, data in control:
            numbers.frombytes(data)
        if len(numbers) != _DESCRIPTORS:
            os._exit(0)
        return list(numbers)

    def _become_child(self, descriptors: list[int]) -> NoReturn:
        os.setpgid(0, 0)
        _close_all_but([*descriptors, *self._inherited])
        child.main_of_fork(self._plan, self._rehearse, *descriptors)

    def _end(self, connection: int) -> None:
        running = self._running.pop(connection)
        self._poll.unregister(connection)
        self._poll.register(running.exit, POLLIN)
        self._ending[running.exit] = running, time.monotonic() + ending.END_SECONDS
        ending.ask(running.process, has_namespace=self._has_namespaces)

    def _reap(self, exit_: int) -> None:
        running, _ = self._ending.pop(exit_)
        self._poll.unregister(exit_)
        ending.finish(running.process)
        os.waitpid(running.process, 0)
        os.close(running.exit)
        os.close(running.connection)


def _open_descriptors() -> list[int]:
    found = []
    for number in range(os.sysconf("SC_OPEN_MAX")):
        try:
            os.fstat(number)
        except OSError:
            continue
        found.append(number)
    return found


def _close_all_but(kept: list[int]) -> None:
    for number in set(_open_descriptors()) - set(kept):
        os.close(number)
