"""Reads the body of a proxied call, plain or gzipped, with one cap on what comes and on what it holds."""

from starlette.datastructures import Headers
from starlette.requests import Request

from api.http.bodies import body_chunks, declared_length
from api.upstream.decoding import Decoder, Undecodable, decoder
from schemas.entities import EntityType
from schemas.errors import InvalidBody, InvalidTransforms, RequestTooLarge

_READ = frozenset({"", "identity", "gzip", "x-gzip"})


async def read(request: Request, limit: int) -> bytes:
    """The body, decoded. RequestTooLarge past `limit` bytes: by Content-Length, while reading, or when unpacked.

    InvalidBody when it is compressed otherwise than it says, or than by gzip; RequestTimeout when it comes too slowly.
    """
    if declared_length(request) > limit:
        raise RequestTooLarge
    decode = _decoder(request)
    came, body = 0, bytearray()
    async for chunk in body_chunks(request):
        came += len(chunk)
        try:
            for piece in decode.pieces(chunk):
                body += piece
                if len(body) > limit:
                    raise RequestTooLarge
        except Undecodable:
            raise InvalidBody from None
        if came > limit:
            raise RequestTooLarge
    if not decode.is_whole():
        raise InvalidBody
    return bytes(body)


def _decoder(request: Request) -> Decoder:
    encoding = ",".join(request.headers.getlist("content-encoding")).strip().lower()
    if encoding not in _READ:
        raise InvalidBody
    return decoder(encoding)


# What a caller asks of the proxy itself, in headers that no provider sees.

PRESERVE_TAGS = "x-service-preserve-tags"
TRANSFORMS = "x-service-transforms"
ALLOW_ATTACHMENTS = "x-service-allow-attachments"
_GENERALIZABLE = {str(type_): type_ for type_ in (EntityType.DATE_TIME, EntityType.ADDRESS)}


def transforms(headers: Headers) -> tuple[EntityType, ...]:
    """The types to be generalized, each once. InvalidTransforms for any other word."""
    named = [item.strip() for value in headers.getlist(TRANSFORMS) for item in value.split(",")]
    if any(item and item not in _GENERALIZABLE for item in named):
        raise InvalidTransforms
    return tuple(dict.fromkeys(_GENERALIZABLE[item] for item in named if item))


def is_asked(headers: Headers, name: str) -> bool:
    """Whether a yes-or-no header says `true`, and says nothing else beside it."""
    values = headers.getlist(name)
    return bool(values) and all(value.strip().lower() == "true" for value in values)
