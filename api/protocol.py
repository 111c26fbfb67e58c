"""HTTP/1.1 (RFC 9112) as uvicorn speaks it, with our shape of refusals and with a patience that ends."""

import asyncio

import h11
from starlette.responses import Response
from uvicorn.protocols.http.h11_impl import STATUS_PHRASES, H11Protocol

from api.errors import answer
from api.middleware import request_id
from schemas.errors import InvalidRequest, MaskerError, RequestTimeout

HEAD_SECONDS = 20.0  # from a connection's or a request's first byte to the end of its head


class Protocol(H11Protocol):
    """Refuses what is no HTTP, and what does not get to the point, in the shape and with the id of every answer.

    An answer that is given before the body's end (a refusal, most often) goes out at once; what still comes of that
    body is dropped until uvicorn's keep-alive timer ends, so that the caller can read the answer, and no longer.
    """

    _head_timer: asyncio.TimerHandle | None = None

    def connection_made(self, transport: asyncio.Transport) -> None:  # type: ignore[override]
        super().connection_made(transport)
        self.access_log = False  # uvicorn's own lines hold paths and queries as sent, whatever handlers there are
        self._watch_head()

    def connection_lost(self, exc: Exception | None) -> None:
        self._forget_head()
        super().connection_lost(exc)

    def data_received(self, data: bytes) -> None:
        if self._is_answered() and self.conn.their_state is h11.SEND_BODY:
            self.conn.receive_data(data)  # uvicorn's own method would stop the keep-alive timer
            self.handle_events()
        else:
            super().data_received(data)
        if self.conn.their_state is h11.IDLE and self.conn.trailing_data[0]:
            self._watch_head()
        else:
            self._forget_head()

    def send_400_response(self, msg: str) -> None:
        """Before there is a request, or in the middle of its body: no middleware sees it. `msg` is not sent."""
        self._refuse(InvalidRequest())

    def _is_foreign(self) -> bool:
        """Whether the peer is one whom the geo restriction tells nothing."""
        return self.client is not None and self.config.app.state.edge.turns_away(self.client[0])  # type: ignore[union-attr]

    def _path(self) -> str:
        """Of the request that is refused, where there is one by now."""
        is_open = self.cycle is not None and not self.cycle.response_complete
        return str(self.cycle.scope["path"]) if is_open else ""

    def _is_answered(self) -> bool:
        return self.cycle is not None and self.cycle.response_complete

    def _watch_head(self) -> None:
        if self._head_timer is None:
            self._head_timer = self.loop.call_later(HEAD_SECONDS, self._give_up)

    def _forget_head(self) -> None:
        if self._head_timer is not None:
            self._head_timer.cancel()
            self._head_timer = None

    def _give_up(self) -> None:
        self._refuse(RequestTimeout())

    def _refuse(self, error: MaskerError) -> None:
        """Writes the answer beside the state machine, which may be in no state to write one, and closes."""
        answering = self.cycle is not None and self.cycle.response_started and not self.cycle.response_complete
        if not answering and not self.transport.is_closing():
            refusal = Response(status_code=403) if self._is_foreign() else answer(error, self._path())
            headers = [item for item in refusal.raw_headers if item[0] != b"connection"]
            headers += [(b"x-request-id", request_id().encode()), (b"connection", b"close")]
            first = b"HTTP/1.1 %d %s" % (refusal.status_code, STATUS_PHRASES[refusal.status_code])
            lines = [first, *(b"%s: %s" % header for header in headers), b"", bytes(refusal.body)]
            self.transport.write(b"\r\n".join(lines))
        self.transport.close()
