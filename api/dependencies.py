"""What routes ask for in their signatures."""

from typing import Annotated, cast

from fastapi import Depends, Request

from api.auth import Authenticated, authenticate, by_bearer, by_cookie
from api.rate_limit import count_call
from api.services import Services


async def _services(request: Request) -> Services:
    # `async`, though it waits for nothing: the framework sends what is not to a thread and back, for every request.
    return cast("Services", request.app.state.services)


ServicesDep = Annotated[Services, Depends(_services)]


async def _caller(request: Request, services: ServicesDep) -> Authenticated:
    return await _counted(services, await authenticate(request, services))


async def _bearer_caller(request: Request, services: ServicesDep) -> Authenticated:
    return await _counted(services, await by_bearer(request, services))


async def _cookie_caller(request: Request, services: ServicesDep) -> Authenticated:
    return await _counted(services, await by_cookie(request, services))


async def _counted(services: Services, authenticated: Authenticated) -> Authenticated:
    await count_call(services, authenticated.caller)
    return authenticated


CallerDep = Annotated[Authenticated, Depends(_caller)]
BearerCallerDep = Annotated[Authenticated, Depends(_bearer_caller)]
CookieCallerDep = Annotated[Authenticated, Depends(_cookie_caller)]
