"""The sliding window inside one process: bounded memory, the same answers as the one in Redis."""

import math
import time
from collections import OrderedDict, deque
from collections.abc import Callable
from typing import NamedTuple

MOST_CALLS = 1_000_000  # remembered at once, about 50 MB; past it the names that were quiet longest are forgotten


class _Window(NamedTuple):
    """The moments of the calls in the last `seconds`, oldest first."""

    seconds: int
    calls: deque[float]


class MemoryLimiter:
    """Windows by name. `clock` gives seconds that never run backwards; `most` bounds the calls remembered in all."""

    def __init__(self, clock: Callable[[], float] = time.monotonic, most: int = MOST_CALLS) -> None:
        self._clock = clock
        self._most = most
        self._windows: OrderedDict[str, _Window] = OrderedDict()  # the one quiet for longest first
        self._remembered = 0

    async def hit(self, key: str, limit: int, window: int = 60) -> int | None:
        """As `RateLimiter.hit`. It awaits nothing, so calls of one event loop never meet in here."""
        now = self._clock()
        self._forget_ended(now)
        calls = self._window(key, window).calls
        while calls and now - calls[0] >= window:
            calls.popleft()
            self._remembered -= 1
        if len(calls) >= limit:
            return max(1, math.ceil(window - (now - calls[0])))
        calls.append(now)
        self._remembered += 1
        self._windows.move_to_end(key)
        self._forget_surplus()
        return None

    async def close(self) -> None:
        """Nothing is open."""

    def __len__(self) -> int:
        """The calls that are remembered."""
        return self._remembered

    def _window(self, key: str, seconds: int) -> _Window:
        window = self._windows.get(key)
        if window is None or window.seconds != seconds:
            window = self._windows[key] = _Window(seconds, window.calls if window else deque())
        return window

    def _forget_ended(self, now: float) -> None:
        """At most two names a call: enough, since a call brings at most one."""
        for _ in range(2):
            key, window = next(iter(self._windows.items()), (None, None))
            if key is None or window is None or (window.calls and now - window.calls[-1] < window.seconds):
                return
            self._forget(key)

    def _forget_surplus(self) -> None:
        while self._remembered > self._most:
            self._forget(next(iter(self._windows)))

    def _forget(self, key: str) -> None:
        self._remembered -= len(self._windows.pop(key).calls)
