"""Parses and writes server-sent events from bytes that arrive in chunks of any size.

The raw bytes of each event are kept, so that an unchanged event is forwarded byte for byte.

Source: WHATWG HTML, section 9.2.6. A line ends at CR, LF or CRLF and nowhere else.
"""

import re
from collections.abc import Iterator
from typing import Final, NamedTuple

from api.llm.model import StreamTooLong

MAX_EVENT_BYTES: Final = 8 * 1024 * 1024  # one event may hold a fetched page or a picture in base64
_LINE_END = re.compile(rb"\r\n?|\n")
_BOM = b"\xef\xbb\xbf"


class Event(NamedTuple):
    """One event: its raw bytes including the blank line, its `event` field and its `data`; None where it has none."""

    raw: bytes
    name: str | None = None
    data: str | None = None


class EventParser:
    """The parser of one stream. Bytes go in, complete events come out."""

    def __init__(self) -> None:
        self._raw = bytearray()  # of the incomplete event
        self._line = 0  # where the current line begins in `_raw`
        self._name: str | None = None
        self._data: list[str] = []
        self._cr_last = False  # an LF at the beginning of the next chunk belongs to this CR
        self._first = True

    @property
    def pending(self) -> int:
        """The size in bytes of the incomplete event."""
        return len(self._raw)

    def feed(self, chunk: bytes) -> Iterator[Event]:
        """The events that this chunk completes. StreamTooLong when one exceeds MAX_EVENT_BYTES."""
        at = 0
        if self._cr_last and chunk:
            self._cr_last = False
            if chunk.startswith(b"\n"):
                at = 1
                if self._raw:
                    self._raw += b"\n"
                    self._line = len(self._raw)
                else:
                    yield Event(b"\n")
        for end in _LINE_END.finditer(chunk, at):
            self._raw += chunk[at : end.start()]
            line = bytes(self._raw[self._line :])
            self._raw += end.group()
            self._line = len(self._raw)
            at = end.end()
            self._cr_last = end.group() == b"\r" and at == len(chunk)
            self._check()
            if self._read_line(line):
                yield self._dispatch()
        self._raw += chunk[at:]
        self._check()

    def last_event(self) -> Event | None:
        """The event at the end of the stream that no blank line completed; None when there is none."""
        if not self._raw:
            return None
        self._read_line(bytes(self._raw[self._line :]))
        return self._dispatch()

    def _check(self) -> None:
        if len(self._raw) > MAX_EVENT_BYTES:
            self._dispatch()
            raise StreamTooLong

    def _dispatch(self) -> Event:
        event = Event(bytes(self._raw), self._name, "\n".join(self._data) if self._data else None)
        self._raw.clear()
        self._line = 0
        self._name, self._data = None, []
        return event

    def _read_line(self, line: bytes) -> bool:
        """Reads one line into the current event. True for the blank line that completes it."""
        if self._first:
            self._first = False
            line = line.removeprefix(_BOM)
        name, value = _field(line)
        if name == b"data":
            self._data.append(value.decode("utf-8", "replace"))
        elif name == b"event":
            self._name = value.decode("utf-8", "replace")
        return not line


def new_event(name: str | None, data: bytes) -> bytes:
    """A new event. `data` must not contain line ends."""
    return (b"event: " + name.encode() + b"\n" if name else b"") + b"data: " + data + b"\n\n"


def with_data(raw: bytes, data: bytes) -> bytes:
    """The event with its data replaced. All its other lines stay as they are."""
    out = bytearray()
    at, has_data = 0, False
    while at < len(raw):
        end = _LINE_END.search(raw, at)
        line_end, following = (end.group(), end.end()) if end else (b"\n", len(raw))
        line = raw[at : end.start() if end else len(raw)]
        if _field(line.removeprefix(_BOM) if at == 0 else line)[0] != b"data":
            out += line + line_end
        elif not has_data:
            has_data = True
            out += _BOM if at == 0 and line.startswith(_BOM) else b""
            for piece in _LINE_END.split(data):
                out += b"data: " + piece + line_end
        at = following
    return bytes(out)


def terminated(raw: bytes) -> bytes:
    """The last event of a stream with the blank line that the stream lacks."""
    tail = raw[-4:].replace(b"\r\n", b"\n").replace(b"\r", b"\n")
    if tail.endswith(b"\n\n"):
        return raw
    if tail.endswith(b"\n"):
        return raw + raw[-1:]  # after a CR, an LF would belong to the same line end
    return raw + b"\n\n"


def _field(line: bytes) -> tuple[bytes, bytes]:
    name, _, value = line.partition(b":")
    return name, value.removeprefix(b" ")
