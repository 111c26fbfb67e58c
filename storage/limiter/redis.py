"""The sliding window in Redis: one round trip by a script, and calls go on uncounted when Redis is not there.

Redis tells the time, so processes whose clocks differ count the same. A name is stored as a keyed hash and goes when
its window has passed.
"""

import asyncio
import hashlib
import hmac
import logging
import math

from redis.asyncio import Redis
from redis.asyncio.retry import Retry
from redis.backoff import NoBackoff
from redis.exceptions import NoScriptError, RedisError

from schemas.settings import InvalidSettings

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
    """Windows in the Redis at `url`, waited for `patience` seconds. For one event loop.

    InvalidSettings when the address is none.
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
        """As `RateLimiter.hit`; None, `patience` late, when Redis fails, and at once for `pause` seconds after."""
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
                    wait = await self._ask(key, limit, window)
                finally:
                    late.cancel()
        except (RedisError, OSError) as failure:
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
        """Redis had its time, but what a busy event loop took of that is given once more."""
        now = asyncio.get_running_loop().time()
        was_late = now - begun > 1.5 * self._patience
        end.reschedule(now + (self._patience if was_late else _GRACE_SECONDS))

    def _failed(self, kind: str, now: float) -> None:
        if not self._failing:
            log.warning("Redis does not answer the rate limiter (%s): calls are not limited until it does", kind)
        self._failing, self._ask_again = True, now + self._pause

    def _answered(self) -> None:
        if self._failing:
            log.warning("Redis answers the rate limiter again")
        self._failing = False
