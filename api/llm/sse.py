"""Reads and writes server-sent events, byte by byte as they arrive.

Source: WHATWG HTML, section 9.2.6. A line ends at CR, LF or CRLF and nowhere else.
"""

import re
from collections.abc import Iterator
from typing import Final, NamedTuple

from api.llm.model import StreamTooLong

LONGEST_EVENT: Final = 8 * 1024 * 1024  # bytes; one frame may hold a whole fetched page or a picture in base64
_LINE_END = re.compile(rb"\r\n?|\n")
_BOM = b"\xef\xbb\xbf"


class Event(NamedTuple):
    """What stands between two blank lines: `raw` as it came, the name, and the data; None where it has none."""

    raw: bytes
    name: str | None = None
    data: str | None = None


class Events:
    """The parser of one stream. Bytes in, events out; `rest` is what is left of it at the end."""

    def __init__(self) -> None:
        self._raw = bytearray()  # of the event that is not over
        self._line = 0  # where in it the current line begins
        self._name: str | None = None
        self._data: list[str] = []
        self._cr_last = False  # an LF would belong to the CR before it
        self._first = True

    @property
    def pending(self) -> int:
        """Bytes of the event that is not over."""
        return len(self._raw)

    def feed(self, chunk: bytes) -> Iterator[Event]:
        """The events that are over with this chunk. StreamTooLong when one grows beyond LONGEST_EVENT."""
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
            if self._read(line):
                yield self._dispatched()
        self._raw += chunk[at:]
        self._check()

    def rest(self) -> Event | None:
        """The last event, which no blank line ended; None when there is none."""
        if not self._raw:
            return None
        self._read(bytes(self._raw[self._line :]))
        return self._dispatched()

    def _check(self) -> None:
        if len(self._raw) > LONGEST_EVENT:
            self._dispatched()
            raise StreamTooLong

    def _dispatched(self) -> Event:
        event = Event(bytes(self._raw), self._name, "\n".join(self._data) if self._data else None)
        self._raw.clear()
        self._line = 0
        self._name, self._data = None, []
        return event

    def _read(self, line: bytes) -> bool:
        """Take in one line; whether it was the blank one."""
        if self._first:
            self._first = False
            line = line.removeprefix(_BOM)
        name, value = _field(line)
        if name == b"data":
            self._data.append(value.decode("utf-8", "replace"))
        elif name == b"event":
            self._name = value.decode("utf-8", "replace")
        return not line


def written(name: str | None, data: bytes) -> bytes:
    """An event of our own; `data` has no line ends."""
    return (b"event: " + name.encode() + b"\n" if name else b"") + b"data: " + data + b"\n\n"


def rewritten(raw: bytes, data: bytes) -> bytes:
    """The event with other data: all its other lines stay as they came."""
    out = bytearray()
    at, said = 0, False
    while at < len(raw):
        end = _LINE_END.search(raw, at)
        line_end, following = (end.group(), end.end()) if end else (b"\n", len(raw))
        line = raw[at : end.start() if end else len(raw)]
        if _field(line.removeprefix(_BOM) if at == 0 else line)[0] != b"data":
            out += line + line_end
        elif not said:
            said = True
            out += _BOM if at == 0 and line.startswith(_BOM) else b""
            for piece in _LINE_END.split(data):
                out += b"data: " + piece + line_end
        at = following
    return bytes(out)


def ended(raw: bytes) -> bytes:
    """The last event with the blank line that the stream did not send any more."""
    tail = raw[-4:].replace(b"\r\n", b"\n").replace(b"\r", b"\n")
    if tail.endswith(b"\n\n"):
        return raw
    if tail.endswith(b"\n"):
        return raw + raw[-1:]  # behind a CR, an LF would be the same line's end
    return raw + b"\n\n"


def _field(line: bytes) -> tuple[bytes, bytes]:
    name, _, value = line.partition(b":")
    return name, value.removeprefix(b" ")
