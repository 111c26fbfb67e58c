"""A worker like any other that once, at a chosen line of a chosen stage, kills itself (-9, its process group) or waits.

Run as a program it is `masker worker`; loaded by Dramatiq in the worker process it is `workers.main` with the trap set.
The trap is described by the environment: FAULT_STAGE, FAULT_POINT and FAULT_MARKER, a file that says it has sprung.
With FAULT_UNTIL the worker lives, and waits there for a file of that name. FAULT_DRAIN_SECONDS: what stages have to end
after SIGTERM.
"""

import os
import signal
import time
from collections.abc import Callable
from pathlib import Path
from typing import Any, NoReturn

from schemas.stages import Stage

POINTS = ("claimed", "working", "saved", "moved")


def die() -> NoReturn:
    os.killpg(0, signal.SIGKILL)
    raise AssertionError("still alive")


def strike() -> None:
    """The first time only."""
    try:
        os.close(os.open(os.environ["FAULT_MARKER"], os.O_CREAT | os.O_EXCL))
    except FileExistsError:
        return
    if "FAULT_UNTIL" not in os.environ:
        die()
    while not Path(os.environ["FAULT_UNTIL"]).exists():
        time.sleep(0.02)


def struck(original: Callable[..., Any], is_here: Callable[..., bool], *, after: bool = False) -> Callable[..., Any]:
    def trapped(*arguments: Any, **keywords: Any) -> Any:
        here = is_here(*arguments)
        if here and not after:
            strike()
        result = original(*arguments, **keywords)
        if here and after:
            strike()
        return result

    return trapped


def set_trap(stage: Stage, point: str) -> None:
    from pipeline.sandbox.parent import Sandbox
    from workers import stages
    from workers.run import Run

    at_stage = lambda run, *_: run.claim.stage == stage  # noqa: E731
    if point == "claimed":
        stages.WORK[stage] = struck(stages.WORK[stage], at_stage)
    elif point == "saved":  # every artifact is written, nothing is committed
        for move in ("advance", "split", "finish_part", "hold", "publish"):
            setattr(Run, move, struck(getattr(Run, move), at_stage))
    elif point == "moved":  # committed, but not announced, and nothing destroyed yet
        for after_commit in ("_announce", "_destroy"):
            setattr(Run, after_commit, struck(getattr(Run, after_commit), at_stage))
    elif point == "working":  # the parser's child is running, or for stages without one: half of the bytes are written
        working: list[Stage] = []
        original = stages.WORK[stage]

        def work(run: Run) -> None:
            working.append(stage)
            original(run)
            working.clear()

        stages.WORK[stage] = work
        Sandbox._start = struck(Sandbox._start, lambda *_: bool(working), after=True)


if "FAULT_STAGE" in os.environ and __name__ != "__main__":
    from workers.main import broker

    set_trap(Stage(os.environ["FAULT_STAGE"]), os.environ["FAULT_POINT"])
    __all__ = ["broker"]

if __name__ == "__main__":
    from schemas.settings import load_settings
    from workers import processes

    processes.DRAIN_SECONDS = int(os.environ.get("FAULT_DRAIN_SECONDS", processes.DRAIN_SECONDS))
    raise SystemExit(processes.run(load_settings(), processes=1, threads=2, module="tests.faults.sabotaged"))
