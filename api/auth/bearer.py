"""Authenticates callers by bearer key or session cookie, before a byte of the body is read."""

import logging
from dataclasses import dataclass
from datetime import datetime

from anyio import to_thread
from starlette.requests import Request

from api.http.origins import refuse_cross_site
from api.services.container import Services
from schemas.clock import utc_now
from schemas.errors import MaskerUnavailable, Unauthenticated
from storage.accounts import keys, sessions
from storage.accounts.keys import Caller

log = logging.getLogger("masker.api")
SESSION_COOKIE = "masker_session"


@dataclass(frozen=True, slots=True)
class Authenticated:
    """A caller, and the key material for its envelopes and tokens: its bearer, or the value of its cookie."""

    caller: Caller
    key_material: str

    @property
    def by_session(self) -> bool:
        """Whether a session cookie authenticated it: the dashboard in a browser."""
        return self.caller.key_id is None


async def authenticate(request: Request, services: Services) -> Authenticated:
    """The caller of a route that accepts a bearer or a cookie; with an Authorization header the cookie is ignored.

    Unauthenticated with the interface's messages; Forbidden for a cookie in a call from a page of another site.
    """
    if "authorization" in request.headers:
        return await by_bearer(request, services)
    if SESSION_COOKIE in request.cookies:
        return await by_cookie(request, services)
    raise Unauthenticated("Missing authentication")


async def by_bearer(request: Request, services: Services) -> Authenticated:
    """The caller of a route that accepts only a bearer. Unauthenticated."""
    headers = request.headers.getlist("authorization")
    if not headers:
        raise Unauthenticated("Missing authentication token")
    scheme, _, bearer = headers[0].partition(" ")
    if len(headers) > 1 or scheme.lower() != "bearer":
        raise Unauthenticated("Malformed authentication token")
    bearer = bearer.strip(" ")
    now, cache = utc_now(), services.auth_cache
    caller = cache.get(bearer, now)
    if caller is None:
        keys.check_form(bearer)
        revocations = cache.revocations
        caller = await to_thread.run_sync(_read_key, services, bearer, now)
        cache.put(bearer, caller, now, revocations)
    return Authenticated(caller, bearer)


async def by_cookie(request: Request, services: Services) -> Authenticated:
    """The caller of a route that accepts only a cookie. Unauthenticated, Forbidden.

    Sessions are not cached: a logout must hold in all processes at once, and browsers call rarely.
    """
    token = session_token(request)
    if token is None:
        raise Unauthenticated("Missing session cookie")
    sessions.check_form(token)
    caller = await to_thread.run_sync(_read_session, services, token, utc_now())
    refuse_cross_site(request, services.settings)
    return Authenticated(caller, token)


def session_token(request: Request) -> str | None:
    """The session cookie's value; None without one, and when there is an Authorization header."""
    return None if "authorization" in request.headers else request.cookies.get(SESSION_COOKIE)


def _read_key(services: Services, bearer: str, now: datetime) -> Caller:
    pepper = services.pepper  # before the transaction: the first use opens one of its own
    with services.storage.database.reading() as session:
        caller, use_is_due = keys.authenticate(session, pepper, bearer, now)
    if use_is_due and caller.key_id is not None:
        try:
            with services.storage.database.transaction() as session:
                keys.note_use(session, caller.key_id, now)
        except MaskerUnavailable:
            log.warning("the time of a key's use was not noted", extra={"key_id": str(caller.key_id)})
    return caller


def _read_session(services: Services, token: str, now: datetime) -> Caller:
    with services.storage.database.reading() as session:
        return sessions.authenticate(session, token, now)
