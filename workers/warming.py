"""Loads the detector when workers start, so that their first document does not wait for it."""

import threading

from dramatiq import Broker, Middleware, Worker

from schemas.stages import Queue
from workers.context import Context


class Warming(Middleware):
    """Loads in a thread of its own, only where stages with detection are worked on."""

    def __init__(self, context: Context) -> None:
        self._context = context

    def after_worker_boot(self, broker: Broker, worker: Worker) -> None:
        """Starts the thread."""
        queues = worker.consumer_whitelist
        if not queues or {Queue.DETECT.value, Queue.VERIFY.value} & set(queues):
            threading.Thread(target=self._context.tools.detector.warm, name="warming", daemon=True).start()
