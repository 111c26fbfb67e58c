"""Streams in which JSON stands inside a text: in a string of a tool's input, or between the fences of prose."""

import json

import pytest

from api.llm.model import Minted, Provider
from tests.api.llm.sdk_reader import blocks, call, choice, choices, chunk, delta, passed, text
from tests.api.llm.strategies import ORIGINALS

OTHER = "<MASKED_PERSON_ab12cd35>"
MINTED = Minted(ORIGINALS)


@pytest.mark.parametrize("provider", Provider)
def test_json_in_a_string_of_a_tools_input_stays_json_at_every_split(provider: Provider) -> None:
    inner = json.dumps({"address": OTHER, "more": json.dumps([{"to": OTHER}])})
    whole = json.dumps({"body": inner, "note": OTHER})
    for at in range(len(whole) + 1):
        if provider is Provider.ANTHROPIC:
            frames = [delta(0, "input_json_delta", partial_json=piece) for piece in (whole[:at], whole[at:])]
            said = blocks(passed(provider, MINTED, frames))[0]["partial_json"]
        else:
            frames = [chunk(call(piece)) for piece in (whole[:at], whole[at:])]
            said = choices(passed(provider, MINTED, frames))[0]["tool_calls"][0]["function"]["arguments"]
        read = json.loads(said)
        body = json.loads(read["body"])
        assert (read["note"], body["address"]) == (ORIGINALS[OTHER], ORIGINALS[OTHER])
        assert json.loads(body["more"]) == [{"to": ORIGINALS[OTHER]}]


@pytest.mark.parametrize("provider", Provider)
def test_json_between_fences_stays_json_at_every_split(provider: Provider) -> None:
    def whole(value: str) -> str:
        return f'"{value}":\n```json\n{json.dumps([value], ensure_ascii=False)}\n```\n"{value}"'

    said = whole(OTHER)
    for at in range(len(said) + 1):
        if provider is Provider.ANTHROPIC:
            read = blocks(passed(provider, MINTED, [text(0, said[:at]), text(0, said[at:])]))[0]["text"]
        else:
            frames = [chunk(choice(content=piece)) for piece in (said[:at], said[at:])]
            read = choices(passed(provider, MINTED, frames))[0]["content"]
        assert read == whole(ORIGINALS[OTHER])
