"""Runs worker processes through Dramatiq's own runner, after checking what they need."""

import os
from collections.abc import Sequence

from dramatiq import cli

from pipeline.sandbox.parent import Sandbox
from schemas.settings import InvalidSettings, Settings
from schemas.stages import Queue
from storage.opening import open_keyring


def check(settings: Settings) -> None:
    """What would stop every worker, said once and before anything is connected to. InvalidSettings, CageUnavailable."""
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
