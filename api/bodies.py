"""Reads JSON bodies after authentication: bounded, UTF-8, valid, or a clean 413 or 422."""

from typing import TypeVar

from anyio import to_thread
from pydantic import BaseModel, ValidationError
from starlette.requests import Request

from api.errors import Invalid
from schemas.errors import RequestTooLarge

Model = TypeVar("Model", bound=BaseModel)
_LENGTH_DIGITS = 20  # more than any length has, and as many as the server lets through
_WORTH_A_THREAD = 64 * 1024  # bytes from which parsing would hold up other requests


async def read_json(request: Request, model: type[Model], limit: int) -> Model:
    """The body as `model`. RequestTooLarge past `limit` bytes, by Content-Length or while reading; Invalid (422)."""
    raw = await _read(request, limit)
    try:
        if len(raw) < _WORTH_A_THREAD:
            return model.model_validate_json(raw)
        return await to_thread.run_sync(model.model_validate_json, raw)
    except ValidationError as error:
        raise Invalid.of(error, "body") from None


def declared_length(request: Request) -> int:
    """Content-Length, or 0 when there is none that can be read."""
    value = request.headers.get("content-length", "")
    return int(value) if value.isascii() and value.isdigit() and len(value) <= _LENGTH_DIGITS else 0


async def _read(request: Request, limit: int) -> bytes:
    if declared_length(request) > limit:
        raise RequestTooLarge
    raw = bytearray()
    async for chunk in request.stream():
        raw += chunk
        if len(raw) > limit:
            raise RequestTooLarge
    return bytes(raw)
