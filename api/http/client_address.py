"""Where a call comes from: the peer's address or, behind trusted proxies, what their X-Forwarded-For says."""

import re
from collections.abc import Iterable, Sequence
from ipaddress import IPv4Address, IPv4Network, IPv6Address, IPv6Network, ip_address, ip_network

from starlette.types import Scope

from schemas.settings import InvalidSettings

Address = IPv4Address | IPv6Address
Network = IPv4Network | IPv6Network

# `192.0.2.1:443`, `[2001:db8::1]` and `[2001:db8::1]:443`: some proxies write the port too.
_WITH_PORT = re.compile(r"(?:(?P<v4>[0-9.]+):[0-9]{1,5}|\[(?P<v6>[0-9A-Fa-f:.]+)\](?::[0-9]{1,5})?)", re.ASCII)
# Who can only be near: RFC 1122, 1918, 3927, 6598, 4193, 4291.
_NEAR: tuple[Network, ...] = tuple(
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


def caller_of(scope: Scope, trusted: Sequence[Network]) -> Address | None:
    """The caller's address, an IPv4 one whenever it is one at heart; None when it cannot be told.

    The peer, unless it is a trusted proxy: then X-Forwarded-For is read from the right, all its lines as one list, and
    the first address that is not a trusted proxy is the caller. What stands left of it anybody may have written.
    """
    peer = scope.get("client")
    address = _parsed(str(peer[0]).partition("%")[0]) if peer else None  # a link-local peer comes with its zone
    if address is None or not trusted or not is_within(address, trusted):
        return address
    lines = [value.decode("latin-1") for name, value in scope["headers"] if name == b"x-forwarded-for"]
    for element in reversed(",".join(lines).split(",") if lines else []):
        address = _parsed(element.strip(" \t"))
        if address is None or not is_within(address, trusted):
            return address
    return address


def is_near(address: Address) -> bool:
    """Whether it is a loopback, private or link-local address: in no country, and on no other side of the Internet."""
    return is_within(address, _NEAR)


def _parsed(text: str) -> Address | None:
    """An address; mapped ones (RFC 4291, section 2.5.5.2) as what they map. None for whatever else, zones included."""
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
    """The IPv4 network of `::ffff:a.b.c.d/n`: addresses are compared after they were unmapped."""
    if isinstance(network, IPv6Network) and network.prefixlen >= 96 and network.network_address.ipv4_mapped:
        return ip_network((network.network_address.ipv4_mapped, network.prefixlen - 96))
    return network
