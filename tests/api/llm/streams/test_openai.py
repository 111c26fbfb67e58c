"""Completion streams: every choice, field and call of a tool comes out whole, whatever is in between."""

import json
from collections.abc import Callable
from random import Random
from typing import Any

import pytest
from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st

from api.llm.model import Minted, Provider, StreamTooLong
from api.llm.streams import RestoredStream
from tests.api.llm.sdk_reader import call, choice, choices, chunk, event, events, passed
from tests.api.llm.strategies import ORIGINALS, cut, filled, masked, planted

T, NUMBER = "<MASKED_PERSON_ab12cd34>", "<MASKED_RESIDENCE_PERMIT_12345678>"
NAME = ORIGINALS[T]
MINTED = Minted(ORIGINALS, frozenset({NUMBER}))
DONE = b"data: [DONE]\n\n"
USAGE = event({"id": "c1", "choices": [], "usage": {"total_tokens": 5}})


def _passed(*frames: bytes) -> bytes:
    return passed(Provider.OPENAI, MINTED, frames)


@settings(max_examples=60, suppress_health_check=[HealthCheck.large_base_example])
@given(
    st.lists(st.tuples(planted(), planted(), planted()), min_size=1, max_size=2),
    st.booleans(),
    st.booleans(),
    st.integers(0, 2**32),
)
def test_any_texts_in_any_frames_and_any_network_chunks_come_back(
    spoken: list[tuple[list[str], list[str], list[str]]], finishes: bool, done: bool, seed: int
) -> None:
    """Choices with text and two calls of tools each, interleaved, several of them in one chunk, finished or not."""
    chance = Random(seed)
    queues = []
    for index, (words, *calls) in enumerate(spoken):
        queues.append([choice(index, content=piece) for piece in cut("Dear " + masked(words), chance)])
        for number, arguments in enumerate(calls):
            pieces = cut(json.dumps({"a": ["x" + masked(arguments)]}), chance)
            parts = [{"index": number, "function": {"arguments": piece}} for piece in pieces]
            queues.append([choice(index, tool_calls=[part]) for part in parts])
    both: Any = [{"index": number, "id": f"call_{number}", "function": {"arguments": ""}} for number in (0, 1)]
    frames = [chunk(choice(index, tool_calls=both)) for index in range(len(spoken))]
    while any(queues):
        drawn = [queue.pop(0) for queue in queues if queue and chance.random() < 0.5]
        together = {part["index"]: part for part in drawn}
        frames.append(chunk(*together.values()))
        frames += [chunk(part) for part in drawn if together[part["index"]] is not part]
    if finishes:
        frames += [chunk(choice(index, "stop")) for index in range(len(spoken))]
    raw = b"".join(frames) + USAGE + (DONE if done else b"")
    said = choices(passed(Provider.OPENAI, MINTED, cut(raw, chance, most=40)))
    for index, (words, *calls) in enumerate(spoken):
        assert said[index]["content"] == "Dear " + filled(words)
        for number, arguments in enumerate(calls):
            text = next(part for part in said[index]["tool_calls"] if part["index"] == number)["function"]["arguments"]
            assert json.loads(text) == {"a": ["x" + filled(arguments)]}


def test_a_stream_without_tokens_passes_byte_for_byte() -> None:
    frames = (
        chunk(choice(role="assistant", content="", refusal=None)), b": OPENROUTER PROCESSING\n\n",
        chunk(choice(content="a < b"), usage=None, obfuscation="x<MASKED_PERSON_ab12cd34"), chunk(choice(content="")),
        chunk(choice(role="assistant")), chunk(call("{}", id="c", type="function")), chunk(choice(finish="stop")),
        chunk(choice(tool_calls=[{"index": 0, "function": {"name": "get-m"}}])),
        chunk(choice(0), choice(1)), chunk(choice(content=None)), USAGE, event([1, 2]), event("x"), event(None), DONE,
    )  # fmt: skip
    raw = b"".join(frames)
    assert _passed(*frames) == raw
    assert _passed(*(raw[at : at + 1] for at in range(len(raw)))) == raw


def test_what_was_held_comes_with_the_finish_or_before_it() -> None:
    out = events(_passed(chunk(choice(content="see <MAS")), chunk(choice(0, "stop", content="KED"), choice(1)), DONE))
    assert [body if body == "[DONE]" else body["choices"][0]["delta"] for _, body in out] == [
        {"content": "see "}, {"content": "<MASKED"}, "[DONE]",
    ]  # fmt: skip
    empty = chunk({"index": 0, "delta": None, "finish_reason": "stop"})
    assert choices(_passed(chunk(choice(content="see <MAS")), empty)[: -len(empty)])[0] == {"content": "see <MAS"}
    out = events(_passed(chunk(choice(content="see <MAS"), model="m"), chunk(choice(0, "stop")), DONE))
    assert [body if body == "[DONE]" else body["choices"][0] for _, body in out] == [
        choice(content="see "), choice(content="<MAS"), choice(0, "stop"), "[DONE]",
    ]  # fmt: skip
    assert out[1][1] == {
        "id": "c1",
        "object": "chat.completion.chunk",
        "created": 1,
        "choices": [choice(content="<MAS")],
    }


def test_a_held_call_comes_in_its_place() -> None:
    out = events(_passed(chunk(call('{"a": "x<MAS', 2, id="c")), chunk(choice(0, "length"))))
    assert out[1][1]["choices"][0]["delta"] == {"tool_calls": [{"index": 2, "function": {"arguments": "<MAS"}}]}
    assert out[2][1]["choices"][0]["finish_reason"] == "length"


@pytest.mark.parametrize("last", [DONE, b"data: [DONE]", b"", event({"error": {"message": "x"}})])
def test_what_was_held_comes_before_the_end_without_any_finish(last: bytes) -> None:
    out = _passed(chunk(choice(content="see <MASKED")), chunk(choice(1, content="m")), last)
    ended = last if last.endswith(b"\n\n") or not last else last + b"\n\n"
    assert choices(out.removesuffix(ended)) == {0: {"content": "see <MASKED"}, 1: {"content": "m"}}
    assert out.endswith(ended)


def test_frames_of_which_all_waits_are_left_out_but_not_what_else_they_carry() -> None:
    stream = RestoredStream(Provider.OPENAI, MINTED)
    assert stream.feed(chunk(choice(content="<MAS"), obfuscation="abc")) == b""
    assert stream.feed(USAGE) == USAGE
    role = events(stream.feed(chunk(choice(1, role="assistant", content="<MAS"))))
    assert role[0][1]["choices"] == [choice(1, role="assistant", content="")]
    counted = events(stream.feed(chunk(choice(2, content="<MAS"), usage={"total_tokens": 1})))
    assert counted[0][1]["usage"] == {"total_tokens": 1}
    named = events(
        stream.feed(chunk(choice(3, tool_calls=[{"index": 0, "id": "c", "function": {"name": "f", "arguments": "<"}}])))
    )
    assert named[0][1]["choices"][0]["delta"]["tool_calls"] == [
        {"index": 0, "id": "c", "function": {"name": "f", "arguments": ""}}
    ]
    other = events(stream.feed(chunk(choice(4, content="<MAS"), choice(5, content="Hi."))))
    assert [part["delta"]["content"] for part in other[0][1]["choices"]] == ["", "Hi."]


@pytest.mark.parametrize("words", ["Hello", " a < b", " R&D", " my", "…", "\n", "<b>", "<MASKED_SSN_0"])
def test_text_that_cannot_be_a_token_comes_out_of_the_same_call_byte_for_byte(words: str) -> None:
    stream = RestoredStream(Provider.OPENAI, MINTED)
    for piece in (words + ".", words + " ", words + "."):
        assert stream.feed(chunk(choice(content=piece))) == chunk(choice(content=piece))


FIELDS: dict[str, Callable[[str], Any]] = {
    "content": lambda piece: choice(content=piece),
    "refusal": lambda piece: choice(refusal=piece),
    "reasoning": lambda piece: choice(reasoning_content=piece),
    "a field that is new": lambda piece: choice(thoughts=piece),
    "a field inside another": lambda piece: choice(message={"words": {"more": piece}}),
    "audio": lambda piece: choice(audio={"transcript": piece}),
    "a tool": lambda piece: call(piece),
    "the second tool": lambda piece: call(piece, 1),
    "a custom tool": lambda piece: choice(tool_calls=[{"index": 0, "custom": {"input": piece}}]),
    "an old function call": lambda piece: choice(function_call={"arguments": piece}),
    "a part of an array": lambda piece: choice(details=[{"index": 0, "text": piece}]),
}


@pytest.mark.parametrize("field", FIELDS)
def test_every_field_is_restored_wherever_it_is_split_and_mixes_with_no_other(field: str) -> None:
    made = FIELDS[field]
    whole = f'["{T}"'
    for at in range(1, len(whole)):
        for other in FIELDS.keys() - {field}:
            between = chunk(FIELDS[other]("ab12cd34> <MASKED_"))
            frames = (chunk(made(whole[:at])), between, chunk(made(whole[at:])), chunk(choice(0, "stop")))
            said = json.dumps(choices(_passed(*frames)))
            assert NAME in said, (field, other, at)
            assert T not in said


def test_whole_things_in_chunks_are_restored_at_once() -> None:
    annotation = {"type": "url_citation", "url_citation": {"title": f"{T} <MASKED"}}
    out = events(_passed(chunk(choice(annotations=[annotation])), chunk({"index": 0, "message": {"content": T}})))
    assert out[0][1]["choices"][0]["delta"]["annotations"][0]["url_citation"]["title"] == f"{NAME} <MASKED"
    assert out[1][1]["choices"][0]["message"]["content"] == NAME


def test_what_the_provider_checks_passes() -> None:
    frame = chunk(
        choice(role=T, tool_calls=[{"index": 0, "id": T, "type": T, "function": {"name": T, "arguments": ""}}],
               audio={"id": T, "data": T}, thinking_blocks=[{"type": "thinking", "thinking": T, "signature": "c2ln"}]),
        model=T, system_fingerprint=T, obfuscation=T,
    )  # fmt: skip
    assert _passed(frame) == frame


def test_logprobs_are_dropped_and_all_else_stays() -> None:
    spelled = {**choice(content="Hi."), "logprobs": {"content": [{"token": "<MASK"}], "refusal": None}}
    out = events(_passed(chunk(spelled), chunk({**choice(content="Hi."), "logprobs": None})))
    assert out[0][1]["choices"] == [{**choice(content="Hi."), "logprobs": None}]
    assert out[1][1]["choices"] == out[0][1]["choices"]
    inside = events(_passed(chunk(choice(content="Hi.", logprobs=[{"token": "<MASK"}]))))
    assert inside[0][1]["choices"] == [choice(content="Hi.", logprobs=None)]


def test_a_number_in_streamed_arguments_is_a_number_again_wherever_it_is_split() -> None:
    whole = f'{{"id": "{NUMBER}", "text": "{NUMBER}."}}'
    for at in range(len(whole) + 1):
        said = choices(_passed(chunk(call(whole[:at])), chunk(call(whole[at:])), DONE))
        assert said[0]["tool_calls"][0]["function"]["arguments"] == '{"id": 2000000006, "text": "2000000006."}'


def test_an_error_in_mid_stream_is_restored_and_nothing_is_added() -> None:
    error = event({"error": {"message": f"no room for {T}", "type": "server_error", "code": None}})
    out = events(_passed(chunk(choice(content="Hi <MASK")), error))
    assert out[1][1]["choices"][0]["delta"] == {"content": "<MASK"}
    assert out[2][1]["error"]["message"] == f"no room for {NAME}"
    assert len(out) == 3


def test_a_provider_that_dies_leaves_an_error_and_no_end() -> None:
    stream = RestoredStream(Provider.OPENAI, MINTED)
    out = stream.feed(chunk(choice(content="Hi <MASK")) + b'data: {"choices":[{"in') + stream.broken()
    *deltas, (_, failure) = events(out)
    assert "".join(body["choices"][0]["delta"]["content"] for _, body in deltas) == "Hi <MASK"
    assert set(failure["error"]) == {"message", "type", "param", "code"}
    assert all(body["choices"][0]["finish_reason"] is None for _, body in deltas)
    assert b"[DONE]" not in out


def test_a_connection_lost_behind_the_end_is_no_error() -> None:
    for last in (DONE, event({"error": {"message": "x"}})):
        stream = RestoredStream(Provider.OPENAI, MINTED)
        assert stream.feed(last) + stream.broken() == last


def test_a_stream_of_ever_more_texts_is_too_long() -> None:
    stream = RestoredStream(Provider.OPENAI, MINTED)
    out = stream.feed(chunk(choice(content="Hi <MASK")))
    with pytest.raises(StreamTooLong):
        for index in range(10_000):
            stream.feed(chunk(call("<", index)))
    assert b"<MASK" in stream.broken()
    assert b"Hi" in out


def test_what_was_ready_when_a_stream_proves_too_long_is_not_lost() -> None:
    stream = RestoredStream(Provider.OPENAI, MINTED)
    with pytest.raises(StreamTooLong):
        stream.feed(chunk(choice(content=T)) + b"data: " + b"x" * (9 * 2**20))
    *deltas, (_, failure) = events(stream.broken())
    assert [body["choices"][0]["delta"]["content"] for _, body in deltas] == [NAME]
    assert "error" in failure
