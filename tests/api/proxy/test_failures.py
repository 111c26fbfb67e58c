"""What a proxied call is refused for, in which order and shape, and what a refusal costs: nothing."""

import gzip
import json
import re
from collections.abc import Iterator
from typing import Any

import httpx
import pytest

from api.upstream.client import Timeouts
from tests.api.proxy.conftest import ANTHROPIC, OPENAI, PROVIDER_KEY, asks, caller
from tests.api.proxy.provider import Play, ScriptedProvider, Turn
from tests.api.proxy.provider_answers import message_stream
from tests.api.serving import Account, Served, serving, settings_for
from tests.contract.wire import exchange, head

BOTH = pytest.mark.parametrize("path", [ANTHROPIC, OPENAI])
TEXT = "Write to noura@example.com today"
WORDS = 4
PREFIX = "/api/v1/proxy"


@pytest.fixture(scope="module")
def poor(tmp_path_factory: pytest.TempPathFactory, _scripted: ScriptedProvider) -> Iterator[Served]:
    """A server on which an account has ten tokens and three calls a minute."""
    settings = settings_for(
        tmp_path_factory.mktemp("poor"),
        anthropic_base_url=_scripted.url,
        openai_base_url=f"{_scripted.url}/v1",
        free_tokens_per_day=10,
        rate_limit_per_minute=3,
        proxy_max_body_bytes=2000,
    )
    with serving(settings) as server:
        yield server


def failed(answer: httpx.Response, status: int, error: str, **more: Any) -> bool:
    body = answer.json()
    assert re.fullmatch(r"[A-Z`].{10,}[^ ]", body.pop("message"))
    assert (answer.status_code, body) == (status, {"error": error, **more})
    return True


@BOTH
def test_the_order_of_refusals(poor: Served, provider: ScriptedProvider, path: str) -> None:
    """Each call lacks one thing less: the first thing that is missing is what it is told."""
    long, key = b"x" * 3000, {"X-Provider-Key": PROVIDER_KEY}
    steps: list[tuple[dict[str, str], bytes, int, str]] = [
        ({"X-Service-Transforms": "NAME"}, long, 400, "missing_provider_key"),
        ({**key, "X-Service-Transforms": "NAME"}, long, 400, "invalid_transforms"),
        (key, long, 413, "request_too_large"),
        (key, b'{"messages": {}}', 400, "invalid_body"),
    ]
    with httpx.Client(base_url=poor.url) as nobody:
        answer = nobody.post(path, content=long)
        assert failed(answer, 401, "unauthorized", detail="Missing authentication token")
        assert answer.headers["www-authenticate"] == "Bearer"
    for headers, body, status, refused in steps:
        answer = httpx.post(poor.url + path, content=body, headers={**poor.account().headers, **headers})
        assert failed(answer, status, refused)
    money = {"needed_tokens": 11, "available_tokens": 10, "topup_url": "/billing"}
    with caller(poor, poor.account()) as client:
        assert failed(client.post(path, json=asks("word " * 11)), 402, "insufficient_tokens", **money)
        assert client.post(path, content=long).status_code == client.post(path, content=long).status_code == 413
        answer = client.post(path, content=long)
        assert failed(answer, 429, "rate_limit_exceeded")
        assert 1 <= int(answer.headers["retry-after"]) <= 60
    assert not provider.turns


@BOTH
def test_authentication_comes_before_the_body(served: Served, path: str) -> None:
    for headers in ({}, {"Authorization": f"Bearer mk_live_{'a' * 12}_{'B' * 43}"}, {"Authorization": "Basic eDp5"}):
        answer = exchange(served, head("POST", path, {**headers, "Content-Length": "1000"}))
        assert (answer.status, answer.json()["error"]) == (401, "unauthorized")


@BOTH
def test_a_cookie_does_not_do(served: Served, account: Account, path: str) -> None:
    with served.browser(account) as browser:
        answer = browser.post(path, json=asks("Hi"), headers={"X-Provider-Key": PROVIDER_KEY})
        assert failed(answer, 401, "unauthorized", detail="Missing authentication token")


@pytest.mark.parametrize("key", ["", "two words", "sk-\tx", "sk-é", "k" * 5000])
def test_what_cannot_be_a_providers_key(client: httpx.Client, provider: ScriptedProvider, key: str) -> None:
    answer = client.post(OPENAI, json=asks("Hi"), headers={b"X-Provider-Key": key.encode()})
    assert failed(answer, 400, "missing_provider_key")
    assert not provider.turns


@pytest.mark.parametrize(
    "named", ["NAME", "DATE_TIME,PERSON", "date_time", "DATE_TIME ADDRESS", "*", "DATE_TIME;ADDRESS"]
)
def test_unknown_transforms(client: httpx.Client, provider: ScriptedProvider, named: str) -> None:
    answer = client.post(OPENAI, json=asks("Hi"), headers={"X-Service-Transforms": named})
    assert failed(answer, 400, "invalid_transforms")


@pytest.mark.parametrize("named", ["", "DATE_TIME", "DATE_TIME , ADDRESS", "DATE_TIME,DATE_TIME", ","])
def test_known_transforms(client: httpx.Client, provider: ScriptedProvider, named: str) -> None:
    answer = client.post(OPENAI, json=asks("Born on 3 May 1990"), headers={"X-Service-Transforms": named})
    assert answer.status_code == 200
    assert (b"<MASKED_DATE_TIME_" in provider.received) is ("DATE_TIME" not in named)


BODIES = {
    "nothing": b"",
    "no JSON": b"{",
    "no object": b"[]",
    "no messages": b"{}",
    "messages of another kind": b'{"messages": "Hi"}',
    "duplicate keys": b'{"messages": [], "messages": []}',
    "not UTF-8": b'{"messages": ["\xff"]}',
    "UTF-16": '{"messages": []}'.encode("utf-16"),
    "nested too deep": b'{"messages": ' + b"[" * 100_000 + b"]" * 100_000 + b"}",
    "not a number": b'{"messages": [], "temperature": NaN}',
}


@BOTH
@pytest.mark.parametrize("kind", BODIES)
def test_bodies_that_are_none(client: httpx.Client, provider: ScriptedProvider, path: str, kind: str) -> None:
    answer = client.post(path, content=BODIES[kind])
    assert (answer.status_code, answer.json()["error"]) == (400, "invalid_body")
    assert not provider.turns


@BOTH
def test_large_bodies(client: httpx.Client, provider: ScriptedProvider, path: str) -> None:
    """By Content-Length, while they come, and when they are unpacked."""
    body = json.dumps(asks("x" * 1_000_000)).encode()
    assert failed(client.post(path, content=body), 413, "request_too_large")
    assert failed(client.post(path, content=iter([body[:500_000], body[500_000:]])), 413, "request_too_large")
    packed = {"Content-Encoding": "gzip"}
    assert failed(client.post(path, content=gzip.compress(body), headers=packed), 413, "request_too_large")
    bomb = gzip.compress(bytes(50_000_000))
    assert failed(client.post(path, content=bomb, headers=packed), 413, "request_too_large")
    assert not provider.turns


@pytest.mark.parametrize("encoding", ["br", "zstd", "deflate", "gzip, gzip", "gzip", "x"])
def test_bodies_packed_otherwise(client: httpx.Client, provider: ScriptedProvider, encoding: str) -> None:
    answer = client.post(OPENAI, content=json.dumps(asks("Hi")), headers={"Content-Encoding": encoding})
    assert failed(answer, 400, "invalid_body")
    half = gzip.compress(json.dumps(asks("Hi")).encode())[:30]
    assert failed(client.post(OPENAI, content=half, headers={"Content-Encoding": "gzip"}), 400, "invalid_body")


ELSEWHERE = {
    "/anthropic/v1/messages/count_tokens": 501,
    "/anthropic/v1/messages/": 501,
    "/anthropic/v1/messages/batches": 501,
    "/anthropic/v1/models": 501,
    "/anthropic/v1/complete": 501,
    "/anthropic": 501,
    "/anthropic/": 501,
    "/anthropic//v1/messages": 501,
    "/anthropic/../openai/v1/responses": 501,
    "/openai/v1/responses": 501,
    "/openai/v1/embeddings": 501,
    "/openai/chat/completions": 501,
    "/openai/v1/chat/completions/abc": 501,
    "/anthropic/v1/chat/completions": 501,
    "/openai/v1/messages": 501,
    "/gemini/v1/messages": 404,
    "/OpenAI/v1/chat/completions": 404,
    "/openai%20/v1/chat/completions": 404,
    "/": 404,
    "": 404,
}


@pytest.mark.parametrize("method", ["GET", "POST", "PUT", "DELETE", "OPTIONS", "PURGE"])
def test_other_paths(client: httpx.Client, provider: ScriptedProvider, method: str) -> None:
    """With `x-should-retry: false` for what is known and not supported: client libraries repeat a 501 otherwise."""
    for path, status in ELSEWHERE.items():
        answer = client.request(method, PREFIX + path)
        assert failed(answer, status, {501: "endpoint_not_supported_in_v1", 404: "unknown_provider"}[status])
        assert answer.headers.get("x-should-retry") == ("false" if status == 501 else None)
    assert not provider.turns


def test_other_methods(client: httpx.Client) -> None:
    for path, allowed in ((ANTHROPIC, "POST"), (OPENAI, "POST"), (f"{PREFIX}/status", "GET")):
        for method in {"GET", "POST", "PUT", "PATCH", "DELETE", "OPTIONS", "PURGE"} - {allowed}:
            answer = client.request(method, path)
            assert failed(answer, 405, "method_not_allowed")
            assert answer.headers["allow"] == allowed
        assert client.head(path).status_code == 405


def silent(turn: Turn) -> None:
    turn.wait_until_gone()


def half(turn: Turn) -> None:
    turn.begin(headers=[("Content-Type", "application/json")])
    turn.more(b'{"content": [')
    turn.die()


def nothing_streamed(turn: Turn) -> None:
    turn.begin()
    turn.die()


LOST: dict[str, tuple[Play, int, str]] = {
    "died": (lambda turn: turn.die(), 502, "provider_unreachable"),
    "redirects": (lambda turn: turn.send(302, b"", [("Location", "http://127.0.0.1:9/")]), 502, "provider_unreachable"),
    "half an answer": (half, 502, "provider_unreachable"),
    "silence": (silent, 504, "provider_timeout"),
}


@BOTH
@pytest.mark.parametrize("stream", [False, True])
@pytest.mark.parametrize("kind", LOST)
def test_what_brings_no_answer_costs_nothing(
    served: Served, account: Account, provider: ScriptedProvider, path: str, stream: bool, kind: str
) -> None:
    play, status, error = LOST[kind]
    provider.begin(play)
    before = served.balance(account)
    upstream = served.services.upstream
    upstream.timeouts = Timeouts(read=0.05) if kind == "silence" else Timeouts()
    try:
        with caller(served, account) as client:
            assert failed(client.post(path, json=asks(TEXT, stream=stream)), status, error)
    finally:
        upstream.timeouts = Timeouts()
    assert len(provider.turns) == 1, "nothing is tried again"
    assert served.balance(account) == before


@BOTH
@pytest.mark.parametrize("status", [200, 400, 500])
def test_an_answer_is_paid_for_whatever_it_says(
    served: Served, account: Account, client: httpx.Client, provider: ScriptedProvider, path: str, status: int
) -> None:
    provider.begin(lambda turn: turn.send(status, b'{"error": {"message": "no"}}'))
    before = served.balance(account)
    assert client.post(path, json=asks(TEXT)).status_code == status
    assert served.balance(account) == before - WORDS


@pytest.mark.parametrize("status", [200, 204, 500])
def test_an_answer_that_says_nothing_costs_nothing(
    served: Served, account: Account, client: httpx.Client, provider: ScriptedProvider, status: int
) -> None:
    provider.begin(lambda turn: turn.send(status, b""))
    before = served.balance(account)
    answer = client.post(OPENAI, json=asks(TEXT))
    assert (answer.status_code, answer.content) == (status, b"")
    assert served.balance(account) == before


@BOTH
def test_a_stream_that_breaks_off_is_paid_for_if_it_had_begun(
    served: Served, account: Account, client: httpx.Client, provider: ScriptedProvider, path: str
) -> None:
    """It ends with an error in the provider's own shape, and not as if it were whole."""
    before = served.balance(account)
    provider.begin(nothing_streamed)
    answer = client.post(path, json=asks(TEXT, stream=True))
    assert answer.status_code == 200 and "error" in answer.text
    assert served.balance(account) == before

    def begins(turn: Turn) -> None:
        turn.begin()
        turn.more(*message_stream(["Hello"])[:4])
        turn.die()

    provider.begin(begins)
    answer = client.post(path, json=asks(TEXT, stream=True))
    assert "Hello" in answer.text and "message_stop" not in answer.text and "[DONE]" not in answer.text
    assert json.loads(answer.text.rstrip().rpartition("data: ")[2])["error"]
    assert served.balance(account) == before - WORDS


def test_status(served: Served) -> None:
    """Without authentication."""
    answer = httpx.get(f"{served.url}{PREFIX}/status")
    assert answer.status_code == 200
    assert answer.json() == {
        "proxy": {"available": True, "providers": ["anthropic", "openai"]},
        "managed_demo": {"available": False},
    }


def test_the_rest_of_the_api_is_as_it_was(client: httpx.Client) -> None:
    """What the proxy says of unknown paths it says of its own alone."""
    assert client.get("/api/v1/proxies/x").json() == {"detail": "Not Found"}
    answer = client.get("/api/v1/mask")
    assert (answer.status_code, answer.json()) == (405, {"detail": "Method Not Allowed"})
