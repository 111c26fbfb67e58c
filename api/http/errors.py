"""Turns exceptions into HTTP answers: one JSON shape for every typed error, another one below the proxy's paths."""

from collections.abc import Iterator, Mapping, Sequence
from typing import Any

from fastapi import FastAPI, Request
from fastapi.dependencies.models import Dependant
from fastapi.exceptions import RequestValidationError
from fastapi.responses import JSONResponse
from fastapi.routing import iter_route_contexts
from pydantic import ValidationError
from starlette.exceptions import HTTPException

from api.http.validation_errors import Declared, public_parameter_errors, public_validation_errors
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

PROXY = "/api/v1/proxy/"  # the path prefix below which errors have the shape of the proxy
# The error that an unexpected exception is answered with, by path; elsewhere it is MaskerError's own 500.
UNEXPECTED: Mapping[str, type[MaskerError]] = {
    "/api/v1/mask": MaskingFailed,
    "/api/v1/mask/batch": MaskingFailed,
    "/api/v1/redact": RedactFailed,
    "/api/v1/redact/batch": RedactFailed,
}


class Invalid(MaskerError):
    """422 with an array of `{type, loc, msg}` that quotes nothing of the input."""

    status = 422

    def __init__(self, errors: Sequence[Mapping[str, Any]]) -> None:
        super().__init__("invalid")
        self.errors = [{"type": item["type"], "loc": list(item["loc"]), "msg": item["msg"]} for item in errors]

    @classmethod
    def of(cls, error: ValidationError, *place: str, declared: Declared) -> "Invalid":
        """For a failed validation against `declared` of input that came in `place` (such as `"body"`)."""
        return cls(public_validation_errors(error, place, declared))


# The proxy's codes for errors whose `detail` is prose.
_PROXY_CODES: Mapping[type, str] = {
    Forbidden: "forbidden",
    Invalid: "invalid_body",
    MethodNotAllowed: "method_not_allowed",
    RateLimited: "rate_limit_exceeded",
    Unauthenticated: "unauthorized",
}


def error_response(error: MaskerError, path: str = "") -> JSONResponse:
    """The response for an error: its status, and `{detail, ...extra}`; `detail` is an array for a 422, else a string.

    Below the proxy's paths the body is `{error, message, ...extra}` with a code and a sentence, and a `detail` where
    that adds something.
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
        return JSONResponse(_proxy_body(error), error.status, headers)
    detail = getattr(error, "errors", error.detail)
    return JSONResponse({"detail": detail, **error.extra}, error.status, headers)


def _proxy_body(error: MaskerError) -> dict[str, object]:
    kind = next((kind for kind in type(error).__mro__ if kind in _PROXY_CODES), None)
    code = _PROXY_CODES[kind] if kind else type(error).detail
    adds_nothing = error.detail in {code, type(error).detail} and kind is not Unauthenticated
    detail = {} if adds_nothing else {"detail": error.detail}
    return {"error": code, "message": detail.get("detail", error.sentence), **detail, **error.extra}


def install(app: FastAPI) -> None:
    """Registers the exception handlers with the application."""

    async def on_masker_error(request: Request, error: Exception) -> JSONResponse:
        assert isinstance(error, MaskerError)  # noqa: S101 - the handler's signature is the framework's
        return error_response(error, request.scope["path"])

    async def on_validation_error(request: Request, error: Exception) -> JSONResponse:
        assert isinstance(error, RequestValidationError)  # noqa: S101 - as above
        names = frozenset(_parameter_names(request.scope["route"].dependant))
        return error_response(Invalid(public_parameter_errors(error.errors(), names)))

    async def on_http_error(request: Request, error: Exception) -> JSONResponse:
        assert isinstance(error, HTTPException)  # noqa: S101 - as above
        if error.status_code == MethodNotAllowed.status:
            return error_response(MethodNotAllowed(_allowed_methods(request)), request.scope["path"])
        return JSONResponse({"detail": error.detail}, error.status_code, error.headers)

    app.add_exception_handler(MaskerError, on_masker_error)
    app.add_exception_handler(RequestValidationError, on_validation_error)
    app.add_exception_handler(HTTPException, on_http_error)


def _parameter_names(dependant: Dependant) -> Iterator[str]:
    """The names of a route's parameters, and of its dependencies', as callers write them."""
    for group in (dependant.path_params, dependant.query_params, dependant.header_params, dependant.cookie_params):
        yield from (field.alias for field in group)
    for inner in dependant.dependencies:
        yield from _parameter_names(inner)


def _allowed_methods(request: Request) -> list[str]:
    """All methods of the requested path. The framework names only those of the first route that matches."""
    path = request.scope["route"].path
    contexts = iter_route_contexts(request.app.routes)
    return sorted({method for context in contexts if context.path == path for method in context.methods or ()})
