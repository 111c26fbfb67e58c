"""Which headers go on to a provider, and which of a provider's come back: two closed lists."""

import re
from collections.abc import Iterable, Mapping
from typing import Final

import httpx
from starlette.datastructures import Headers

from api.llm.model import Provider
from schemas.errors import MissingProviderKey

PROVIDER_KEY: Final = "x-provider-key"
_PASSED_ON: Final = (
    "accept",
    "anthropic-beta",
    "anthropic-version",
    "idempotency-key",
    "openai-organization",
    "openai-project",
    "user-agent",
)
_PASSED_BACK: Final = re.compile(
    r"content-type|request-id|x-request-id|retry-after(-ms)?|x-should-retry|(anthropic|openai|x-ratelimit)-[a-z0-9-]+"
)
_KEY: Final = re.compile(r"[!-~]{1,4096}")  # RFC 9110, section 5.5, without blanks: no credential has one
_BETA: Final = frozenset({"true", "false", "1", "0"})  # what it may say; anything else would be text of the caller's


def provider_key(headers: Headers) -> str:
    """The caller's own key at the provider. MissingProviderKey, also for one that cannot be a key, or for several."""
    values = headers.getlist(PROVIDER_KEY)
    if len(values) != 1 or not _KEY.fullmatch(values[0].strip(" \t")):
        raise MissingProviderKey
    return values[0].strip(" \t")


def passed_on(headers: Headers, provider: Provider, key: str) -> list[tuple[bytes, bytes]]:
    """What the provider is sent: the caller's headers of the list, and the key in the provider's own header."""
    wanted = [(name, headers.getlist(name)) for name in _PASSED_ON]
    lines = [(name.encode(), ", ".join(values).encode("latin-1")) for name, values in wanted if values]
    own = (
        (b"x-api-key", key.encode())
        if provider is Provider.ANTHROPIC
        else (b"authorization", b"Bearer " + key.encode())
    )
    return [*lines, own, (b"content-type", b"application/json")]


def passed_back(headers: httpx.Headers) -> list[tuple[bytes, bytes]]:
    """What the caller is told of the provider's headers; lengths, encodings, cookies and connections are ours.

    Each once, the first that came: clients do not agree on which of two content types counts.
    """
    passed: dict[bytes, bytes] = {}
    for name, value in _lower(headers.raw):
        if _PASSED_BACK.fullmatch(name.decode("latin-1")):
            passed.setdefault(name, value)
    return list(passed.items())


def query(parameters: Mapping[str, str]) -> str:
    """The query string for the provider: `beta`, where it is yes or no."""
    beta = parameters.get("beta", "").lower()
    return f"?beta={beta}" if beta in _BETA else ""


def _lower(raw: Iterable[tuple[bytes, bytes]]) -> list[tuple[bytes, bytes]]:
    return [(name.lower(), value) for name, value in raw]
