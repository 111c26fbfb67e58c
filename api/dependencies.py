"""What routes ask for in their signatures."""

from typing import Annotated, cast

from fastapi import Depends, Request

from api.auth import Authenticated, authenticate
from api.rate_limit import count_call
from api.services import Services


def _services(request: Request) -> Services:
    return cast("Services", request.app.state.services)


ServicesDep = Annotated[Services, Depends(_services)]


async def _caller(request: Request, services: ServicesDep) -> Authenticated:
    authenticated = await authenticate(request, services)
    await count_call(services, authenticated.caller)
    return authenticated


CallerDep = Annotated[Authenticated, Depends(_caller)]
