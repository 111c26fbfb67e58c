"""One server whose providers are scripted ones on loopback; each test calls as an account of its own."""

from collections.abc import Iterator

import httpx
import pytest

from tests.api.proxy.provider import ScriptedProvider
from tests.api.proxy.provider_answers import parrot
from tests.api.serving import Account, Served, serving, settings_for

PROVIDER_KEY = "sk-provider-0123456789-secret"
ANTHROPIC = "/api/v1/proxy/anthropic/v1/messages"
OPENAI = "/api/v1/proxy/openai/v1/chat/completions"


@pytest.fixture(scope="package")
def _scripted() -> Iterator[ScriptedProvider]:
    provider = ScriptedProvider()
    yield provider
    provider.close()


@pytest.fixture
def provider(_scripted: ScriptedProvider) -> ScriptedProvider:
    """Says what it is told, until a test gives it another script."""
    _scripted.begin(parrot)
    return _scripted


@pytest.fixture(scope="package")
def served(tmp_path_factory: pytest.TempPathFactory, _scripted: ScriptedProvider) -> Iterator[Served]:
    """A server whose providers both are the scripted one."""
    settings = settings_for(
        tmp_path_factory.mktemp("proxy"),
        anthropic_base_url=_scripted.url,
        openai_base_url=f"{_scripted.url}/v1",
        proxy_max_body_bytes=1_000_000,
        rate_limit_per_minute=10_000,
    )
    with serving(settings) as server:
        yield server


@pytest.fixture
def account(served: Served) -> Account:
    """A new account."""
    return served.account()


@pytest.fixture
def client(served: Served, account: Account) -> Iterator[httpx.Client]:
    """A client that calls as `account`, with a key at the provider."""
    with caller(served, account) as client:
        yield client


def caller(served: Served, account: Account, provider_key: str = PROVIDER_KEY) -> httpx.Client:
    """A client that calls as an account, with this key at the provider."""
    return httpx.Client(base_url=served.url, headers={**account.headers, "X-Provider-Key": provider_key}, timeout=30)


def asks(text: str, **more: object) -> dict[str, object]:
    """A body that both providers take."""
    return {"model": "test", "max_tokens": 100, "messages": [{"role": "user", "content": text}], **more}
