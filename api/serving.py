"""Runs the application under uvicorn: our own access log, no server banner, no belief in forwarded headers."""

import signal
import socket
import sys
from types import FrameType
from typing import NoReturn

import uvicorn
from fastapi import FastAPI
from uvicorn.protocols.http.h11_impl import H11Protocol

from api.errors import answer
from api.middleware import request_id
from schemas.errors import InvalidRequest

SWITCH_SECONDS = 0.0005  # after which a thread that computes lets another run; Python's own 5 ms are felt in every call
GRACE_SECONDS = 10  # that requests in flight get after SIGTERM


class Protocol(H11Protocol):
    """HTTP/1.1 (RFC 9112) whose answer to what is no HTTP has the shape and the id of every other answer."""

    def send_400_response(self, msg: str) -> None:
        """Before there is a request, or in the middle of its body: no middleware sees it. `msg` is not sent."""
        answering = self.cycle is not None and self.cycle.response_started and not self.cycle.response_complete
        if not answering:
            refusal = answer(InvalidRequest())
            headers = [*refusal.raw_headers, (b"x-request-id", request_id().encode()), (b"connection", b"close")]
            lines = [b"HTTP/1.1 400 Bad Request", *(b"%s: %s" % header for header in headers), b"", bytes(refusal.body)]
            self.transport.write(b"\r\n".join(lines))
        self.transport.close()


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
