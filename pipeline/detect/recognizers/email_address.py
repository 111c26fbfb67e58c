"""EMAIL_ADDRESS: read from the @ in both directions (lengths of RFC 5321), in ASCII or any script (RFC 6531)."""

import re
from collections.abc import Iterator

from pipeline.detect.recognizer import Recognizer, Rule, span
from pipeline.detect.text.normalize import NormalizedText
from schemas.entities import EntityType
from schemas.spans import DetectOptions, Span

_LONGEST_LOCAL = 64
# Read backwards from the @. A dot cannot begin or end the part.
_LOCAL = re.compile(rb"[a-z0-9_+\-!#$&'*/=?^`{|}~%][a-z0-9_+\-.%&'!#$*/=?^`{|}~]*")
_LOCAL_ANY_SCRIPT = re.compile(rb"[a-z0-9_\x80-\xaf\xfe][a-z0-9_+\-.\x80-\xaf\xfe]*")
_LEADING = b".'`*/=?&{|}!#$^~%-+"  # punctuation of the text or code before it, not of the address
_DOMAIN = re.compile(
    rb"(?:[a-z0-9](?:[a-z0-9\-]{0,61}[a-z0-9])?\.){1,8}(?:xn--[a-z0-9\-]{2,59}|[a-z]{2,24})(?![a-z0-9]|-[a-z0-9]|@)"
    rb"|\[\d{1,3}(?:\.\d{1,3}){3}\]"
)
_DOMAIN_ANY_SCRIPT = re.compile(rb"(?:[a-z0-9\x80-\xaf\xfe\-]{1,63}\.){1,8}[a-z\x80-\xaf\xfe]{2,24}(?![a-z0-9])")


def _email(text: NormalizedText, _options: DetectOptions) -> Iterator[Span]:
    """Every `local@domain.tld`."""
    shadow = text.shadow
    at = shadow.find(b"@")
    while at >= 0:
        place = _around(shadow, at)
        if place:
            yield span(*place, EntityType.EMAIL_ADDRESS, 0.95, "email")
        at = shadow.find(b"@", at + 1)


def _around(shadow: bytes, at: int) -> tuple[int, int] | None:
    before = shadow[max(0, at - _LONGEST_LOCAL) : at][::-1]
    local = _LOCAL.match(before)
    domain = _DOMAIN.match(shadow, at + 1)
    if local is None:
        local = _LOCAL_ANY_SCRIPT.match(before)
    if domain is None:
        domain = _DOMAIN_ANY_SCRIPT.match(shadow, at + 1)
    if local is None or domain is None:
        return None
    name = local.group()[::-1].lstrip(_LEADING)
    for joint in (b"=", b"{", b"|", b"/"):  # "user=a.b@c.sa", "mailto/a@b.sa"
        name = name.rpartition(joint)[2].lstrip(_LEADING)
    if not name or name.startswith(b"."):
        return None
    return at - len(name), domain.end()


RECOGNIZERS: tuple[Recognizer, ...] = (Rule("email", frozenset({EntityType.EMAIL_ADDRESS}), _email),)
