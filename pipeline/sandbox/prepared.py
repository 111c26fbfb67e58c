"""The sandbox's end of a child that a zygote forks: it isolates itself at once, and is asked later.

The zygote gets the other ends of four things: an empty memory file for the request, a pipe that tells when the request
is in it, a pipe for the reply, and a connection that the zygote watches to end the child.
"""

import array
import fcntl
import os
import socket
from collections.abc import Sequence
from contextlib import ExitStack, suppress

from pipeline.sandbox import memory_file
from pipeline.sandbox.message import FORKED

_REPLY_BYTES = 1024**2  # of a reply that may wait in its pipe


def reply_pipe() -> tuple[int, int]:
    """A large pipe: the ends to read from and to write to."""
    pipe = os.pipe2(os.O_CLOEXEC)
    with suppress(OSError):
        fcntl.fcntl(pipe[1], fcntl.F_SETPIPE_SZ, _REPLY_BYTES)
    return pipe


class Prepared:
    """A child that the zygote behind `control` was told to fork. OSError if it cannot be told now.

    `reply`: the descriptor that its reply comes from.
    """

    def __init__(self, control: socket.socket) -> None:
        with ExitStack() as ours, ExitStack() as theirs, ExitStack() as until_asked:
            self._connection, connection = socket.socketpair()
            ours.callback(self._connection.close)
            theirs.callback(connection.close)
            self._request = memory_file.empty()
            until_asked.callback(os.close, self._request)
            asked, self._asked = os.pipe2(os.O_CLOEXEC)
            theirs.callback(os.close, asked)
            until_asked.callback(os.close, self._asked)
            self.reply, reply = reply_pipe()
            ours.callback(os.close, self.reply)
            theirs.callback(os.close, reply)
            descriptors = array.array("i", [self._request, asked, reply, connection.fileno()])
            rights = [(socket.SOL_SOCKET, socket.SCM_RIGHTS, descriptors)]
            control.sendmsg([FORKED], rights, socket.MSG_DONTWAIT)
            self._until_asked, self._ours = until_asked.pop_all(), ours.pop_all()

    def ask(self, request: Sequence[bytes], seconds: float) -> bool:
        """Gives the child its request. False, and it is closed, if it is not forked in these seconds or has ended."""
        is_asked = False
        try:
            self._connection.settimeout(seconds)
            if self._is_forked():
                memory_file.fill(self._request, request)
                is_asked = self._say()
        finally:
            self._until_asked.close()
            if not is_asked:
                self.end()
                self.close()
        return is_asked

    def _is_forked(self) -> bool:
        try:
            return self._connection.recv(1) == FORKED
        except OSError:  # too late, or the zygote died
            return False

    def _say(self) -> bool:
        try:
            return os.write(self._asked, FORKED) == 1
        except BrokenPipeError:  # the child has ended
            return False

    def end(self) -> None:
        """Tells the zygote to end the child with all its processes."""
        with suppress(OSError):  # the zygote died
            # Not only closed: a process that this one forked may hold a copy.
            self._connection.shutdown(socket.SHUT_WR)

    def has_ended(self, seconds: float) -> bool:
        """Whether the zygote ends it, or itself, within these seconds; after `end`."""
        self._connection.settimeout(seconds)
        try:
            while self._connection.recv(1):  # of a child that was not asked
                pass
            return True
        except (TimeoutError, BlockingIOError):
            return False
        except OSError:  # the zygote died
            return True

    def close(self) -> None:
        """Closes everything, after `end`."""
        self._until_asked.close()
        self._ours.close()
