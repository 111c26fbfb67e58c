"""Registration, login and logout, throttled per network and per account against password guessing."""

import hashlib
from datetime import datetime
from functools import partial
from ipaddress import IPv6Address, IPv6Network
from typing import NamedTuple

from anyio import to_thread
from starlette.responses import Response

from api.auth.bearer import SESSION_COOKIE
from api.http.client_address import Address
from api.services.container import Services
from schemas.accounts import AccountAnswer, Login, Registration
from schemas.clock import utc_now
from schemas.errors import InvalidLogin, RateLimited, RegistrationClosed
from storage.accounts import records as accounts
from storage.accounts import sessions
from storage.accounts.passwords import hash_password, needs_rehash, verify_password
from storage.accounts.records import one_spelling
from storage.tables import Account

# A subscriber gets a /64 or a larger network (RFC 6177), so IPv6 attempts are counted per /64.
_SUBSCRIBER_PREFIX_BITS = 64


async def count_attempt(services: Services, kind: str, address: Address | None, email: str) -> None:
    """Counts an attempt of a `kind`, before any password is hashed. RateLimited with the seconds to wait.

    Attempts are counted per network and per account, in the shared limiter and in that of this process. The shared one
    allows everything when Redis is unavailable.
    """
    limit = services.settings.login_attempts_per_minute
    for name in (f"{kind}:address:{_network(address)}", f"{kind}:account:{_account_digest(email)}"):
        for limiter in (services.limiter, services.local_limiter):
            wait = await limiter.hit(name, limit)
            if wait is not None:
                raise RateLimited(retry_after=wait)


def _network(address: Address | None) -> str:
    if isinstance(address, IPv6Address):
        return str(IPv6Network((address, _SUBSCRIBER_PREFIX_BITS), strict=False))
    return str(address)


def _account_digest(email: str) -> str:
    """A digest of the e-mail address, so that the limiter does not store it. The account need not exist."""
    return hashlib.sha256(one_spelling(email).encode("utf-8", "surrogatepass")).hexdigest()


class NewSession(NamedTuple):
    """A new session: its account, and the value of its cookie."""

    account: AccountAnswer
    token: str


def check_registration(services: Services) -> None:
    """RegistrationClosed when only the operator creates accounts."""
    if not services.settings.open_registration:
        raise RegistrationClosed


async def register(services: Services, body: Registration, address: Address | None) -> NewSession:
    """Creates an account and logs it in. RateLimited, Unprocessable (invalid e-mail address), EmailTaken."""
    accounts.normalize_email(body.email)
    await count_attempt(services, "register", address, body.email)
    password_hash = await services.passwords.run(partial(hash_password, body.password))
    return await to_thread.run_sync(_create_account, services, body.email, password_hash, utc_now())


async def log_in(services: Services, body: Login, address: Address | None) -> NewSession:
    """Begins a session. RateLimited; InvalidLogin, which takes the same time for an unknown account."""
    await count_attempt(services, "login", address, body.email)
    account = await to_thread.run_sync(_find_account, services, body.email)
    stored = None if account is None else account.password_hash
    is_right = await services.passwords.run(partial(verify_password, stored, body.password))
    if account is None or not is_right:
        raise InvalidLogin
    new_hash = None
    if needs_rehash(account.password_hash):
        new_hash = await services.passwords.run(partial(hash_password, body.password))
    return await to_thread.run_sync(_begin_session, services, account, new_hash, utc_now())


async def log_out(services: Services, token: str) -> None:
    """Ends the session if it exists."""
    await to_thread.run_sync(_end_session, services, token)


def set_cookie(services: Services, response: Response, token: str) -> None:
    """Sets the session cookie: not readable by scripts, not sent with calls of other sites."""
    settings = services.settings
    response.set_cookie(
        SESSION_COOKIE,
        token,
        max_age=settings.session_ttl_seconds,
        path="/",
        secure=settings.session_cookie_secure,
        httponly=True,
        samesite="lax",
    )


def clear_cookie(services: Services, response: Response) -> None:
    """Deletes the session cookie."""
    secure = services.settings.session_cookie_secure
    response.delete_cookie(SESSION_COOKIE, path="/", secure=secure, httponly=True, samesite="lax")


def _create_account(services: Services, email: str, password_hash: str, now: datetime) -> NewSession:
    with services.storage.database.transaction() as session:
        account = accounts.create(session, email=email, password_hash=password_hash, now=now)
        token = sessions.begin(session, account.id, ttl_seconds=services.settings.session_ttl_seconds, now=now)
    return NewSession(AccountAnswer(account_id=account.id, email=account.email), token)


def _find_account(services: Services, email: str) -> Account | None:
    with services.storage.database.reading() as session:
        return accounts.by_email(session, email)


def _begin_session(services: Services, account: Account, new_hash: str | None, now: datetime) -> NewSession:
    with services.storage.database.transaction() as session:
        if new_hash is not None:
            accounts.replace_password_hash(session, account.id, account.password_hash, new_hash)
        token = sessions.begin(session, account.id, ttl_seconds=services.settings.session_ttl_seconds, now=now)
    return NewSession(AccountAnswer(account_id=account.id, email=account.email), token)


def _end_session(services: Services, token: str) -> None:
    with services.storage.database.transaction() as session:
        sessions.end(session, token)
