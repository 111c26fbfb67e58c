"""IP_ADDRESS: IPv4 and IPv6 literals (RFC 791, RFC 4291), not versions, clock times or hardware addresses."""

import re
from collections.abc import Iterator
from ipaddress import AddressValueError, IPv6Address

from pipeline.detect.recognizer import Recognizer, Rule, span
from pipeline.detect.text.normalize import NormalizedText
from pipeline.detect.text.numbering import counts_parts
from schemas.entities import EntityType
from schemas.spans import DetectOptions, Span

_OCTET = rb"(?:25[0-5]|2[0-4]\d|1\d\d|[1-9]?\d)"
_IPV4 = re.compile(rb"(?<![\d.])(?:" + _OCTET + rb"\.){3}" + _OCTET + rb"(?!\d|\.\d|[a-z])")
_FOUR_PARTS = b"..."
_PRODUCT_BEFORE = re.compile(rb"[a-z]/$|[a-z]\d*-$")  # Chrome/120.0.0.0, openssl-1.1.1.1
_IN_IPV6 = re.compile(rb"(?:^|[^0-9a-z:]):?(?:[0-9a-f]{0,4}:){2,7}$")  # ::ffff:203.0.113.57
_REACH = 12
_IPV6 = re.compile(rb"(?:[0-9a-f]{0,4}:){2,8}(?:\d{1,3}(?:\.\d{1,3}){3}|[0-9a-f]{1,4})?")
_LONGEST_GROUP = 4
_FEWEST_COLONS = 2
_HEX = frozenset(bytes([byte]) for byte in b"0123456789abcdef")
_HARDWARE = re.compile(r"(?:[0-9a-f]{2}:){7}[0-9a-f]{2}")  # EUI-64
_ZONE = re.compile(rb"%[a-z0-9]{1,15}")


def _ipv4(text: NormalizedText) -> Iterator[Span]:
    """Four numbers up to 255 with dots. A port may follow."""
    shadow = text.shadow
    for separators, tokens in text.numbers.shaped.items():
        for start, end in tokens if _FOUR_PARTS in separators else ():
            previous = -1
            for match in _IPV4.finditer(shadow, start, end):
                joined = previous >= 0 and match.start() == previous + 1  # 10.0.0.1-10.0.0.9
                if joined or _may_begin(shadow, match.start()):
                    yield span(*match.span(), EntityType.IP_ADDRESS, 0.9, "ipv4")
                    previous = match.end()


def _may_begin(shadow: bytes, start: int) -> bool:
    """Whether no letter, no code and no word such as `version` comes before."""
    before = shadow[max(0, start - _REACH) : start]
    if before[-1:].isalnum() or before[-1:] == b"-" or _PRODUCT_BEFORE.search(before) or _IN_IPV6.search(before):
        return False
    return not counts_parts(shadow, start)


def _ipv6(text: NormalizedText) -> Iterator[Span]:
    """What the standard library accepts as an IPv6 address, with two colons or more."""
    shadow = text.shadow
    reached = 0
    position = shadow.find(b":")
    while position >= 0:
        start = position
        while start > reached and position - start < _LONGEST_GROUP and shadow[start - 1 : start] in _HEX:
            start -= 1
        match = _IPV6.match(shadow, start)
        reached = max(position + 1, match.end() if match else 0)
        literal = match.group() if match else b""
        if literal.startswith(b":") and not literal.startswith(b"::"):
            start, literal = start + 1, literal[1:]  # ip:2001:db8::1
        if match and literal.count(b":") >= _FEWEST_COLONS and not shadow[max(0, start - 1) : start].isalnum():
            end = _ipv6_end(shadow, start, match.end())
            if end:
                yield span(start, end, EntityType.IP_ADDRESS, 0.9, "ipv6")
        position = shadow.find(b":", reached)


def _ipv6_end(shadow: bytes, start: int, end: int) -> int:
    """The end of the address at `start`; 0 if there is none. A final colon is not part of it, a zone (%eth0) is."""
    if shadow[end : end + 1].isalnum():
        return 0
    literal = shadow[start:end].decode()
    if literal.endswith(":") and not literal.endswith("::"):
        literal = literal[:-1]
    try:
        IPv6Address(literal)
    except AddressValueError:
        return 0
    if not any(character.isdigit() for character in literal) or _HARDWARE.fullmatch(literal):
        return 0
    zone = _ZONE.match(shadow, start + len(literal))
    return zone.end() if zone else start + len(literal)


def _ip(text: NormalizedText, _options: DetectOptions) -> Iterator[Span]:
    yield from _ipv4(text)
    yield from _ipv6(text)


RECOGNIZERS: tuple[Recognizer, ...] = (Rule("ip", frozenset({EntityType.IP_ADDRESS}), _ip),)
