"""The server's socket: taken before anything else is started, so that a taken port is known at once."""

import socket

_BACKLOG = 2048


class AddressUnavailable(Exception):
    """Nobody can listen there; the message names the address and says why."""


def listen(host: str, port: int) -> socket.socket:
    """A listening socket; port 0 takes a free one. AddressUnavailable."""
    family = socket.AF_INET6 if ":" in host else socket.AF_INET
    try:
        return socket.create_server((host, port), family=family, backlog=_BACKLOG)
    except OSError as error:
        raise AddressUnavailable(f"cannot listen on {host} port {port}: {error.strerror}") from None
