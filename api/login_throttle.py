"""Slows down who guesses passwords: so many logins a minute per address and per account, registrations likewise."""

import hashlib
from ipaddress import IPv6Address, IPv6Network

from api.addresses import Address
from api.services import Services
from schemas.errors import RateLimited
from storage.accounts import one_spelling

# What one subscriber is given (RFC 6177): whoever has one IPv6 address has 2^64 of them.
_SUBSCRIBER_BITS = 64


async def count_attempt(services: Services, kind: str, address: Address | None, email: str) -> None:
    """Counts an attempt of a `kind` before any password is hashed. RateLimited with the seconds to wait.

    Both windows are counted in the shared limiter, which fails open, and in this process, which does not.
    """
    limit = services.settings.login_attempts_per_minute
    for name in (f"{kind}:address:{_place(address)}", f"{kind}:account:{_account(email)}"):
        for limiter in (services.limiter, services.own_limiter):
            wait = await limiter.hit(name, limit)
            if wait is not None:
                raise RateLimited(retry_after=wait)


def _place(address: Address | None) -> str:
    if isinstance(address, IPv6Address):
        return str(IPv6Network((address, _SUBSCRIBER_BITS), strict=False))
    return str(address)


def _account(email: str) -> str:
    """Whether or not there is such an account; the address itself is not kept in the limiter's memory."""
    return hashlib.sha256(one_spelling(email).encode("utf-8", "surrogatepass")).hexdigest()
