"""A worker like any other that kills itself (-9, its whole process group) once, at a chosen line of a chosen stage.

Run as a program it is `masker worker`; loaded by Dramatiq in the worker process it is `workers.main` with the trap set.
The trap is described by the environment: FAULT_STAGE, FAULT_POINT and FAULT_MARKER, a file that says it has sprung.
"""

import os
import signal
from collections.abc import Callable
from typing import Any, NoReturn

from schemas.stages import Stage

POINTS = ("claimed", "working", "saved", "moved")


def die() -> NoReturn:
    os.killpg(0, signal.SIGKILL)
    raise AssertionError("still alive")


def springs() -> bool:
    """True the first time only."""
    try:
        os.close(os.open(os.environ["FAULT_MARKER"], os.O_CREAT | os.O_EXCL))
    except FileExistsError:
        return False
    return True


def dying(original: Callable[..., Any], is_here: Callable[..., bool], *, after: bool = False) -> Callable[..., Any]:
    def trapped(*arguments: Any, **keywords: Any) -> Any:
        if not is_here(*arguments):
            return original(*arguments, **keywords)
        if after:
            original(*arguments, **keywords)
        if springs():
            die()
        return original(*arguments, **keywords)

    return trapped


def set_trap(stage: Stage, point: str) -> None:
    from pipeline.sandbox.parent import Sandbox
    from workers import stages
    from workers.run import Run

    at_stage = lambda run, *_: run.claim.stage == stage  # noqa: E731
    if point == "claimed":
        stages.WORK[stage] = dying(stages.WORK[stage], at_stage)
    elif point == "saved":  # every artifact is written, nothing is committed
        for move in ("advance", "split", "finish_part", "hold", "publish"):
            setattr(Run, move, dying(getattr(Run, move), at_stage))
    elif point == "moved":  # committed, but not announced, and nothing destroyed yet
        for after_commit in ("_announce", "_destroy"):
            setattr(Run, after_commit, dying(getattr(Run, after_commit), at_stage))
    elif point == "working":  # the parser's child is running, or for stages without one: half of the bytes are written
        working: list[Stage] = []
        original = stages.WORK[stage]

        def work(run: Run) -> None:
            working.append(stage)
            original(run)
            working.clear()

        stages.WORK[stage] = work
        Sandbox._start = dying(Sandbox._start, lambda *_: bool(working), after=True)


if "FAULT_STAGE" in os.environ and __name__ != "__main__":
    from workers.main import broker

    set_trap(Stage(os.environ["FAULT_STAGE"]), os.environ["FAULT_POINT"])
    __all__ = ["broker"]

if __name__ == "__main__":
    from schemas.settings import load_settings
    from workers import processes

    raise SystemExit(processes.run(load_settings(), processes=1, threads=2, module="tests.faults.sabotaged"))
