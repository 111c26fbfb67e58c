"""Several API processes behind one listening socket: started, replaced when they end, and ended with this process.

The kernel gives each connection to one of them. They share nothing but the stores: limits are counted in Redis.
"""

import logging
import os
import signal
import socket
import subprocess
import sys
import time
from types import FrameType

from api.http.server import GRACE_SECONDS
from pipeline.sandbox.isolation import die_with_parent
from schemas.settings import Settings

log = logging.getLogger("masker.api")

_LOOK_SECONDS = 0.2  # between two looks at the processes
_RESTART_SECONDS = 1.0  # a process that ends sooner is started again that much later


def end_with_parent() -> None:
    """Ends this process as on SIGTERM when the one that started it ends."""
    parent = os.getppid()
    die_with_parent(signal.SIGTERM)
    if os.getppid() != parent:
        raise SystemExit(1)


def share_of(settings: Settings, count: int) -> Settings:
    """The settings of one of `count` processes: unless the operator says how many texts each scans at once, together
    they scan as many as one would alone.
    """
    if "detect_max_concurrency" in settings.model_fields_set:
        return settings
    return settings.model_copy(update={"detect_max_concurrency": max(1, settings.detect_max_concurrency // count)})


class ApiProcesses:
    """Keeps `count` processes of `masker serve` on a listening socket until SIGTERM or SIGINT."""

    def __init__(self, listener: socket.socket, count: int) -> None:
        listener.set_inheritable(True)
        self._descriptor = listener.fileno()
        self._started: dict[int, float] = {}
        self._processes: list[subprocess.Popen[bytes] | None] = [None] * count
        self._due = [0.0] * count
        self._is_stopping = False

    def run(self) -> None:
        """Returns when all have ended after a signal."""
        for number in (signal.SIGTERM, signal.SIGINT):
            signal.signal(number, self._stop)
        while not self._is_stopping:
            for place in range(len(self._processes)):
                self._look_after(place)
            time.sleep(_LOOK_SECONDS)
        self._end_all()

    def _stop(self, number: int, frame: FrameType | None) -> None:
        self._is_stopping = True

    def _look_after(self, place: int) -> None:
        process, now = self._processes[place], time.monotonic()
        if process is not None and process.poll() is not None:
            log.error("an API process ended and is replaced", extra={"status": process.returncode})
            self._processes[place] = None
            self._due[place] = max(now, self._started.pop(process.pid) + _RESTART_SECONDS)
        if self._processes[place] is None and now >= self._due[place]:
            self._processes[place] = started = self._start()
            self._started[started.pid] = now

    def _start(self) -> subprocess.Popen[bytes]:
        count = str(len(self._processes))
        return subprocess.Popen(
            [sys.executable, "-m", "api.cli", "serve", "--descriptor", str(self._descriptor), "--processes", count],
            pass_fds=(self._descriptor,),
            start_new_session=True,  # an interrupt at the terminal reaches this process alone, which ends them
        )

    def _end_all(self) -> None:
        running = [process for process in self._processes if process is not None]
        for process in running:
            process.terminate()
        deadline = time.monotonic() + GRACE_SECONDS + 5
        for process in running:
            try:
                process.wait(max(0.0, deadline - time.monotonic()))
            except subprocess.TimeoutExpired:
                process.kill()
                process.wait()
