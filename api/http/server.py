"""Runs the application under uvicorn, on a socket that is opened first so that a taken port is known at once."""

import gc
import resource
import signal
import socket
import sys
from ipaddress import ip_address
from types import FrameType
from typing import NoReturn

import uvicorn
from fastapi import FastAPI

from api.http.protocol import Protocol

SWITCH_SECONDS = 0.0005  # a busy thread yields after this time; Python's default of 5 ms delays every call
GRACE_SECONDS = 10  # for requests in flight after SIGTERM
_NEW_OBJECTS = 10_000  # that start the garbage collector: calls leave no cycles, so Python's default of 700 is too few


def configuration(app: FastAPI) -> uvicorn.Config:
    """How this application is served, in tests too: our own access log, no server banner, no forwarded headers."""
    return uvicorn.Config(
        app,
        http=Protocol,
        ws="none",
        log_config=None,
        access_log=False,
        server_header=False,
        proxy_headers=False,
        lifespan="on",
        timeout_graceful_shutdown=GRACE_SECONDS,
    )


def serve(app: FastAPI, listener: socket.socket) -> None:
    """Serves until SIGTERM or SIGINT, then raises SystemExit(0), so that the caller can clean up.

    With as many descriptors as the system allows the process: each connection takes one, also while it is idle.
    """
    _, most = resource.getrlimit(resource.RLIMIT_NOFILE)
    resource.setrlimit(resource.RLIMIT_NOFILE, (most, most))
    for number in (signal.SIGTERM, signal.SIGINT):
        signal.signal(number, _exit)  # uvicorn raises the signal again when it has shut down
    sys.setswitchinterval(SWITCH_SECONDS)
    gc.freeze()  # what is loaded lives as long as the process; the collector need not walk it
    gc.set_threshold(_NEW_OBJECTS)
    uvicorn.Server(configuration(app)).run(sockets=[listener])


def _exit(number: int, frame: FrameType | None) -> NoReturn:
    raise SystemExit(0)


_BACKLOG = 2048


class AddressUnavailable(Exception):
    """The address cannot be listened on; the message names it and says why."""


def listen(host: str, port: int) -> socket.socket:
    """A listening socket; port 0 takes a free one. AddressUnavailable."""
    family = socket.AF_INET6 if ":" in host else socket.AF_INET
    # IPPROTO_TCP is given because asyncio switches Nagle's algorithm off only for sockets that declare it. With Nagle's
    # algorithm every answer waits 40 ms for the client's delayed acknowledgement.
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
    """Whether only this computer can reach the socket."""
    return ip_address(listener.getsockname()[0].partition("%")[0]).is_loopback


def address(listener: socket.socket) -> str:
    """The URL at which it listens."""
    host, port = listener.getsockname()[:2]
    return f"http://[{host}]:{port}" if listener.family == socket.AF_INET6 else f"http://{host}:{port}"
