"""Sweeps every so often while a worker runs that serves the light queue."""

import logging
import threading
from datetime import timedelta

from dramatiq import Broker, Middleware, Worker

from schemas.clock import utc_now
from schemas.settings import Settings
from schemas.stages import Queue
from storage.opening import Storage
from workers.sweep import sweep

log = logging.getLogger("masker.workers")

RECONCILE_EVERY = timedelta(hours=1)


class Sweeper(Middleware):
    """A thread beside the worker's own, so that bytes are destroyed in time also while every worker is busy.

    Many processes may sweep at once: every act of a sweep is conditional.
    """

    def __init__(self, storage: Storage, settings: Settings) -> None:
        self._storage, self._settings = storage, settings
        self._stopping = threading.Event()
        self._thread = threading.Thread(target=self._run, name="sweeper", daemon=True)

    def after_worker_boot(self, broker: Broker, worker: Worker) -> None:
        queues = worker.consumer_whitelist
        if not queues or Queue.LIGHT.value in queues:
            self._thread.start()

    def before_worker_shutdown(self, broker: Broker, worker: Worker) -> None:
        self._stopping.set()
        if self._thread.is_alive():
            self._thread.join()

    def _run(self) -> None:
        next_reconcile = utc_now()
        while True:
            now = utc_now()
            reconcile = now >= next_reconcile
            try:
                swept = sweep(self._storage, self._settings, now, reconcile=reconcile)
                if any(swept):
                    log.info("swept: %s", swept)
                if reconcile:
                    next_reconcile = now + RECONCILE_EVERY
            except Exception as error:  # noqa: BLE001 - the border: the next sweep does what this one could not
                log.error("the sweep broke with %s", type(error).__name__)
            if self._stopping.wait(self._settings.sweep_interval_seconds):
                return
