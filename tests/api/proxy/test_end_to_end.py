"""Any text, any values in it, any split of the answer: the provider sees none of them, and the caller all."""

import json
from collections.abc import Iterator
from typing import Any

import httpx
import pytest
from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st

from tests.api.proxy.conftest import ANTHROPIC, OPENAI, PROVIDER_KEY
from tests.api.proxy.provider import ScriptedProvider, Turn
from tests.api.proxy.provider_answers import completion, completion_stream, cut, is_anthropic, message, message_stream
from tests.api.serving import Served

VALUES = (
    "noura.almithali@example.com",
    "1058374925",
    "٠٥٠١٢٣٤٥٦٧",
    "+966 50 123 4567",
    "SA0380000000608010167519",
    "4111 1111 1111 1111",
    "Project Zephyr",
)
# What breaks parsers of tokens, JSON, event streams and Markdown; no digits and no signs that belong to values.
FILLER = st.text("abc XYZ<>&;\"'\\{}[]%_*`~|#=!?\n\r\t\x85\u2028\u2029\u200d😀é ا ب ت ن و «»،؟", max_size=25)
PIECES = st.lists(st.tuples(FILLER, st.sampled_from(VALUES)), min_size=1, max_size=5)
SPLITS = st.tuples(st.integers(1, 40), st.integers(1, 400))  # characters of a frame, bytes of a network chunk
KINDS = st.sampled_from(["text", "system", "blocks", "tool"])


def body(kind: str, text: str, *, stream: bool) -> dict[str, Any]:
    """A request whose text is in one of the places where text can be."""
    whole: dict[str, Any] = {"model": "m", "max_tokens": 9, "stream": stream, "echo": text}
    if kind == "system":
        return {**whole, "messages": [{"role": "system", "content": text}]}
    if kind == "blocks":
        return {**whole, "messages": [{"role": "user", "content": [{"type": "text", "text": text}]}]}
    if kind == "tool":
        content = [{"type": "tool_use", "id": "t", "name": "f", "input": {"of": [text]}}]
        return {**whole, "messages": [{"role": "assistant", "content": content}]}
    return {**whole, "messages": [{"role": "user", "content": text}]}


def read(answer: httpx.Response) -> str:
    """All that an answer says, streamed or whole, as a client reads it."""
    if not answer.headers["content-type"].startswith("text/event-stream"):
        found = answer.json()
        return str(found["content"][0]["text"] if "content" in found else found["choices"][0]["message"]["content"])
    said = ""
    for line in answer.content.decode().split("\n"):
        event = json.loads(line[6:]) if line.startswith("data: {") else {}
        said += event.get("delta", {}).get("text") or ""
        said += "".join(choice["delta"].get("content") or "" for choice in event.get("choices", ()))
    return said


@pytest.fixture(scope="module")
def calling(served: Served) -> Iterator[httpx.Client]:
    """A client of an account that can pay for everything, with a glossary."""
    headers = {**served.account(paid_tokens=10**9).headers, "X-Provider-Key": PROVIDER_KEY}
    with httpx.Client(base_url=served.url, headers=headers, timeout=30) as client:
        term = {"name": "projects", "entries": [{"term": "Project Zephyr"}]}
        assert client.post("/v1/glossaries", json=term).status_code == 201
        yield client


@pytest.mark.parametrize("path", [ANTHROPIC, OPENAI])
@settings(max_examples=25, suppress_health_check=[HealthCheck.function_scoped_fixture])
@given(pieces=PIECES, splits=SPLITS, kind=KINDS, stream=st.booleans())
def test_nothing_leaves_and_everything_comes_back(
    calling: httpx.Client, provider: ScriptedProvider, path: str,
    pieces: list[tuple[str, str]], splits: tuple[int, int], kind: str, stream: bool,
) -> None:  # fmt: skip
    text = "".join(f"{filler}\n{value}\n" for filler, value in pieces)

    def play(turn: Turn) -> None:
        echoed, claude = turn.json["echo"], is_anthropic(turn)
        if not stream:
            turn.send(200, (message if claude else completion)(echoed))
            return
        frames = [echoed[start : start + splits[0]] for start in range(0, len(echoed), splits[0])]
        turn.stream(cut(b"".join((message_stream if claude else completion_stream)(frames)), splits[1]))

    provider.begin(play)
    answer = calling.post(path, json=body(kind, text, stream=stream))
    assert answer.status_code == 200
    assert read(answer) == text
    seen = provider.received.decode() + json.dumps(provider.turn.json, ensure_ascii=False)
    assert not [value for _, value in pieces if value in seen]
