"""IP_ADDRESS: IPv4 and IPv6 literals (RFC 791, RFC 4291), not versions, clock times or hardware addresses."""

import re
from collections.abc import Iterator
from ipaddress import AddressValueError, IPv6Address

from pipeline.detect.recognizer import Recognizer, Rule, span
from pipeline.detect.text.normalize import NormalizedText
from schemas.entities import EntityType
from schemas.spans import DetectOptions, Span

_IPV4 = re.compile(rb"(?:(?:25[0-5]|2[0-4]\d|1\d\d|[1-9]?\d)\.){3}(?:25[0-5]|2[0-4]\d|1\d\d|[1-9]?\d)(?![\d]|\.\d)")
_NOT_BEFORE = (b".", b"-", b":")
_VERSION_BEFORE = re.compile(
    rb"(?:\bv|version|\bver\.?|release|build|firmware|kernel|clause|section|paragraph|chapter)[ :=]{0,3}$"
    rb"|(?:python|java|node|chrome|firefox|safari|edge|android|windows)[ :=]{0,3}$"
    rb"|[a-z0-9]/$"  # Chrome/120.0.0.0
    rb"|\x80\x95\x83\x80\x89[ :]{0,3}$"  # الإصدار
)
_IPV6 = re.compile(rb"(?:[0-9a-f]{0,4}:){2,8}(?:\d{1,3}(?:\.\d{1,3}){3}|[0-9a-f]{1,4})?")
_LONGEST_GROUP = 4
_FEWEST_COLONS = 2
_HEX = frozenset(bytes([byte]) for byte in b"0123456789abcdef")
_HARDWARE = re.compile(r"(?:[0-9a-f]{2}:){7}[0-9a-f]{2}")  # EUI-64
_ZONE = re.compile(rb"%[a-z0-9]{1,15}")


def _ipv4(text: NormalizedText) -> Iterator[Span]:
    """Four numbers up to 255 with dots. A port may follow."""
    shadow = text.shadow
    for separators in (b"...", b"...:", b".../", b"...-", b"...-...", b"...:."):
        for start, _end in text.numbers.shaped.get(separators, ()):
            match = _IPV4.match(shadow, start)
            before = shadow[max(0, start - 12) : start]
            if match is None or shadow[match.end() : match.end() + 1].isalpha() or before[-1:].isalnum():
                continue
            if before[-1:] not in _NOT_BEFORE and not _VERSION_BEFORE.search(before):
                yield span(start, match.end(), EntityType.IP_ADDRESS, 0.9, "ipv4")


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
        if match and match.group().count(b":") >= _FEWEST_COLONS and not shadow[max(0, start - 1) : start].isalnum():
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
