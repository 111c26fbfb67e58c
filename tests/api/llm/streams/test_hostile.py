"""Streams that no provider should send: nothing raises, nothing is lost, and how the bytes came makes no difference."""

from random import Random
from typing import Any

import pytest
from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st

from api.llm.model import Minted, Provider
from api.llm.streams import RestoredStream
from tests.api.llm.sdk_reader import call, choice, chunk, event, events, passed, text
from tests.api.llm.strategies import ORIGINALS, cut

T, NUMBER = "<MASKED_PERSON_ab12cd34>", "<MASKED_RESIDENCE_PERMIT_12345678>"
MINTED = Minted(ORIGINALS, frozenset({NUMBER}))

_words = st.sampled_from(
    ["", "x", "<", "m", T, T[:9], T[9:], NUMBER, '{"a": "', '"}', "\\", "\ud800", "\u2028", "stop"]
)
_odd = st.recursive(
    st.one_of(st.none(), st.booleans(), st.integers(), st.floats(), _words),
    lambda inner: st.one_of(
        st.lists(inner, max_size=3),
        st.dictionaries(
            st.sampled_from(
                ["type", "index", "delta", "choices", "finish_reason", "content", "text", "tool_calls", "function",
                 "arguments", "partial_json", "content_block", "signature", "error", "input", "usage", "logprobs"]
            ),
            inner,
            max_size=5,
        ),
    ),
    max_leaves=10,
)  # fmt: skip
_kinds = st.sampled_from(
    ["message_start", "content_block_start", "content_block_delta", "content_block_stop", "message_delta",
     "message_stop", "error", "ping", "new"]
)  # fmt: skip
_deltas = st.one_of(st.sampled_from(["text_delta", "compaction_delta", "signature_delta", "new"]), _odd)
_indexes = st.one_of(st.integers(-1, 2), _odd)
_bytes = st.one_of(
    st.sampled_from([b"data: [DONE]\n\n", b"\n", b"\r", b": x\n", b"data\n\n", b"\xff\xfe\n\n", b'data: {"a":']),
    st.binary(max_size=8),
)


def _frame(**parts: st.SearchStrategy[Any]) -> st.SearchStrategy[bytes]:
    return st.fixed_dictionaries(parts).map(event)


_events = st.one_of(
    _odd.map(event),
    _frame(type=_kinds, index=_indexes, delta=_odd),
    _frame(type=_kinds, content_block=_odd, message=_odd),
    _frame(
        type=st.just("content_block_delta"),
        index=_indexes,
        delta=st.fixed_dictionaries({"type": _deltas, "text": _odd}),
    ),
    _frame(
        choices=st.lists(st.fixed_dictionaries({"index": _indexes, "delta": _odd, "finish_reason": _odd}), max_size=2)
    ),
    _frame(choices=st.lists(_odd, max_size=2), error=_odd),
    st.builds(lambda words, index: chunk(call(words, index)), _words, _indexes),
    _bytes,
)


@settings(max_examples=60, suppress_health_check=[HealthCheck.large_base_example])
@given(st.lists(_events, max_size=8), st.sampled_from(Provider), st.integers(0, 2**32))
def test_no_stream_raises_and_no_cut_changes_what_comes_out(sent: list[bytes], provider: Provider, seed: int) -> None:
    raw = b"".join(sent)
    whole = passed(provider, MINTED, [raw])
    for chunks in (cut(raw, Random(seed), most=30), [bytes([byte]) for byte in raw]):
        out = passed(provider, MINTED, chunks)
        assert out == whole or b"\r" in raw  # of which an LF behind it may be left over
    stream = RestoredStream(provider, MINTED)
    stream.feed(raw)
    stream.broken()
    if b"logprobs" not in raw:
        assert passed(provider, Minted({}), cut(raw, Random(seed))) == raw


@pytest.mark.parametrize("provider", Provider)
def test_events_nested_too_deep_are_restored_all_the_same(provider: Provider) -> None:
    deep = "[" * 5000 + f'"{T}"' + "]" * 5000
    raw = f"data: {deep}\n\n".encode()
    assert passed(provider, MINTED, [raw]) == raw.replace(T.encode(), ORIGINALS[T].encode())


@pytest.mark.parametrize("provider", Provider)
def test_numbers_of_thousands_of_digits_and_nan_pass_in_events_that_change(provider: Provider) -> None:
    digits = "9" * 5000
    raw = f'data: {{"type":"new","words":"{T}","n":{digits},"x":NaN,"y":1.0e999}}\n\n'.encode()
    assert passed(provider, MINTED, [raw]) == raw.replace(T.encode(), ORIGINALS[T].encode())


def test_what_is_put_in_never_ends_a_line() -> None:
    term = "<MASKED_CUSTOM_TERM_00000000>"
    for provider, frame in ((Provider.ANTHROPIC, text(0, term)), (Provider.OPENAI, chunk(choice(content=term)))):
        out = passed(provider, MINTED, [frame])
        assert len(out.decode().splitlines()) == len(frame.decode().splitlines())
        body = events(out)[0][1]
        said = body["delta"]["text"] if provider is Provider.ANTHROPIC else body["choices"][0]["delta"]["content"]
        assert said == ORIGINALS[term]
