"""Ends a worker process whose runner is gone, so that it does not go on beside those that replace it."""

import multiprocessing
import os
import signal
import threading
import time

from pipeline.sandbox.isolation import die_with_parent

GRACE_SECONDS = 20.0
_LOOK_SECONDS = 0.5


def end_with_runner(grace: float = GRACE_SECONDS) -> None:
    """Sends this process SIGTERM when its runner ends, and ends it `grace` seconds later, whatever it does then.

    It may be unable to end by itself: what waits for the runner waits for ever, be it a lock of multiprocessing or the
    pipe through which Dramatiq logs, whose other end the siblings hold, too. Its stages are announced again when their
    leases end.
    """
    runner = multiprocessing.parent_process()
    known = runner.pid if runner else os.getppid()
    die_with_parent(signal.SIGTERM)
    threading.Thread(target=_watch, args=(known, grace), name="runner watch", daemon=True).start()


def _watch(runner: int | None, grace: float) -> None:
    while os.getppid() == runner:
        time.sleep(_LOOK_SECONDS)
    os.kill(os.getpid(), signal.SIGTERM)  # it may have ended before its death was asked for
    time.sleep(grace)
    os._exit(1)
