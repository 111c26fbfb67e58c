"""Parses a multipart form (RFC 7578) as a stream of events, without collecting the parts in memory."""

import re
from collections import deque
from collections.abc import AsyncIterator
from dataclasses import dataclass
from typing import NamedTuple
from urllib.parse import unquote

from python_multipart.exceptions import FormParserError
from python_multipart.multipart import MultipartParser, parse_options_header
from starlette.requests import Request

from api.http.bodies import BodyChunks
from api.http.errors import Invalid
from schemas.errors import FileTooLarge

MAX_PARTS = 100
MAX_HEADER_BYTES = 64 * 1024  # of one header line; there is no separate bound for a file's name
_QUOTED = re.compile(r'"(?:[^"\\]|\\.)*"')
_EXTENDED = re.compile(r";\s*filename\*\s*=\s*(?P<charset>utf-8|iso-8859-1)'[^']*'(?P<name>[^;\s]+)", re.IGNORECASE)


class PartBegin(NamedTuple):
    """A part begins. `filename` is None and `content_type` is empty when its header does not have them."""

    name: str
    filename: str | None = None
    content_type: str = ""


class PartData(NamedTuple):
    """A piece of the current part's content."""

    data: bytes


class PartEnd(NamedTuple):
    """The current part is complete."""


Event = PartBegin | PartData | PartEnd


async def events(request: Request, limit: int) -> AsyncIterator[Event]:
    """The form's events in order of arrival. Invalid (422) when the form is malformed or ends early.

    FileTooLarge beyond `limit` bytes of body. That counts the bytes after the last part too, which make no event.
    """
    parser, size = _Parser(_boundary(request)), 0
    async for chunk in BodyChunks(request):
        size += len(chunk)
        if size > limit:
            raise FileTooLarge
        for event in parser.feed(chunk):
            yield event
    if not parser.ended:
        raise _malformed("The form ends early")


def _boundary(request: Request) -> bytes:
    media_type, options = parse_options_header(request.headers.get("content-type"))
    boundary = options.get(b"boundary")
    if media_type != b"multipart/form-data" or not boundary:
        raise missing_file()
    return boundary


def missing_file() -> Invalid:
    """The error for an upload without a file part."""
    return Invalid([{"type": "missing", "loc": ("body", "file"), "msg": "Field required"}])


def repeated_field(name: str) -> Invalid:
    """The error for a repeated field. Joining or dropping a second value would lose terms."""
    return Invalid([{"type": "multipart_invalid", "loc": ("body", name), "msg": "Field given more than once"}])


def _malformed(message: str) -> Invalid:
    return Invalid([{"type": "multipart_invalid", "loc": ("body",), "msg": message}])


@dataclass(slots=True)
class _Header:
    name: bytes = b""
    value: bytes = b""


class _Parser:
    """Turns the callbacks of the library's push parser into events."""

    def __init__(self, boundary: bytes) -> None:
        self.ended = False
        self._events: deque[Event] = deque()
        self._headers: dict[bytes, bytes] = {}
        self._header = _Header()
        self._parts = 0
        try:
            self._parser = MultipartParser(
                boundary,
                {
                    "on_part_begin": self._part_begin,
                    "on_header_field": self._header_field,
                    "on_header_value": self._header_value,
                    "on_header_end": self._header_end,
                    "on_headers_finished": self._headers_finished,
                    "on_part_data": self._part_data,
                    "on_part_end": lambda: self._events.append(PartEnd()),
                    "on_end": self._end,
                },
                max_header_size=MAX_HEADER_BYTES,
            )
        except FormParserError:
            raise _malformed("The boundary is too long") from None

    def feed(self, chunk: bytes) -> list[Event]:
        """The events of the next bytes. Invalid."""
        try:
            self._parser.write(chunk)
        except FormParserError:
            raise _malformed("The form is malformed") from None
        found = list(self._events)
        self._events.clear()
        return found

    def _part_begin(self) -> None:
        self._headers = {}
        self._parts += 1
        if self._parts > MAX_PARTS:
            raise _malformed(f"At most {MAX_PARTS} parts")

    def _header_field(self, data: bytes, start: int, end: int) -> None:
        self._header.name += data[start:end]

    def _header_value(self, data: bytes, start: int, end: int) -> None:
        self._header.value += data[start:end]

    def _header_end(self) -> None:
        self._headers[self._header.name.lower()] = self._header.value
        self._header = _Header()

    def _headers_finished(self) -> None:
        parameters = _text(self._headers.get(b"content-disposition", b""))
        disposition, options = parse_options_header(parameters)
        if disposition != b"form-data" or b"name" not in options:
            raise _malformed("A part has no name")
        declared = _text(self._headers.get(b"content-type", b"")).strip()
        filename = options.get(b"filename")
        self._events.append(
            PartBegin(
                name=options[b"name"].decode("utf-8", "replace"),
                filename=_extended(parameters) if filename is None else filename.decode("utf-8", "replace"),
                content_type=declared,
            )
        )

    def _part_data(self, data: bytes, start: int, end: int) -> None:
        self._events.append(PartData(data[start:end]))

    def _end(self) -> None:
        self.ended = True


def _extended(parameters: str) -> str | None:
    """The name in `filename*` (RFC 8187). RFC 7578 forbids that parameter, but some clients send only it."""
    found = _EXTENDED.search(_QUOTED.sub("", parameters))
    return unquote(found["name"], found["charset"], "replace") if found else None


def _text(header: bytes) -> str:
    """Decoded as Latin-1, because the library encodes it to Latin-1 again and no byte is lost."""
    return header.decode("latin-1")
