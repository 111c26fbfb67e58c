"""Several API processes behind one listening socket: forked, replaced when they end, and ended with this process.

The kernel gives each connection to one of them. They share nothing but the stores, where limits are counted, and the
memory of what this process had loaded before it forked them: code, lexicons, and the weights of the names' tagger.
"""

import gc
import logging
import os
import signal
import time
from types import FrameType

from api.http.server import GRACE_SECONDS
from pipeline.sandbox.isolation import die_with_parent
from schemas.settings import Settings

log = logging.getLogger("masker.api")

_LOOK_SECONDS = 0.2  # between two looks at the processes
_RESTART_SECONDS = 1.0  # a process that ends sooner is started again that much later
_SIGNALS = (signal.SIGTERM, signal.SIGINT)


def share_of(settings: Settings, count: int) -> Settings:
    """The settings of one of `count` processes: unless the operator says how many texts each scans at once, together
    they scan as many as one would alone.
    """
    if "detect_max_concurrency" in settings.model_fields_set:
        return settings
    return settings.model_copy(update={"detect_max_concurrency": max(1, settings.detect_max_concurrency // count)})


class ApiProcesses:
    """Keeps `count` forks of this process running until SIGTERM or SIGINT.

    This process must have one thread, and no connection to a store.
    """

    def __init__(self, count: int) -> None:
        self._started: dict[int, float] = {}  # when, by process id
        self._due = [0.0] * count  # when the next one is started, of those that are missing
        self._is_stopping = False

    def run(self) -> bool:
        """Returns True in each of the processes, at once, and False in this one, when all have ended after a signal."""
        for number in _SIGNALS:
            signal.signal(number, self._stop)
        gc.collect()
        gc.freeze()  # the collector would write to what is shared
        while not self._is_stopping:
            self._collect()
            while self._due and self._due[0] <= time.monotonic() and not self._is_stopping:
                if self._fork():
                    return True
            time.sleep(_LOOK_SECONDS)
        self._end_all()
        return False

    def _stop(self, number: int, frame: FrameType | None) -> None:
        self._is_stopping = True

    def _fork(self) -> bool:
        """Whether this is the new process."""
        parent = os.getpid()
        try:
            child = os.fork()
        except OSError as error:  # too many processes, or no memory
            log.error("an API process cannot be started", extra={"error": type(error).__name__})
            self._due[0] = time.monotonic() + _RESTART_SECONDS
            self._due.sort()
            return False
        if child:
            self._due.pop(0)
            self._started[child] = time.monotonic()
            return False
        for number in _SIGNALS:
            signal.signal(number, signal.SIG_DFL)
        os.setsid()  # an interrupt at the terminal reaches the parent alone, which ends the others
        die_with_parent(signal.SIGTERM)
        if os.getppid() != parent or self._is_stopping:
            raise SystemExit(0)
        return True

    def _collect(self) -> None:
        """Counts those that have ended as missing."""
        for child in list(self._started):
            ended, status = os.waitpid(child, os.WNOHANG)
            if ended:
                log.error("an API process ended and is replaced", extra={"status": os.waitstatus_to_exitcode(status)})
                self._due.append(max(time.monotonic(), self._started.pop(child) + _RESTART_SECONDS))
                self._due.sort()

    def _end_all(self) -> None:
        for child in self._started:
            os.kill(child, signal.SIGTERM)
        deadline = time.monotonic() + GRACE_SECONDS + 5
        while self._started:
            is_late = time.monotonic() > deadline
            for child in list(self._started):
                if is_late:
                    os.kill(child, signal.SIGKILL)
                if os.waitpid(child, 0 if is_late else os.WNOHANG)[0]:
                    del self._started[child]
            time.sleep(_LOOK_SECONDS / 10)
