"""Runs the application under uvicorn: our own access log, no server banner, no belief in forwarded headers."""

import signal
import socket
import sys
from types import FrameType
from typing import NoReturn

import uvicorn
from fastapi import FastAPI

from api.protocol import Protocol

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
