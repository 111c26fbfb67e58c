"""Rate limits: a sliding window for each name, in Redis for several processes or in the memory of one."""

import asyncio
import hashlib
import hmac
import logging
import math
import time
from collections import OrderedDict, deque
from collections.abc import Callable
from typing import NamedTuple, Protocol

from redis.asyncio import Redis
from redis.asyncio.retry import Retry
from redis.backoff import NoBackoff
from redis.exceptions import NoScriptError, RedisError

from schemas.settings import InvalidSettings
from schemas.telemetry.metrics import UNAVAILABLE
from schemas.telemetry.tracing import timed_store

# The sliding window inside one process: bounded memory, the same answers as the one in Redis.

MOST_CALLS = 1_000_000  # remembered at once, about 50 MB; past it the names that were quiet longest are forgotten


class _Window(NamedTuple):
    """The moments of the calls in the last `seconds`, oldest first."""

    seconds: int
    calls: deque[float]


class MemoryLimiter:
    """Windows by name in this process. `clock`: monotonic seconds; `most`: calls remembered in all."""

    def __init__(self, clock: Callable[[], float] = time.monotonic, most: int = MOST_CALLS) -> None:
        self._clock = clock
        self._most = most
        self._windows: OrderedDict[str, _Window] = OrderedDict()  # the one quiet for longest first
        self._remembered = 0

    async def hit(self, key: str, limit: int, window: int = 60) -> int | None:
        """As `RateLimiter.hit`. It awaits nothing, so calls of one event loop cannot interleave."""
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
        """Does nothing."""

    def __len__(self) -> int:
        """The calls that are remembered."""
        return self._remembered

    def _window(self, key: str, seconds: int) -> _Window:
        window = self._windows.get(key)
        if window is None or window.seconds != seconds:
            window = self._windows[key] = _Window(seconds, window.calls if window else deque())
        return window

    def _forget_ended(self, now: float) -> None:
        """Forgets at most two ended names: enough, because a call adds at most one."""
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


# The sliding window in Redis: one round trip by a script, and calls go on uncounted when Redis is not there.
#
# Redis tells the time, so processes whose clocks differ count the same. A name is stored as a keyed hash and goes when
# its window has passed.

log = logging.getLogger("masker.limiter")

PATIENCE_SECONDS = 0.1  # the most that a call waits for Redis
PAUSE_SECONDS = 1.0  # how long calls go on without asking after Redis failed
_CONNECTIONS = 32
_GRACE_SECONDS = 0.01  # in which an answer that is here already gets through the event loop

# The list holds the moments of the counted calls in microseconds, oldest first: never more than the limit. Numbers are
# written with %d because Lua's own way rounds them to 14 digits. A clock that was put back by more than a window would
# lock the name until it caught up: such a list is dropped. Answers -1 (counted) or the microseconds to wait.
_SCRIPT = b"""
local limit, window = tonumber(ARGV[1]), tonumber(ARGV[2])
local time = redis.call('TIME')
local now = tonumber(time[1]) * 1000000 + tonumber(time[2])
local newest = tonumber(redis.call('LINDEX', KEYS[1], -1))
if newest and newest > now + window then redis.call('DEL', KEYS[1]) end
local oldest = tonumber(redis.call('LINDEX', KEYS[1], 0))
while oldest and now - oldest >= window do
  redis.call('LPOP', KEYS[1])
  oldest = tonumber(redis.call('LINDEX', KEYS[1], 0))
end
if redis.call('LLEN', KEYS[1]) >= limit then return math.min(window, window - (now - oldest)) end
redis.call('RPUSH', KEYS[1], string.format('%d', now))
redis.call('PEXPIRE', KEYS[1], string.format('%d', window / 1000 + 1))
return -1
"""
_SHA = hashlib.sha1(_SCRIPT, usedforsecurity=False).hexdigest()  # what EVALSHA knows a script by


class RedisLimiter:
    """Windows in the Redis at `url`, with a timeout of `patience` seconds. For one event loop. InvalidSettings for a
    bad address.
    """

    def __init__(
        self, url: str, secret: bytes, pause: float = PAUSE_SECONDS, patience: float = PATIENCE_SECONDS
    ) -> None:
        self._secret, self._pause, self._patience = secret, pause, patience
        try:
            self._redis = Redis.from_url(
                url,
                socket_connect_timeout=1,
                socket_timeout=None,  # a call's own patience is enough; the library's would double what a call costs
                retry=Retry(NoBackoff(), 0),
            )
        except ValueError:
            raise InvalidSettings("MASKER_REDIS_URL: not a Redis address") from None
        self._connections = asyncio.Semaphore(_CONNECTIONS)  # which costs less than the library's pool that waits
        self._failing = False
        self._ask_again = 0.0  # on the loop's clock: until then nobody asks

    async def hit(self, key: str, limit: int, window: int = 60) -> int | None:
        """As `RateLimiter.hit`. None after `patience` seconds when Redis fails, then at once for `pause` seconds."""
        loop = asyncio.get_running_loop()
        if self._failing:
            if loop.time() < self._ask_again:
                return None
            self._ask_again = loop.time() + self._pause  # only this call tries
        begun = loop.time()
        try:
            async with asyncio.timeout(None) as end:
                late = loop.call_at(begun + self._patience, self._give_up, end, begun)
                try:
                    with timed_store("limiter"):
                        wait = await self._ask(key, limit, window)
                finally:
                    late.cancel()
        except (RedisError, OSError) as failure:
            UNAVAILABLE.labels("limiter").inc()
            self._failed(type(failure).__name__, loop.time())
            return None
        self._answered()
        return None if wait < 0 else max(1, math.ceil(wait / 1_000_000))

    async def close(self) -> None:
        """Closes its connections."""
        await self._redis.aclose()

    async def _ask(self, key: str, limit: int, window: int) -> int:
        name = b"masker:rate:" + hmac.digest(self._secret, key.encode(), "sha256")[:16].hex().encode()
        arguments = (1, name, limit, window * 1_000_000)
        async with self._connections:
            try:
                return int(await self._redis.execute_command("EVALSHA", _SHA, *arguments))  # type: ignore[no-untyped-call]
            except NoScriptError:  # the first call ever, or Redis was started anew
                return int(await self._redis.execute_command("EVAL", _SCRIPT, *arguments))  # type: ignore[no-untyped-call]

    def _give_up(self, end: asyncio.Timeout, begun: float) -> None:
        """Marks Redis as failed; the time that a busy event loop took is granted once more."""
        now = asyncio.get_running_loop().time()
        was_late = now - begun > 1.5 * self._patience
        end.reschedule(now + (self._patience if was_late else _GRACE_SECONDS))

    def _failed(self, kind: str, now: float) -> None:
        if not self._failing:
            log.warning(
                "Redis does not answer the rate limiter: calls are not limited until it does", extra={"error": kind}
            )
        self._failing, self._ask_again = True, now + self._pause

    def _answered(self) -> None:
        if self._failing:
            log.warning("Redis answers the rate limiter again")
        self._failing = False


class RateLimiter(Protocol):
    """Counts calls by name. For one event loop; raises no error of the server behind it."""

    async def hit(self, key: str, limit: int, window: int = 60) -> int | None:
        """Counts a call: None when it may go on, else whole seconds until the next may (1 to `window`).

        At most `limit` calls in any `window` seconds; a refused one does not count. The seconds are the window minus
        the age of its oldest call, rounded up. Limits of different kinds need different keys.
        """

    async def close(self) -> None:
        """Closes connections."""


def open_limiter(redis_url: str | None, secret: bytes) -> RateLimiter:
    """The limiter of the settings; connects to nothing yet. InvalidSettings when the address is none.

    `secret`: what names are hashed under in Redis; every process that shall count together needs the same.
    """
    return MemoryLimiter() if redis_url is None else RedisLimiter(redis_url, secret)
