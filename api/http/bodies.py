"""Reads request bodies after authentication, bounded in size and time, and validates JSON against a model."""

import asyncio
from collections.abc import AsyncIterator
from typing import Any, Generic, NamedTuple, TypeVar

from anyio import to_thread
from pydantic import BaseModel, ValidationError
from starlette.requests import ClientDisconnect, Request

from api.http.answer_headers import set_warning, unknown_fields_warning
from api.http.errors import Invalid
from schemas.errors import RequestTimeout, RequestTooLarge

Model = TypeVar("Model", bound=BaseModel)
GRACE_SECONDS = 30.0  # that any body may take; beyond them it must arrive at MIN_BYTES_PER_SECOND
MIN_BYTES_PER_SECOND = 1024
_LENGTH_DIGITS = 20  # more than any real length needs; the server lets longer ones through
_THREAD_BYTES = 64 * 1024  # from this size on parsing would delay other requests on the event loop


class Parsed(NamedTuple, Generic[Model]):
    """A body as its model, and a warning where it has fields that the model does not know."""

    body: Model
    warning: str | None


async def read_json(request: Request, model: type[Model], limit: int) -> Model:
    """The body as `model`; unknown fields are ignored, with a warning on the answer.

    Invalid (422), and the errors of `read_raw`.
    """
    parsed = await parse(await read_raw(request, limit), model)
    set_warning(request, parsed.warning)
    return parsed.body


async def read_raw(request: Request, limit: int) -> bytes:
    """The bytes of a JSON body.

    RequestTooLarge when there are more than `limit`, by Content-Length or while reading; Invalid when the declared
    type is not JSON; RequestTimeout when the body arrives too slowly.
    """
    if declared_length(request) > limit:
        raise RequestTooLarge
    _check_type(request)
    raw = bytearray()
    async for chunk in BodyChunks(request):
        raw += chunk
        if len(raw) > limit:
            raise RequestTooLarge
    return bytes(raw)


async def parse(raw: bytes, model: type[Model]) -> Parsed[Model]:
    """JSON as `model`, large bodies in a thread. Invalid (422)."""
    try:
        if len(raw) < _THREAD_BYTES:
            return validate(raw, model)
        return await to_thread.run_sync(validate, raw, model)
    except ValidationError as error:
        raise Invalid.of(error, "body", declared=model) from None


def validate(raw: bytes, model: type[Model]) -> Parsed[Model]:
    """JSON as `model`. Unknown fields, of nested objects too, are left out and named in a warning. ValidationError.

    The body is parsed a second time only when it is invalid or has unknown fields.
    """
    try:
        return Parsed(model.model_validate_json(raw, extra="forbid"), None)
    except ValidationError as error:
        body = model.model_validate_json(raw)
        return Parsed(body, unknown_fields_warning(error))


def json_body(model: type[BaseModel]) -> dict[str, Any]:
    """The `openapi_extra` of a route that reads its body with `read_json`."""
    schema = {"schema": model.model_json_schema()}
    return {"requestBody": {"required": True, "content": {"application/json": schema}}}


class BodyChunks(AsyncIterator[bytes]):
    """The body's chunks as they arrive.

    RequestTimeout when they arrive too slowly, so that nobody holds a connection by sending a byte now and then.
    ClientDisconnect.
    """

    def __init__(self, request: Request) -> None:
        self._receive, self._is_last = request.receive, False
        self._deadline = asyncio.get_running_loop().time() + GRACE_SECONDS

    async def __anext__(self) -> bytes:
        while not self._is_last:
            try:
                async with asyncio.timeout_at(self._deadline):
                    message = await self._receive()
            except TimeoutError:
                raise RequestTimeout from None
            if message["type"] == "http.disconnect":
                raise ClientDisconnect
            chunk: bytes = message.get("body", b"")
            self._is_last = not message.get("more_body", False)
            self._deadline += len(chunk) / MIN_BYTES_PER_SECOND
            if chunk:
                return chunk
        raise StopAsyncIteration


async def wait_for_disconnect(request: Request) -> None:
    """Returns when the client has closed its connection. The body must have been read before."""
    while (await request.receive())["type"] != "http.disconnect":
        pass


def declared_length(request: Request) -> int:
    """Content-Length in bytes; 0 when it is missing or malformed."""
    value = request.headers.get("content-length", "")
    return int(value) if value.isascii() and value.isdigit() and len(value) <= _LENGTH_DIGITS else 0


def _check_type(request: Request) -> None:
    """Invalid when the body is not declared to be uncompressed JSON.

    Without a CORS preflight, a page of another site can make a browser send cookies with a body that is declared as
    text, as a form, or not at all. So only callers with a bearer may leave the type out.
    """
    if request.headers.get("content-encoding", "identity").strip().lower() != "identity":
        raise Invalid([_header_error("content-encoding", "A body cannot be compressed")])
    media_type = request.headers.get("content-type", "").partition(";")[0].strip().lower()
    if not media_type and "authorization" in request.headers:
        return
    if media_type != "application/json" and not (
        media_type.startswith("application/") and media_type.endswith("+json")
    ):
        raise Invalid([_header_error("content-type", "Content-Type should be application/json")])


def _header_error(header: str, message: str) -> dict[str, object]:
    return {"type": header.replace("-", "_"), "loc": ("header", header), "msg": message}
