"""Ends a child with everything that it started: its PID namespace, or its process group where it has none.

The filter keeps all processes of a child in its group. With a namespace the started process only waits for process 1 of
the namespace; on SIGTERM it kills process 1, which ends the namespace, and reaps it.
"""

import os
import signal
from contextlib import suppress
from pathlib import Path
from select import POLLIN, poll

END_SECONDS = 5.0  # seconds for the kernel to end all processes of a namespace
_SESSION = 3  # field of /proc/PID/stat, counted behind the name


def ask(process: int, *, has_namespace: bool) -> None:
    """Begins to end the unreaped child `process`; it exits soon. `finish` follows after at most END_SECONDS."""
    if has_namespace:
        with suppress(ProcessLookupError, PermissionError):
            os.kill(process, signal.SIGTERM)
    else:
        finish(process)


def wait(process: int) -> None:
    """Waits until the unreaped child `process` has exited, END_SECONDS at most. It stays unreaped."""
    with suppress(OSError):
        descriptor = os.pidfd_open(process)
        try:
            exit_poll = poll()
            exit_poll.register(descriptor, POLLIN)
            exit_poll.poll(END_SECONDS * 1000)
        finally:
            os.close(descriptor)


def has_exited(process: int) -> bool:
    """Whether the unreaped child `process` has exited. It stays unreaped, so that no other gets its number."""
    try:
        return os.waitid(os.P_PID, process, os.WEXITED | os.WNOHANG | os.WNOWAIT) is not None
    except ChildProcessError:  # something else in this process reaped it
        return True


def finish(process: int) -> None:
    """Kills what is left of the unreaped child `process` and of its group. The caller reaps it."""
    with suppress(ProcessLookupError, PermissionError):
        os.killpg(process, signal.SIGKILL)
    with suppress(ProcessLookupError, PermissionError):
        os.kill(process, signal.SIGKILL)


def finish_session(leader: int) -> None:
    """Kills all groups of the session that the unreaped child `leader` leads; for a zygote, which may have died."""
    finish(leader)
    for path in Path("/proc").glob("[0-9]*/stat"):
        with suppress(OSError, ValueError):
            fields = path.read_text("utf-8", "replace").rpartition(")")[2].split()
            if int(fields[_SESSION]) == leader:
                os.kill(int(path.parent.name), signal.SIGKILL)
