"""What is written in one turn of the event loop is sent together, and nothing is lost or sent later than it may be."""

import asyncio
from collections.abc import Callable

import pytest

from api.http.joined_writes import JoinedWrites


class Recorder(asyncio.Transport):
    """Notes what is sent."""

    def __init__(self) -> None:
        super().__init__()
        self.sent: list[bytes] = []

    def write(self, data: bytes | bytearray | memoryview) -> None:
        self.sent.append(bytes(data))

    def close(self) -> None:
        self.sent.append(b"closed")

    def abort(self) -> None:
        self.sent.append(b"aborted")


def test_writes_of_one_turn_are_one() -> None:
    async def run() -> None:
        below = Recorder()
        transport = JoinedWrites(below)
        transport.write(b"head")
        transport.write(bytearray(b"body"))
        transport.write(b"")
        assert not below.sent
        await asyncio.sleep(0)
        transport.write(b"next")
        await asyncio.sleep(0)
        assert below.sent == [b"headbody", b"next"]

    asyncio.run(run())


@pytest.mark.parametrize(
    ("end", "sent"), [(JoinedWrites.close, [b"answer", b"closed"]), (JoinedWrites.abort, [b"aborted"])]
)
def test_what_was_written_is_sent_before_it_is_closed_but_not_before_it_is_aborted(
    end: Callable[[JoinedWrites], None], sent: list[bytes]
) -> None:
    async def run() -> None:
        below = Recorder()
        transport = JoinedWrites(below)
        transport.write(b"answer")
        end(transport)
        await asyncio.sleep(0)
        assert below.sent == sent

    asyncio.run(run())


def test_many_bytes_wait_for_no_turn() -> None:
    async def run() -> None:
        below = Recorder()
        transport = JoinedWrites(below)
        for _ in range(3):
            transport.write(b"x" * 40_000)
        assert below.sent == [b"x" * 80_000]
        await asyncio.sleep(0)
        assert below.sent == [b"x" * 80_000, b"x" * 40_000]

    asyncio.run(run())
