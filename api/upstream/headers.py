"""The headers that are forwarded to a provider and back to the caller. Both are closed lists."""

import re
from collections.abc import Iterable, Mapping
from typing import Final

import httpx
from starlette.datastructures import Headers

from api.llm.model import Provider
from schemas.errors import MissingProviderKey

PROVIDER_KEY: Final = "x-provider-key"
_REQUEST_HEADERS: Final = (
    "accept",
    "anthropic-beta",
    "anthropic-version",
    "idempotency-key",
    "openai-organization",
    "openai-project",
    "user-agent",
)
_RESPONSE_HEADERS: Final = re.compile(
    r"content-type|request-id|x-request-id|retry-after(-ms)?|x-should-retry|(anthropic|openai|x-ratelimit)-[a-z0-9-]+"
)
_KEY: Final = re.compile(r"[!-~]{1,4096}")  # RFC 9110, section 5.5, without blanks, which no credential has
_BETA: Final = frozenset({"true", "false", "1", "0"})  # any other value would be text of the caller


def provider_key(headers: Headers) -> str:
    """The caller's own provider key. MissingProviderKey when there is none, more than one, or an invalid one."""
    values = headers.getlist(PROVIDER_KEY)
    if len(values) != 1 or not _KEY.fullmatch(values[0].strip(" \t")):
        raise MissingProviderKey
    return values[0].strip(" \t")


def request_headers(headers: Headers, provider: Provider, key: str) -> list[tuple[bytes, bytes]]:
    """The request's headers for the provider: the caller's listed ones, and the key in the provider's own header."""
    wanted = [(name, headers.getlist(name)) for name in _REQUEST_HEADERS]
    lines = [(name.encode(), ", ".join(values).encode("latin-1")) for name, values in wanted if values]
    own = (
        (b"x-api-key", key.encode())
        if provider is Provider.ANTHROPIC
        else (b"authorization", b"Bearer " + key.encode())
    )
    return [*lines, own, (b"content-type", b"application/json")]


def response_headers(headers: httpx.Headers) -> list[tuple[bytes, bytes]]:
    """The provider's headers that the caller gets. Length, encoding, cookies and connection headers are not among them.

    Of a repeated header only the first is kept: clients disagree on which of two content types counts.
    """
    kept: dict[bytes, bytes] = {}
    for name, value in _lower(headers.raw):
        if _RESPONSE_HEADERS.fullmatch(name.decode("latin-1")):
            kept.setdefault(name, value)
    return list(kept.items())


def query(parameters: Mapping[str, str]) -> str:
    """The query string for the provider: `beta`, if its value is a boolean."""
    beta = parameters.get("beta", "").lower()
    return f"?beta={beta}" if beta in _BETA else ""


def _lower(raw: Iterable[tuple[bytes, bytes]]) -> list[tuple[bytes, bytes]]:
    return [(name.lower(), value) for name, value in raw]
