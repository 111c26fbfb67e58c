"""HTTP/1.1 (RFC 9112) as uvicorn speaks it, with our shape of refusals and with a patience that ends."""

import asyncio
import signal
import socket
import sys
from ipaddress import ip_address
from types import FrameType
from typing import NoReturn

import h11
import uvicorn
from fastapi import FastAPI
from starlette.responses import Response
from uvicorn.protocols.http.h11_impl import STATUS_PHRASES, H11Protocol

from api.http.errors import answer
from api.http.middleware import request_id
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


# Runs the application under uvicorn: our own access log, no server banner, no belief in forwarded headers.

SWITCH_SECONDS = 0.0005  # after which a thread that computes lets another run; Python's own 5 ms are felt in every call
GRACE_SECONDS = 10  # that requests in flight get after SIGTERM


def configuration(app: FastAPI) -> uvicorn.Config:
    """The one way in which this application is served, in tests too."""
    return uvicorn.Config(
        app,
        http=Protocol,
        log_config=None,
        access_log=False,
        server_header=False,
        proxy_headers=False,
        lifespan="on",
        timeout_graceful_shutdown=GRACE_SECONDS,
    )


def serve(app: FastAPI, listener: socket.socket) -> None:
    """Until SIGTERM or SIGINT; ends by SystemExit(0), so that whoever called can clean up."""
    for number in (signal.SIGTERM, signal.SIGINT):
        signal.signal(number, _leave)  # uvicorn raises the signal again when it has shut down
    sys.setswitchinterval(SWITCH_SECONDS)
    uvicorn.Server(configuration(app)).run(sockets=[listener])


def _leave(number: int, frame: FrameType | None) -> NoReturn:
    raise SystemExit(0)


# The server's socket: taken before anything else is started, so that a taken port is known at once.

_BACKLOG = 2048


class AddressUnavailable(Exception):
    """Nobody can listen there; the message names the address and says why."""


def listen(host: str, port: int) -> socket.socket:
    """A listening socket; port 0 takes a free one. AddressUnavailable."""
    family = socket.AF_INET6 if ":" in host else socket.AF_INET
    # The protocol is named: asyncio switches Nagle's algorithm off only where it sees that a socket speaks TCP, and
    # with it on, every answer waits 40 ms for the caller's delayed acknowledgement.
    listener = socket.socket(family, socket.SOCK_STREAM, socket.IPPROTO_TCP)
    try:
        listener.setsockopt(socket.SOL_SOCKET, socket.SO_REUSEADDR, 1)
        listener.bind((host, port))
        listener.listen(_BACKLOG)
        return listener
    except OSError as error:
        listener.close()
        raise AddressUnavailable(f"cannot listen on {host} port {port}: {error.strerror}") from None


def is_loopback(listener: socket.socket) -> bool:
    """Whether only this computer reaches it."""
    return ip_address(listener.getsockname()[0].partition("%")[0]).is_loopback


def address(listener: socket.socket) -> str:
    """The URL at which it listens."""
    host, port = listener.getsockname()[:2]
    return f"http://[{host}]:{port}" if listener.family == socket.AF_INET6 else f"http://{host}:{port}"
