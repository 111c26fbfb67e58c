"""Work that is due by the clock, in threads beside the workers: the sweep, the webhooks."""

import logging
import threading
from collections.abc import Callable

from dramatiq import Broker, Middleware, Worker

from schemas.errors import type_name
from schemas.stages import Queue

log = logging.getLogger("masker.workers")

_STOP_SECONDS = 10


class Background(Middleware):
    """Runs `work` every so many seconds in a thread of its own, so that it is on time while every worker is busy.

    Only workers of the light queue have the thread. Several processes may: each step of the work must be conditional.
    What raises is logged by its type, and done again the next time.
    """

    def __init__(self, name: str, work: Callable[[], None], seconds: float) -> None:
        self._name, self._work, self._seconds = name, work, seconds
        self._stopping = threading.Event()
        self._thread = threading.Thread(target=self._run, name=name, daemon=True)

    def after_worker_boot(self, broker: Broker, worker: Worker) -> None:
        """Starts the thread."""
        queues = worker.consumer_whitelist
        if not queues or Queue.LIGHT.value in queues:
            self._thread.start()

    def before_worker_shutdown(self, broker: Broker, worker: Worker) -> None:
        """Stops the thread and waits some seconds for what it is doing; the process may end in the middle of it."""
        self._stopping.set()
        if self._thread.is_alive():
            self._thread.join(_STOP_SECONDS)

    def _run(self) -> None:
        while True:
            try:
                self._work()
            except Exception as error:  # noqa: BLE001 - a traceback may hold an address or a name
                log.error(
                    "work that is due by the clock broke", extra={"reason": self._name, "error": type_name(error)}
                )
            if self._stopping.wait(self._seconds):
                return
