"""Warm children: parsers loaded once, each document read in a fork of its own that dies with whatever befalls it."""

import os
import resource
import select
import signal
import time
from collections.abc import Callable, Iterable, Iterator
from typing import NamedTuple, TypeVar

T = TypeVar("T")
_MEMORY = 3 * 1024**3  # bytes of address space, the loaded parsers included
_PATIENCE = 10  # times as long by the clock as a child may compute: it may have to wait for a busy machine


class Ended(NamedTuple):
    """What became of one child: what it said, or why it said nothing (`signal 11`, `hung`, also `signal 24`)."""

    said: str
    seconds: float


def each(work: Callable[[T], str], items: Iterable[T], *, seconds: int, at_once: int = 2) -> Iterator[tuple[T, Ended]]:
    """`work` on every item, each in a fork of its own, `at_once` at a time; killed after computing for `seconds`."""
    running: dict[int, tuple[int, T, float]] = {}
    waiting = iter(items)
    while True:
        while len(running) < at_once and (item := next(waiting, None)) is not None:
            pid, reader = _fork(work, item, seconds)
            running[reader] = (pid, item, time.monotonic())
        if not running:
            return
        ready, _, _ = select.select(list(running), [], [], 0.2)
        late = [fd for fd, (_, _, began) in running.items() if time.monotonic() - began > _PATIENCE * seconds]
        for reader in {*ready, *late}:
            pid, item, began = running.pop(reader)
            yield item, Ended(_finish(pid, reader, hung=reader not in ready), time.monotonic() - began)


def _fork(work: Callable[[T], str], item: T, seconds: int) -> tuple[int, int]:
    reader, writer = os.pipe()
    pid = os.fork()
    if pid:
        os.close(writer)
        return pid, reader
    try:
        os.close(reader)
        resource.setrlimit(resource.RLIMIT_AS, (_MEMORY, _MEMORY))
        resource.setrlimit(resource.RLIMIT_CORE, (0, 0))
        resource.setrlimit(resource.RLIMIT_CPU, (seconds, seconds + 1))  # the count of a fork starts anew
        os.write(writer, work(item).encode()[:4000])
    except BaseException as error:
        os.write(writer, f"broken: {type(error).__name__}".encode())
    finally:
        os._exit(0)


def _finish(pid: int, reader: int, *, hung: bool) -> str:
    if hung:
        os.kill(pid, signal.SIGKILL)
    said = b"" if hung else os.read(reader, 4000)
    os.close(reader)
    _, status = os.waitpid(pid, 0)
    if hung:
        return "hung"
    return f"signal {os.WTERMSIG(status)}" if os.WIFSIGNALED(status) else said.decode() or "silent"
