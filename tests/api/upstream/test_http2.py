"""HTTP/2 where a provider offers it: each call alone on its connection, so that one that is abandoned ends there."""

import asyncio
import logging
from collections.abc import Awaitable, Callable
from pathlib import Path

import pytest

from api.llm.model import Provider
from api.upstream.client import ProviderRequest, Timeouts, Upstream
from schemas.errors import ProviderTimeout, ProviderUnreachable
from tests.api.upstream.http2_provider import Second

CALL = ProviderRequest(Provider.OPENAI, [(b"authorization", b"Bearer sk-secret-of-http2")], "", b'{"messages": []}')


def running(folder: Path, job: Callable[[Upstream, Second], Awaitable[None]], *, trusts: bool = True) -> None:
    async def run() -> None:
        second = Second()
        async with second.listening(folder) as (url, verify):
            upstream = Upstream({Provider.OPENAI: f"{url}/v1"}, verify if trusts else None)
            upstream.timeouts = Timeouts(5, 5, 5)
            try:
                await asyncio.wait_for(job(upstream, second), 30)
            finally:
                await upstream.close()

    asyncio.run(run())


async def read(upstream: Upstream) -> bytes:
    async with upstream.send(CALL) as response:
        assert response.status == 200 and response.is_event_stream
        return b"".join([piece async for piece in response.chunks()])


def test_one_connection_for_one_call_after_another(tmp_path: Path) -> None:
    async def job(upstream: Upstream, second: Second) -> None:
        for _ in range(5):
            assert await read(upstream) == b": hello\n\n"
        assert second.connections == 1
        assert {request[b":path"] for request in second.requests} == {b"/v1/chat/completions"}
        await asyncio.gather(*(read(upstream) for _ in range(4)))
        assert second.connections == 4

    running(tmp_path, job)


def test_the_provider_notices_an_abandoned_call(tmp_path: Path) -> None:
    """A hundred and fifty of them, more than a connection has streams; and the calls beside them go on."""

    async def job(upstream: Upstream, second: Second) -> None:
        second.ends = False
        async with upstream.send(CALL) as neighbour:
            pieces = neighbour.chunks()
            assert await anext(pieces) == b": hello\n\n"
            for _ in range(150):
                async with upstream.send(CALL) as response:
                    await anext(response.chunks())
                await second.lost.acquire()
            second.ends = True
            assert await read(upstream) == b": hello\n\n"
            assert upstream.connections.busy == 1

    running(tmp_path, job)


def test_a_call_that_is_cancelled_before_its_answer(tmp_path: Path) -> None:
    async def job(upstream: Upstream, second: Second) -> None:
        second.ends = False
        upstream.timeouts = Timeouts(read=0.05)
        with pytest.raises(ProviderTimeout):
            await read(upstream)
        await second.lost.acquire()
        upstream.timeouts = Timeouts()
        call = asyncio.create_task(read(upstream))
        while second.connections < 2:
            await asyncio.sleep(0)
        call.cancel()
        await asyncio.wait({call})
        await second.lost.acquire()
        assert upstream.connections.busy == 0

    running(tmp_path, job)


def test_a_certificate_without_a_trusted_issuer(tmp_path: Path) -> None:
    async def job(upstream: Upstream, second: Second) -> None:
        with pytest.raises(ProviderUnreachable):
            await read(upstream)
        assert not second.requests

    running(tmp_path, job, trusts=False)


def test_no_library_writes_the_key_to_a_log(tmp_path: Path, caplog: pytest.LogCaptureFixture) -> None:
    """Not even where everything is logged: at DEBUG they write headers."""

    async def job(upstream: Upstream, second: Second) -> None:
        await read(upstream)

    with caplog.at_level(logging.DEBUG):
        running(tmp_path, job)
    assert "sk-secret-of-http2" not in caplog.text
