"""Server-sent events: lines end where the standard says and nowhere else, and events pass byte for byte."""

import pytest
from anthropic._streaming import SSEDecoder
from hypothesis import given
from hypothesis import strategies as st

from api.llm import sse
from api.llm.model import StreamTooLong
from tests.api.llm.strategies import split

_LINES = st.sampled_from(
    [
        "data: x",
        "data:x",
        "data",
        "data: é😀",
        "event: ping",
        "id: 1",
        "retry: 10",
        ": comment",
        "",
        "",
        "foo",
        ":",
        "data: a:b",
    ]
)
_ENDS = st.sampled_from(["\n", "\r\n", "\r"])
_streams = st.lists(st.tuples(_LINES, _ENDS), max_size=15).map(
    lambda lines: "".join(line + end for line, end in lines).encode()
)


@given(_streams, st.booleans(), st.data())
def test_events_are_those_that_an_official_client_reads_however_the_bytes_come(
    stream: bytes, bom: bool, data: st.DataObject
) -> None:
    raw = (b"\xef\xbb\xbf" if bom else b"") + stream
    events = _events(split(raw, data))
    assert b"".join(event.raw for event in events) == raw
    read = [(event.name, event.data) for event in events if event.data is not None]
    chunks = iter([stream])
    official = [(event.event, event.data) for event in SSEDecoder().iter_bytes(chunks) if event.data]
    assert [pair for pair in read if pair[1]][: len(official)] == official


@pytest.mark.parametrize("character", ["\u2028", "\u2029", "\x85", "\x0b", "\x0c", "\x1c", "\x1e"])
def test_a_line_ends_at_nothing_else(character: str) -> None:
    (event,) = _events([f'data: {{"t":"a{character}b"}}\n\n'.encode()])
    assert event.data == f'{{"t":"a{character}b"}}'


def test_characters_cut_by_the_network_come_out_whole() -> None:
    raw = "data: نورة 😀\n\n".encode()
    assert [event.data for event in _events([bytes([byte]) for byte in raw])] == ["نورة 😀"]


@pytest.mark.parametrize("end", [b"\n", b"\r\n", b"\r"])
def test_lines_cut_by_the_network_anywhere_are_the_same_event(end: bytes) -> None:
    raw = end.join([b"event: ping", b"data: a", b"data: b", b"", b"data: c", b"", b""])
    for size in (1, 2, 3, len(raw)):
        events = _events([raw[at : at + size] for at in range(0, len(raw), size)])
        assert [(event.name, event.data) for event in events if event.data] == [("ping", "a\nb"), (None, "c")]


def test_data_of_several_lines_is_one_text() -> None:
    assert [event.data for event in _events([b"data: a\ndata: b\r\ndata\n\n"])] == ["a\nb\n"]


def test_a_last_event_needs_no_blank_line() -> None:
    for ending in (b"", b"\n", b"\r\n"):
        parser = sse.EventParser()
        assert list(parser.feed(b"data: [DONE]" + ending)) == []
        rest = parser.last_event()
        assert rest is not None
        assert rest == (b"data: [DONE]" + ending, None, "[DONE]")
        assert parser.last_event() is None


def test_bytes_that_are_no_text_do_not_stop_it() -> None:
    (event,) = _events([b"data: \xff\xfe\x00\n\n"])
    assert event.raw == b"data: \xff\xfe\x00\n\n"


@pytest.mark.parametrize("piece", [b"x" * 65536, b"data: x\n", b": comment\n", b"\x00"])
def test_an_event_without_end_is_too_long(piece: bytes, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(sse, "MAX_EVENT_BYTES", 2**19)
    parser = sse.EventParser()
    block = b"data: " + piece * (2**16 // len(piece))
    with pytest.raises(StreamTooLong):
        for _ in range(9):
            list(parser.feed(block))
    assert [event.data for event in parser.feed(b"data: next\n\n")] == ["next"]


def test_events_as_long_as_they_may_be_pass() -> None:
    parser = sse.EventParser()
    raw = b"data: " + b"x" * (sse.MAX_EVENT_BYTES - 8) + b"\n\n"
    chunks = [raw[at : at + 2**20] for at in range(0, len(raw), 2**20)]
    for _ in range(2):
        assert [len(event.raw) for chunk in chunks for event in parser.feed(chunk)] == [sse.MAX_EVENT_BYTES]


@pytest.mark.parametrize("end", [b"\n", b"\r\n", b"\r"])
def test_other_data_leaves_the_other_lines(end: bytes) -> None:
    raw = end.join(
        [b"\xef\xbb\xbf: hello", b"id: 7", b"data: old", b"event: ping", b"data:older", b"retry: 1", b"", b""]
    )
    new = end.join([b"\xef\xbb\xbf: hello", b"id: 7", b"data: new", b"event: ping", b"retry: 1", b"", b""])
    assert sse.with_data(raw, b"new") == new


def test_text_of_several_lines_is_data_of_several_lines() -> None:
    assert sse.with_data(b"data: x\n\n", b"a\r\nb\nc") == b"data: a\ndata: b\ndata: c\n\n"


@pytest.mark.parametrize("end", [b"\n", b"\r\n", b"\r"])
def test_a_last_event_is_ended_before_another_follows(end: bytes) -> None:
    for missing in (b"", end, end + end):
        events = _events([sse.terminated(b"data: a" + missing), b"data: b\n\n"])
        assert [event.data for event in events if event.data] == ["a", "b"]


def _events(chunks: list[bytes]) -> list[sse.Event]:
    parser = sse.EventParser()
    events = [event for chunk in chunks for event in parser.feed(chunk)]
    rest = parser.last_event()
    return [*events, rest] if rest else events
