"""Reads the body of a proxied call, plain or gzipped, with one cap on what comes and on what it holds."""

from starlette.requests import Request

from api.http.bodies import arriving, declared_length
from api.upstream.decoding import Decoder, Undecodable, decoder
from schemas.errors import InvalidBody, RequestTooLarge

_READ = frozenset({"", "identity", "gzip", "x-gzip"})


async def read(request: Request, limit: int) -> bytes:
    """The body, decoded. RequestTooLarge past `limit` bytes: by Content-Length, while reading, or when unpacked.

    InvalidBody when it is compressed otherwise than it says, or than by gzip; RequestTimeout when it comes too slowly.
    """
    if declared_length(request) > limit:
        raise RequestTooLarge
    decode = _decoder(request)
    came, body = 0, bytearray()
    async for chunk in arriving(request):
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
