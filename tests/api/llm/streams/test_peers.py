"""What other proxies of this kind got wrong, each with where it was reported. None of it may happen here."""

import json

import pytest

from api.llm.answers import restored
from api.llm.model import Minted, Provider
from api.llm.streams import RestoredStream
from tests.api.llm.sdk_reader import blocks, choice, choices, chunk, event, events, passed, start, stop, text
from tests.api.llm.strategies import ORIGINALS

T, OTHER = "<MASKED_PERSON_ab12cd34>", "<MASKED_PERSON_ab12cd35>"
NAME = ORIGINALS[T]
MINTED = Minted(ORIGINALS)


def _frames(provider: Provider, pieces: list[str]) -> list[bytes]:
    if provider is Provider.ANTHROPIC:
        return [text(0, piece) for piece in pieces]
    return [chunk(choice(content=piece)) for piece in pieces]


def _said(provider: Provider, raw: bytes) -> str:
    said = blocks(raw)[0]["text"] if provider is Provider.ANTHROPIC else choices(raw)[0]["content"]
    assert isinstance(said, str)
    return said


@pytest.mark.parametrize("provider", Provider)
def test_the_first_words_do_not_wait_for_the_last(provider: Provider) -> None:
    """BerriAI/litellm, pull request 31503: the guardrail read the whole stream before the first word went out."""
    stream = RestoredStream(provider, MINTED)
    for frame in _frames(provider, ["Dear", " customer", ",", " your", " request", " of", " today", ":"]):
        assert stream.feed(frame) == frame


@pytest.mark.parametrize("provider", Provider)
def test_a_token_split_over_two_events_is_restored_at_every_split(provider: Provider) -> None:
    """BerriAI/litellm, issue 41611: what lay across two events passed."""
    for cut in range(1, len(T)):
        out = passed(provider, MINTED, _frames(provider, ["Hi " + T[:cut], T[cut:] + "!"]))
        assert _said(provider, out) == f"Hi {NAME}!"


@pytest.mark.parametrize("provider", Provider)
def test_events_and_characters_split_by_the_network_are_read_whole(provider: Provider) -> None:
    """BerriAI/litellm, pull request 30028: every network chunk was decoded and parsed for itself."""
    raw = b"".join(_frames(provider, ["نورة 😀 ", T, " شكراً\u2028x"]))
    for size in (1, 2, 3, 7, 64):
        out = passed(provider, MINTED, [raw[at : at + size] for at in range(0, len(raw), size)])
        assert _said(provider, out) == f"نورة 😀 {NAME} شكراً\u2028x"


@pytest.mark.parametrize("provider", Provider)
def test_a_token_over_any_number_of_deltas_is_restored(provider: Provider) -> None:
    """BerriAI/litellm, pull request 30316: placeholders split over several deltas stayed."""
    for size in (1, 2, 5):
        pieces = [T[at : at + size] for at in range(0, len(T), size)]
        assert _said(provider, passed(provider, MINTED, _frames(provider, ["Hi ", *pieces, "!"]))) == f"Hi {NAME}!"


@pytest.mark.parametrize("provider", Provider)
def test_no_token_of_the_request_reaches_the_caller_in_any_mode(provider: Provider) -> None:
    """BerriAI/litellm, issue 30447: callers were given tokens. Here plain, streamed and failed answers are restored."""
    answer = {"content": [{"type": "text", "text": T}], "choices": [{"message": {"content": T}}]}
    failure = {"error": {"type": "x", "message": T}}
    streamed = passed(provider, MINTED, [*_frames(provider, [T]), event(failure)])
    for raw in (restored(json.dumps(body).encode(), provider, MINTED) for body in (answer, failure)):
        assert T.encode() not in raw
        assert NAME.encode() in raw
    assert T.encode() not in streamed
    assert streamed.count(NAME.encode()) == 2


def test_two_people_stay_two_people() -> None:
    """BerriAI/litellm, issue 31959: two people had one token."""
    out = _said(Provider.OPENAI, passed(Provider.OPENAI, MINTED, _frames(Provider.OPENAI, [T, " and ", OTHER])))
    assert out == f"{NAME} and {ORIGINALS[OTHER]}"


def test_the_last_chunk_may_have_no_choice() -> None:
    """BerriAI/litellm, issues 36553 and 32519: the chunk that tells usage has `choices: []`."""
    usage = event({"id": "c1", "choices": [], "usage": {"total_tokens": 5}})
    assert passed(Provider.OPENAI, MINTED, [usage, b"data: [DONE]\n\n"]) == usage + b"data: [DONE]\n\n"


def test_what_is_held_does_not_come_behind_the_end_nor_in_another_block() -> None:
    """sgasser/pasteguard: the rest came as block 0, behind message_stop."""
    out = passed(
        Provider.ANTHROPIC,
        MINTED,
        [start(2, type="text", text=""), text(2, "see <MASKED"), stop(2), event({"type": "message_stop"})],
    )
    assert blocks(out)[2]["text"] == "see <MASKED"
    assert [body["type"] for _, body in events(out)][-2:] == ["content_block_stop", "message_stop"]


def test_a_value_with_a_quote_does_not_break_the_arguments() -> None:
    """BerriAI/litellm, issue 31950, and sgasser/pasteguard, issue 166: arguments stayed masked, or were no JSON."""
    arguments = json.dumps({"to": OTHER})
    pieces = [arguments[at : at + 4] for at in range(0, len(arguments), 4)]
    frames = [chunk(choice(tool_calls=[{"index": 0, "function": {"arguments": piece}}])) for piece in pieces]
    said = choices(passed(Provider.OPENAI, MINTED, frames))[0]["tool_calls"][0]["function"]["arguments"]
    assert json.loads(said) == {"to": ORIGINALS[OTHER]}
