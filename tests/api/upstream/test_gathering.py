"""What is written to a provider goes out together when its answer is waited for, in order and without loss."""

import asyncio
from collections.abc import Callable, Coroutine

import httpcore
import pytest

from api.upstream import gathering
from api.upstream.gathering import GatheringBackend

MOST = gathering.MOST


def with_peer(
    job: Callable[[httpcore.AsyncNetworkStream], Coroutine[None, None, None]],
    peer: Callable[[asyncio.StreamReader, asyncio.StreamWriter], Coroutine[None, None, None]],
) -> None:
    async def run() -> None:
        server = await asyncio.start_server(peer, "127.0.0.1", 0)
        async with server:
            stream = await GatheringBackend().connect_tcp("127.0.0.1", server.sockets[0].getsockname()[1], 5)
            await job(stream)
            await stream.aclose()

    asyncio.run(run())


@pytest.mark.parametrize("sizes", [[1], [3, 5], [100, MOST - 100], [100, MOST - 99], [7, 2 * MOST, 9], [MOST, MOST]])
def test_nothing_is_lost_or_exchanged(sizes: list[int]) -> None:
    parts = [bytes([65 + number]) * size for number, size in enumerate(sizes)]

    async def echo(reader: asyncio.StreamReader, writer: asyncio.StreamWriter) -> None:
        writer.write(await reader.readexactly(sum(sizes)))
        await writer.drain()
        writer.close()

    async def job(stream: httpcore.AsyncNetworkStream) -> None:
        for part in parts:
            await stream.write(part, 5)
        came = b""
        while len(came) < sum(sizes):
            came += await stream.read(MOST, 5)
        assert came == b"".join(parts)

    with_peer(job, echo)


def test_it_goes_out_when_an_answer_is_waited_for_and_not_before() -> None:
    came = asyncio.Event()

    async def answer(reader: asyncio.StreamReader, writer: asyncio.StreamWriter) -> None:
        request = await reader.read(MOST)
        came.set()
        writer.write(request)
        await writer.drain()
        writer.close()

    async def job(stream: httpcore.AsyncNetworkStream) -> None:
        await stream.write(b"head", 5)
        for _ in range(100):  # each gives the peer a turn
            await asyncio.sleep(0)
        assert not came.is_set()
        await stream.write(b" body", 5)
        assert await stream.read(MOST, 5) == b"head body"

    with_peer(job, answer)


class Refusing(httpcore.AsyncNetworkStream):
    """Has answered already, and takes nothing more."""

    async def read(self, max_bytes: int, timeout: float | None = None) -> bytes:
        return b"refused"

    async def write(self, buffer: bytes, timeout: float | None = None) -> None:
        raise httpcore.WriteError


def test_an_answer_is_read_also_when_its_sender_takes_no_more() -> None:
    """As a refusal before the request's end is."""

    async def job() -> None:
        stream = gathering.Gathering(Refusing())
        await stream.write(b"more", 5)
        assert await stream.read(MOST, 5) == b"refused"

    asyncio.run(job())
