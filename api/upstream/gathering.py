"""Network streams that send what is written to them when an answer is waited for: a request's head and body at once.

The library writes each by itself, and every write wakes the network and whoever is at its other end.
"""

import ssl
from collections.abc import Iterable
from contextlib import suppress
from typing import Any

import httpcore

MOST = 64 * 1024  # bytes that are held


class GatheringBackend(httpcore.AnyIOBackend):
    """Makes such streams over the library's own connections."""

    async def connect_tcp(
        self,
        host: str,
        port: int,
        timeout: float | None = None,
        local_address: str | None = None,
        socket_options: Iterable[httpcore.SOCKET_OPTION] | None = None,
    ) -> httpcore.AsyncNetworkStream:
        """As the library's."""
        return Gathering(await super().connect_tcp(host, port, timeout, local_address, socket_options))


class Gathering(httpcore.AsyncNetworkStream):
    """One of them."""

    def __init__(self, stream: httpcore.AsyncNetworkStream) -> None:
        self._stream = stream
        self._held = b""
        self._patience: float | None = None

    async def read(self, max_bytes: int, timeout: float | None = None) -> bytes:
        with suppress(httpcore.WriteError):  # the answer may be there all the same, before the end of the request
            await self._send()
        return await self._stream.read(max_bytes, timeout)

    async def write(self, buffer: bytes, timeout: float | None = None) -> None:
        self._patience = timeout
        if len(self._held) + len(buffer) > MOST:
            await self._send()
            await self._stream.write(buffer, timeout)
        else:
            self._held += buffer

    async def aclose(self) -> None:
        await self._stream.aclose()

    async def start_tls(
        self, ssl_context: ssl.SSLContext, server_hostname: str | None = None, timeout: float | None = None
    ) -> httpcore.AsyncNetworkStream:
        return Gathering(await self._stream.start_tls(ssl_context, server_hostname, timeout))

    def get_extra_info(self, info: str) -> Any:
        return self._stream.get_extra_info(info)

    async def _send(self) -> None:
        held, self._held = self._held, b""
        if held:
            await self._stream.write(held, self._patience)
