"""An answer that goes on from a prompt's end: what is restored is escaped where the two together are JSON."""

import json
from typing import Any

import pytest

from api.engine.serialization import pack_prompt, unpack_prompt
from api.llm.answers import restored
from api.llm.model import Minted, Provider
from api.llm.restore import prefill
from tests.api.llm.prompts.prompting import masked
from tests.api.llm.sdk_reader import blocks, passed, start, stop, text

T = "<MASKED_ADDRESS_0badcafe>"
VALUE = "7431 Prince Sultan Street\nAl Olaya, Riyadh 12611"
ESCAPED = VALUE.replace("\n", "\\n")
PREFILLED = {
    "a brace": ("{", f'"a": "{T}"}} for "{T}"', f'"a": "{ESCAPED}"}} for "{VALUE}"'),
    "a bracket": ("[", f'{{"a": "{T}"}}]', f'{{"a": "{ESCAPED}"}}]'),
    "the midst of a string": ('{"a": "He lives in', f' {T}", "b": "{T}"}}', f' {ESCAPED}", "b": "{ESCAPED}"}}'),
    "a value's beginning": ('{"a":', f' "{T}"}}', f' "{ESCAPED}"}}'),
    "a fence": ("```json\n", f'"{T}"\n```\n"{T}"', f'"{ESCAPED}"\n```\n"{VALUE}"'),
    "words and a brace": ("Here:\n\n{", f'"a": "{T}"}}', f'"a": "{ESCAPED}"}}'),
    "a token": (f'{{"{T}": "', f'{T}"}}', f'{ESCAPED}"}}'),
    "a token that is cut": ('{"a": "<MASKED_ADDR', f' {T}"}}', f' {ESCAPED}"}}'),
    "words": ("Certainly:", f' "{T}"', f' "{VALUE}"'),
    "words that end like a token": ("I am", f'm "{T}"', f'm "{VALUE}"'),
    "JSON that is over": ('{"a": 1}', f' is "{T}"', f' is "{VALUE}"'),
    "a quote": ('He said "', f'{T}"', f'{VALUE}"'),
    "an escape that is cut": ('{"a": "\\', f'n{T}"}}', f'n{ESCAPED}"}}'),
    "nothing": ("", f'"a": "{T}"}}', f'"a": "{VALUE}"}}'),
}


@pytest.mark.parametrize(("begun", "said", "expected"), PREFILLED.values(), ids=PREFILLED.keys())
def test_an_answer_goes_on_from_the_prompts_end(begun: str, said: str, expected: str) -> None:
    minted = Minted({T: VALUE}, prefill=begun)
    again = {"type": "text", "text": f'"{T}"'}
    message = {"type": "message", "content": [{"type": "text", "text": said}, again]}
    whole = json.loads(restored(json.dumps(message).encode(), Provider.ANTHROPIC, minted))
    assert [block["text"] for block in whole["content"]] == [expected, f'"{VALUE}"']
    for at in range(len(said) + 1):
        frames = (
            start(0, type="text", text=""), text(0, said[:at]), text(0, said[at:]), stop(0),
            start(1, type="text", text=""), text(1, f'"{T}"'), stop(1),
        )  # fmt: skip
        texts = blocks(passed(Provider.ANTHROPIC, minted, frames))
        assert (texts[0]["text"], texts[1]["text"]) == (expected, f'"{VALUE}"')
    early = (start(0, type="text", text=said[:3]), text(0, said[3:]), stop(0))
    assert blocks(passed(Provider.ANTHROPIC, minted, early))[0]["text"] == expected


USER = {"role": "user", "content": "Give JSON."}
LAST: dict[str, tuple[list[Any], str]] = {
    "a string": ([USER, {"role": "assistant", "content": "{"}], "{"),
    "blocks": (
        [USER, {"role": "assistant", "content": [{"type": "text", "text": "["}, {"type": "text", "text": "{"}]}],
        "{",
    ),
    "a call": ([USER, {"role": "assistant", "content": [{"type": "tool_use", "text": "{"}]}], ""),
    "the user's": ([USER], ""),
    "an earlier one": ([{"role": "assistant", "content": "{"}, USER], ""),
    "nothing": ([], ""),
    "empty": ([USER, {"role": "assistant", "content": []}], ""),
    "no message": ([USER, "{"], ""),
    "too long": ([USER, {"role": "assistant", "content": "{" * 10_000}], ""),
}


@pytest.mark.parametrize(("messages", "expected"), LAST.values(), ids=LAST.keys())
def test_only_the_assistants_last_words_begin_an_answer(messages: list[Any], expected: str) -> None:
    assert prefill({"messages": messages}, Provider.ANTHROPIC) == expected
    assert prefill({"messages": messages}, Provider.OPENAI) == ""


def test_a_masked_prompt_keeps_its_prefill_also_over_the_wire() -> None:
    words = '{"email": "noura@example.com", "phone": "'
    prompt = masked({"messages": [USER, {"role": "assistant", "content": words}]})
    (token,) = prompt.minted.originals
    assert prompt.minted.prefill == words.replace("noura@example.com", token)
    assert unpack_prompt(*pack_prompt(prompt)) == prompt
