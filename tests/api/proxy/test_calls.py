"""Proxied calls over a real server and a real provider: what passes, in which direction, and what does not."""

import gzip
import json
import queue
from collections.abc import Iterable
from threading import Event

import httpx
import pytest

from tests.api.proxy.conftest import ANTHROPIC, OPENAI, PROVIDER_KEY, asks, caller
from tests.api.proxy.provider import Play, ScriptedProvider, Turn
from tests.api.proxy.provider_answers import TOKEN, completion, completion_stream, cut, message, message_stream, said
from tests.api.serving import Account, Served

BOTH = pytest.mark.parametrize("path", [ANTHROPIC, OPENAI])
NAME, EMAIL, PHONE = "Noura Salem Almithali", "noura@example.com", "0501234567"
TEXT = f"I am {NAME}, write to {EMAIL} or call {PHONE} today."
VALUES = (NAME, EMAIL, PHONE)


def text_of(path: str, answer: httpx.Response) -> str:
    """What a whole answer says."""
    body = answer.json()
    return str(body["content"][0]["text"] if path == ANTHROPIC else body["choices"][0]["message"]["content"])


def streamed(path: str, lines: Iterable[str]) -> str:
    """What a streamed answer says."""
    bodies = [json.loads(line[6:]) for line in lines if line.startswith("data: ") and line != "data: [DONE]"]
    if path == ANTHROPIC:
        return "".join(body["delta"]["text"] for body in bodies if body["type"] == "content_block_delta")
    return "".join(choice["delta"].get("content") or "" for body in bodies for choice in body["choices"])


@BOTH
def test_the_provider_sees_tokens_and_the_caller_values(
    client: httpx.Client, provider: ScriptedProvider, path: str
) -> None:
    answer = client.post(path, json=asks(TEXT))
    assert (answer.status_code, text_of(path, answer)) == (200, TEXT)
    assert not [value for value in VALUES if value.encode() in provider.received]
    assert len(TOKEN.findall(said(provider.turn))) == 3
    assert provider.turn.path == ("/v1/messages" if path == ANTHROPIC else "/v1/chat/completions")
    assert answer.headers["content-type"] == "application/json"
    assert int(answer.headers["content-length"]) == len(answer.content)


@BOTH
@pytest.mark.parametrize("every", [1, 3, 1000])
def test_streams_are_restored_however_they_are_cut(
    client: httpx.Client, provider: ScriptedProvider, path: str, every: int
) -> None:
    def play(turn: Turn) -> None:
        frames = (message_stream if path == ANTHROPIC else completion_stream)(list(said(turn)))
        turn.stream(cut(b"".join(frames), every))

    provider.begin(play)
    with client.stream("POST", path, json=asks(TEXT, stream=True)) as answer:
        assert answer.headers["content-type"] == "text/event-stream; charset=utf-8"
        assert answer.headers["x-accel-buffering"] == "no"
        assert streamed(path, answer.iter_lines()) == TEXT
    assert not [value for value in VALUES if value.encode() in provider.received]


@BOTH
def test_the_first_frame_does_not_wait_for_the_last(
    client: httpx.Client, provider: ScriptedProvider, path: str
) -> None:
    """The provider sends nothing more until the caller has read what was sent."""
    frames = (message_stream if path == ANTHROPIC else completion_stream)(["Hello", " you"])

    def play(turn: Turn) -> None:
        turn.begin()
        for frame in frames:
            turn.more(frame)
            assert read.get(timeout=10)
        turn.end()
        whole.set()

    read: queue.SimpleQueue[bool] = queue.SimpleQueue()
    whole = Event()
    provider.begin(play)
    with client.stream("POST", path, json=asks("Hi", stream=True)) as answer:
        came = b""
        for chunk in answer.iter_raw():
            came += chunk
            for _ in range(came.count(b"\n\n")):
                read.put(True)
            came = came.rpartition(b"\n\n")[2]
    assert whole.wait(10), "a frame was kept back"


def sent_on(path: str) -> dict[str, str]:
    """The provider's own way to say whose key it is."""
    return {"x-api-key": PROVIDER_KEY} if path == ANTHROPIC else {"authorization": f"Bearer {PROVIDER_KEY}"}


@BOTH
def test_only_listed_headers_and_one_parameter_go_on(
    client: httpx.Client, provider: ScriptedProvider, path: str
) -> None:
    listed = {
        "accept": "text/event-stream",
        "anthropic-beta": "a-1,b-2",
        "anthropic-version": "2023-06-01",
        "idempotency-key": "id-1",
        "openai-organization": "org",
        "openai-project": "proj",
        "user-agent": "agent/1",
    }
    others = {
        "X-Api-Key": "someone",
        "X-Forwarded-For": "10.0.0.1",
        "X-Stainless-Os": "Linux",
        "X-Service-Preserve-Tags": "false",
        "X-Unknown": EMAIL,
        "Cookie": f"masker_session={'a' * 43}",
        "Referer": f"http://x/{EMAIL}",
        "Accept-Encoding": "zstd",
    }
    answer = client.post(f"{path}?beta=true&user={EMAIL}", json=asks("Hi"), headers={**listed, **others})
    assert answer.status_code == 200
    turn = provider.turn
    own = {"host": provider.url.removeprefix("http://"), "content-length": str(len(turn.body))}
    own |= {"content-type": "application/json", "accept-encoding": "gzip, br"}
    assert {name: value for name, value in turn.headers.items() if name != "connection"} == {
        **listed,
        **own,
        **sent_on(path),
    }
    assert turn.path.endswith("?beta=true")


@pytest.mark.parametrize("parameters", ["", "?beta=1058374925", "?user=1", "?beta=", f"?beta={EMAIL}"])
def test_a_parameter_that_says_something_else_does_not_go_on(
    client: httpx.Client, provider: ScriptedProvider, parameters: str
) -> None:
    assert client.post(ANTHROPIC + parameters, json=asks("Hi")).status_code == 200
    assert provider.turn.path == "/v1/messages"


@BOTH
def test_useful_headers_come_back_and_no_others(client: httpx.Client, provider: ScriptedProvider, path: str) -> None:
    listed = [
        ("request-id", "req_provider"),
        ("retry-after", "7"),
        ("retry-after-ms", "7000"),
        ("x-should-retry", "true"),
        ("anthropic-ratelimit-requests-remaining", "3"),
        ("anthropic-organization-id", "org"),
        ("openai-processing-ms", "12"),
        ("x-ratelimit-remaining-tokens", "9"),
    ]
    others = [
        ("Set-Cookie", "a=b"),
        ("Server", "x"),
        ("Via", "x"),
        ("Alt-Svc", "h3"),
        ("Strict-Transport-Security", "x"),
    ]
    provider.begin(lambda turn: turn.send(429, b'{"type":"error"}', [*listed, *others, ("Connection", "close")]))
    answer = client.post(path, json=asks("Hi"))
    assert (answer.status_code, answer.json()) == (429, {"type": "error"})
    assert {name: answer.headers.get(name) for name, _ in listed} == dict(listed)
    expected = {"content-type", "content-length", "x-request-id", "cache-control", "date"}
    assert set(answer.headers) - {name for name, _ in listed} == expected


def test_a_providers_request_id_is_kept_and_ours_is_added(client: httpx.Client, provider: ScriptedProvider) -> None:
    provider.begin(lambda turn: turn.send(200, completion("Hi"), [("x-request-id", "req_theirs")]))
    answer = client.post(OPENAI, json=asks("Hi"))
    assert answer.headers.get_list("x-request-id") == ["req_theirs"]
    assert answer.headers["x-service-request-id"].startswith("req_")
    provider.begin(lambda turn: turn.send(200, message("Hi"), [("request-id", "req_theirs")]))
    answer = client.post(ANTHROPIC, json=asks("Hi"))
    assert answer.headers["request-id"] == "req_theirs"
    assert answer.headers["x-request-id"].startswith("req_") and "x-service-request-id" not in answer.headers


@BOTH
@pytest.mark.parametrize("status", [400, 401, 403, 404, 413, 429, 500, 503, 529])
def test_a_providers_errors_pass_with_their_values_restored(
    client: httpx.Client, provider: ScriptedProvider, path: str, status: int
) -> None:
    def play(turn: Turn) -> None:
        error = {"type": "invalid_request_error", "message": f"cannot read {said(turn)}"}
        turn.send(status, json.dumps({"type": "error", "error": error}).encode())

    provider.begin(play)
    for stream in (False, True):
        answer = client.post(path, json=asks(EMAIL, stream=stream))
        assert answer.status_code == status
        assert answer.json()["error"]["message"] == f"cannot read {EMAIL}"


PACKED: dict[str, Play] = {
    "gzip": lambda turn: turn.send(200, gzip.compress(completion(said(turn))), [("Content-Encoding", "gzip")]),
    "nothing": lambda turn: turn.send(200, b""),
    "text": lambda turn: turn.send(502, b"<html>Bad Gateway", [("Content-Type", "text/html")]),
}


@pytest.mark.parametrize("kind", PACKED)
def test_answers_that_are_no_plain_json(client: httpx.Client, provider: ScriptedProvider, kind: str) -> None:
    provider.begin(PACKED[kind])
    answer = client.post(OPENAI, json=asks(EMAIL))
    assert "content-encoding" not in answer.headers
    if kind == "gzip":
        assert text_of(OPENAI, answer) == EMAIL
    else:
        assert answer.content in {b"", b"<html>Bad Gateway"}


def test_gzipped_bodies_are_read(client: httpx.Client, provider: ScriptedProvider) -> None:
    """And forwarded as plain ones, masked: what is packed is looked at too."""
    packed = gzip.compress(json.dumps(asks(TEXT)).encode())
    answer = client.post(ANTHROPIC, content=packed, headers={"Content-Encoding": "gzip"})
    assert text_of(ANTHROPIC, answer) == TEXT
    assert EMAIL.encode() not in provider.received and "content-encoding" not in provider.turn.headers


def test_no_caller_is_given_anothers_key(served: Served, provider: ScriptedProvider) -> None:
    """Two callers in turn, over the same connections to the provider."""
    accounts = {f"sk-key-of-{number}": served.account() for number in range(2)}
    for _ in range(3):
        for key, account in accounts.items():
            with caller(served, account, key) as client:
                assert client.post(ANTHROPIC, json=asks(EMAIL)).status_code == 200
                assert provider.turns[-1].headers["x-api-key"] == key
                assert account.bearer.encode() not in provider.received
    first, second = (said(turn) for turn in provider.turns[:2])
    assert first != second, "tokens are keyed by the caller"
    assert {said(turn) for turn in provider.turns} == {first, second}, "and stay the same for it"


def test_a_large_prompt_is_masked_apart(client: httpx.Client, provider: ScriptedProvider, account: Account) -> None:
    """In a process of its own, with the same outcome."""
    filler = "nothing to see here, all is well. " * 600
    answer = client.post(OPENAI, json=asks(f"{filler}{TEXT}"))
    assert text_of(OPENAI, answer) == f"{filler}{TEXT}"
    assert not [value for value in VALUES if value.encode() in provider.received]
