"""Whole answers: every text is restored, and all else is what the provider sent, byte for byte."""

import json
from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st

from api.llm.answers import restored
from api.llm.model import Minted, Provider
from tests.api.llm.strategies import ORIGINALS, filled, masked, planted

T, NUMBER, QUOTED = "<MASKED_PERSON_ab12cd34>", "<MASKED_RESIDENCE_PERMIT_12345678>", "<MASKED_PERSON_ab12cd35>"
MINTED = Minted(ORIGINALS, frozenset({NUMBER}))
NAME, FULL, DIGITS = ORIGINALS[T], ORIGINALS[QUOTED], 2000000006
ANTHROPIC, OPENAI = Provider.ANTHROPIC, Provider.OPENAI


def _message(*blocks: Any, **more: Any) -> dict[str, Any]:
    return {"id": "msg_1", "type": "message", "role": "assistant", "model": "m", "content": list(blocks), **more}


def _completion(*messages: Any, **more: Any) -> dict[str, Any]:
    choices = [{"index": i, "message": message, "finish_reason": "stop"} for i, message in enumerate(messages)]
    return {"id": "chatcmpl-1", "object": "chat.completion", "created": 1, "choices": choices, **more}


def _tool(arguments: str) -> dict[str, Any]:
    return {"role": "assistant", "tool_calls": [{"id": "c", "function": {"name": "f", "arguments": arguments}}]}


def _spelled(value: Any) -> str:
    return json.dumps(value, ensure_ascii=False)


def _deep(value: str) -> str:
    """JSON in a string of JSON."""
    return _spelled({"address": value, "inner": _spelled([{"to": value}])})


RESTORED: dict[str, tuple[Provider, Any, Any]] = {
    "text": (
        ANTHROPIC,
        _message({"type": "text", "text": f"Hi {T}"}),
        _message({"type": "text", "text": f"Hi {NAME}"}),
    ),
    "citations": (
        ANTHROPIC,
        _message({"type": "text", "text": "x", "citations": [{"cited_text": T, "document_title": T}]}),
        _message({"type": "text", "text": "x", "citations": [{"cited_text": NAME, "document_title": NAME}]}),
    ),
    "tool input, whatever its fields are called": (
        ANTHROPIC,
        _message({"type": "tool_use", "input": {"id": T, "type": T, "n": [NUMBER, {"model": T}]}}),
        _message({"type": "tool_use", "input": {"id": NAME, "type": NAME, "n": [DIGITS, {"model": NAME}]}}),
    ),
    "names in a tool's input": (
        ANTHROPIC,
        _message({"type": "server_tool_use", "input": {T: 1, NUMBER: 2}}),
        _message({"type": "server_tool_use", "input": {NAME: 1, str(DIGITS): 2}}),
    ),
    "a number only where it is all there is": (
        ANTHROPIC,
        _message({"type": "tool_use", "input": {"a": f"{NUMBER}!"}}, {"type": "text", "text": NUMBER}),
        _message({"type": "tool_use", "input": {"a": f"{DIGITS}!"}}, {"type": "text", "text": str(DIGITS)}),
    ),
    "a server tool's result": (
        ANTHROPIC,
        _message({"type": "code_execution_tool_result", "content": {"stdout": T, "encrypted_stdout": T}}),
        _message({"type": "code_execution_tool_result", "content": {"stdout": NAME, "encrypted_stdout": T}}),
    ),
    "a kind of block that is new": (
        ANTHROPIC,
        _message({"type": "person_card", "name": T, "lines": [T, {"deep": [[T]]}]}),
        _message({"type": "person_card", "name": NAME, "lines": [NAME, {"deep": [[NAME]]}]}),
    ),
    "an unsigned summary": (
        ANTHROPIC,
        _message({"type": "compaction", "content": T, "encrypted_content": T, "signature": None}),
        _message({"type": "compaction", "content": NAME, "encrypted_content": T, "signature": None}),
    ),
    "stop sequence and refusal": (
        ANTHROPIC,
        _message(stop_sequence=T, stop_details={"type": "refusal", "explanation": T}, stop_reason=T),
        _message(stop_sequence=NAME, stop_details={"type": "refusal", "explanation": NAME}, stop_reason=T),
    ),
    "an Anthropic error": (
        ANTHROPIC,
        {"type": "error", "error": {"type": "invalid_request_error", "message": f"bad {T}"}, "request_id": T},
        {"type": "error", "error": {"type": "invalid_request_error", "message": f"bad {NAME}"}, "request_id": T},
    ),
    "an OpenAI error": (
        OPENAI,
        {"error": {"message": f"bad {T}", "type": "invalid_request_error", "param": None, "code": T}},
        {"error": {"message": f"bad {NAME}", "type": "invalid_request_error", "param": None, "code": NAME}},
    ),
    "another server's error": (
        OPENAI,
        {"detail": [{"loc": ["body"], "msg": T}]},
        {"detail": [{"loc": ["body"], "msg": NAME}]},
    ),
    "every choice": (
        OPENAI,
        _completion({"content": T}, {"content": None, "refusal": T}, {"content": "x", "reasoning_content": T}),
        _completion({"content": NAME}, {"content": None, "refusal": NAME}, {"content": "x", "reasoning_content": NAME}),
    ),
    "content in parts": (
        OPENAI,
        _completion({"content": [{"type": "text", "text": T}, {"type": "refusal", "refusal": T}]}),
        _completion({"content": [{"type": "text", "text": NAME}, {"type": "refusal", "refusal": NAME}]}),
    ),
    "audio": (
        OPENAI,
        _completion({"content": None, "audio": {"id": T, "data": T, "transcript": T}}),
        _completion({"content": None, "audio": {"id": T, "data": T, "transcript": NAME}}),
    ),
    "annotations": (
        OPENAI,
        _completion({"content": "x", "annotations": [{"type": "url_citation", "url_citation": {"title": T}}]}),
        _completion({"content": "x", "annotations": [{"type": "url_citation", "url_citation": {"title": NAME}}]}),
    ),
    "arguments": (
        OPENAI,
        _completion(_tool(f'{{"a": "{T}", "n":"{NUMBER}"}}')),
        _completion(_tool(f'{{"a": "{NAME}", "n":{DIGITS}}}')),
    ),
    "arguments that are no JSON": (OPENAI, _completion(_tool(f"a={T}")), _completion(_tool(f"a={NAME}"))),
    "arguments of an old function call": (
        OPENAI,
        _completion({"function_call": {"name": "f", "arguments": f'["{T}"]'}}),
        _completion({"function_call": {"name": "f", "arguments": f'["{NAME}"]'}}),
    ),
    "a custom tool's input": (
        OPENAI,
        _completion({"tool_calls": [{"type": "custom", "custom": {"name": "f", "input": f'"{T}'}}]}),
        _completion({"tool_calls": [{"type": "custom", "custom": {"name": "f", "input": f'"{NAME}'}}]}),
    ),
    "a value with quotes in arguments": (
        OPENAI,
        _completion(_tool(json.dumps({"a": QUOTED}))),
        _completion(_tool(json.dumps({"a": ORIGINALS[QUOTED]}, ensure_ascii=False))),
    ),
    "a value with quotes in structured output": (
        OPENAI,
        _completion({"content": json.dumps({"a": QUOTED})}),
        _completion({"content": json.dumps({"a": ORIGINALS[QUOTED]}, ensure_ascii=False)}),
    ),
    "JSON in a tool's strings": (
        ANTHROPIC,
        _message({"type": "tool_use", "input": {"body": _deep(QUOTED), "say": f'["{QUOTED}" is his name]'}}),
        _message({"type": "tool_use", "input": {"body": _deep(FULL), "say": f'["{FULL}" is his name]'}}),
    ),
    "JSON in the strings of arguments": (
        OPENAI,
        _completion(_tool(_spelled({"body": _deep(QUOTED), "say": f'["{QUOTED}" is his name]'}))),
        _completion(_tool(_spelled({"body": _deep(FULL), "say": f'["{FULL}" is his name]'}))),
    ),
    "JSON between fences": (
        ANTHROPIC,
        _message({"type": "text", "text": f'See "{QUOTED}":\n```json\n{_spelled([QUOTED])}\n```\n"{QUOTED}"'}),
        _message({"type": "text", "text": f'See "{FULL}":\n```json\n{_spelled([FULL])}\n```\n"{FULL}"'}),
    ),
    "prose that begins like JSON": (
        OPENAI,
        _completion({"content": f'["{QUOTED}" is his name]'}),
        _completion({"content": f'["{FULL}" is his name]'}),
    ),
    "logprobs": (
        OPENAI,
        {"choices": [{"index": 0, "message": {"content": "x"}, "logprobs": {"content": [{"token": "<MASK"}]}}]},
        {"choices": [{"index": 0, "message": {"content": "x"}, "logprobs": None}]},
    ),
    "an array": (OPENAI, [T, [T]], [NAME, [NAME]]),
    "a string": (OPENAI, T, NAME),
}


@pytest.mark.parametrize(("provider", "answer", "expected"), RESTORED.values(), ids=RESTORED.keys())
def test_every_text_is_restored(provider: Provider, answer: Any, expected: Any) -> None:
    assert json.loads(restored(json.dumps(answer).encode(), provider, MINTED)) == expected


UNTOUCHED: dict[str, tuple[Provider, Any]] = {
    "thinking": (ANTHROPIC, _message({"type": "thinking", "thinking": T, "signature": T})),
    "thinking without a signature": (ANTHROPIC, _message({"type": "thinking", "thinking": T})),
    "redacted thinking": (ANTHROPIC, _message({"type": "redacted_thinking", "data": T})),
    "a signed summary": (ANTHROPIC, _message({"type": "compaction", "content": T, "signature": "c2ln"})),
    "ciphertext": (
        ANTHROPIC,
        _message({"type": "web_search_tool_result", "content": [{"encrypted_content": T, "url": T}]}),
    ),
    "ids and names of tools": (ANTHROPIC, _message({"type": "tool_use", "id": T, "name": T, "input": {}})),
    "a picture": (ANTHROPIC, _message({"type": "image", "source": {"type": "base64", "media_type": T, "data": T}})),
    "usage and model": (ANTHROPIC, {**_message(), "usage": {"service_tier": T}, "model": T, "container": {"id": T}}),
    "ids": (OPENAI, {**_completion(), "id": T, "model": T, "system_fingerprint": T, "usage": {"x": T}}),
    "a call's id": (
        OPENAI,
        _completion({"tool_calls": [{"id": T, "type": T, "function": {"name": T, "arguments": ""}}]}),
    ),
    "signed reasoning": (OPENAI, _completion({"reasoning_details": [{"type": "x", "text": T, "signature": "c2ln"}]})),
}


@pytest.mark.parametrize(("provider", "answer"), UNTOUCHED.values(), ids=UNTOUCHED.keys())
def test_what_the_provider_checks_passes_byte_for_byte(provider: Provider, answer: Any) -> None:
    raw = json.dumps(answer, indent=1).encode()
    assert restored(raw, provider, MINTED) == raw


def test_all_else_stays_as_it_is_written() -> None:
    raw = (
        f'{{"z": 1.10e+400, "a": {"9" * 5000}, "n": [NaN, -Infinity], "content": "{T}\\u2028", '
        '"s": "\\ud800", "y": {"b": true, "a": null}, "e": [], "o": {}}'
    )
    done = restored(raw.encode(), OPENAI, MINTED).decode()
    assert done == (
        f'{{"z":1.10e+400,"a":{"9" * 5000},"n":[NaN,-Infinity],"content":"{NAME}\\u2028",'
        '"s":"\\ud800","y":{"b":true,"a":null},"e":[],"o":{}}'
    )


def test_an_answer_without_tokens_passes_byte_for_byte() -> None:
    raw = b'\xef\xbb\xbf { "a" : "\\u00e9\\/", "a": 1.0, "b": "\xff" }\n'
    assert restored(raw, OPENAI, MINTED) == raw
    assert restored(raw, ANTHROPIC, Minted({})) == raw


@pytest.mark.parametrize("provider", Provider)
@pytest.mark.parametrize(
    ("raw", "expected"),
    [
        (f"<html>no {T}</html>", f"<html>no {NAME}</html>"),
        (f'{{"error": "cut off {T}', f'{{"error": "cut off {NAME}'),
        (f'{{"a": "{QUOTED}', r'{"a": "محمد \"أبو خالد\" الفلاني'),
        (f'{"[" * 5000}"{T}"', f'{"[" * 5000}"{NAME}"'),
        (f'{"[" * 900}"{T}"{"]" * 900}', f'{"[" * 900}"{NAME}"{"]" * 900}'),
        (f'{{"a":"{T}",}}', f'{{"a":"{NAME}",}}'),
        (f'{{"a":"{T}\x01"}}', f'{{"a":"{NAME}\\u0001"}}'),
        ("", ""),
        (f'\ufeff{{"a":"{T}"}}', f'{{"a":"{NAME}"}}'),
    ],
)
def test_what_is_no_json_is_restored_as_text(provider: Provider, raw: str, expected: str) -> None:
    assert restored(raw.encode(), provider, MINTED) == expected.encode()


def test_bytes_that_are_no_text_do_not_hide_a_token() -> None:
    assert (
        restored(b'{"a": "\xff", "b": "%s"}' % T.encode(), OPENAI, MINTED) == f'{{"a":"\ufffd","b":"{NAME}"}}'.encode()
    )
    assert restored(b"\xff\xfe " + T.encode(), OPENAI, MINTED) == f"\ufffd\ufffd {NAME}".encode()


@given(st.binary(max_size=60), st.sampled_from(Provider))
def test_no_bytes_raise(raw: bytes, provider: Provider) -> None:
    for body in (raw, b'{"choices":[' + raw, b'"' + raw + T.encode() + b'"', raw + T.encode() + raw):
        restored(body, provider, MINTED)


_json = st.recursive(
    st.one_of(st.none(), st.booleans(), st.integers(), st.just(T), st.just(NUMBER), st.text(max_size=4)),
    lambda inner: st.one_of(
        st.lists(inner, max_size=4),
        st.dictionaries(
            st.sampled_from(
                ["type", "content", "choices", "message", "delta", "input", "arguments", "signature", "index", "error",
                 "text", "name", "data", "logprobs", "content_block", "tool_calls", "function"]
            ),
            inner,
            max_size=5,
        ),
    ),
    max_leaves=15,
)  # fmt: skip


@given(_json, st.sampled_from(Provider))
def test_no_shape_raises_and_nothing_unknown_is_put_in(answer: Any, provider: Provider) -> None:
    raw = json.dumps(answer).encode()
    assert isinstance(json.loads(restored(raw, provider, MINTED)), type(answer))
    if b"logprobs" not in raw:
        assert restored(raw, provider, Minted({})) == raw


@given(planted(), st.booleans())
def test_any_text_comes_back_as_it_was(parts: list[str], ascii_only: bool) -> None:
    raw = json.dumps(_completion({"content": "Dear " + masked(parts)}), ensure_ascii=ascii_only).encode()
    (choice,) = json.loads(restored(raw, OPENAI, MINTED))["choices"]
    assert choice["message"]["content"] == "Dear " + filled(parts)


def test_what_was_not_minted_in_this_request_is_never_restored() -> None:
    raw = json.dumps(_message({"type": "text", "text": "<MASKED_PERSON_ffffffff> MASKED_IBAN_ab12cd34"})).encode()
    assert restored(raw, ANTHROPIC, MINTED) == raw
