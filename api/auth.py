"""Who calls: the bearer key of the Authorization header, checked before a byte of the body is read."""

from dataclasses import dataclass
from datetime import datetime

from anyio import to_thread
from starlette.requests import Request

from api.services import Services
from schemas.clock import utc_now
from schemas.errors import Unauthenticated
from storage import keys
from storage.keys import Caller

SESSION_COOKIE = "masker_session"


@dataclass(frozen=True, slots=True)
class Authenticated:
    """A caller, and the key material from which its envelopes and tokens derive: its bearer."""

    caller: Caller
    key_material: str


async def authenticate(request: Request, services: Services) -> Authenticated:
    """The caller of a route that takes a bearer or a cookie. Unauthenticated with the interface's messages."""
    headers = request.headers.getlist("authorization")
    if not headers:
        raise Unauthenticated(
            "Invalid or expired session" if SESSION_COOKIE in request.cookies else "Missing authentication"
        )
    scheme, _, bearer = headers[0].partition(" ")
    if len(headers) > 1 or scheme.lower() != "bearer":
        raise Unauthenticated("Malformed authentication token")
    bearer = bearer.strip(" ")
    return Authenticated(await to_thread.run_sync(_caller, services, bearer, utc_now()), bearer)


def _caller(services: Services, bearer: str, now: datetime) -> Caller:
    pepper = services.pepper  # before the transaction: the first use opens one of its own
    with services.storage.database.transaction() as session:
        return keys.authenticate(session, pepper, bearer, now)
