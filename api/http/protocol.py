"""HTTP/1.1 (RFC 9112) on top of uvicorn's h11 protocol: our answers to malformed requests, and timeouts."""

import asyncio
from typing import Any

import h11
from starlette.responses import Response
from uvicorn.protocols.http.h11_impl import STATUS_PHRASES, H11Protocol

from api.http.errors import error_response
from api.http.joined_writes import JoinedWrites
from api.http.middleware import request_id
from schemas.errors import InvalidRequest, MaskerError, RequestTimeout

HEAD_BYTES = 16 * 1024  # of a request's head, h11's own default
# That a connection may be idle: longer than clients and load balancers (60 s) keep one, because a request that is sent
# while the connection is being closed fails.
IDLE_SECONDS = 75
REST_SECONDS = 5  # in which the rest of a body is dropped that was answered before its end
HEAD_SECONDS = 20.0  # from a connection's or a request's first byte to the end of its head


class _Connection(h11.Connection):
    """Refuses a request whose length is said in two ways: programs before this one may have read the other one.

    RFC 9112, section 6.1: it may be an attempt to smuggle a request.
    """

    def next_event(self) -> Any:
        """The next event of the caller. RemoteProtocolError."""
        event = super().next_event()
        if isinstance(event, h11.Request) and {b"content-length", b"transfer-encoding"} <= dict(event.headers).keys():
            raise h11.RemoteProtocolError("Content-Length beside Transfer-Encoding")
        return event


class Protocol(H11Protocol):
    """Answers malformed requests, and heads that take longer than HEAD_SECONDS, in the shape of all other answers.

    An answer that is given before the end of the body (most often an error) is sent at once. The rest of the body is
    read and dropped for REST_SECONDS, so that the client can read the answer, and no longer.
    """

    _head_timer: asyncio.TimerHandle | None = None

    def connection_made(self, transport: asyncio.Transport) -> None:  # type: ignore[override]
        """Starts the timeout of the request head."""
        super().connection_made(JoinedWrites(transport))
        self.conn = _Connection(h11.SERVER, HEAD_BYTES)
        self.access_log = False  # uvicorn's own lines hold paths and queries as sent
        self._start_head_timer()

    def connection_lost(self, exc: Exception | None) -> None:
        """Ends the timeouts of the connection."""
        self._cancel_head_timer()
        super().connection_lost(exc)

    def data_received(self, data: bytes) -> None:
        """Passes bytes to the HTTP parser, and starts the head's timeout when a new head begins."""
        if self._is_answered() and self.conn.their_state is h11.SEND_BODY:
            self.conn.receive_data(data)  # uvicorn's own method would stop the keep-alive timer
            self.handle_events()
        else:
            super().data_received(data)
        if self.conn.their_state is h11.IDLE and self.conn.trailing_data[0]:
            self._start_head_timer()
        else:
            self._cancel_head_timer()

    def on_response_complete(self) -> None:
        """Starts the timeout of the connection, which a further request stops."""
        self.timeout_keep_alive = REST_SECONDS if self.conn.their_state is h11.SEND_BODY else IDLE_SECONDS
        super().on_response_complete()

    def send_400_response(self, msg: str) -> None:
        """Answers bytes that are not HTTP, which no middleware sees. `msg` is not sent: it can quote the request."""
        self._refuse(InvalidRequest())

    def _is_blocked(self) -> bool:
        """Whether the geo restriction lets this peer see nothing but a bare 403."""
        return self.client is not None and self.config.app.state.access_rules.is_blocked(self.client[0])  # type: ignore[union-attr]

    def _path(self) -> str:
        """The path of the request that is refused; empty when its head has not arrived."""
        is_open = self.cycle is not None and not self.cycle.response_complete
        return str(self.cycle.scope["path"]) if is_open else ""

    def _is_answered(self) -> bool:
        return self.cycle is not None and self.cycle.response_complete

    def _start_head_timer(self) -> None:
        if self._head_timer is None:
            self._head_timer = self.loop.call_later(HEAD_SECONDS, self._time_out)

    def _cancel_head_timer(self) -> None:
        if self._head_timer is not None:
            self._head_timer.cancel()
            self._head_timer = None

    def _time_out(self) -> None:
        self._refuse(RequestTimeout())

    def _refuse(self, error: MaskerError) -> None:
        """Writes the error answer directly, because h11 may be in a state that allows no answer, and closes."""
        answering = self.cycle is not None and self.cycle.response_started and not self.cycle.response_complete
        if not answering and not self.transport.is_closing():
            refusal = Response(status_code=403) if self._is_blocked() else error_response(error, self._path())
            headers = [item for item in refusal.raw_headers if item[0] != b"connection"]
            headers += [(b"x-request-id", request_id().encode()), (b"connection", b"close")]
            first = b"HTTP/1.1 %d %s" % (refusal.status_code, STATUS_PHRASES[refusal.status_code])
            lines = [first, *(b"%s: %s" % header for header in headers), b"", bytes(refusal.body)]
            self.transport.write(b"\r\n".join(lines))
        self.transport.close()
