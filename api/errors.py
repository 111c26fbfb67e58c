"""Turns failures into answers: one shape for every typed error, and 422 bodies that repeat nothing the caller sent."""

from collections.abc import Iterable, Mapping, Sequence
from typing import Any

from fastapi import FastAPI, Request
from fastapi.exceptions import RequestValidationError
from fastapi.responses import JSONResponse
from pydantic import ValidationError

from schemas.errors import MaskerError, MaskingFailed, RedactFailed, Unauthenticated

# What an unexpected failure answers, by path; everywhere else it is MaskerError's own 500.
UNEXPECTED: Mapping[str, type[MaskerError]] = {"/api/v1/mask": MaskingFailed, "/api/v1/redact": RedactFailed}

# Words of our own that an error's place may hold; a key that the caller made up is left out.
_OWN_WORDS = frozenset(
    {
        "body", "query", "path", "header", "text", "key", "use_judge", "judge_model", "glossary", "glossary_id",
        "transforms", "DATE_TIME", "ADDRESS", "[key]", "file", "limit", "cursor",
    }
)  # fmt: skip
# Messages of the library that quote a piece of the value.
_OWN_MESSAGES: Mapping[str, str] = {
    "uuid_parsing": "Input should be a valid UUID",
    "string_unicode": "Input should be valid Unicode",
}


class Invalid(MaskerError):
    """422 with an array of `{type, loc, msg}`; takes the items of pydantic's `errors()`."""

    status = 422

    def __init__(self, items: Iterable[Mapping[str, Any]], place: str | None = None) -> None:
        super().__init__("invalid")
        self.errors = [_public(item, place) for item in items]

    @classmethod
    def of(cls, error: ValidationError, place: str) -> "Invalid":
        """From a failed validation of something that came in `place` (`body`, or a form field's path)."""
        return cls(error.errors(include_url=False, include_context=False, include_input=False), place)


def answer(error: MaskerError) -> JSONResponse:
    """`{detail, ...extra}` with the error's status; `detail` is an array for a 422 and a string otherwise."""
    headers = {}
    if error.retry_after is not None:
        headers["Retry-After"] = str(error.retry_after)
    if isinstance(error, Unauthenticated):
        headers["WWW-Authenticate"] = "Bearer"  # RFC 6750, section 3
    detail = getattr(error, "errors", error.detail)
    return JSONResponse({"detail": detail, **error.extra}, error.status, headers)


def install(app: FastAPI) -> None:
    """Registers the answers with the application."""

    async def on_masker_error(_: Request, error: Exception) -> JSONResponse:
        assert isinstance(error, MaskerError)  # noqa: S101 - the handler's signature is the framework's
        return answer(error)

    async def on_validation_error(_: Request, error: Exception) -> JSONResponse:
        assert isinstance(error, RequestValidationError)  # noqa: S101 - as above
        return answer(Invalid(error.errors()))

    app.add_exception_handler(MaskerError, on_masker_error)
    app.add_exception_handler(RequestValidationError, on_validation_error)


def _public(item: Mapping[str, Any], place: str | None) -> dict[str, Any]:
    path: Sequence[str | int] = (place, *item["loc"]) if place else item["loc"]
    loc = [word for word in path if isinstance(word, int) or word in _OWN_WORDS]
    return {"type": item["type"], "loc": loc, "msg": _OWN_MESSAGES.get(item["type"], item["msg"])}
