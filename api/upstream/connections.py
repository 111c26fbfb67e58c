"""A pool of connections to the providers (HTTP/2 or HTTP/1.1) that gives each call a connection of its own.

httpcore's own pool puts many HTTP/2 calls on one connection. That has three faults here. An abandoned call is not
reset: the provider keeps writing it, and after a hundred of them the connection takes no other call. The read timeout
of one call ends all calls on the connection. What a slow caller leaves unread, up to 16 MiB, is read by the other calls
and kept in memory. With one call on each connection, closing the connection ends the call, and unread data stays at
the provider.
"""

import ssl
from collections import deque
from collections.abc import AsyncIterator

import httpcore
import httpx
from anyio import CancelScope

MAX_CALLS = 1024  # at the same time
_MAX_IDLE = 128  # connections kept open without a call
_Origin = tuple[bytes, bytes, int]  # scheme, host, port
_PORTS = {b"http": 80, b"https": 443}
_IDLE_SECONDS = 30.0  # that an idle connection is kept; providers and their load balancers close after a minute or more


class _Connection:
    """One connection. It is opened when it is first used."""

    def __init__(self, origin: _Origin, verify: ssl.SSLContext) -> None:
        self.http = httpcore.AsyncHTTPConnection(httpcore.Origin(*origin), verify, _IDLE_SECONDS, http2=True)
        self.network_stream: object = None  # httpcore's, once a response came

    def is_fresh(self) -> bool:
        """Whether it can take another call. An idle connection with data to read was most often closed by the peer."""
        is_readable = getattr(self.network_stream, "get_extra_info", lambda _: True)("is_readable")
        return self.http.is_available() and not self.http.has_expired() and not is_readable

    async def close(self) -> None:
        """Closes it, also while a call is under way and while the task is cancelled."""
        with CancelScope(shield=True):
            await self.http.aclose()


class ConnectionPool(httpx.AsyncBaseTransport):
    """An httpx transport with one connection for each call. For one event loop.

    Raises httpcore's errors; PoolTimeout, without waiting, when `max_calls` are under way.
    """

    def __init__(self, verify: ssl.SSLContext, max_calls: int = MAX_CALLS) -> None:
        self._verify, self._max_calls = verify, max_calls
        self._busy: set[_Connection] = set()
        self._idle: dict[_Origin, deque[_Connection]] = {}  # by origin, the last used at the right

    async def handle_async_request(self, request: httpx.Request) -> httpx.Response:
        """Sends one request; its connection is free again when the response body is closed."""
        scheme, host, port = request.url.raw_scheme, request.url.raw_host, request.url.port
        origin = (scheme, host, port or _PORTS[scheme])
        assert isinstance(request.stream, httpx.AsyncByteStream)  # noqa: S101 - what a request has
        connection = await self._take(origin)
        try:
            response = await connection.http.handle_async_request(
                httpcore.Request(
                    request.method,
                    httpcore.URL(scheme=scheme, host=host, port=port, target=request.url.raw_path),
                    headers=request.headers.raw,
                    content=request.stream,
                    extensions=request.extensions,
                )
            )
        except BaseException:
            await self.discard(connection)
            raise
        connection.network_stream = response.extensions.get("network_stream")
        return httpx.Response(
            response.status,
            headers=response.headers,
            stream=_Body(self, origin, connection, response),
            extensions=response.extensions,
        )

    async def aclose(self) -> None:
        """Closes every connection, also those with a call under way."""
        idle, self._idle = self._idle, {}
        for connection in [*self._busy, *(one for each in idle.values() for one in each)]:
            await self.discard(connection)

    @property
    def busy(self) -> int:
        """How many calls are under way."""
        return len(self._busy)

    async def give_back(self, origin: _Origin, connection: _Connection) -> None:
        """Takes back the connection of a call account response was read to its end."""
        if connection not in self._busy:
            return  # the pool was closed meanwhile
        if sum(map(len, self._idle.values())) >= _MAX_IDLE:
            await self.discard(connection)
            return
        self._busy.discard(connection)
        self._idle.setdefault(origin, deque()).append(connection)

    async def discard(self, connection: _Connection) -> None:
        """Closes the connection of an abandoned call, which ends the call at the provider."""
        self._busy.discard(connection)
        await connection.close()

    async def _take(self, origin: _Origin) -> _Connection:
        idle = self._idle.get(origin, deque())
        while idle and not idle[-1].is_fresh():
            await idle.pop().close()
        # No await from here on: a call that is cancelled above is not counted, and a counted one is always given back.
        if len(self._busy) >= self._max_calls:
            raise httpcore.PoolTimeout("too many calls at once")
        connection = idle.pop() if idle else _Connection(origin, self._verify)
        self._busy.add(connection)
        return connection


class _Body(httpx.AsyncByteStream):
    """A response body. Its connection is reused when the body was read to its end, and closed otherwise."""

    def __init__(
        self, pool: ConnectionPool, origin: _Origin, connection: _Connection, response: httpcore.Response
    ) -> None:
        self._pool, self._origin, self._connection, self._response = pool, origin, connection, response
        self._is_read = self._is_closed = False

    async def __aiter__(self) -> AsyncIterator[bytes]:
        async for chunk in self._response.aiter_stream():
            yield chunk
        self._is_read = True

    async def aclose(self) -> None:
        """Closes the body; may be called more than once."""
        if self._is_closed:
            return
        self._is_closed = True
        try:
            await self._response.aclose()
        except BaseException:
            self._is_read = False
            raise
        finally:
            if self._is_read:
                await self._pool.give_back(self._origin, self._connection)
            else:
                await self._pool.discard(self._connection)
