"""Addresses that a server calls back, which of them it may call, and the secret that signs such a call."""

import hmac
import re
from dataclasses import dataclass
from ipaddress import IPv4Address, IPv6Address, IPv6Network, ip_address
from urllib.parse import urlsplit

_SECRET_INFO = b"masker-webhook-v1"
MAX_CALLBACK_CHARS = 2000
_NAT64 = IPv6Network("64:ff9b::/96")  # RFC 6052: the last four bytes are an IPv4 address
_PRINTABLE = re.compile(r"[!-~]+")


@dataclass(frozen=True, slots=True, repr=False)
class Callback:
    """Whom to tell, and the secret that signs what is said."""

    url: str
    secret: bytes


def webhook_secret(bearer: str) -> bytes:
    """The 32-byte secret of a key's webhooks: HMAC-SHA256 of `masker-webhook-v1` under the bearer."""
    return hmac.digest(bearer.encode(), _SECRET_INFO, "sha256")


def check_callback(url: str, *, allow_private: bool) -> str:
    """The address, if it is one that may be called: https, with a host, without credentials and fragment.

    `allow_private`: http and hosts that are not public may be called, too. ValueError says what is wrong.
    """
    if len(url) > MAX_CALLBACK_CHARS:
        raise ValueError(f"must have at most {MAX_CALLBACK_CHARS} characters")
    wrong = ValueError("must be an https:// address in ASCII")
    if not _PRINTABLE.fullmatch(url) or "\\" in url:
        raise wrong
    try:
        parts = urlsplit(url)
        host, port = parts.hostname, parts.port
    except ValueError:  # a malformed port or bracket
        raise wrong from None
    if parts.scheme not in (("https", "http") if allow_private else ("https",)) or not host or port == 0:
        raise wrong
    if parts.username is not None or parts.password is not None or "#" in url:
        raise ValueError("must not have credentials or a fragment")
    if not allow_private and not _may_be_public(host):
        raise ValueError("must be a public address")
    return url


def is_public(address: str) -> bool:
    """Whether an IP address belongs to the public internet; in IPv6, also the IPv4 address that it holds."""
    try:
        known = ip_address(address.partition("%")[0])
    except ValueError:
        return False
    if isinstance(known, IPv6Address):
        inner = known.ipv4_mapped or known.sixtofour or (known.teredo or (None, None))[1]
        if known in _NAT64:
            inner = IPv4Address(int(known) & 0xFFFFFFFF)
        if inner is not None:
            return is_public(str(inner))
        if known.is_site_local:
            return False
    return known.is_global and not known.is_multicast and not known.is_reserved


def _may_be_public(host: str) -> bool:
    """Whether a host is a public address, or a name that resolving may find to have one."""
    try:
        ip_address(host.partition("%")[0])
    except ValueError:
        name = host.rstrip(".").lower()
        # A number is an IPv4 address to many resolvers (0x7f.1), and these names are the machine's own.
        return "." in name and not name.endswith((".localhost", ".local", ".internal")) and not _numeric(name)
    return is_public(host)


def _numeric(name: str) -> bool:
    return re.fullmatch(r"(0x[0-9a-f]*|[0-9]+)", name.rpartition(".")[2]) is not None
