"""A transport that sends together what is written in one turn of the event loop: the head and the body of an answer.

A call of the system for each costs a short answer more than its encryption.
"""

import asyncio
from typing import Any

_MOST_BYTES = 64 * 1024  # that wait; more are sent at once, so that the caller's pace is known


class JoinedWrites(asyncio.Transport):
    """As the transport below it, but for the time of its writes."""

    def __init__(self, below: asyncio.Transport) -> None:
        super().__init__()
        self._below, self._loop = below, asyncio.get_running_loop()
        self._waiting: list[bytes] = []
        self._bytes = 0

    def write(self, data: bytes | bytearray | memoryview) -> None:
        """Keeps the bytes until the event loop's next turn."""
        if not self._waiting:
            self._loop.call_soon(self._send)
        self._waiting.append(bytes(data))
        self._bytes += len(data)
        if self._bytes > _MOST_BYTES:
            self._send()

    def _send(self) -> None:
        waiting, self._waiting, self._bytes = self._waiting, [], 0
        if waiting:
            self._below.write(b"".join(waiting))

    def close(self) -> None:
        """Closes when all that was written is sent."""
        self._send()
        self._below.close()

    def abort(self) -> None:
        """Closes at once."""
        self._waiting, self._bytes = [], 0
        self._below.abort()

    def is_closing(self) -> bool:
        """Whether it is closed or being closed."""
        return self._below.is_closing()

    def pause_reading(self) -> None:
        """No further bytes reach the protocol."""
        self._below.pause_reading()

    def resume_reading(self) -> None:
        """Bytes reach the protocol again."""
        self._below.resume_reading()

    def get_extra_info(self, name: str, default: Any = None) -> Any:
        """What the transport knows of its connection."""
        return self._below.get_extra_info(name, default)
