"""The server's socket: taken before anything else is started, so that a taken port is known at once."""

import socket
from ipaddress import ip_address

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
