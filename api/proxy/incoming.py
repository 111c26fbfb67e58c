"""Reads the body of a proxied call, plain or gzip, and the headers that are for the proxy itself.

One limit bounds both the received and the decompressed size.
"""

from starlette.datastructures import Headers
from starlette.requests import Request

from api.http.bodies import BodyChunks, declared_length
from api.upstream.decoding import Decoder, DecodingError, decoder
from schemas.entities import EntityType
from schemas.errors import InvalidBody, InvalidTransforms, RequestTooLarge

# Headers for the proxy itself. They are not forwarded.
PRESERVE_TAGS = "x-service-preserve-tags"
TRANSFORMS = "x-service-transforms"
ALLOW_ATTACHMENTS = "x-service-allow-attachments"
_GENERALIZABLE = {str(type_): type_ for type_ in (EntityType.DATE_TIME, EntityType.ADDRESS)}
_ENCODINGS = frozenset({"", "identity", "gzip", "x-gzip"})


async def read(request: Request, limit: int) -> bytes:
    """The decoded body. RequestTooLarge when Content-Length, the received or the decoded size exceeds `limit` bytes.

    InvalidBody for invalid gzip data and for any other content encoding; RequestTimeout when it arrives too slowly.
    """
    if declared_length(request) > limit:
        raise RequestTooLarge
    decode = _decoder(request)
    received, body = 0, bytearray()
    async for chunk in BodyChunks(request):
        received += len(chunk)
        try:
            for data in decode.decoded(chunk):
                body += data
                if len(body) > limit:
                    raise RequestTooLarge
        except DecodingError:
            raise InvalidBody from None
        if received > limit:
            raise RequestTooLarge
    if not decode.is_complete():
        raise InvalidBody
    return bytes(body)


def _decoder(request: Request) -> Decoder:
    encoding = ",".join(request.headers.getlist("content-encoding")).strip().lower()
    if encoding not in _ENCODINGS:
        raise InvalidBody
    return decoder(encoding)


def transforms(headers: Headers) -> tuple[EntityType, ...]:
    """The entity types to generalize, without duplicates. InvalidTransforms for any other word."""
    named = [item.strip() for value in headers.getlist(TRANSFORMS) for item in value.split(",")]
    if any(item and item not in _GENERALIZABLE for item in named):
        raise InvalidTransforms
    return tuple(dict.fromkeys(_GENERALIZABLE[item] for item in named if item))


def is_set(headers: Headers, name: str) -> bool:
    """Whether all values of a boolean header are `true`, and there is at least one."""
    values = headers.getlist(name)
    return bool(values) and all(value.strip().lower() == "true" for value in values)
