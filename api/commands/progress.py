"""Shows progress on standard error: bars on a terminal, else a line for a document that takes long."""

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

    from api.commands.document import Heard

_QUIET_SECONDS = 5.0  # seconds without a line, when there is no terminal


class Display(Protocol):
    """Shows the progress of documents; used from many threads."""

    def begin(self, name: str) -> "Heard":
        """Starts the display of a document and returns its progress listener."""

    def end(self, name: str) -> None:
        """Ends the display of a document, whatever the outcome."""


@contextmanager
def display(documents: int) -> Iterator[Display]:
    """A display for so many documents in all."""
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
    def begin(self, name: str) -> "Heard":
        said = time.monotonic()

        def hear(doing: str, _share: float) -> None:
            nonlocal said
            if time.monotonic() - said > _QUIET_SECONDS:
                said = time.monotonic()
                say(f"{printable(name)}: {doing}")

        return hear

    def end(self, name: str) -> None:
        """Prints nothing: the caller prints the outcome."""


class _OnTerminal:
    def __init__(self, bars: "Bars", documents: int) -> None:
        self._bars, self._lock = bars, Lock()
        self._tasks: dict[str, TaskID] = {}
        self._all = bars.add_task("documents", total=documents) if documents > 1 else None

    def begin(self, name: str) -> "Heard":
        shown = printable(name)
        task = self._bars.add_task(shown, total=1.0)
        with self._lock:
            self._tasks[name] = task

        def hear(doing: str, share: float) -> None:
            # A second round starts where the first ended: a bar does not go back.
            done = max(share, next(row.completed for row in self._bars.tasks if row.id == task))
            self._bars.update(task, description=f"{shown}: {doing}", completed=done)

        return hear

    def end(self, name: str) -> None:
        with self._lock:
            task = self._tasks.pop(name, None)
        if task is not None:
            self._bars.remove_task(task)
        if self._all is not None:
            self._bars.advance(self._all)
