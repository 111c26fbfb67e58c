"""`/auth`: register, log in, log out."""

from fastapi import APIRouter, Depends, Request, Response

from api.auth import login
from api.auth.bearer import session_token
from api.dependencies import ServicesDep
from api.http.bodies import json_body, read_json
from api.http.geo import client_address
from api.http.origins import refuse_cross_site, refuse_foreign_origin
from schemas.accounts import AccountAnswer, Login, Registration

_MAX_BODY_BYTES = 64 * 1024  # a password of 1024 characters, each written as an escape, takes 12 KB


async def _refuse_other_origins(request: Request, services: ServicesDep) -> None:
    refuse_foreign_origin(request, services.settings)


router = APIRouter(prefix="/auth", tags=["auth"], dependencies=[Depends(_refuse_other_origins)])


@router.post("/register", status_code=201, openapi_extra=json_body(Registration))
async def register(request: Request, response: Response, services: ServicesDep) -> AccountAnswer:
    """Create an account and log it in, where registration is open."""
    login.check_registration(services)
    body = await read_json(request, Registration, _MAX_BODY_BYTES)
    session = await login.register(services, body, client_address(request))
    login.set_cookie(services, response, session.token)
    return session.account


@router.post("/login", openapi_extra=json_body(Login))
async def log_in(request: Request, response: Response, services: ServicesDep) -> AccountAnswer:
    """Begin a browser session."""
    body = await read_json(request, Login, _MAX_BODY_BYTES)
    session = await login.log_in(services, body, client_address(request))
    login.set_cookie(services, response, session.token)
    return session.account


@router.post("/logout", status_code=204, response_class=Response)
async def log_out(request: Request, response: Response, services: ServicesDep) -> None:
    """End the browser session, on the server too. Without one there is nothing to do."""
    token = session_token(request)
    if token is not None:
        refuse_cross_site(request, services.settings)
        await login.log_out(services, token)
        login.clear_cookie(services, response)
