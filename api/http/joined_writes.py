"""Sends what is written in one turn of the event loop at once: the head and the body of a short answer.

The HTTP protocol writes them one after the other, and each of its writes is a call of the kernel of its own.
"""

import asyncio
from typing import Any

_MOST_BYTES = (
    64 * 1024
)  # that wait for the end of a turn; more is sent at once, so that the transport can slow its writer


class JoinedWrites:
    """A transport whose writes wait for the end of the turn. All else is that of the transport that it wraps."""

    def __init__(self, transport: asyncio.Transport, loop: asyncio.AbstractEventLoop) -> None:
        self._transport, self._loop = transport, loop
        self._written: list[bytes] = []
        self._size = 0

    def __getattr__(self, name: str) -> Any:
        return getattr(self._transport, name)

    def write(self, data: bytes) -> None:
        """Sends the bytes before the next turn, behind all that were written before them."""
        if not self._written:
            self._loop.call_soon(self.flush)
        self._written.append(data)
        self._size += len(data)
        if self._size >= _MOST_BYTES:
            self.flush()

    def close(self) -> None:
        """Sends what was written, then closes."""
        self.flush()
        self._transport.close()

    def flush(self) -> None:
        """Sends what was written."""
        if self._written and not self._transport.is_closing():
            self._transport.write(b"".join(self._written))
        self._written.clear()
        self._size = 0
