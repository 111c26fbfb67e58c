"""Registration, login and logout: from an e-mail address and a password to a session, and back."""

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

# Slows down who guesses passwords: so many logins a minute per address and per account, registrations likewise.

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


class Begun(NamedTuple):
    """A session that has just begun: whose it is, and its cookie's value."""

    account: AccountAnswer
    token: str


def check_registration(services: Services) -> None:
    """RegistrationClosed when accounts are made by the operator alone."""
    if not services.settings.open_registration:
        raise RegistrationClosed


async def register(services: Services, body: Registration, address: Address | None) -> Begun:
    """A new account, logged in. RateLimited, Unprocessable (the address is none), EmailTaken."""
    accounts.normalize_email(body.email)
    await count_attempt(services, "register", address, body.email)
    password_hash = await services.passwords.run(partial(hash_password, body.password))
    return await to_thread.run_sync(_create, services, body.email, password_hash, utc_now())


async def log_in(services: Services, body: Login, address: Address | None) -> Begun:
    """A session of a known account. RateLimited; InvalidLogin, after the same work whatever was wrong."""
    await count_attempt(services, "login", address, body.email)
    account = await to_thread.run_sync(_known, services, body.email)
    stored = None if account is None else account.password_hash
    right = await services.passwords.run(partial(verify_password, stored, body.password))
    if account is None or not right:
        raise InvalidLogin
    stronger = None
    if needs_rehash(account.password_hash):
        stronger = await services.passwords.run(partial(hash_password, body.password))
    return await to_thread.run_sync(_begin, services, account, stronger, utc_now())


async def log_out(services: Services, token: str) -> None:
    """Ends the session, if there is one."""
    await to_thread.run_sync(_end, services, token)


def set_cookie(services: Services, response: Response, token: str) -> None:
    """Hands the session to the browser: for no script's eyes, and with no call that another site makes."""
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
    """Takes it back."""
    secure = services.settings.session_cookie_secure
    response.delete_cookie(SESSION_COOKIE, path="/", secure=secure, httponly=True, samesite="lax")


def _create(services: Services, email: str, password_hash: str, now: datetime) -> Begun:
    with services.storage.database.transaction() as session:
        account = accounts.create(session, email=email, password_hash=password_hash, now=now)
        token = sessions.begin(session, account.id, ttl_seconds=services.settings.session_ttl_seconds, now=now)
    return Begun(AccountAnswer(account_id=account.id, email=account.email), token)


def _known(services: Services, email: str) -> Account | None:
    with services.storage.database.reading() as session:
        return accounts.by_email(session, email)


def _begin(services: Services, account: Account, stronger: str | None, now: datetime) -> Begun:
    with services.storage.database.transaction() as session:
        if stronger is not None:
            accounts.replace_password_hash(session, account.id, account.password_hash, stronger)
        token = sessions.begin(session, account.id, ttl_seconds=services.settings.session_ttl_seconds, now=now)
    return Begun(AccountAnswer(account_id=account.id, email=account.email), token)


def _end(services: Services, token: str) -> None:
    with services.storage.database.transaction() as session:
        sessions.end(session, token)
