"""Turns failures into answers: one shape for every typed error, and 422 bodies that repeat nothing the caller sent."""

from collections.abc import Iterator, Mapping, Sequence
from typing import Any

from fastapi import FastAPI, Request
from fastapi.dependencies.models import Dependant
from fastapi.exceptions import RequestValidationError
from fastapi.responses import JSONResponse
from fastapi.routing import iter_route_contexts
from pydantic import ValidationError
from starlette.exceptions import HTTPException

from api.validation import Declared, of_error, of_parameters
from schemas.errors import (
    EndpointNotSupported,
    Forbidden,
    MaskerError,
    MaskingFailed,
    MethodNotAllowed,
    RateLimited,
    RedactFailed,
    RequestTimeout,
    Unauthenticated,
)

# What an unexpected failure answers, by path; everywhere else it is MaskerError's own 500.
UNEXPECTED: Mapping[str, type[MaskerError]] = {"/api/v1/mask": MaskingFailed, "/api/v1/redact": RedactFailed}


class Invalid(MaskerError):
    """422 with an array of `{type, loc, msg}`, whose words are all ours."""

    status = 422

    def __init__(self, errors: Sequence[Mapping[str, Any]]) -> None:
        super().__init__("invalid")
        self.errors = [{"type": item["type"], "loc": list(item["loc"]), "msg": item["msg"]} for item in errors]

    @classmethod
    def of(cls, error: ValidationError, *place: str, declared: Declared) -> "Invalid":
        """From a failed validation, against what was `declared`, of something that came in `place` (`body`, ...)."""
        return cls(of_error(error, place, declared))


PROXY = "/api/v1/proxy/"
# What the proxy calls failures whose own words are prose.
_PROXY_CODES: Mapping[type, str] = {
    Forbidden: "forbidden",
    Invalid: "invalid_body",
    MethodNotAllowed: "method_not_allowed",
    RateLimited: "rate_limit_exceeded",
    Unauthenticated: "unauthorized",
}


def answer(error: MaskerError, path: str = "") -> JSONResponse:
    """The error's status, and `{detail, ...extra}`; `detail` is an array for a 422 and a string otherwise.

    Below the proxy's paths it is `{error, ...extra}`, a code, with a `detail` where that says more.
    """
    headers = {}
    if error.retry_after is not None:
        headers["Retry-After"] = str(error.retry_after)
    if isinstance(error, Unauthenticated):
        headers["WWW-Authenticate"] = "Bearer"  # RFC 6750, section 3
    if isinstance(error, MethodNotAllowed):
        headers["Allow"] = ", ".join(error.allowed)  # RFC 9110, section 15.5.6
    if isinstance(error, RequestTimeout):
        headers["Connection"] = "close"  # RFC 9110, section 15.5.9
    if isinstance(error, EndpointNotSupported):
        headers["x-should-retry"] = "false"  # the providers' client libraries repeat a 501 otherwise
    if f"{path}/".startswith(PROXY):
        return JSONResponse(_proxied(error), error.status, headers)
    detail = getattr(error, "errors", error.detail)
    return JSONResponse({"detail": detail, **error.extra}, error.status, headers)


def _proxied(error: MaskerError) -> dict[str, object]:
    kind = next((kind for kind in type(error).__mro__ if kind in _PROXY_CODES), None)
    code = _PROXY_CODES[kind] if kind else type(error).detail
    said = (
        {} if error.detail in {code, type(error).detail} and kind is not Unauthenticated else {"detail": error.detail}
    )
    return {"error": code, **said, **error.extra}


def install(app: FastAPI) -> None:
    """Registers the answers with the application."""

    async def on_masker_error(request: Request, error: Exception) -> JSONResponse:
        assert isinstance(error, MaskerError)  # noqa: S101 - the handler's signature is the framework's
        return answer(error, request.scope["path"])

    async def on_validation_error(request: Request, error: Exception) -> JSONResponse:
        assert isinstance(error, RequestValidationError)  # noqa: S101 - as above
        names = frozenset(_parameters(request.scope["route"].dependant))
        return answer(Invalid(of_parameters(error.errors(), names)))

    async def on_http_error(request: Request, error: Exception) -> JSONResponse:
        assert isinstance(error, HTTPException)  # noqa: S101 - as above
        if error.status_code == MethodNotAllowed.status:
            return answer(MethodNotAllowed(_allowed(request)), request.scope["path"])
        return JSONResponse({"detail": error.detail}, error.status_code, error.headers)

    app.add_exception_handler(MaskerError, on_masker_error)
    app.add_exception_handler(RequestValidationError, on_validation_error)
    app.add_exception_handler(HTTPException, on_http_error)


def _parameters(dependant: Dependant) -> Iterator[str]:
    """The names of a route's parameters as callers write them."""
    for group in (dependant.path_params, dependant.query_params, dependant.header_params, dependant.cookie_params):
        yield from (field.alias for field in group)
    for inner in dependant.dependencies:
        yield from _parameters(inner)


def _allowed(request: Request) -> list[str]:
    """Every method of the path that was asked for: the framework names those of one route alone."""
    path = request.scope["route"].path
    contexts = iter_route_contexts(request.app.routes)
    return sorted({method for context in contexts if context.path == path for method in context.methods or ()})
