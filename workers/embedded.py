"""The embedded mode: worker threads and sweeper inside the API's process, on its own broker."""

import os

from dramatiq import Worker

from schemas.settings import Settings
from storage.opening import Storage
from workers.actors import declare
from workers.context import Context
from workers.sweeper import Sweeper


class Embedded:
    """Every queue in this process; the same actors as anywhere.

    `storage` must be the one that the API announces through: its broker lives in this process. CageUnavailable.
    """

    def __init__(self, settings: Settings, storage: Storage) -> None:
        self._context = Context.open(settings, storage)
        declare(storage.broker, self._context)
        storage.broker.add_middleware(Sweeper(storage, settings))
        # One thread more than cores: most of a stage is waiting for its child, and the light ones must get through.
        self._worker = Worker(storage.broker, worker_threads=(os.cpu_count() or 1) + 1)

    def start(self) -> None:
        """Begins to work on what is announced, and sweeps at once: what an earlier process left goes on."""
        self._worker.start()

    def stop(self, seconds: float = 30) -> None:
        """Lets running stages finish for so long; what is cut off continues when its lease has run out."""
        self._worker.stop(timeout=round(seconds * 1000))
        self._context.close()
