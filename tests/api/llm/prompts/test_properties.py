"""For any body: no planted value leaves but in an opaque place, and tokens put back give the body again."""

import json
from typing import Any

from hypothesis import given, settings
from hypothesis import strategies as st

from api.llm.json_tree import read_strict, write
from tests.api.llm.prompts.prompting import ID, NAME, OTHER_ID, masked, restored, strings_in

PLANTED = (ID, OTHER_ID, NAME, "سلمان الحربي", "0501234567", "someone@example.com", "SA0380000000608010167519")
ALWAYS_A_NUMBER = 1087654339
WORDS = st.sampled_from(
    ["", " ", ".", ",", "\n", "\t", "…", "«»", "؛", "é", "عن", "of the", "\u2028", "\U0001f600", "{}"]
)
TEXTS = st.lists(st.sampled_from(PLANTED) | WORDS, max_size=4).map(" | ".join)
KEYS = st.sampled_from(
    ["id", "name", "type", "text", "content", "data", "role", "input", "x", "national_id", "tool_use"]
)
TREES = st.recursive(
    TEXTS | st.integers() | st.booleans() | st.none() | st.sampled_from([ALWAYS_A_NUMBER, 0.1, -0.0]),
    lambda inner: st.lists(inner, max_size=4) | st.dictionaries(KEYS, inner, max_size=4),
    max_leaves=25,
)


@st.composite
def bodies(draw: Any) -> tuple[dict[str, Any], str]:
    """A body in which a tree stands wherever trees may, and its provider."""
    provider = draw(st.sampled_from(["anthropic", "openai"]))
    tree = draw(TREES)
    if provider == "openai":
        call = {"id": "call_1", "type": "function", "function": {"name": "f", "arguments": json.dumps({"tree": tree})}}
        messages = [
            {"role": "system", "content": draw(TEXTS)},
            {"role": "user", "content": [{"type": "text", "text": draw(TEXTS)}]},
            {"role": "assistant", "content": None, "tool_calls": [call]},
            {"role": "tool", "tool_call_id": "call_1", "content": draw(TEXTS)},
        ]
        return {"messages": messages, "stop": [draw(TEXTS)]}, provider
    messages = [
        {"role": "user", "content": draw(TEXTS)},
        {"role": "assistant", "content": [{"type": "tool_use", "id": "toolu_1", "name": "f", "input": {"tree": tree}}]},
        {"role": "user", "content": [{"type": "tool_result", "tool_use_id": "toolu_1", "content": draw(TEXTS)}]},
        {"role": "user", "content": [{"type": "text", "text": draw(TEXTS)}]},
    ]
    return {"system": draw(TEXTS), "messages": messages}, provider


def _parsed(body: dict[str, Any]) -> dict[str, Any]:
    """The body with its tools' arguments as trees."""
    for message in body["messages"]:
        for call in message.get("tool_calls", ()):
            call["function"]["arguments"] = json.loads(call["function"]["arguments"])
    return body


@settings(max_examples=80)
@given(bodies())
def test_no_planted_value_leaves_and_tokens_put_back_give_the_body(case: tuple[dict[str, Any], str]):
    body, provider = case
    result = masked(body, provider)
    shown = json.loads(result.body)

    for text in strings_in(shown):
        assert not any(value in text for value in PLANTED)
    back = restored(_parsed(shown), result)
    assert back == _parsed(body)


@settings(max_examples=40)
@given(bodies(), st.integers(0, 3))
def test_what_comes_later_changes_nothing_before_it(case: tuple[dict[str, Any], str], kept: int):
    body, provider = case
    shorter = {**body, "messages": body["messages"][:kept]}

    whole, part = (json.loads(masked(tree, provider).body)["messages"] for tree in (body, shorter))

    assert whole[:kept] == part


JSON = st.recursive(
    st.none() | st.booleans() | st.floats(allow_nan=False, allow_infinity=False) | st.integers() | st.text(),
    lambda inner: st.lists(inner) | st.dictionaries(st.text(), inner),
)


@settings(max_examples=50)
@given(JSON)
def test_json_is_written_as_it_was_read(tree: Any):
    text = json.dumps(tree, ensure_ascii=False, separators=(",", ":"))

    assert write(read_strict(text)) == text.encode()
