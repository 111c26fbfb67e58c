"""Reads bodies after authentication: bounded in size and in time; JSON that is UTF-8 and valid, or a clean refusal."""

import re
from collections.abc import AsyncIterator
from typing import Any, Generic, NamedTuple, TypeVar

from anyio import current_time, move_on_after, to_thread
from pydantic import BaseModel, ValidationError
from starlette.requests import Request

from api.http.answer_headers import set_warning, unknown_fields_warning
from api.http.errors import Invalid
from schemas.errors import RequestTimeout, RequestTooLarge

Model = TypeVar("Model", bound=BaseModel)
GRACE_SECONDS = 30.0  # that a body may take whatever its size, and on top of which it must come at least at
SLOWEST = 1024  # bytes per second
_JSON = re.compile(r"application/([\w.-]+\+)?json")
_LENGTH_DIGITS = 20  # more than any length has, and as many as the server lets through
_WORTH_A_THREAD = 64 * 1024  # bytes from which parsing would hold up other requests


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
    """A JSON body's bytes. RequestTooLarge past `limit` of them, by Content-Length or while reading; Invalid when it is
    declared to be something else; RequestTimeout when it comes too slowly.
    """
    if declared_length(request) > limit:
        raise RequestTooLarge
    _check_type(request)
    raw = bytearray()
    with move_on_after(GRACE_SECONDS) as patience:
        async for chunk in request.stream():
            raw += chunk
            if len(raw) > limit:
                raise RequestTooLarge
            if chunk:
                patience.deadline += len(chunk) / SLOWEST
    if patience.cancelled_caught:
        raise RequestTimeout
    return bytes(raw)


async def parse(raw: bytes, model: type[Model]) -> Parsed[Model]:
    """JSON as `model`, large bodies in a thread. Invalid (422)."""
    try:
        if len(raw) < _WORTH_A_THREAD:
            return validate(raw, model)
        return await to_thread.run_sync(validate, raw, model)
    except ValidationError as error:
        raise Invalid.of(error, "body", declared=model) from None


def validate(raw: bytes, model: type[Model]) -> Parsed[Model]:
    """JSON as `model`, in objects inside it too without the fields that it does not know. ValidationError.

    A body is read twice only when something is wrong with it or unknown in it.
    """
    try:
        return Parsed(model.model_validate_json(raw, extra="forbid"), None)
    except ValidationError as error:
        body = model.model_validate_json(raw)
        return Parsed(body, unknown_fields_warning(error))


def takes(model: type[BaseModel]) -> dict[str, Any]:
    """The request body for the API description of a route that reads it by `read_json`."""
    schema = {"schema": model.model_json_schema()}
    return {"requestBody": {"required": True, "content": {"application/json": schema}}}


async def arriving(request: Request) -> AsyncIterator[bytes]:
    """The body's chunks as they come, for who handles them one by one.

    RequestTimeout: nobody holds a connection by sending a byte now and then.
    """
    stream, deadline = aiter(request.stream()), current_time() + GRACE_SECONDS
    while True:
        chunk: bytes | None = None
        with move_on_after(deadline - current_time()) as patience:
            chunk = await anext(stream, None)
        if patience.cancelled_caught:
            raise RequestTimeout
        if chunk is None:
            return
        deadline += len(chunk) / SLOWEST
        yield chunk


async def hung_up(request: Request) -> None:
    """Returns when the caller of a request whose body was read has closed its connection."""
    while (await request.receive())["type"] != "http.disconnect":
        pass


def declared_length(request: Request) -> int:
    """Content-Length, or 0 when there is none that can be read."""
    value = request.headers.get("content-length", "")
    return int(value) if value.isascii() and value.isdigit() and len(value) <= _LENGTH_DIGITS else 0


def _check_type(request: Request) -> None:
    """Invalid when the body is declared to be something else than plain JSON.

    A page of another site can make a browser send its cookies along with a body that it calls text, a form, or nothing
    at all, without asking first: so only callers with a bearer may leave the type out.
    """
    if request.headers.get("content-encoding", "identity").strip().lower() != "identity":
        raise Invalid([_wrong("content-encoding", "A body cannot be compressed")])
    media_type = request.headers.get("content-type", "").partition(";")[0].strip().lower()
    if not media_type and "authorization" in request.headers:
        return
    if media_type != "application/json" and not (
        media_type.startswith("application/") and media_type.endswith("+json")
    ):
        raise Invalid([_wrong("content-type", "Content-Type should be application/json")])


def _wrong(header: str, message: str) -> dict[str, object]:
    return {"type": header.replace("-", "_"), "loc": ("header", header), "msg": message}
