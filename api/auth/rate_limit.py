"""The rate limit: calls per key, or per account for sessions, in any 60 seconds, whatever their answers."""

from api.services.container import Services
from schemas.errors import RateLimited
from storage.accounts.keys import Caller

WINDOW_SECONDS = 60


async def count_call(services: Services, caller: Caller) -> None:
    """Counts an authenticated call before its body is read. RateLimited with the seconds to wait; then not counted."""
    name = f"account:{caller.account_id}" if caller.key_id is None else f"key:{caller.key_id}"
    wait = await services.limiter.hit(name, services.settings.rate_limit_per_minute, WINDOW_SECONDS)
    if wait is not None:
        raise RateLimited(retry_after=wait)
