"""The resolved client address, by peer, trusted proxies and forwarded headers."""

from ipaddress import ip_address

import pytest
from hypothesis import given
from hypothesis import strategies as st
from starlette.types import Scope

from api.http.client_address import is_local_address, networks, resolve_client_address
from schemas.settings import InvalidSettings

PROXIES = networks(["10.0.0.0/8", "2001:db8:ffff::/48", "::1"])


def scope(peer: str | None, *forwarded: bytes) -> Scope:
    headers = [(b"host", b"x"), *((b"x-forwarded-for", line) for line in forwarded)]
    return {"type": "http", "client": (peer, 1234) if peer is not None else None, "headers": headers}


@pytest.mark.parametrize(
    ("peer", "forwarded", "caller"),
    [
        # The peer is no trusted proxy: what it says does not count.
        ("203.0.113.7", (), "203.0.113.7"),
        ("203.0.113.7", (b"198.51.100.1",), "203.0.113.7"),
        ("203.0.113.7", (b"garbage",), "203.0.113.7"),
        ("2001:db8::7", (), "2001:db8::7"),
        ("::ffff:203.0.113.7", (), "203.0.113.7"),
        ("fe80::1%eth0", (), "fe80::1"),
        (None, (), None),
        ("testclient", (), None),
        # It is one: from the right, the first that is not.
        ("10.0.0.1", (), "10.0.0.1"),
        ("10.0.0.1", (b"203.0.113.7",), "203.0.113.7"),
        ("::ffff:10.0.0.1", (b"203.0.113.7",), "203.0.113.7"),
        ("::1", (b"203.0.113.7",), "203.0.113.7"),
        ("2001:db8:ffff::1", (b"2001:DB8::7",), "2001:db8::7"),
        ("10.0.0.1", (b"198.51.100.1, 203.0.113.7",), "203.0.113.7"),
        ("10.0.0.1", (b"198.51.100.1,203.0.113.7 ,\t10.9.9.9",), "203.0.113.7"),
        ("10.0.0.1", (b"198.51.100.1", b"203.0.113.7"), "203.0.113.7"),
        ("10.0.0.1", (b"198.51.100.1", b"203.0.113.7, 10.2.2.2", b"::ffff:10.3.3.3"), "203.0.113.7"),
        ("10.0.0.1", (b"garbage, 203.0.113.7",), "203.0.113.7"),  # what stands left of the caller nobody reads
        ("10.0.0.1", (b"10.1.1.1, 10.2.2.2",), "10.1.1.1"),
        ("10.0.0.1", (b"::ffff:203.0.113.7",), "203.0.113.7"),
        ("10.0.0.1", (b"203.0.113.7:50123",), "203.0.113.7"),
        ("10.0.0.1", (b"[2001:db8::7]",), "2001:db8::7"),
        ("10.0.0.1", (b"[2001:db8::7]:443",), "2001:db8::7"),
        # What cannot be parsed is nobody's address.
        ("10.0.0.1", (b"",), None),
        ("10.0.0.1", (b"203.0.113.7,",), None),
        ("10.0.0.1", (b"203.0.113.7,,10.2.2.2",), None),
        ("10.0.0.1", (b"203.0.113.7, unknown",), None),
        ("10.0.0.1", (b"203.0.113.7, _hidden, 10.2.2.2",), None),
        ("10.0.0.1", (b"203.0.113.07",), None),
        ("10.0.0.1", (b"203.0.113",), None),
        ("10.0.0.1", (b"203.0.113.256",), None),
        ("10.0.0.1", (b"0xcb007107",), None),
        ("10.0.0.1", (b"3405803783",), None),
        ("10.0.0.1", (b"203.0.113.7:",), None),
        ("10.0.0.1", (b"203.0.113.7:999999",), None),
        ("10.0.0.1", (b"203.0.113.7/32",), None),
        ("10.0.0.1", (b'"203.0.113.7"',), None),
        ("10.0.0.1", (b"fe80::1%eth0",), None),
        ("10.0.0.1", (b"2001:db8::7%1",), None),
        ("10.0.0.1", (b"[203.0.113.7]",), "203.0.113.7"),
        ("10.0.0.1", (b"[2001:db8::7",), None),
        ("10.0.0.1", ("٢٠٣.٠.١١٣.٧".encode(),), None),
        ("10.0.0.1", (b"\xff\xfe",), None),
        ("10.0.0.1", (b"203.0.113.7\x00",), None),
        ("10.0.0.1", (b"203.0.113.7 198.51.100.1",), None),
    ],
)
def test_the_resolved_address(peer: str | None, forwarded: tuple[bytes, ...], caller: str | None) -> None:
    assert resolve_client_address(scope(peer, *forwarded), PROXIES) == (ip_address(caller) if caller else None)


@given(lines=st.lists(st.binary(max_size=60), max_size=4))
def test_any_header_gives_an_address_or_none(lines: list[bytes]) -> None:
    """Any header gives an address or none. From an untrusted peer it changes nothing."""
    resolve_client_address(scope("10.0.0.1", *lines), PROXIES)
    assert resolve_client_address(scope("203.0.113.7", *lines), PROXIES) == ip_address("203.0.113.7")


@given(spoofed=st.lists(st.sampled_from(["203.0.113.9", "10.1.1.1", "x", "", "::1"]), max_size=5))
def test_a_spoofed_head_does_not_help(spoofed: list[str]) -> None:
    """The nearest proxy adds the address that it saw, behind whatever the caller had written."""
    header = ", ".join([*spoofed, "198.51.100.1"]).encode()
    assert resolve_client_address(scope("10.0.0.1", header), PROXIES) == ip_address("198.51.100.1")


@pytest.mark.parametrize(
    "near",
    ["127.0.0.1", "127.8.8.8", "::1", "10.1.2.3", "172.16.0.1", "172.31.255.255", "192.168.9.9", "169.254.1.1",
     "100.64.0.1", "fd00::1", "fe80::1"],
)  # fmt: skip
def test_local_addresses(near: str) -> None:
    assert is_local_address(ip_address(near))


@pytest.mark.parametrize(
    "far", ["203.0.113.7", "8.8.8.8", "172.32.0.1", "11.0.0.1", "100.128.0.1", "2001:db8::1", "2a00::1", "0.0.0.0"]
)
def test_public_addresses(far: str) -> None:
    assert not is_local_address(ip_address(far))


def test_proxies_in_every_notation() -> None:
    trusted = networks(["10.1.2.3/8", "192.0.2.1", "::ffff:198.51.100.0/120"])
    for proxy in ("10.200.0.1", "192.0.2.1", "198.51.100.200", "::ffff:198.51.100.200"):
        assert resolve_client_address(scope(proxy, b"203.0.113.7"), trusted) == ip_address("203.0.113.7")
    assert resolve_client_address(scope("192.0.2.2", b"203.0.113.7"), trusted) == ip_address("192.0.2.2")


@pytest.mark.parametrize("wrong", ["10.0.0.0/33", "proxy", "10.0.0", "10.0.0.0-10.0.0.9", "fe80::1%eth0/64/3"])
def test_invalid_proxies(wrong: str) -> None:
    with pytest.raises(InvalidSettings, match="MASKER_TRUSTED_PROXIES: ") as refused:
        networks(["10.0.0.0/8", wrong])
    assert wrong not in str(refused.value)
