"""Runs worker processes through Dramatiq's own runner, after checking what they need."""

import os
from collections.abc import Sequence

from dramatiq import Worker, cli

from pipeline.sandbox.parent import Sandbox
from schemas.settings import InvalidSettings, Settings
from schemas.stages import Queue
from storage.opening import Storage, open_keyring
from workers.actors import declare
from workers.context import Context
from workers.sweep import Sweeper


def check(settings: Settings) -> None:
    """Checks what would stop every worker, before it connects to anything. InvalidSettings, SandboxUnavailable."""
    if settings.redis_url is None:
        raise InvalidSettings("MASKER_REDIS_URL: workers of their own need it; without it `masker serve` runs them")
    open_keyring(settings)
    Sandbox(settings.sandbox_mode.value)


def run(
    settings: Settings,
    queues: Sequence[Queue] = (),
    processes: int = 1,
    threads: int | None = None,
    module: str = "workers.main",
) -> int:
    """Works until SIGTERM or SIGINT, on every queue when none is named; the exit status. Errors as for `check`.

    `threads` per process, the number of cores when left out. `module` is what each process loads.
    """
    check(settings)
    arguments = [f"{module}:broker", "--path", "--processes", str(processes)]
    arguments += ["--threads", str(threads or os.cpu_count() or 1)]
    if queues:
        arguments += ["--queues", *(queue.value for queue in queues)]
    parser = cli.make_argument_parser()  # type: ignore[no-untyped-call]
    return int(cli.main(parser.parse_args(arguments)))  # type: ignore[no-untyped-call]


# The embedded mode: worker threads and sweeper inside the API's process, on its own broker.


class Embedded:
    """Every queue in this process; the same actors as anywhere.

    `storage` must be the one that the API announces through: its broker lives in this process. SandboxUnavailable.
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
