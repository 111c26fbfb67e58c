"""What of a prompt is masked and what of a reply is restored, sentence by sentence."""

import hmac
import json
from pathlib import Path
from typing import Any

import httpx
import pytest
from cryptography.hazmat.primitives.hashes import SHA256
from cryptography.hazmat.primitives.kdf.hkdf import HKDF

from api.upstream.client import Timeouts
from tests.api.proxy.conftest import ANTHROPIC, OPENAI, asks
from tests.api.proxy.provider import ScriptedProvider, Turn
from tests.api.proxy.provider_answers import TOKEN, completion, message, said
from tests.api.serving import Account, Served

NAME, EMAIL, ID, ACCOUNT = "Noura Salem Almithali", "noura@example.com", "1058374925", 1058374925
DOCS = Path(__file__).parents[3] / "docs" / "proxy.md"


def forwarded(provider: ScriptedProvider) -> Any:
    """The body that the provider was given last."""
    return provider.turns[-1].json


def told(provider: ScriptedProvider) -> str:
    """What its last message said."""
    return said(provider.turns[-1])


@pytest.mark.clause("MASK-23")
def test_how_a_token_is_made(account: Account, client: httpx.Client, provider: ScriptedProvider) -> None:
    key = HKDF(algorithm=SHA256(), length=32, salt=None, info=b"masker-token-v1").derive(account.bearer.encode())
    client.post(ANTHROPIC, json=asks(EMAIL))
    token = told(provider)
    type_ = token.removeprefix("<MASKED_").rpartition("_")[0]
    digits = hmac.digest(key, f"{type_}\0{EMAIL}".encode(), "sha256").hex()
    assert token == f"<MASKED_{type_}_{digits[:8]}>"
    text = f"{token} is no address, {EMAIL} is."
    reply = client.post(ANTHROPIC, json=asks(text)).json()["content"][0]["text"]
    assert told(provider) == f"{token} is no address, <MASKED_{type_}_{digits[8:16]}> is."
    assert reply == text


@pytest.mark.clause("MASK-25")
def test_the_docs_say_what_a_provider_can_link() -> None:
    said_there = " ".join(DOCS.read_text("utf-8").split())
    assert "a provider can tell that two requests of one key speak of the same person" in said_there


@pytest.mark.clause("PROXY-17")
def test_the_order_of_leaves(client: httpx.Client, provider: ScriptedProvider) -> None:
    passport, bare = "K48213905", "Is K48213905 the one of Noura Salem Almithali?"
    tools = [{"name": "find", "description": f"Finds passport number {passport} of Mr. {NAME}", "input_schema": {}}]
    for place in ("tools", "system", "nowhere"):
        body = asks(bare)
        if place == "tools":
            body["tools"] = tools
        elif place == "system":
            body["system"] = tools[0]["description"]
        assert client.post(ANTHROPIC, json=body).json()["content"][0]["text"] == bare
        assert (passport in told(provider)) == (place == "nowhere")
        if place != "nowhere":
            assert NAME not in told(provider)
    body = asks(f"passport number {passport}", system=f"First {passport}", tools=[{**tools[0], "description": "Finds"}])
    client.post(ANTHROPIC, json=body)
    assert forwarded(provider)["system"] == f"First {passport}", "what comes later says nothing of what comes first"
    assert passport not in told(provider)


@pytest.mark.clause("PROXY-15", "PROXY-21")
def test_what_is_masked(client: httpx.Client, provider: ScriptedProvider) -> None:
    source = {"type": "base64", "media_type": EMAIL, "data": EMAIL}
    opaque = [
        {"type": "thinking", "thinking": f"It is {EMAIL}", "signature": EMAIL},
        {"type": "redacted_thinking", "data": EMAIL},
        {"type": "compaction", "content": EMAIL, "encrypted_content": EMAIL, "signature": "s"},
        {"type": "tool_use", "id": EMAIL, "name": EMAIL, "input": {}},
        {"type": "image", "source": source, "cache_control": {"type": EMAIL}},
    ]
    shown = {
        "metadata": {"user_id": EMAIL},
        "user": EMAIL,
        "new_field": {"case_id": EMAIL, EMAIL: True},
        "stop_sequences": [EMAIL],
    }
    body = {"model": EMAIL, "messages": [{"role": "assistant", "content": opaque}], **shown}
    thought = {"type": "thinking", "thinking": "<MASKED_EMAIL_00000000>", "signature": "s"}

    def play(turn: Turn) -> None:
        token = turn.json["user"]
        thinking = {**thought, "thinking": f"It is {token}"}
        turn.send(200, message("", content=[thinking, {"type": "text", "text": token}]))

    provider.begin(play)
    answer = client.post(ANTHROPIC, json=body, headers={"X-Service-Allow-Attachments": "true"})
    token = forwarded(provider)["user"]
    assert TOKEN.fullmatch(token)
    assert forwarded(provider) == {
        **body,
        "metadata": {"user_id": token},
        "user": token,
        "new_field": {"case_id": token, EMAIL: True},
        "stop_sequences": [token],
    }
    said_back = answer.json()["content"]
    assert said_back == [{**thought, "thinking": f"It is {token}"}, {"type": "text", "text": EMAIL}]


@pytest.mark.clause("PROXY-18")
def test_numbers_of_tools(client: httpx.Client, provider: ScriptedProvider) -> None:
    given = {"national_id": ACCOUNT, "amount": 125_000, "sum": 98_765_432, "rate": 10583749.25}
    use = {"type": "tool_use", "id": "toolu_1", "name": "pay", "input": given}
    body = {"model": "m", "max_tokens": 9, "messages": [{"role": "assistant", "content": [use]}]}

    def play(turn: Turn) -> None:
        turn.send(200, message("", content=turn.json["messages"][0]["content"]))

    provider.begin(play)
    answer = client.post(ANTHROPIC, json=body).json()
    given_on = forwarded(provider)["messages"][0]["content"][0]["input"]
    assert TOKEN.fullmatch(given_on["national_id"]) and {**given_on, "national_id": ACCOUNT} == given
    assert answer["content"] == [use] and type(answer["content"][0]["input"]["national_id"]) is int


@pytest.mark.clause("PROXY-19")
def test_arguments_of_tools(client: httpx.Client, provider: ScriptedProvider) -> None:

    provider.begin(lambda turn: turn.send(200, completion("Done.")))

    def passed_on(arguments: str) -> str:
        call = {"id": "call_1", "type": "function", "function": {"name": "pay", "arguments": arguments}}
        client.post(OPENAI, json={"model": "m", "messages": [{"role": "assistant", "tool_calls": [call]}]})
        return str(forwarded(provider)["messages"][0]["tool_calls"][0]["function"]["arguments"])

    plain = '{ "amount" :  5.0,"to":"nobody" }'
    assert passed_on(plain) == plain
    changed = json.loads(passed_on(f'{{"amount":  5.0, "to": "{EMAIL}", "national_id": {ID}}}'))
    assert changed["amount"] == 5.0 and TOKEN.fullmatch(changed["to"]) and TOKEN.fullmatch(changed["national_id"])
    assert TOKEN.sub("T", passed_on(f'{{"to": {EMAIL}')) == '{"to": T'


@pytest.mark.clause("PROXY-20")
def test_names_of_speakers(client: httpx.Client, provider: ScriptedProvider) -> None:

    def play(turn: Turn) -> None:
        name = turn.json["messages"][0]["name"]
        turn.send(200, completion(f"{name} and <{name}>"))

    provider.begin(play)
    answer = client.post(OPENAI, json={"messages": [{"role": "user", "name": "Noura_Almithali", "content": "Hi"}]})
    name = forwarded(provider)["messages"][0]["name"]
    assert TOKEN.fullmatch(f"<{name}>") and name.startswith("MASKED_PERSON_")
    assert answer.json()["choices"][0]["message"]["content"] == "Noura_Almithali and Noura_Almithali"


@pytest.mark.clause("PROXY-25")
def test_probabilities(client: httpx.Client, provider: ScriptedProvider) -> None:

    def play(turn: Turn) -> None:
        text = said(turn)
        choice = {"index": 0, "message": {"role": "assistant", "content": text}, "finish_reason": "stop"}
        spelled = {"content": [{"token": text, "logprob": -0.1, "bytes": None, "top_logprobs": []}], "refusal": None}
        turn.send(200, completion("", choices=[{**choice, "logprobs": spelled}]))

    provider.begin(play)
    (choice,) = client.post(OPENAI, json=asks(EMAIL, logprobs=True)).json()["choices"]
    assert (choice["message"]["content"], choice["logprobs"]) == (EMAIL, None)


@pytest.mark.clause("PROXY-24")
@pytest.mark.parametrize(("length", "restored"), [(64, True), (65, False)])
def test_bent_tokens(client: httpx.Client, provider: ScriptedProvider, length: int, restored: bool) -> None:
    bent = ""

    def play(turn: Turn) -> None:
        nonlocal bent
        token = said(turn)
        joint = token.index("_") + 1
        bent = token[:joint] + "\u200b" * (length - len(token)) + token[joint:]
        turn.send(200, message(bent))

    provider.begin(play)
    answer = client.post(ANTHROPIC, json=asks(EMAIL)).json()["content"][0]["text"]
    assert len(bent) == length
    assert answer == (EMAIL if restored else bent)


@pytest.mark.clause("PROXY-23")
def test_history_that_the_provider_holds(client: httpx.Client, provider: ScriptedProvider) -> None:
    client.post(OPENAI, json=asks(f"{EMAIL}, {NAME}"))
    earlier = TOKEN.findall(told(provider))
    provider.begin(lambda turn: turn.send(200, completion(" ".join(earlier))))
    body = asks(f"Again {EMAIL}", thread="thread_1", previous_response_id="resp_1")
    answer = client.post(OPENAI, json=body).json()["choices"][0]["message"]["content"]
    assert forwarded(provider)["thread"] == "thread_1" and forwarded(provider)["previous_response_id"] == "resp_1"
    assert answer == f"{EMAIL} {earlier[1]}"


@pytest.mark.clause("PROXY-13")
def test_timeouts(served: Served, client: httpx.Client, provider: ScriptedProvider) -> None:
    upstream = served.services.upstream
    assert (upstream.timeouts.connect, upstream.timeouts.read) == (10, 600)
    provider.begin(Turn.wait_until_gone)
    upstream.timeouts = Timeouts(read=0.05)
    try:
        answer = client.post(OPENAI, json=asks("Hi"))
    finally:
        upstream.timeouts = Timeouts()
    assert (answer.status_code, answer.json()["error"]) == (504, "provider_timeout")
