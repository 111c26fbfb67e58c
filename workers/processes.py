"""Runs the workers: in processes of Dramatiq's runner, or as threads of the API process (embedded mode)."""

import logging
import os
from collections.abc import Sequence
from concurrent.futures import ThreadPoolExecutor

from dramatiq import Worker, cli

from pipeline.sandbox.parent import Sandbox
from schemas.settings import InvalidSettings, Settings
from schemas.stages import AFTER_PARTS, STAGE, STAGES, Queue
from schemas.telemetry import logs
from storage.opening import Storage, open_keyring
from workers.actors import declare
from workers.context import Context
from workers.sweep import Sweeper
from workers.warming import Warming
from workers.webhooks import WebhookSender

log = logging.getLogger("masker.workers")

_MOST_OF_AN_ACCOUNT = 8
# For stages under way after SIGTERM: the longest that a document of few pages may take in a sandboxed call. Whoever
# stops a worker should give it 30 s more before SIGKILL.
DRAIN_SECONDS = max(row.seconds for row in STAGES)


def check(settings: Settings) -> None:
    """Checks settings, keys and sandbox without a connection. InvalidSettings, SandboxUnavailable."""
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
    """Works until SIGTERM or SIGINT and returns the exit status. Errors as for `check`.

    Then stages under way have DRAIN_SECONDS to end. One that is cut off is announced again when its lease ends.

    `queues`: all when empty. `threads` per process, `threads_for` when None. `module`: what each process loads.
    """
    check(settings)
    logs.configure(settings.log_format)
    served = [queue.value for queue in queues or Queue]
    log.info("the workers of %d processes start", processes, extra={"queues": served})
    arguments = [f"{module}:broker", "--skip-logging", "--path", "--processes", str(processes)]
    arguments += ["--threads", str(threads or threads_for(settings))]
    arguments += ["--worker-shutdown-timeout", str(DRAIN_SECONDS * 1000)]
    if queues:
        arguments += ["--queues", *(queue.value for queue in queues)]
    parser = cli.make_argument_parser()  # type: ignore[no-untyped-call]
    return int(cli.main(parser.parse_args(arguments)))  # type: ignore[no-untyped-call]


def threads_for(settings: Settings) -> int:
    """One more than cores: a stage mostly waits for its child, and light stages must not wait for heavy ones.

    Also one more than the files that an account may have under way, up to eight, so that large ones do not take all.
    """
    return max(os.cpu_count() or 1, min(settings.concurrent_jobs, _MOST_OF_AN_ACCOUNT)) + 1


class Embedded:
    """Worker threads and sweeper inside the API process, on every queue.

    Pages of scans have threads of their own, one for each core, so that other files do not wait for them.
    `storage` must be the one that the API announces through: its broker lives in this process. SandboxUnavailable.
    """

    def __init__(self, settings: Settings, storage: Storage) -> None:
        self._context = Context.open(settings, storage)
        declare(storage.broker, self._context)
        storage.broker.add_middleware(Warming(self._context, networks=False))  # there may never be a scan
        storage.broker.add_middleware(Sweeper(storage, settings))
        storage.broker.add_middleware(WebhookSender(storage, settings))
        pages = {STAGE[stage].queue.value for stage in AFTER_PARTS}
        files = {queue.value for queue in Queue} - pages
        self.workers = [
            Worker(storage.broker, queues=files, worker_threads=threads_for(settings)),
            Worker(storage.broker, queues=pages, worker_threads=os.cpu_count() or 1),
        ]

    def start(self) -> None:
        """Starts work and sweeps at once, so that jobs of an earlier process continue."""
        for worker in self.workers:
            worker.start()

    def stop(self, seconds: float = 30) -> None:
        """Waits up to `seconds` for running stages. A stage that is cut off is announced again when its lease ends."""
        with ThreadPoolExecutor() as threads:  # at once: else one begins what the time of the other leaves no time for
            for stopped in [threads.submit(worker.stop, round(seconds * 1000)) for worker in self.workers]:
                stopped.result()
        self._context.close()
