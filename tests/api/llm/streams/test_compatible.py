"""Completion streams of providers that take OpenAI's format less exactly: their texts come out whole all the same."""

from collections.abc import Callable
from typing import Any

import pytest

from api.llm.model import Minted, Provider
from tests.api.llm.sdk_reader import Json, chunk, events, passed

T = "<MASKED_PERSON_ab12cd34>"
VALUE = 'Nora "N" Alfulan'
MINTED = Minted({T: VALUE})
STOP = chunk({"index": 0, "delta": {}, "finish_reason": "stop"})


def _parts(piece: str) -> Json:
    return {"delta": {"content": [{"type": "text", "text": piece}]}}


def _reasons(piece: str) -> Json:
    return {"delta": {"reasoning_details": [{"type": "reasoning.text", "text": piece}]}}


def _called(piece: str, **more: Any) -> Json:
    return {"delta": {"tool_calls": [{**more, "function": {"arguments": piece}}]}}


SHAPES: dict[str, tuple[Callable[[str], Json], Callable[[Json], str]]] = {
    "an empty finish_reason": (
        lambda piece: {"delta": {"content": piece}, "finish_reason": ""}, lambda said: said["delta"].get("content", ""),
    ),
    "a finish_reason of no kind": (
        lambda piece: {"delta": {"content": piece}, "finish_reason": False},
        lambda said: said["delta"].get("content", ""),
    ),
    "content in parts": (_parts, lambda said: "".join(part["text"] for part in said["delta"].get("content", ()))),
    "reasoning in parts without index": (
        _reasons, lambda said: "".join(part["text"] for part in said["delta"].get("reasoning_details", ())),
    ),
    "text": (lambda piece: {"text": piece}, lambda said: said.get("text", "")),
    "a message": (
        lambda piece: {"message": {"content": piece}}, lambda said: said.get("message", {}).get("content", ""),
    ),
    "content that is signed": (
        lambda piece: {"delta": {"content": piece, "signature": "c2ln"}}, lambda said: said["delta"].get("content", ""),
    ),
    "a part that is signed": (
        lambda piece: {"delta": {"content": [{"type": "text", "text": piece, "signature": "c2ln"}]}},
        lambda said: "".join(part["text"] for part in said["delta"].get("content", ())),
    ),
}  # fmt: skip


def _choices(raw: bytes) -> list[Json]:
    return [part for _, body in events(raw) if body != "[DONE]" for part in body["choices"]]


@pytest.mark.parametrize(("made", "read"), SHAPES.values(), ids=SHAPES.keys())
@pytest.mark.parametrize("last", [STOP, b""])
def test_a_text_is_put_together_however_it_is_sent(
    made: Callable[[str], Json], read: Callable[[Json], str], last: bytes
) -> None:
    whole = f"Hi {T} <MAS"
    for at in range(len(whole) + 1):
        frames = (chunk({"index": 0, **made(piece)}) for piece in (whole[:at], whole[at:]))
        assert "".join(map(read, _choices(passed(Provider.OPENAI, MINTED, (*frames, last))))) == f"Hi {VALUE} <MAS"
    letters = (chunk({"index": 0, **made(letter)}) for letter in whole)
    assert "".join(map(read, _choices(passed(Provider.OPENAI, MINTED, (*letters, last))))) == f"Hi {VALUE} <MAS"


def test_what_was_held_is_added_to_the_last_part_of_its_kind() -> None:
    end = chunk({"index": 0, **_parts("KED"), "finish_reason": "stop"})
    (first, last) = _choices(passed(Provider.OPENAI, MINTED, (chunk({"index": 0, **_parts("see <MAS")}), end)))
    assert (first["delta"], last["delta"]) == (_parts("see ")["delta"], _parts("<MASKED")["delta"])
    two = {"content": [{"type": "text", "text": "see <MAS"}, {"type": "text", "text": "KED"}]}
    (both,) = _choices(passed(Provider.OPENAI, MINTED, (chunk({"index": 0, "delta": two, "finish_reason": "stop"}),)))
    assert [part["text"] for part in both["delta"]["content"]] == ["see ", "<MASKED"]


def test_parts_of_several_kinds_do_not_mix() -> None:
    other = chunk({"index": 0, "delta": {"content": [{"type": "reference", "text": "ab12cd34>"}]}})
    frames = (chunk({"index": 0, **_parts(T[:15])}), other, chunk({"index": 0, **_parts(T[15:])}), STOP)
    parts = [
        part for said in _choices(passed(Provider.OPENAI, MINTED, frames)) for part in said["delta"].get("content", ())
    ]
    assert "".join(part["text"] for part in parts if part["type"] == "text") == VALUE
    assert [part["text"] for part in parts if part["type"] == "reference"] == ["ab12cd34>"]


ESCAPED = VALUE.replace('"', '\\"')


@pytest.mark.parametrize("ids", [("1", "1"), ("1", ""), ("", "")])
def test_a_call_without_index_goes_on_under_its_id_or_without_any(ids: tuple[str, str]) -> None:
    whole = f'{{"a": "{T}", "b": "<MAS'
    for at in range(len(whole) + 1):
        pieces = zip(ids, (whole[:at], whole[at:]), strict=True)
        frames = (chunk({"index": 0, **_called(piece, **({"id": own} if own else {}))}) for own, piece in pieces)
        calls = [call for said in _choices(passed(Provider.OPENAI, MINTED, (*frames, STOP)))
                 for call in said["delta"].get("tool_calls", ())]  # fmt: skip
        assert "".join(call["function"]["arguments"] for call in calls) == f'{{"a": "{ESCAPED}", "b": "<MAS'


def test_another_id_is_another_call() -> None:
    arguments = f'{{"a": "{T}"}}'
    frames = (chunk({"index": 0, **_called(arguments, id=own, type="function")}) for own in ("1", "2"))
    calls = [said["delta"]["tool_calls"][0] for said in _choices(passed(Provider.OPENAI, MINTED, frames))]
    assert [call["function"]["arguments"] for call in calls] == [f'{{"a": "{ESCAPED}"}}'] * 2
    held = (chunk({"index": 0, **_called('{"a": "<MAS', id=own)}) for own in ("1", "2"))
    calls = [said["delta"]["tool_calls"][0] for said in _choices(passed(Provider.OPENAI, MINTED, held))]
    assert [(call["id"], call["function"]["arguments"]) for call in calls] == [
        ("1", '{"a": "'), ("2", '{"a": "'), ("1", "<MAS"), ("2", "<MAS"),
    ]  # fmt: skip
