"""How often something may happen: a sliding window per name, in Redis for many processes or inside one."""

from typing import Protocol

from storage.limiter.memory import MemoryLimiter
from storage.limiter.redis import RedisLimiter


class RateLimiter(Protocol):
    """Counts calls by name. For one event loop; never raises for a server's sake."""

    async def hit(self, key: str, limit: int, window: int = 60) -> int | None:
        """Counts a call: None when it may go on, else whole seconds until the next may (1 to `window`).

        At most `limit` calls in any `window` seconds; a refused one does not count. The seconds are the window minus
        the age of its oldest call, rounded up. Limits of different kinds need different keys.
        """

    async def close(self) -> None:
        """Gives connections back."""


def open_limiter(redis_url: str | None, secret: bytes) -> RateLimiter:
    """The limiter of the settings; connects to nothing yet. InvalidSettings when the address is none.

    `secret`: what names are hashed under in Redis; every process that shall count together needs the same.
    """
    return MemoryLimiter() if redis_url is None else RedisLimiter(redis_url, secret)
