"""A conversation that grows keeps what went out before, byte for byte: also when later messages quote tokens."""

from typing import Any

from hypothesis import given, settings
from hypothesis import strategies as st

from tests.api.llm.prompts.prompting import ID, NAME, OTHER_ID, masked, said, sent, tokens_of

VALUES = {ID: "ID {}", OTHER_ID: "iqama {}", NAME: "I am {}", "someone@example.com": "mail {}", "0501234567": "call {}"}
TOKENS = {value: tokens_of(said(cue.format(value)))[0] for value, cue in VALUES.items()}


def user(text: str) -> dict[str, Any]:
    return {"role": "user", "content": text}


def thought(text: str) -> dict[str, Any]:
    return {"role": "assistant", "content": [{"type": "thinking", "thinking": text, "signature": "c2ln"}]}


def test_a_token_quoted_later_changes_nothing_and_restores() -> None:
    token, question = TOKENS[NAME], user(f"I am {NAME}. Greet me.")
    turns = [question, thought(f"The user is {token}."), user(f"Your thinking says {token}. Is that {NAME}?")]

    result = masked({"messages": turns})

    assert sent({"messages": turns})["messages"] == [
        user(f"I am {token}. Greet me."),
        turns[1],
        user(f"Your thinking says {token}. Is that {token}?"),
    ]
    assert result.minted.originals == {token: NAME}


def test_a_token_quoted_before_its_value_keeps_what_it_was() -> None:
    token = TOKENS[NAME]
    turns = [user(f"What is {token}?"), user(f"I am {NAME}."), user(f"Not {token}?")]

    first, second, third = (turn["content"] for turn in sent({"messages": turns})["messages"])

    assert (first, third) == (f"What is {token}?", f"Not {token}?")
    assert tokens_of(second) != [token]
    assert token not in masked({"messages": turns}).minted.originals


def test_a_token_that_a_tool_quotes_counts_before_the_messages() -> None:
    token = TOKENS[NAME]
    tool = {"name": "find", "description": f"Finds {token}", "input_schema": {}}

    result = sent({"messages": [user(f"I am {NAME}.")], "tools": [tool]})

    assert result["tools"] == [tool]
    assert token not in result["messages"][0]["content"]


WORDS = st.sampled_from(
    [*VALUES, *TOKENS.values(), *(token.strip("<>").lower() for token in TOKENS.values()), "and", "?"]
)
TEXTS = st.lists(WORDS, min_size=1, max_size=4).map(", ".join)
MESSAGES = st.lists(st.builds(user, TEXTS) | st.builds(thought, TEXTS) | st.builds(
    lambda text: {"role": "assistant", "content": text}, TEXTS
), min_size=1, max_size=6)  # fmt: skip


@settings(max_examples=150)
@given(MESSAGES, MESSAGES)
def test_whatever_is_appended_the_masked_conversation_begins_as_before(turns: list[Any], more: list[Any]) -> None:
    before = sent({"system": "Be kind", "messages": turns})["messages"]

    after = sent({"system": "Be kind", "messages": turns + more})["messages"]

    assert after[: len(turns)] == before
