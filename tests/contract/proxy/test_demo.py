"""The managed demo: for browser sessions, at one provider, with the operator's key, a few models and a few calls."""

from collections.abc import Iterator

import httpx
import pytest

from tests.api.serving import Account, Served, serving, settings_for
from tests.proxy.conftest import ANTHROPIC, OPENAI, asks
from tests.proxy.provider import ScriptedProvider
from tests.proxy.speech import TOKEN, said

KEY = "sk-of-the-operator"


@pytest.fixture(scope="module")
def served(tmp_path_factory: pytest.TempPathFactory, _scripted: ScriptedProvider) -> Iterator[Served]:
    settings = settings_for(
        tmp_path_factory.mktemp("demo"),
        anthropic_base_url=_scripted.url,
        openai_base_url=f"{_scripted.url}/v1",
        demo_provider="anthropic",
        demo_provider_key=KEY,
        demo_models="small, tiny",
        demo_calls_per_day=3,
    )
    with serving(settings) as server:
        yield server


@pytest.fixture
def browser(served: Served, account: Account) -> Iterator[httpx.Client]:
    with served.browser(account) as client:
        yield client


def test_a_session_calls_with_the_operators_key(browser: httpx.Client, provider: ScriptedProvider) -> None:
    text = "Write to noura@example.com"
    answer = browser.post(ANTHROPIC, json=asks(text, model="small"), headers={"X-Provider-Key": "sk-other"})
    assert (answer.status_code, answer.json()["content"][0]["text"]) == (200, text)
    assert provider.turn.headers["x-api-key"] == KEY
    assert TOKEN.findall(said(provider.turn)) and b"noura" not in provider.received


@pytest.mark.parametrize(
    ("body", "error"),
    [
        ('{"messages": [], "model": "large"}', "model_not_allowed"),
        ('{"messages": []}', "model_not_allowed"),
        ('{"messages": [], "model": ["small"]}', "model_not_allowed"),
        ('{"model": "large", "messages": [], "model": "small"}', "invalid_body"),
        ("[" * 100_000, "invalid_body"),
    ],
)
def test_other_models(browser: httpx.Client, provider: ScriptedProvider, body: str, error: str) -> None:
    answer = browser.post(ANTHROPIC, content=body)
    assert (answer.status_code, answer.json()["error"]) == (400, error)
    assert not provider.turns


def test_so_many_calls(browser: httpx.Client, provider: ScriptedProvider) -> None:
    """“dashboard sessions only, models from a list, a daily cap per account”"""
    statuses = [browser.post(ANTHROPIC, json=asks("Hi", model="tiny")).status_code for _ in range(4)]
    assert statuses == [200, 200, 200, 429]
    answer = browser.post(ANTHROPIC, json=asks("Hi", model="tiny"))
    assert answer.json() == {"error": "rate_limit_exceeded"}
    assert 86_000 < int(answer.headers["retry-after"]) <= 86_400


def test_who_else_may_not(served: Served, account: Account, browser: httpx.Client, provider: ScriptedProvider) -> None:
    """The other provider, keys, pages of other sites, and whoever is not logged in."""
    assert browser.post(OPENAI, json=asks("Hi", model="small")).json()["error"] == "unauthorized"
    answer = httpx.post(served.url + ANTHROPIC, json=asks("Hi", model="small"), headers=account.headers)
    assert answer.json() == {"error": "missing_provider_key"}
    answer = browser.post(ANTHROPIC, json=asks("Hi", model="small"), headers={"Origin": "https://evil.example"})
    assert (answer.status_code, answer.json()["error"]) == (403, "forbidden")
    answer = httpx.post(served.url + ANTHROPIC, headers={"Cookie": "masker_session=" + "a" * 43})
    assert (answer.status_code, answer.json()["error"]) == (401, "unauthorized")
    assert not provider.turns


def test_status(served: Served) -> None:
    assert httpx.get(f"{served.url}/api/v1/proxy/status").json()["managed_demo"] == {"available": True}
