"""Message streams: every block comes out whole, in its place, and nothing waits longer than it must."""

import json
from random import Random

import pytest
from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st

from api.llm.model import Minted, Provider
from api.llm.streams import RestoredStream
from tests.api.llm.sdk_reader import blocks, delta, event, events, passed, start, stop, text
from tests.api.llm.strategies import ORIGINALS, cut, filled, masked, planted

T, NUMBER = "<MASKED_PERSON_ab12cd34>", "<MASKED_RESIDENCE_PERMIT_12345678>"
NAME = ORIGINALS[T]
MINTED = Minted(ORIGINALS, frozenset({NUMBER}))
PING = event({"type": "ping"})
MESSAGE_STOP = event({"type": "message_stop"})


def _passed(*frames: bytes) -> bytes:
    return passed(Provider.ANTHROPIC, MINTED, frames)


@settings(max_examples=60, suppress_health_check=[HealthCheck.large_base_example])
@given(st.lists(st.tuples(planted(), st.booleans()), min_size=1, max_size=3), st.integers(0, 2**32))
def test_any_texts_in_any_frames_and_any_network_chunks_come_back(
    spoken: list[tuple[list[str], bool]], seed: int
) -> None:
    """Blocks of text and of tool input, whose frames come interleaved, with pings and comments in between."""
    chance = Random(seed)
    queues, expected = [], {}
    for index, (parts, is_tool) in enumerate(spoken):
        whole = json.dumps({"a": masked(parts)}) if is_tool else "Dear " + masked(parts)
        kind, field = ("input_json_delta", "partial_json") if is_tool else ("text_delta", "text")
        queues.append([delta(index, kind, **{field: piece}) for piece in cut(whole, chance)] + [stop(index)])
        expected[index] = {"a": filled(parts)} if is_tool else "Dear " + filled(parts)
    frames = [start(index, type="x") for index in range(len(queues))]
    while any(queues):
        frames += (
            chance.choice([queue for queue in queues if queue]).pop(0),
            chance.choice([b"", PING, b": hello\n\n"]),
        )
    said = blocks(passed(Provider.ANTHROPIC, MINTED, cut(b"".join([*frames, MESSAGE_STOP]), chance, most=40)))
    for index, (parts, is_tool) in enumerate(spoken):
        got = json.loads(said[index]["partial_json"]) if is_tool else said[index]["text"]
        assert got == _numbered(expected[index], parts)


def _numbered(expected: object, parts: list[str]) -> object:
    return {"a": 2000000006} if isinstance(expected, dict) and "".join(parts) == NUMBER else expected


def test_a_stream_without_tokens_passes_byte_for_byte() -> None:
    frames = (
        b"\xef\xbb\xbf: hello\r\n\r\n",
        event({"type": "message_start", "message": {"id": "m", "content": []}}, end="\r\n"),
        start(0, type="text", text=""), b": still here\n\n", PING, text(0, "a < b & c, 100%."), b"event: odd\n\n",
        b"id: 7\nretry: 10\nevent: new\ndata: {\"type\":\n data: no\ndata:  \"new\"}\n\n", b"data: no json\n\n",
        delta(0, "thinking_delta", thinking=T), delta(0, "signature_delta", signature=T), delta(0, "new_delta", n=1),
        stop(0), event({"type": "message_delta", "delta": {"stop_reason": "end_turn"}, "usage": {"output_tokens": 5}}),
        MESSAGE_STOP,
    )  # fmt: skip
    raw = b"".join(frames)
    assert _passed(*frames) == raw
    assert _passed(*(raw[at : at + 1] for at in range(len(raw)))) == raw


def test_what_was_held_comes_before_the_block_stops_as_a_delta_of_its_kind() -> None:
    read = events(
        _passed(text(3, "see <MASKED"), PING, stop(3), delta(4, "input_json_delta", partial_json='{"m'), stop(4))
    )
    assert [body["type"] for _, body in read] == [
        "content_block_delta", "ping", "content_block_delta", "content_block_stop",
        "content_block_delta", "content_block_delta", "content_block_stop",
    ]  # fmt: skip
    assert read[2][1] == {"type": "content_block_delta", "index": 3, "delta": {"type": "text_delta", "text": "<MASKED"}}
    assert read[5][1]["delta"] == {"type": "input_json_delta", "partial_json": "m"}


@pytest.mark.parametrize("last", [MESSAGE_STOP, event({"type": "message_delta", "delta": {}}), b""])
def test_what_was_held_comes_before_the_message_is_over(last: bytes) -> None:
    out = _passed(text(0, "see <MASKED"), last)
    assert blocks(out)[0]["text"] == "see <MASKED"
    assert out.endswith(last)


def test_a_frame_of_which_all_waits_is_left_out_and_pings_pass_at_once() -> None:
    stream = RestoredStream(Provider.ANTHROPIC, MINTED)
    assert stream.feed(text(0, "<MASKED_PER")) == b""
    assert stream.feed(PING) == PING
    assert events(stream.feed(text(0, "SON_ab12cd34>")))[0][1]["delta"]["text"] == NAME
    assert stream.feed(text(0, "")) == text(0, "")


@pytest.mark.parametrize("words", ["Hello", " a < b", " R&D", " my", "…", "\n", "<b>", "<MASKED_SSN_0"])
def test_text_that_cannot_be_a_token_comes_out_of_the_same_call_byte_for_byte(words: str) -> None:
    stream = RestoredStream(Provider.ANTHROPIC, MINTED)
    for piece in (words + ".", words + " ", words + "."):
        assert stream.feed(text(0, piece)) == text(0, piece)


def test_blocks_do_not_mix() -> None:
    out = _passed(
        text(0, "<MASKED_PERSON_"), text(1, "ab12cd34> <MASKED_PERSON_"), text(0, "ab12cd34>"), text(1, "ab12cd34>")
    )
    assert blocks(out) == {0: {"text": NAME}, 1: {"text": f"ab12cd34> {NAME}"}}


def test_kinds_of_deltas_of_one_block_do_not_mix() -> None:
    out = _passed(text(0, "<MASKED_"), delta(0, "new_delta", words="<MASKED_PERSON_"), text(0, "PERSON_ab12cd34>"),
                  delta(0, "new_delta", words="ab12cd34>"), stop(0))  # fmt: skip
    assert blocks(out) == {0: {"text": NAME, "words": NAME}}


def test_whole_things_in_events_are_restored_at_once() -> None:
    citation = {"type": "char_location", "cited_text": f"by {T}", "document_title": "m"}
    out = _passed(
        event({"type": "message_start", "message": {"id": T, "content": [{"type": "text", "text": T}]}}),
        start(0, type="tool_use", id=T, name=T, input={"id": T, "n": NUMBER}),
        start(1, type="web_search_tool_result", content=[{"title": T, "url": T, "encrypted_content": T}]),
        delta(2, "citations_delta", citation=citation),
        event({"type": "message_delta", "delta": {"stop_reason": "stop_sequence", "stop_sequence": T}}),
        event({"type": "new_event", "words": T}),
    )
    bodies = [body for _, body in events(out)]
    assert bodies[0]["message"] == {"id": T, "content": [{"type": "text", "text": NAME}]}
    assert bodies[1]["content_block"] == {
        "type": "tool_use",
        "id": T,
        "name": T,
        "input": {"id": NAME, "n": 2000000006},
    }
    assert bodies[2]["content_block"]["content"] == [{"title": NAME, "url": T, "encrypted_content": T}]
    assert bodies[3]["delta"]["citation"] == {**citation, "cited_text": f"by {NAME}"}
    assert bodies[4]["delta"]["stop_sequence"] == NAME
    assert bodies[5]["words"] == NAME


def test_a_block_that_starts_with_text_goes_on_with_it() -> None:
    out = _passed(start(0, type="text", text="Hi <MASKED_"), text(0, "PERSON_ab12cd34>"), stop(0))
    assert blocks(out) == {0: {"text": f"Hi {NAME}"}}


def test_a_signed_summary_passes_and_an_unsigned_one_is_restored() -> None:
    summary = delta(0, "compaction_delta", content=f"About {T}", encrypted_content=None)
    signature = delta(0, "signature_delta", signature="c2ln")
    assert _passed(summary, PING, signature, stop(0)) == PING + summary + signature + stop(0)
    plain = delta(0, "compaction_delta", content="About < nobody", encrypted_content=None)
    assert RestoredStream(Provider.ANTHROPIC, MINTED).feed(plain) == plain
    for last in (stop(0), text(0, "x"), MESSAGE_STOP, b""):
        out = events(_passed(summary, last))
        assert out[0][1]["delta"] == {"type": "compaction_delta", "content": f"About {NAME}", "encrypted_content": None}


def test_a_number_in_streamed_input_is_a_number_again_wherever_it_is_split() -> None:
    whole = f'{{"id": "{NUMBER}", "text": "{NUMBER}."}}'
    for at in range(len(whole) + 1):
        frames = [delta(0, "input_json_delta", partial_json=piece) for piece in (whole[:at], whole[at:])]
        assert blocks(_passed(*frames, stop(0)))[0]["partial_json"] == '{"id": 2000000006, "text": "2000000006."}'


def test_an_error_in_mid_stream_is_restored_and_nothing_is_added() -> None:
    error = {"type": "error", "error": {"type": "overloaded_error", "message": f"no room for {T}"}}
    out = events(_passed(text(0, "Hi <MASK"), event(error)))
    assert [body["type"] for _, body in out] == ["content_block_delta", "content_block_delta", "error"]
    assert out[1][1]["delta"]["text"] == "<MASK"
    assert out[2][1]["error"]["message"] == f"no room for {NAME}"


def test_a_provider_that_dies_leaves_an_error_and_no_end() -> None:
    stream = RestoredStream(Provider.ANTHROPIC, MINTED)
    out = stream.feed(text(0, "Hi <MASK") + text(0, "ED_PERSON")[:-9]) + stream.broken()
    read = events(out)
    assert "".join(body["delta"]["text"] for name, body in read if name == "content_block_delta") == "Hi <MASK"
    name, body = read[-1]
    assert name == body["type"] == "error"
    assert set(body["error"]) == {"type", "message"}
    assert b"stop" not in out


def test_an_event_that_was_whole_when_the_provider_died_still_counts() -> None:
    stream = RestoredStream(Provider.ANTHROPIC, MINTED)
    out = stream.feed(text(0, T)[:-2]) + stream.broken()
    assert [name for name, _ in events(out)] == ["content_block_delta", "error"]
    assert events(out)[0][1]["delta"]["text"] == NAME


@pytest.mark.parametrize("last", [MESSAGE_STOP, event({"type": "error", "error": {"type": "x", "message": "y"}})])
def test_a_connection_lost_behind_the_end_is_no_error(last: bytes) -> None:
    stream = RestoredStream(Provider.ANTHROPIC, MINTED)
    assert stream.feed(last) + stream.broken() == last


@pytest.mark.parametrize("end", ["\n", "\r\n", "\r"])
def test_every_line_end_and_a_last_event_without_blank_line(end: str) -> None:
    body = {"type": "content_block_delta", "index": 0, "delta": {"type": "text_delta", "text": f"{T} <MASK"}}
    raw = event(body, end=end)
    for at in range(len(raw)):
        out = passed(Provider.ANTHROPIC, MINTED, [raw[:at], raw[at:].rstrip(b"\r\n")])
        assert blocks(out)[0]["text"] == f"{NAME} <MASK"
