"""The official client libraries, with nothing changed but the address, the bearer and one header."""

import asyncio
import json
import re
from collections.abc import Callable, Iterator
from typing import Any

import anthropic
import openai
import pytest

from tests.api.proxy.conftest import PROVIDER_KEY
from tests.api.proxy.provider import ScriptedProvider, Turn
from tests.api.proxy.provider_answers import TOKEN, completion, data, event, message, message_stream, said
from tests.api.serving import Account, Served

NAME, EMAIL, PHONE = "نورة سالم المثلي", "noura@example.com", "0501234567"
TEXT = f"اسمي {NAME} وبريدي {EMAIL}، والجوال {PHONE}."
ASKED: list[Any] = [{"role": "user", "content": TEXT}]
KEY = {"X-Provider-Key": PROVIDER_KEY}


@pytest.fixture
def claude(served: Served, account: Account) -> Iterator[anthropic.Anthropic]:
    base = f"{served.url}/api/v1/proxy/anthropic"
    with anthropic.Anthropic(auth_token=account.bearer, base_url=base, default_headers=KEY, max_retries=0) as client:
        yield client


@pytest.fixture
def gpt(served: Served, account: Account) -> Iterator[openai.OpenAI]:
    base = f"{served.url}/api/v1/proxy/openai/v1"
    with openai.OpenAI(api_key=account.bearer, base_url=base, default_headers=KEY, max_retries=0) as client:
        yield client


@pytest.fixture(autouse=True)
def nothing_leaves(provider: ScriptedProvider) -> Iterator[None]:
    """Whatever a test does: no original is in any byte that the provider received, and no service key."""
    yield
    received = provider.received
    for turn in provider.turns:
        received += json.dumps(turn.json, ensure_ascii=False).encode()
    assert provider.turns
    assert not [value for value in (NAME, EMAIL, PHONE, "mk_live_", "نورة") if value.encode() in received]


def test_messages(claude: anthropic.Anthropic, provider: ScriptedProvider) -> None:
    reply = claude.messages.create(model="claude-test", max_tokens=100, messages=ASKED)
    assert reply.content[0].type == "text" and reply.content[0].text == TEXT
    assert provider.turn.headers["x-api-key"] == PROVIDER_KEY
    assert "authorization" not in provider.turn.headers
    assert re.fullmatch(r"20\d\d-\d\d-\d\d", provider.turn.headers["anthropic-version"])


def test_messages_streamed(claude: anthropic.Anthropic) -> None:
    """By the helper and frame by frame: the same text, and a message of the same shape."""
    with claude.messages.stream(model="claude-test", max_tokens=100, messages=ASKED) as stream:
        assert "".join(stream.text_stream) == TEXT
        final = stream.get_final_message()
    assert final.content[0].type == "text" and final.content[0].text == TEXT
    assert (final.stop_reason, final.usage.output_tokens) == ("end_turn", 5)
    events = list(claude.messages.create(model="claude-test", max_tokens=100, messages=ASKED, stream=True))
    said = [
        each.delta.text for each in events if each.type == "content_block_delta" and each.delta.type == "text_delta"
    ]
    assert "".join(said) == TEXT
    assert [events[0].type, events[-1].type] == ["message_start", "message_stop"]


def test_beta_messages(claude: anthropic.Anthropic, provider: ScriptedProvider) -> None:
    reply = claude.beta.messages.create(
        model="claude-test", max_tokens=9, messages=ASKED, betas=["files-api-2025-04-14"]
    )
    assert reply.content[0].type == "text" and reply.content[0].text == TEXT
    assert provider.turn.headers["anthropic-beta"] == "files-api-2025-04-14"


def test_messages_async(served: Served, account: Account) -> None:
    async def run() -> None:
        base = f"{served.url}/api/v1/proxy/anthropic"
        async with anthropic.AsyncAnthropic(auth_token=account.bearer, base_url=base, default_headers=KEY) as client:
            reply = await client.messages.create(model="claude-test", max_tokens=100, messages=ASKED)
            assert reply.content[0].type == "text" and reply.content[0].text == TEXT
            async with client.messages.stream(model="claude-test", max_tokens=100, messages=ASKED) as stream:
                assert "".join([text async for text in stream.text_stream]) == TEXT

    asyncio.run(run())


def test_messages_with_tools(claude: anthropic.Anthropic, provider: ScriptedProvider) -> None:
    """A loop of two calls: the tool's input comes back with the values, its result goes out without them."""
    tools: list[Any] = [
        {"name": "find", "description": f"Finds {EMAIL}", "input_schema": {"type": "object", "properties": {}}}
    ]

    def play(turn: Turn) -> None:
        tokens = TOKEN.findall(said(turn))
        use = {"type": "tool_use", "id": "toolu_1", "name": "find", "input": {"who": tokens[0], "all": [{"x": tokens}]}}
        turn.send(200, message("", content=[use], stop_reason="tool_use"))

    provider.begin(play)
    first = claude.messages.create(model="claude-test", max_tokens=100, messages=ASKED, tools=tools)
    use = first.content[0]
    assert use.type == "tool_use" and use.input == {"who": NAME, "all": [{"x": [NAME, EMAIL, PHONE]}]}
    result = {"type": "tool_result", "tool_use_id": use.id, "content": [{"type": "text", "text": f"{NAME}: {PHONE}"}]}
    history = [*ASKED, {"role": "assistant", "content": [use.model_dump()]}, {"role": "user", "content": [result]}]
    provider.begin(lambda turn: turn.send(200, message(turn.json["messages"][2]["content"][0]["content"][0]["text"])))
    second = claude.messages.create(model="claude-test", max_tokens=100, messages=history, tools=tools)
    assert second.content[0].type == "text" and second.content[0].text == f"{NAME}: {PHONE}"


def test_tool_inputs_streamed(claude: anthropic.Anthropic, provider: ScriptedProvider) -> None:
    """JSON in pieces of three characters, through the middle of tokens and escapes."""

    def play(turn: Turn) -> None:
        wanted = json.dumps({"q": f'"{TOKEN.findall(said(turn))[1]}"\n'})
        block = {"type": "tool_use", "id": "toolu_1", "name": "find", "input": {}}
        deltas = [
            {"type": "input_json_delta", "partial_json": wanted[start : start + 3]}
            for start in range(0, len(wanted), 3)
        ]
        frames = message_stream([])
        turn.stream(
            [
                frames[0],
                event({"type": "content_block_start", "index": 0, "content_block": block}),
                *(event({"type": "content_block_delta", "index": 0, "delta": delta}) for delta in deltas),
                *frames[-3:],
            ]
        )

    provider.begin(play)
    with claude.messages.stream(model="claude-test", max_tokens=100, messages=ASKED) as stream:
        use = stream.get_final_message().content[0]
    assert use.type == "tool_use" and use.input == {"q": f'"{EMAIL}"\n'}


def test_completions(gpt: openai.OpenAI, provider: ScriptedProvider) -> None:
    reply = gpt.chat.completions.create(model="gpt-test", messages=ASKED)
    assert reply.choices[0].message.content == TEXT
    assert provider.turn.headers["authorization"] == f"Bearer {PROVIDER_KEY}"


def test_completions_streamed(gpt: openai.OpenAI) -> None:
    chunks = list(gpt.chat.completions.create(model="gpt-test", messages=ASKED, stream=True))
    assert "".join(chunk.choices[0].delta.content or "" for chunk in chunks) == TEXT
    assert chunks[-1].choices[0].finish_reason == "stop"
    with gpt.chat.completions.stream(model="gpt-test", messages=ASKED) as stream:
        for _ in stream:
            pass
        assert stream.get_final_completion().choices[0].message.content == TEXT


def test_completions_async(served: Served, account: Account) -> None:
    async def run() -> None:
        base = f"{served.url}/api/v1/proxy/openai/v1"
        async with openai.AsyncOpenAI(api_key=account.bearer, base_url=base, default_headers=KEY) as client:
            reply = await client.chat.completions.create(model="gpt-test", messages=ASKED)
            assert reply.choices[0].message.content == TEXT
            stream = await client.chat.completions.create(model="gpt-test", messages=ASKED, stream=True)
            assert "".join([chunk.choices[0].delta.content or "" async for chunk in stream]) == TEXT

    asyncio.run(run())


def test_completions_with_several_choices_and_tools(gpt: openai.OpenAI, provider: ScriptedProvider) -> None:
    """Interleaved, each in pieces of three characters; a last frame of usage without choices."""

    def play(turn: Turn) -> None:
        name, email, phone = TOKEN.findall(said(turn))
        call = json.dumps({"to": email, "n": phone})
        whole = {"id": "chatcmpl-1", "object": "chat.completion.chunk", "created": 1, "model": "gpt-test"}
        frames = []
        for start in range(0, len(call), 3):
            tool = {"index": 0, "function": {"arguments": call[start : start + 3]}}
            if not start:
                tool |= {"id": "call_1", "type": "function"}
                tool["function"] = {"name": "send", "arguments": call[:3]}
            deltas = [{"tool_calls": [tool]}, {"content": name[start : start + 3]}]
            choices = [{"index": i, "delta": delta, "finish_reason": None} for i, delta in enumerate(deltas)]
            frames.append(data({**whole, "choices": choices}))
        ends = [{"index": i, "delta": {}, "finish_reason": why} for i, why in enumerate(("tool_calls", "stop"))]
        usage = {"prompt_tokens": 1, "completion_tokens": 1, "total_tokens": 2}
        turn.stream([*frames, data({**whole, "choices": ends}), data({**whole, "choices": [], "usage": usage})])

    provider.begin(play)
    with gpt.chat.completions.stream(model="gpt-test", messages=ASKED, n=2) as stream:
        final = stream.until_done().get_final_completion()
    calls = final.choices[0].message.tool_calls
    assert calls is not None
    (tool,) = calls
    assert json.loads(tool.function.arguments) == {"to": EMAIL, "n": PHONE}
    assert final.choices[1].message.content == NAME
    assert final.usage is not None and final.usage.total_tokens == 2


def test_a_providers_refusal_is_the_librarys_own_error(
    claude: anthropic.Anthropic, gpt: openai.OpenAI, provider: ScriptedProvider
) -> None:
    """With the provider's words, values restored, and its request's id."""

    def play(turn: Turn) -> None:
        error = {"type": "rate_limit_error", "message": f"about {TOKEN.findall(said(turn))[1]}"}
        ids = [("request-id", "req_a"), ("x-request-id", "req_o"), ("retry-after", "1")]
        turn.send(429, json.dumps({"type": "error", "error": error}).encode(), ids)

    provider.begin(play)
    with pytest.raises(anthropic.RateLimitError, match=EMAIL) as refused:
        claude.messages.create(model="claude-test", max_tokens=100, messages=ASKED)
    assert refused.value.request_id == "req_a"
    with pytest.raises(openai.RateLimitError, match=EMAIL) as limited:
        gpt.chat.completions.create(model="gpt-test", messages=ASKED)
    assert limited.value.request_id == "req_o"
    assert len(provider.turns) == 2


def test_retries_are_the_librarys(claude: anthropic.Anthropic, provider: ScriptedProvider) -> None:
    """As often as it wants, and told of it: from us, the provider hears of each call once."""
    plays: list[Callable[[Turn], None]] = [
        lambda turn: turn.send(200, message("done")),
        lambda turn: turn.send(529, b"{}", [("retry-after-ms", "1")]),
        lambda turn: turn.send(503, b"{}", [("retry-after-ms", "1")]),
    ]
    provider.begin(lambda turn: plays.pop()(turn))
    reply = claude.with_options(max_retries=2).messages.create(model="claude-test", max_tokens=9, messages=ASKED)
    assert reply.content[0].type == "text" and reply.content[0].text == "done"
    assert len({turn.body for turn in provider.turns}) == 1 and len(provider.turns) == 3


def test_paths_that_are_not_supported_are_not_tried_again(
    claude: anthropic.Anthropic, gpt: openai.OpenAI, provider: ScriptedProvider
) -> None:
    with pytest.raises(anthropic.InternalServerError) as refused:
        claude.with_options(max_retries=5).messages.count_tokens(model="claude-test", messages=ASKED)
    assert refused.value.status_code == 501
    assert "A path of a provider's that the proxy does not have." in str(refused.value)
    with pytest.raises(openai.InternalServerError) as also:
        gpt.with_options(max_retries=5).responses.create(model="gpt-test", input=TEXT)
    assert (also.value.status_code, also.value.body) == (501, "endpoint_not_supported_in_v1")
    assert not provider.turns
    gpt.chat.completions.create(model="gpt-test", messages=ASKED)


def test_our_own_refusals_are_the_librarys_errors(
    served: Served, provider: ScriptedProvider, gpt: openai.OpenAI
) -> None:
    stranger = gpt.with_options(api_key="sk-none")
    with pytest.raises(openai.AuthenticationError) as refused:
        stranger.chat.completions.create(model="gpt-test", messages=ASKED)
    assert refused.value.body == "unauthorized"
    assert refused.value.response.json()["message"] == "Malformed authentication token"
    provider.begin(lambda turn: turn.send(200, completion("")))
    gpt.chat.completions.create(model="gpt-test", messages=ASKED)
