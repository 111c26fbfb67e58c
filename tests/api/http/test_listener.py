"""The server's socket."""

import socket

import pytest

from api.http.server import AddressUnavailable, is_loopback, listen


@pytest.mark.parametrize("host", ["127.0.0.1", "::1", "localhost"])
def test_it_listens_and_names_its_protocol(host: str) -> None:
    """A socket without the protocol's number would make every answer wait for a delayed acknowledgement."""
    with listen(host, 0) as listener, socket.create_connection((host, listener.getsockname()[1])):
        accepted, _ = listener.accept()
        with accepted:
            assert accepted.proto == socket.IPPROTO_TCP


def test_a_taken_port_is_named() -> None:
    with listen("127.0.0.1", 0) as listener:
        port = listener.getsockname()[1]
        with pytest.raises(AddressUnavailable, match=f"127.0.0.1 port {port}: Address already in use"):
            listen("127.0.0.1", port)


@pytest.mark.parametrize("host", ["192.0.2.1", "no-such-host.invalid"])
def test_an_address_of_another_host(host: str) -> None:
    with pytest.raises(AddressUnavailable, match="cannot listen on"):
        listen(host, 0)


@pytest.mark.parametrize(
    ("host", "alone"), [("127.0.0.1", True), ("127.0.0.2", True), ("::1", True), ("0.0.0.0", False), ("::", False)]
)
def test_whether_other_computers_reach_it(host: str, alone: bool) -> None:
    with listen(host, 0) as listener:
        assert is_loopback(listener) is alone
