"""Dependencies that routes declare in their signatures: the services, and the authenticated caller."""

from collections.abc import Awaitable, Callable
from typing import Annotated, cast

from fastapi import Depends, Request

from api.auth.bearer import Authenticated, authenticate, by_bearer, by_cookie
from api.auth.rate_limit import count_call
from api.proxy import demo
from api.services.container import Services


def services_of(request: Request) -> Services:
    """The application's services, without the 20 us that a FastAPI dependency adds to a call."""
    return cast("Services", request.app.state.services)


async def _services(request: Request) -> Services:
    # `async` although it awaits nothing: the framework runs other functions in a thread, for every request.
    return services_of(request)


ServicesDep = Annotated[Services, Depends(_services)]


async def _caller(request: Request) -> Authenticated:
    return await _authenticated(request, authenticate)


async def _bearer_caller(request: Request) -> Authenticated:
    return await _authenticated(request, by_bearer)


async def _cookie_caller(request: Request) -> Authenticated:
    return await _authenticated(request, by_cookie)


async def _proxy_caller(request: Request) -> Authenticated:
    authenticate_by = by_cookie if demo.is_demo_call(request, services_of(request).settings) else by_bearer
    return await _authenticated(request, authenticate_by)


async def _authenticated(
    request: Request, authenticate_by: Callable[[Request, Services], Awaitable[Authenticated]]
) -> Authenticated:
    services = services_of(request)
    authenticated = await authenticate_by(request, services)
    await count_call(services, authenticated.caller)
    return authenticated


CallerDep = Annotated[Authenticated, Depends(_caller)]
BearerCallerDep = Annotated[Authenticated, Depends(_bearer_caller)]
CookieCallerDep = Annotated[Authenticated, Depends(_cookie_caller)]
ProxyCallerDep = Annotated[Authenticated, Depends(_proxy_caller)]
