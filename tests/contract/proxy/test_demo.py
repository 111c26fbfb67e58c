"""The managed demo: for browser sessions, at one provider, with the operator's key, a few models and a few calls."""

import json
from collections.abc import Iterator

import httpx
import pytest

from api.llm.model import Provider
from api.proxy import demo
from schemas.errors import InvalidBody
from schemas.settings import Settings
from tests.api.proxy.conftest import ANTHROPIC, OPENAI, asks
from tests.api.proxy.provider import ScriptedProvider
from tests.api.proxy.provider_answers import TOKEN, said
from tests.api.serving import Account, Served, serving, settings_for

KEY = "sk-of-the-operator"
DEMO = Settings.model_construct(demo_models=("small", "tiny"))


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


@pytest.mark.clause("DEMO-02")
def test_a_session_calls_with_the_operators_key(browser: httpx.Client, provider: ScriptedProvider) -> None:
    text = "Write to noura@example.com"
    answer = browser.post(ANTHROPIC, json=asks(text, model="small"), headers={"X-Provider-Key": "sk-other"})
    assert (answer.status_code, answer.json()["content"][0]["text"]) == (200, text)
    assert provider.turn.headers["x-api-key"] == KEY
    assert TOKEN.findall(said(provider.turn)) and b"noura" not in provider.received


@pytest.mark.clause("DEMO-03")
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


TURN = {"role": "user", "content": "Hi"}
TOOL = {"name": "look", "input_schema": {"type": "object", "properties": {"name": {"type": "string"}}}}
FUNCTION = {"name": "look", "parameters": {"type": "object"}}
CALL = {"id": "c", "type": "function", "function": {"name": "look", "arguments": "{}"}}
WITHIN: dict[Provider, list[dict[str, object]]] = {
    Provider.ANTHROPIC: [
        {"system": "Be kind.", "temperature": 1, "top_p": 0.5, "top_k": 5, "stop_sequences": ["x"], "stream": True},
        {"system": [{"type": "text", "text": "Be kind."}], "metadata": {"user_id": "me"}, "max_tokens": 4096},
        {"tools": [TOOL, {"type": "custom", "description": "d", **TOOL}], "tool_choice": {"type": "auto"}},
        {
            "messages": [
                TURN,
                {
                    "role": "assistant",
                    "content": [
                        {"type": "text", "text": "x", "citations": None},
                        {"type": "tool_use", "id": "t", "name": "look", "input": {"url": "https://a.example"}},
                    ],
                },
                {"role": "user", "content": [{"type": "tool_result", "tool_use_id": "t", "content": "none"}]},
            ]
        },
    ],
    Provider.OPENAI: [
        {"max_completion_tokens": 5, "max_tokens": None, "temperature": 0, "stop": "x", "stream": True},
        {
            "stream_options": {"include_usage": True},
            "user": "me",
            "top_p": 1,
            "stop": ["x"],
            "parallel_tool_calls": False,
        },
        {"tools": [{"type": "function", "function": FUNCTION}], "tool_choice": "auto"},
        {
            "messages": [
                {"role": "user", "content": [{"type": "text", "text": "Hi"}], "name": "me"},
                {"role": "assistant", "content": None, "tool_calls": [CALL], "refusal": None, "annotations": []},
                {"role": "tool", "tool_call_id": "c", "content": "none"},
            ]
        },
    ],
}
_PICTURE = {"type": "url", "url": "https://a.example/x.png"}
BEYOND: dict[Provider, list[dict[str, object]]] = {
    Provider.ANTHROPIC: [
        {"fallbacks": [{"model": "large"}]}, {"thread": {"type": "continue", "previous_message_id": "msg_1"}},
        {"container": "c"}, {"mcp_servers": []}, {"service_tier": "auto"}, {"thinking": {"type": "enabled"}},
        {"speed": "fast"}, {"a_field_that_is_new": 1}, {"max_tokens": 4097}, {"max_tokens": None}, {"max_tokens": 0},
        {"max_tokens": True}, {"max_tokens": "5"}, {"max_tokens": 1e3}, {"metadata": {"x": "y"}},
        {"tools": [{"type": "advisor_20260301", "name": "advisor", "model": "large"}]}, {"tools": [{"name": "x"}]},
        {"tools": [{"type": "web_search_20250305", "name": "web_search"}]}, {"tools": [{**TOOL, "model": "large"}]},
        {"tools": [{**TOOL, "type": "code_execution_20250522"}]}, {"tool_choice": {"type": "auto", "model": "large"}},
        {"system": [{"type": "text", "text": "x", "model": "large"}]}, {"messages": [{**TURN, "model": "large"}]},
        {"messages": [{"role": "user", "content": [{"type": "image", "source": _PICTURE}]}]},
        {"messages": [{"role": "user", "content": [{"type": "document", "source": {"type": "file", "file_id": "f"}}]}]},
        {"messages": [{"role": "user", "content": [{"type": "container_upload", "file_id": "f"}]}]},
        {"messages": [{"role": "user", "content": [{"type": "tool_result", "tool_use_id": "t",
                                                    "content": [{"type": "image", "source": _PICTURE}]}]}]},
    ],
    Provider.OPENAI: [
        {"max_tokens": None}, {"max_completion_tokens": 10**6}, {"n": 2}, {"store": True}, {"service_tier": "priority"},
        {"web_search_options": {}}, {"modalities": ["audio"]}, {"prediction": {"type": "content", "content": "x"}},
        {"models": ["large"]}, {"plugins": [{"id": "web"}]}, {"previous_response_id": "r"}, {"max_tokens": 4097},
        {"tools": [{"type": "web_search"}]}, {"tools": [{"type": "function", "function": FUNCTION, "model": "large"}]},
        {"tools": [{"type": "mcp", "server_url": "https://a.example"}]}, {"functions": [FUNCTION]},
        {"tool_choice": {"type": "mcp"}}, {"stream_options": {"x": True}},
        {"messages": [{"role": "user", "content": [{"type": "image_url", "image_url": {"url": _PICTURE["url"]}}]}]},
        {"messages": [{"role": "user", "content": [{"type": "file", "file": {"file_id": "f"}}]}]},
        {"messages": [{"role": "assistant", "audio": {"id": "a"}}]}, {"messages": [{**TURN, "model": "large"}]},
    ],
}  # fmt: skip


@pytest.mark.clause("DEMO-04")
@pytest.mark.parametrize(("provider", "more"), [(name, more) for name, rows in WITHIN.items() for more in rows])
def test_words_and_plain_tools_are_within_the_demo(provider: Provider, more: dict[str, object]) -> None:
    demo.check(json.dumps(asks("Hi", model="small", **more)).encode(), provider, DEMO)


@pytest.mark.clause("DEMO-04")
@pytest.mark.parametrize(("provider", "more"), [(name, more) for name, rows in BEYOND.items() for more in rows])
def test_nothing_else_is_paid_for_by_the_operator(provider: Provider, more: dict[str, object]) -> None:
    with pytest.raises(InvalidBody):
        demo.check(json.dumps({**asks("Hi", model="small"), **more}).encode(), provider, DEMO)


@pytest.mark.clause("DEMO-04")
def test_what_is_refused_is_never_sent(browser: httpx.Client, provider: ScriptedProvider) -> None:
    answer = browser.post(ANTHROPIC, json=asks("Hi", model="small", fallbacks=[{"model": "large"}]))
    assert (answer.status_code, answer.json()["error"]) == (400, "invalid_body")
    assert not provider.turns


@pytest.mark.clause("DEMO-04")
def test_headers_that_ask_for_more_do_not_pass(browser: httpx.Client, provider: ScriptedProvider) -> None:
    shared = ("anthropic-beta", "idempotency-key", "openai-organization", "openai-project")
    more = {"anthropic-version": "2023-06-01", **dict.fromkeys(shared, "x")}
    assert browser.post(ANTHROPIC, json=asks("Hi", model="small"), headers=more).status_code == 200
    assert not provider.turn.headers.keys() & set(shared)
    assert provider.turn.headers["anthropic-version"] == "2023-06-01"


@pytest.mark.clause("DEMO-02", "DEMO-03")
def test_so_many_calls(browser: httpx.Client, provider: ScriptedProvider) -> None:
    statuses = [browser.post(ANTHROPIC, json=asks("Hi", model="tiny")).status_code for _ in range(4)]
    assert statuses == [200, 200, 200, 429]
    answer = browser.post(ANTHROPIC, json=asks("Hi", model="tiny"))
    assert answer.json()["error"] == "rate_limit_exceeded"
    assert 86_000 < int(answer.headers["retry-after"]) <= 86_400


@pytest.mark.clause("DEMO-02")
def test_who_else_may_not(served: Served, account: Account, browser: httpx.Client, provider: ScriptedProvider) -> None:
    """The other provider, keys, pages of other sites, and whoever is not logged in."""
    assert browser.post(OPENAI, json=asks("Hi", model="small")).json()["error"] == "unauthorized"
    answer = httpx.post(served.url + ANTHROPIC, json=asks("Hi", model="small"), headers=account.headers)
    assert answer.json()["error"] == "missing_provider_key"
    answer = browser.post(ANTHROPIC, json=asks("Hi", model="small"), headers={"Origin": "https://evil.example"})
    assert (answer.status_code, answer.json()["error"]) == (403, "forbidden")
    answer = httpx.post(served.url + ANTHROPIC, headers={"Cookie": "masker_session=" + "a" * 43})
    assert (answer.status_code, answer.json()["error"]) == (401, "unauthorized")
    assert not provider.turns


@pytest.mark.clause("DEMO-01")
def test_status(served: Served) -> None:
    assert httpx.get(f"{served.url}/api/v1/proxy/status").json()["managed_demo"] == {"available": True}
