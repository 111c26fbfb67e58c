"""Work that a process repeats beside its calls."""

import asyncio
from collections.abc import Callable
from contextlib import suppress

from anyio import CancelScope, to_thread

from schemas.errors import MaskerError


async def at_intervals(seconds: float, work: Callable[[], None], at_end: Callable[[], None] | None = None) -> None:
    """Does `work` in a thread after every so many seconds until cancelled, then `at_end`.

    A MaskerError, which the database has logged, ends a round and not the loop.
    """
    try:
        while True:
            await asyncio.sleep(seconds)
            with suppress(MaskerError):
                await to_thread.run_sync(work)
    finally:
        if at_end is not None:
            with CancelScope(shield=True), suppress(MaskerError):
                await to_thread.run_sync(at_end)
