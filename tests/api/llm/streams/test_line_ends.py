"""Streams with CR, LF or CRLF line ends, and streams without the end of their last event, give the same texts.

The reader here follows the standard (WHATWG HTML, section 9.2.6), which discards an event without a blank line.
"""

import json
import re
from random import Random

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from api.llm.model import Minted, Provider
from api.llm.streams import RestoredStream
from tests.api.llm.sdk_reader import choice, chunk, event, start, stop, text
from tests.api.llm.strategies import ORIGINALS, cut

TOKEN = "<MASKED_PERSON_ab12cd34>"
NAME = ORIGINALS[TOKEN]
ENDS = [b"\n", b"\r\n", b"\r"]
FRAMES = {
    Provider.ANTHROPIC: [
        start(0, type="text", text=""),
        text(0, "Dear "),
        text(0, TOKEN[:9]),
        text(0, TOKEN[9:] + "!"),
        stop(0),
        event({"type": "message_stop", "said": TOKEN}),
    ],
    Provider.OPENAI: [
        chunk(choice(content="Dear ")),
        chunk(choice(content=TOKEN[:9])),
        chunk(choice(content=TOKEN[9:] + "!")),
        b"data: [DONE]\n\n",
    ],
}


def _read(stream: bytes) -> list[tuple[str, str]]:
    """The events of a stream by the standard: type and data."""
    found: list[tuple[str, str]] = []
    kind, data = "", list[str]()
    for line in re.split("\r\n|\r|\n", stream.decode())[:-1]:
        name, _, value = line.partition(":")
        if not line:
            found += [(kind, "\n".join(data))] if data else []
            kind, data = "", []
        elif name == "data":
            data.append(value.removeprefix(" "))
        elif name == "event":
            kind = value.removeprefix(" ")
    return found


def _sent(provider: Provider, pieces: list[bytes]) -> list[tuple[str, object]]:
    stream = RestoredStream(provider, Minted(ORIGINALS))
    out = b"".join(stream.feed(piece) for piece in pieces) + stream.end()
    return [(kind, data if data == "[DONE]" else json.loads(data)) for kind, data in _read(out)]


@pytest.mark.parametrize("unended", [0, 1, 2], ids=["ended", "a line end is missing", "both are missing"])
@pytest.mark.parametrize("end", ENDS, ids=["LF", "CRLF", "CR"])
@pytest.mark.parametrize("provider", Provider)
@settings(max_examples=20)
@given(seed=st.integers(0, 2**32))
def test_any_line_end_and_any_split_say_the_same(provider: Provider, end: bytes, unended: int, seed: int) -> None:
    whole = b"".join(FRAMES[provider])
    expected = _sent(provider, [whole])
    assert TOKEN not in str(expected) and NAME in str(expected)
    stream = whole.removesuffix(b"\n" * unended).replace(b"\n", end)
    assert _sent(provider, cut(stream, Random(seed), most=40)) == expected


@pytest.mark.parametrize("end", ENDS, ids=["LF", "CRLF", "CR"])
def test_a_last_event_that_nothing_ended_is_restored_and_ended(end: bytes) -> None:
    stream = RestoredStream(Provider.ANTHROPIC, Minted(ORIGINALS))
    frame = event({"type": "note", "said": TOKEN}).removesuffix(b"\n\n").replace(b"\n", end)
    assert stream.feed(frame) == b""
    assert [json.loads(data)["said"] for _, data in _read(stream.end())] == [NAME]


@pytest.mark.parametrize("end", ENDS, ids=["LF", "CRLF", "CR"])
def test_an_event_does_not_wait_for_the_byte_behind_its_end(end: bytes) -> None:
    stream = RestoredStream(Provider.OPENAI, Minted(ORIGINALS))
    frame = chunk(choice(content="Dear ")).replace(b"\n", end)
    assert b"".join(stream.feed(frame[at : at + 1]) for at in range(len(frame))).rstrip() == frame.rstrip()
