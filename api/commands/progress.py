"""Shows on standard error how far documents are: bars on a terminal, elsewhere a line for what takes long."""

import sys
import time
from collections.abc import Iterator
from contextlib import contextmanager
from threading import Lock
from typing import TYPE_CHECKING, Protocol

from api.commands.console import printable, say

if TYPE_CHECKING:
    from rich.progress import Progress as Bars
    from rich.progress import TaskID

    from pipeline.document_run import Progress, ProgressListener

_QUIET_SECONDS = 5.0  # without a terminal: so long nothing is said of a document


class Display(Protocol):
    """Hears of documents from many threads."""

    def begin(self, name: str) -> "ProgressListener":
        """A document begins: what shall hear of its progress."""

    def end(self, name: str) -> None:
        """A document has ended, well or not."""


@contextmanager
def display(documents: int) -> Iterator[Display]:
    """For so many documents in all."""
    if not sys.stderr.isatty():
        yield _Lines()
        return
    from rich.console import Console
    from rich.progress import BarColumn, TextColumn, TimeElapsedColumn
    from rich.progress import Progress as Bars

    columns = (TextColumn("{task.description}", markup=False), BarColumn(), TimeElapsedColumn())
    with Bars(*columns, console=Console(file=sys.stderr), transient=True) as bars:
        yield _OnTerminal(bars, documents)


class _Lines:
    def begin(self, name: str) -> "ProgressListener":
        said = time.monotonic()

        def hear(progress: "Progress") -> None:
            nonlocal said
            if time.monotonic() - said > _QUIET_SECONDS:
                said = time.monotonic()
                say(f"{printable(name)}: {_told(progress)}")

        return hear

    def end(self, name: str) -> None:
        """Its outcome is somebody else's to tell."""


class _OnTerminal:
    def __init__(self, bars: "Bars", documents: int) -> None:
        self._bars, self._lock = bars, Lock()
        self._tasks: dict[str, TaskID] = {}
        self._all = bars.add_task("documents", total=documents) if documents > 1 else None

    def begin(self, name: str) -> "ProgressListener":
        from schemas.stages import progress_at

        shown = printable(name)
        task = self._bars.add_task(shown, total=1.0)
        with self._lock:
            self._tasks[name] = task

        def hear(progress: "Progress") -> None:
            done = progress_at(progress.stage, progress.read, progress.rasters)
            # A second round begins behind the end of the first: a bar does not go back.
            done = max(done, next(row.completed for row in self._bars.tasks if row.id == task))
            self._bars.update(task, description=f"{shown}: {_told(progress)}", completed=done)

        return hear

    def end(self, name: str) -> None:
        with self._lock:
            task = self._tasks.pop(name, None)
        if task is not None:
            self._bars.remove_task(task)
        if self._all is not None:
            self._bars.advance(self._all)


def _told(progress: "Progress") -> str:
    counted = f" {progress.read}/{progress.rasters}" if progress.rasters else ""
    return f"{progress.stage}{counted}"
