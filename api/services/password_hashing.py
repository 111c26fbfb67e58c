"""Hashes passwords beside the event loop: argon2 takes 64 MiB and a core for a tenth of a second, so few at once."""

import os
from collections.abc import Callable
from typing import TypeVar

from anyio import CapacityLimiter, to_thread

from schemas.errors import MaskerUnavailable

T = TypeVar("T")
_MOST_AT_ONCE = 4  # 256 MiB
_QUEUE = 32  # some seconds of waiting
_RETRY_SECONDS = 2


class PasswordThreads:
    """Threads for passwords alone: `at_once` busy, `queue` callers waiting. Other work never waits behind a login."""

    def __init__(self, at_once: int | None = None, queue: int = _QUEUE) -> None:
        at_once = at_once or min(_MOST_AT_ONCE, max(1, (os.cpu_count() or 1) // 2))
        self._limiter = CapacityLimiter(at_once)
        # Counted here: the limiter learns of a caller a turn of the event loop later, when a burst is already past.
        self._places = at_once + queue

    async def run(self, work: Callable[[], T]) -> T:
        """The result of `work`. MaskerUnavailable when too many are waiting."""
        if self._places == 0:
            raise MaskerUnavailable(retry_after=_RETRY_SECONDS)
        self._places -= 1
        try:
            return await to_thread.run_sync(work, limiter=self._limiter)
        finally:
            self._places += 1
