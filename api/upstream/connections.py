"""Connections to the providers, each for one call at a time: HTTP/2 or HTTP/1.1, kept open between calls.

The library's own pool puts many HTTP/2 calls on one connection, and there an abandoned call is not reset: the provider
goes on writing it, and after a hundred of them the connection takes no other; one call's read timeout ends all its
neighbours; and what a slow reader leaves unread, up to 16 MiB, is read for it by the others and kept in memory. Alone
on its connection a call is ended by closing it, and what it does not read stays with the provider.
"""

import ssl
from collections import deque
from collections.abc import AsyncIterator

import httpcore
import httpx
from anyio import CancelScope

MOST = 1024  # calls at once
_MOST_IDLE = 128  # connections kept open without a call
_Origin = tuple[bytes, bytes, int]  # scheme, host, port
_PORTS = {b"http": 80, b"https": 443}
_IDLE_SECONDS = 30.0  # that they are kept; providers and what stands before them close after a minute or more


class _Lane:
    """One connection, made when it is first used."""

    def __init__(self, origin: _Origin, verify: ssl.SSLContext) -> None:
        self.connection = httpcore.AsyncHTTPConnection(httpcore.Origin(*origin), verify, _IDLE_SECONDS, http2=True)
        self.wire: object = None  # the library's network stream

    def is_fresh(self) -> bool:
        """Whether it can take another call: one at which there is something to read was most often closed."""
        told = getattr(self.wire, "get_extra_info", lambda _: True)("is_readable")
        return self.connection.is_available() and not self.connection.has_expired() and not told

    async def close(self) -> None:
        """Whatever it is at, and whatever ends meanwhile."""
        with CancelScope(shield=True):
            await self.connection.aclose()


class Lanes(httpx.AsyncBaseTransport):
    """The transport of a client; its errors are httpcore's. Past `most` calls at once: PoolTimeout, without waiting.

    For one event loop.
    """

    def __init__(self, verify: ssl.SSLContext, most: int = MOST) -> None:
        self._verify, self._most = verify, most
        self._busy: set[_Lane] = set()
        self._idle: dict[_Origin, deque[_Lane]] = {}  # by origin, the last used at the right

    async def handle_async_request(self, request: httpx.Request) -> httpx.Response:
        """One call on a connection of its own."""
        scheme, host, port = request.url.raw_scheme, request.url.raw_host, request.url.port
        origin = (scheme, host, port or _PORTS[scheme])
        assert isinstance(request.stream, httpx.AsyncByteStream)  # noqa: S101 - what a request has
        lane = await self._take(origin)
        try:
            response = await lane.connection.handle_async_request(
                httpcore.Request(
                    request.method,
                    httpcore.URL(scheme=scheme, host=host, port=port, target=request.url.raw_path),
                    headers=request.headers.raw,
                    content=request.stream,
                    extensions=request.extensions,
                )
            )
        except BaseException:
            await self._end(lane)
            raise
        lane.wire = response.extensions.get("network_stream")
        return httpx.Response(
            response.status,
            headers=response.headers,
            stream=_Body(self, origin, lane, response),
            extensions=response.extensions,
        )

    async def aclose(self) -> None:
        """Ends every connection, whatever it is at."""
        idle, self._idle = self._idle, {}
        for lane in [*self._busy, *(lane for lanes in idle.values() for lane in lanes)]:
            await self._end(lane)

    @property
    def busy(self) -> int:
        """How many calls are under way."""
        return len(self._busy)

    async def give_back(self, origin: _Origin, lane: _Lane) -> None:
        """A call was read to its end: its connection can take another."""
        if lane not in self._busy:
            return  # everything was closed meanwhile
        if sum(map(len, self._idle.values())) >= _MOST_IDLE:
            await self._end(lane)
            return
        self._busy.discard(lane)
        self._idle.setdefault(origin, deque()).append(lane)

    async def drop(self, lane: _Lane) -> None:
        """A call was abandoned: closing its connection tells the provider."""
        await self._end(lane)

    async def _take(self, origin: _Origin) -> _Lane:
        idle = self._idle.get(origin, deque())
        while idle and not idle[-1].is_fresh():
            await idle.pop().close()
        # no await from here on: a call that is cancelled before holds no place, one that is counted always has an end
        if len(self._busy) >= self._most:
            raise httpcore.PoolTimeout("too many calls at once")
        lane = idle.pop() if idle else _Lane(origin, self._verify)
        self._busy.add(lane)
        return lane

    async def _end(self, lane: _Lane) -> None:
        self._busy.discard(lane)
        await lane.close()


class _Body(httpx.AsyncByteStream):
    """An answer's body; whether it was read to its end decides what becomes of the connection."""

    def __init__(self, lanes: Lanes, origin: _Origin, lane: _Lane, response: httpcore.Response) -> None:
        self._lanes, self._origin, self._lane, self._response = lanes, origin, lane, response
        self._is_read = self._is_closed = False

    async def __aiter__(self) -> AsyncIterator[bytes]:
        async for chunk in self._response.aiter_stream():
            yield chunk
        self._is_read = True

    async def aclose(self) -> None:
        """Also more than once."""
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
                await self._lanes.give_back(self._origin, self._lane)
            else:
                await self._lanes.drop(self._lane)
