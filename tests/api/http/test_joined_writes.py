"""What is written in one turn of the event loop goes out at once, in order, and nothing of it is lost or kept."""

import asyncio

from api.http.joined_writes import JoinedWrites


class Recorded(asyncio.Transport):
    """A transport that keeps what it sends."""

    def __init__(self) -> None:
        super().__init__()
        self.sent: list[bytes] = []
        self.is_closed = False

    def write(self, data: bytes | bytearray | memoryview) -> None:
        self.sent.append(bytes(data))

    def is_closing(self) -> bool:
        return self.is_closed

    def close(self) -> None:
        self.is_closed = True


async def _written(*pieces: bytes, close: bool = False) -> tuple[list[bytes], list[bytes]]:
    """What was sent when these pieces had been written, and a turn later."""
    inner = Recorded()
    outer = JoinedWrites(inner, asyncio.get_running_loop())
    for piece in pieces:
        outer.write(piece)
    if close:
        outer.close()
    at_once = [*inner.sent]
    await asyncio.sleep(0)
    return at_once, inner.sent


def test_head_and_body_are_one_write() -> None:
    assert asyncio.run(_written(b"head", b"body")) == ([], [b"headbody"])


def test_nothing_waits_for_more_than_a_turn() -> None:
    async def turns() -> list[bytes]:
        inner = Recorded()
        outer = JoinedWrites(inner, asyncio.get_running_loop())
        for piece in (b"one", b"two"):
            outer.write(piece)
            await asyncio.sleep(0)
        return inner.sent

    assert asyncio.run(turns()) == [b"one", b"two"]


def test_much_is_sent_at_once_and_only_once() -> None:
    much = bytes(64 * 1024)
    assert asyncio.run(_written(b"head", much, b"end")) == ([b"head" + much], [b"head" + much, b"end"])


def test_what_was_written_goes_out_before_the_end() -> None:
    assert asyncio.run(_written(b"head", b"body", close=True)) == ([b"headbody"], [b"headbody"])


def test_nothing_is_written_to_a_connection_that_has_ended() -> None:
    async def ended() -> list[bytes]:
        inner = Recorded()
        outer = JoinedWrites(inner, asyncio.get_running_loop())
        outer.write(b"late")
        inner.is_closed = True
        await asyncio.sleep(0)
        return inner.sent

    assert asyncio.run(ended()) == []
