"""Runs password hashing in threads, few at once: argon2 takes 64 MiB and a core for a tenth of a second."""

import os
from collections.abc import Callable
from typing import TypeVar

from anyio import CapacityLimiter, to_thread

from schemas.errors import MaskerUnavailable

T = TypeVar("T")
_MAX_AT_ONCE = 4  # 256 MiB
_QUEUE = 32  # callers, which is a few seconds of waiting
_RETRY_SECONDS = 2


class PasswordThreads:
    """Threads for password hashing alone, so that other work never waits for a login.

    `at_once` run at the same time, and `queue` callers may wait.
    """

    def __init__(self, at_once: int | None = None, queue: int = _QUEUE) -> None:
        at_once = at_once or min(_MAX_AT_ONCE, max(1, (os.cpu_count() or 1) // 2))
        self._limiter = CapacityLimiter(at_once)
        # Counted here, because the limiter counts a caller one turn of the event loop later, after a burst.
        self._free = at_once + queue

    async def run(self, work: Callable[[], T]) -> T:
        """The result of `work`, run in a thread. MaskerUnavailable when too many wait."""
        if self._free == 0:
            raise MaskerUnavailable(retry_after=_RETRY_SECONDS)
        self._free -= 1
        try:
            return await to_thread.run_sync(work, limiter=self._limiter)
        finally:
            self._free += 1
