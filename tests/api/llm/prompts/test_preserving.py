"""The instruction to keep tokens: behind the caller's own system prompt, and in words that are always the same."""

from typing import Any

import pytest

from api.llm.prompt import INSTRUCTION
from pipeline.transform.mask import TOKEN
from tests.api.llm.prompts.prompting import NAME, sent

TEXT = {"type": "text", "text": INSTRUCTION}
CACHED = {"type": "text", "text": "Be kind", "cache_control": {"type": "ephemeral"}}


def test_its_words_are_no_token():
    assert "<MASKED_" in INSTRUCTION
    assert TOKEN.search(INSTRUCTION) is None


@pytest.mark.parametrize(
    ("system", "after"),
    [
        ([CACHED], [CACHED, TEXT]),
        ([], [TEXT]),
        ("Be kind", f"Be kind\n\n{INSTRUCTION}"),
        ("", INSTRUCTION),
        (None, INSTRUCTION),
        (7, 7),
    ],
)
def test_anthropics_system_prompt_ends_with_it(system: Any, after: Any):
    assert sent({"system": system, "messages": []}, preserve_tags=True)["system"] == after
    assert sent({"system": system, "messages": []})["system"] == system


def test_anthropics_system_prompt_is_made_where_there_is_none():
    assert sent({"messages": []}, preserve_tags=True) == {"messages": [], "system": INSTRUCTION}


@pytest.mark.parametrize(
    ("roles", "after"),
    [
        ([], ["system!"]),
        (["user"], ["system!", "user"]),
        (["system", "user"], ["system", "system!", "user"]),
        (["system", "developer", "user", "system"], ["system", "developer", "developer!", "user", "system"]),
        ([None], ["system!", None]),
        ([["system"]], ["system!", ["system"]]),
    ],
)
def test_openais_leading_system_messages_end_with_it(roles: list[Any], after: list[Any]):
    body = {"messages": [{"role": role, "content": "hi"} for role in roles]}

    messages = sent(body, "openai", preserve_tags=True)["messages"]

    assert [f"{m['role']}!" if m["content"] == INSTRUCTION else m["role"] for m in messages] == after


def test_the_text_before_the_instruction_is_masked_as_without_it():
    body = {"system": [{"type": "text", "text": f"About {NAME}"}], "messages": []}

    assert sent(body, preserve_tags=True)["system"][:-1] == sent(body)["system"]
