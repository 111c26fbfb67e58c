"""`masker serve` in embedded mode before a scripted model provider, and accounts on it."""

import secrets
from collections.abc import Iterator
from contextlib import contextmanager
from dataclasses import dataclass, replace

import httpx

from examples.server import Server, embedded_server
from tests.api.proxy.provider import ScriptedProvider
from tests.api.proxy.provider_answers import parrot

MAX_UPLOAD_BYTES = 2_000_000
# It counts no calls, and calls back on loopback.
_SETTINGS = {
    "RATE_LIMIT_PER_MINUTE": "100000",
    "LOGIN_ATTEMPTS_PER_MINUTE": "100000",
    "WEBHOOK_PRIVATE_ADDRESSES": "true",
    "MAX_UPLOAD_BYTES": str(MAX_UPLOAD_BYTES),
}


@dataclass(frozen=True)
class Embedded:
    """A running server, and its provider, which says what it is told."""

    server: Server
    provider: ScriptedProvider

    def account(self) -> Server:
        """The same server with the key of a new account."""
        with httpx.Client(base_url=self.server.url, headers={"Origin": self.server.url}, timeout=60) as browser:
            named = {"email": f"{secrets.token_hex(6)}@example.com", "password": secrets.token_urlsafe()}
            browser.post("/auth/register", json=named).raise_for_status()
            minted = browser.post("/v1/keys", json={"name": "test"})
        return replace(self.server, key=str(minted.raise_for_status().json()["key"]))

    def scripted(self) -> ScriptedProvider:
        """The provider; it says what it is told, until it gets another script."""
        self.provider.begin(parrot)
        return self.provider


@contextmanager
def running() -> Iterator[Embedded]:
    """Serves until the block ends."""
    provider = ScriptedProvider()
    urls = {"ANTHROPIC_BASE_URL": provider.url, "OPENAI_BASE_URL": f"{provider.url}/v1"}
    try:
        with embedded_server("operator@example.com", **_SETTINGS, **urls) as server:
            yield Embedded(server, provider)
    finally:
        provider.close()
