"""Loads detector and parsers when workers start, so that their documents do not wait for them."""

import threading
from collections.abc import Set

from dramatiq import Broker, Middleware, Worker

from schemas.stages import Queue
from workers.context import Context

_PARSING = {Queue.LIGHT, Queue.DOCUMENTS, Queue.VERIFY}
_READING = {Queue.OCR, Queue.REREAD}
_DETECTING = {Queue.DETECT, Queue.VERIFY}


class Warming(Middleware):
    """Loads in a thread of its own what the stages of this worker's queues need; `networks`: those of OCR, too."""

    def __init__(self, context: Context, *, networks: bool = True) -> None:
        self._context, self._networks = context, networks

    def after_worker_boot(self, broker: Broker, worker: Worker) -> None:
        """Starts the thread."""
        served = set(worker.consumer_whitelist or Queue)
        threading.Thread(target=self._load, args=(served,), name="warming", daemon=True).start()

    def _load(self, served: Set[str]) -> None:
        if served & _PARSING:
            self._context.tools.sandbox.warm_parsers()
        if served & _READING and self._networks:
            self._context.tools.sandbox.warm()
        if served & _DETECTING:
            self._context.tools.detector.warm()
