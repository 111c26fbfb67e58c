"""Runs the application under uvicorn: our own access log, no server banner, no belief in forwarded headers."""

import signal
from types import FrameType
from typing import NoReturn

import uvicorn
from fastapi import FastAPI

GRACE_SECONDS = 10  # that requests in flight get after SIGTERM


def configuration(app: FastAPI, host: str = "127.0.0.1", port: int = 0) -> uvicorn.Config:
    """The one way in which this application is served, in tests too."""
    return uvicorn.Config(
        app,
        host=host,
        port=port,
        log_config=None,
        access_log=False,
        server_header=False,
        proxy_headers=False,
        lifespan="on",
        timeout_graceful_shutdown=GRACE_SECONDS,
    )


class Listening:
    """A bound socket and the server behind it. SystemExit(1) at once when the address cannot be had."""

    def __init__(self, app: FastAPI, host: str, port: int) -> None:
        self._config = configuration(app, host, port)
        self._socket = self._config.bind_socket()

    def serve(self) -> None:
        """Until SIGTERM or SIGINT; ends by SystemExit(0), so that whoever called can clean up."""
        for number in (signal.SIGTERM, signal.SIGINT):
            signal.signal(number, _leave)  # uvicorn raises the signal again when it has shut down
        uvicorn.Server(self._config).run(sockets=[self._socket])


def _leave(number: int, frame: FrameType | None) -> NoReturn:
    raise SystemExit(0)
