"""Resolves the client's IP address: the peer's or, behind trusted proxies, the one in X-Forwarded-For."""

import re
from collections.abc import Iterable, Sequence
from ipaddress import IPv4Address, IPv4Network, IPv6Address, IPv6Network, ip_address, ip_network

from starlette.types import Scope

from schemas.settings import InvalidSettings

Address = IPv4Address | IPv6Address
Network = IPv4Network | IPv6Network

# `192.0.2.1:443`, `[2001:db8::1]` and `[2001:db8::1]:443`: some proxies write the port too.
_WITH_PORT = re.compile(r"(?:(?P<v4>[0-9.]+):[0-9]{1,5}|\[(?P<v6>[0-9A-Fa-f:.]+)\](?::[0-9]{1,5})?)", re.ASCII)
# Loopback, private, link-local and shared addresses: RFC 1122, 1918, 3927, 6598, 4193, 4291.
_LOCAL: tuple[Network, ...] = tuple(
    ip_network(cidr)
    for cidr in (
        "127.0.0.0/8", "10.0.0.0/8", "172.16.0.0/12", "192.168.0.0/16", "169.254.0.0/16", "100.64.0.0/10",
        "::1/128", "fc00::/7", "fe80::/10",
    )
)  # fmt: skip


def networks(cidrs: Iterable[str]) -> tuple[Network, ...]:
    """The networks of MASKER_TRUSTED_PROXIES. InvalidSettings."""
    try:
        return tuple(_unmapped_network(ip_network(cidr, strict=False)) for cidr in cidrs)
    except ValueError:
        raise InvalidSettings("MASKER_TRUSTED_PROXIES: not a comma-separated list of addresses or CIDRs") from None


def resolve_client_address(scope: Scope, trusted: Sequence[Network]) -> Address | None:
    """The client's address; IPv4-mapped IPv6 addresses as IPv4. None when it cannot be determined.

    It is the peer's address, unless the peer is a trusted proxy. Then all X-Forwarded-For lines are one list that is
    read from the right, up to the first address outside the trusted proxies: the client's. The addresses left of it
    are not trustworthy: the client can write them.
    """
    peer = scope.get("client")
    address = _parsed(str(peer[0]).partition("%")[0]) if peer else None  # a link-local address has a zone
    if address is None or not trusted or not is_within(address, trusted):
        return address
    lines = [value.decode("latin-1") for name, value in scope["headers"] if name == b"x-forwarded-for"]
    for element in reversed(",".join(lines).split(",") if lines else []):
        address = _parsed(element.strip(" \t"))
        if address is None or not is_within(address, trusted):
            return address
    return address


def is_local_address(address: Address) -> bool:
    """Whether it is a loopback, private, shared or link-local address, which belongs to no country."""
    return is_within(address, _LOCAL)


def _parsed(text: str) -> Address | None:
    """The address in `text`, IPv4-mapped ones (RFC 4291, section 2.5.5.2) as IPv4. None if malformed or with a zone."""
    if ported := _WITH_PORT.fullmatch(text):
        text = ported["v4"] or ported["v6"]
    if "%" in text:
        return None
    try:
        address = ip_address(text)
    except ValueError:
        return None
    return (address.ipv4_mapped or address) if isinstance(address, IPv6Address) else address


def is_within(address: Address, among: Iterable[Network]) -> bool:
    """Whether one of the networks holds the address."""
    return any(address.version == network.version and address in network for network in among)


def _unmapped_network(network: Network) -> Network:
    """The IPv4 network of `::ffff:a.b.c.d/n`, because addresses are compared in their IPv4 form."""
    if isinstance(network, IPv6Network) and network.prefixlen >= 96 and network.network_address.ipv4_mapped:
        return ip_network((network.network_address.ipv4_mapped, network.prefixlen - 96))
    return network
