"""The managed demo: the dashboard's visitors try the proxy at one provider with the operator's own key.

Off unless the operator names a provider and a key. For browser sessions alone, for listed models alone, for what
`demo_body` lists alone, and so many calls of an account in any 24 hours.
"""

import json
from typing import Any, Final

from starlette.datastructures import Headers
from starlette.requests import Request

from api.auth import SESSION_COOKIE, Authenticated
from api.errors import PROXY
from api.proxy.joints import Provider
from api.relay import demo_body
from api.services import Services
from schemas.errors import InvalidBody, ModelNotAllowed, RateLimited
from schemas.settings import Settings

_DAY = 24 * 60 * 60
_SHARED: Final = frozenset({"anthropic-beta", "idempotency-key", "openai-organization", "openai-project"})


def provider_of(settings: Settings) -> Provider | None:
    """Where the demo calls; None where there is none."""
    if settings.demo_provider is None or settings.demo_provider_key is None or not settings.demo_models:
        return None
    return Provider(settings.demo_provider)


def is_meant(request: Request, settings: Settings) -> bool:
    """Whether a call to the proxy is the demo's: a session's cookie, no Authorization header, the demo's provider."""
    has_session = "authorization" not in request.headers and SESSION_COOKIE in request.cookies
    provider = provider_of(settings)
    return has_session and provider is not None and request.scope["path"].startswith(f"{PROXY}{provider}/")


def operators_key(settings: Settings) -> str:
    """The key that the demo's calls are made with."""
    assert settings.demo_provider_key is not None  # noqa: S101 - there is a demo
    return settings.demo_provider_key.get_secret_value()


async def count_demo(services: Services, who: Authenticated) -> None:
    """Counts one call of the account. RateLimited with the seconds to wait.

    In the shared limiter, which fails open, and in this process, which does not.
    """
    for limiter in (services.limiter, services.own_limiter):
        wait = await limiter.hit(f"demo:{who.caller.account_id}", services.settings.demo_calls_per_day, _DAY)
        if wait is not None:
            raise RateLimited(retry_after=wait)


def plain(headers: Headers) -> Headers:
    """The headers without those that ask for something beside the body: all visitors share one account's key."""
    return Headers(raw=[(name, value) for name, value in headers.raw if name.decode("latin-1") not in _SHARED])


def check(raw: bytes, provider: Provider, settings: Settings) -> None:
    """InvalidBody; ModelNotAllowed when the body names none of the demo's models."""
    try:
        body: Any = json.loads(raw, object_pairs_hook=_once)
    except (ValueError, RecursionError):
        raise InvalidBody from None
    if not isinstance(body, dict) or body.get("model") not in settings.demo_models:
        raise ModelNotAllowed
    demo_body.check(body, provider)


def _once(pairs: list[tuple[str, Any]]) -> dict[str, Any]:
    """An object whose keys come once: of two models, the provider might take the other."""
    found = dict(pairs)
    if len(found) < len(pairs):
        raise ValueError
    return found
