"""The providers' client: what it decodes, what it calls a failure, and what becomes of its connections."""

import asyncio
import gzip
import socket
from collections.abc import AsyncIterator, Awaitable, Callable
from contextlib import asynccontextmanager

import brotli
import pytest

from api.llm.model import Provider
from api.upstream.client import ProviderRequest, Timeouts, Upstream
from api.upstream.connections import ConnectionPool
from api.upstream.decoding import MAX_CHUNK
from schemas.errors import MaskerUnavailable, ProviderTimeout, ProviderUnreachable
from tests.api.proxy.provider import Play, ScriptedProvider, Turn

TEXT = "قال أحمد: hello. ".encode() * 5000


def running(provider: ScriptedProvider, job: Callable[[Upstream], Awaitable[object]], url: str = "") -> None:
    """The job, with a client of the provider that is closed afterwards."""

    async def run() -> None:
        upstream = Upstream({Provider.ANTHROPIC: url or provider.url})
        upstream.timeouts = Timeouts(connect=5, read=5)
        try:
            await job(upstream)
        finally:
            await upstream.close()

    asyncio.run(run())


def call(query: str = "") -> ProviderRequest:
    return ProviderRequest(Provider.ANTHROPIC, [(b"x-api-key", b"k")], query, b"{}")


@asynccontextmanager
async def read(upstream: Upstream) -> AsyncIterator[bytes]:
    async with upstream.send(call()) as response:
        yield await response.read()


@pytest.mark.parametrize("encoding", ["identity", "gzip", "br"])
@pytest.mark.parametrize("size", [1, 7, 1000, 10**6])
def test_answers_are_decoded_as_they_come(provider: ScriptedProvider, encoding: str, size: int) -> None:
    wanted = TEXT[:900] if size == 1 else TEXT
    packed = {"identity": wanted, "gzip": gzip.compress(wanted), "br": brotli.compress(wanted)}[encoding]

    def play(turn: Turn) -> None:
        pieces = [packed[start : start + size] for start in range(0, len(packed), size)]
        turn.stream(pieces, [("Content-Encoding", encoding), ("Content-Type", "application/json")])

    provider.begin(play)

    async def job(upstream: Upstream) -> None:
        async with upstream.send(call()) as response:
            pieces = [piece async for piece in response.chunks()]
        assert b"".join(pieces) == wanted
        assert all(0 < len(piece) <= MAX_CHUNK for piece in pieces)

    running(provider, job)
    assert provider.turn.headers["accept-encoding"] == "gzip, br"


@pytest.mark.parametrize("encoding", ["gzip", "br"])
def test_a_small_chunk_that_holds_much_comes_out_in_chunks(provider: ScriptedProvider, encoding: str) -> None:
    """No more of it than a piece is in memory at once; a whole answer of that size is refused."""
    held = bytes(70_000_000)
    packed = gzip.compress(held, 1) if encoding == "gzip" else brotli.compress(held, quality=1)
    provider.begin(lambda turn: turn.send(200, packed, [("Content-Encoding", encoding)]))

    async def job(upstream: Upstream) -> None:
        async with upstream.send(call()) as response:
            sizes = [len(piece) async for piece in response.chunks()]
        assert sum(sizes) == len(held) and max(sizes) <= MAX_CHUNK
        with pytest.raises(ProviderUnreachable):
            async with read(upstream):
                pass

    running(provider, job)


def cut_short(turn: Turn) -> None:
    turn.begin()
    turn.more(b"data: 1\n\n")
    turn.die()


REDIRECT = [("Location", "http://127.0.0.1:9/elsewhere")]
FAILURES: dict[str, Play] = {
    "no answer": lambda turn: turn.die(),
    "no HTTP": lambda turn: turn.wire.sendall(b"hello\r\n\r\n"),
    "cut short": cut_short,
    "a moved endpoint": lambda turn: turn.send(307, b"", REDIRECT),
    "another place": lambda turn: turn.send(302, b"", REDIRECT),
    "an encoding nobody asked for": lambda turn: turn.send(200, b"x", [("Content-Encoding", "zstd")]),
    "no gzip": lambda turn: turn.send(200, b"no gzip", [("Content-Encoding", "gzip")]),
    "half of a gzip": lambda turn: turn.send(200, gzip.compress(TEXT)[:50], [("Content-Encoding", "gzip")]),
    "half of a brotli": lambda turn: turn.send(200, brotli.compress(TEXT)[:20], [("Content-Encoding", "br")]),
    "a status that is none": lambda turn: turn.send(999, b"{}"),
    "nothing changed": lambda turn: turn.send(304, b""),
    "fewer bytes than announced": lambda turn: turn.send(200, b"x", [("Content-Length", "5")]),
}


@pytest.mark.parametrize("failure", FAILURES)
def test_failures_are_one_kind_and_tell_nothing(provider: ScriptedProvider, failure: str) -> None:
    """Nothing of them is tried again, and the next call finds a connection that works."""
    plays: list[Play] = [lambda turn: turn.send(200, b"{}"), FAILURES[failure]]
    provider.begin(lambda turn: plays.pop()(turn))

    async def job(upstream: Upstream) -> None:
        with pytest.raises(ProviderUnreachable) as caught:
            async with read(upstream):
                pass
        assert str(caught.value) == "provider_unreachable"
        assert caught.value.__suppress_context__ or caught.value.__context__ is None
        assert len(provider.turns) == 1
        async with read(upstream) as answer:
            assert answer == b"{}"

    running(provider, job)


def test_who_does_not_listen_is_unreachable(provider: ScriptedProvider) -> None:
    with socket.create_server(("127.0.0.1", 0)) as closed:
        url = f"http://127.0.0.1:{closed.getsockname()[1]}"

    async def job(upstream: Upstream) -> None:
        with pytest.raises(ProviderUnreachable):
            async with read(upstream):
                pass

    running(provider, job, url)


@pytest.mark.parametrize("begun", [False, True])
def test_who_does_not_go_on_is_late(provider: ScriptedProvider, begun: bool) -> None:
    """Before the head of the answer, or in the middle of its body; and the provider is told that nobody waits."""

    def play(turn: Turn) -> None:
        if begun:
            turn.begin()
            turn.more(b"data: 1\n\n")
        assert turn.wait_until_gone()

    provider.begin(play)

    async def job(upstream: Upstream) -> None:
        upstream.timeouts = Timeouts(read=0.05)
        with pytest.raises(ProviderTimeout):
            async with read(upstream):
                pass
        assert upstream.connections.busy == 0

    running(provider, job)
    assert provider.turn.gone.wait(5)


def test_connections_are_used_again_until_they_are_closed(provider: ScriptedProvider) -> None:
    """One that the provider has closed meanwhile is not: nothing of a call would tell whether it had arrived."""
    closing = False

    def play(turn: Turn) -> None:
        closes = closing  # before the answer, after which the next call may begin
        turn.send(200, b"{}")
        if closes:
            turn.die()

    provider.begin(play)

    async def job(upstream: Upstream) -> None:
        nonlocal closing
        first = provider.connections
        for _ in range(3):
            async with read(upstream):
                pass
        assert provider.connections == first + 1
        closing = True
        for _ in range(3):
            async with read(upstream):
                pass
            while provider.turns[-1].wire.fileno() >= 0:
                await asyncio.sleep(0.001)
        assert provider.connections == first + 3

    running(provider, job)


def test_too_many_calls_at_once_are_shed(provider: ScriptedProvider) -> None:
    def play(turn: Turn) -> None:
        turn.begin()
        turn.wait_until_gone()

    provider.begin(play)

    async def job(upstream: Upstream) -> None:
        upstream.connections = ConnectionPool(upstream.connections._verify, max_calls=1)
        async with upstream.send(call()):
            with pytest.raises(MaskerUnavailable) as caught:
                async with read(upstream):
                    pass
            assert caught.value.retry_after == 1
        upstream.connections._max_calls, upstream.max_calls_per_account = 10, 1
        async with upstream.send(call()):
            with pytest.raises(MaskerUnavailable):
                async with read(upstream):
                    pass
            async with upstream.send(call()._replace(account="another account")):
                pass
        async with upstream.send(call()):
            pass

    running(provider, job)


def test_a_call_that_is_cancelled_at_any_step_leaves_its_place(provider: ScriptedProvider) -> None:
    """Also while connections are closed that had been idle for too long: 1,024 lost places would be the last call."""
    provider.begin(lambda turn: turn.send(200, b"{}"))

    async def ended(upstream: Upstream) -> None:
        async with read(upstream):
            pass

    async def job(upstream: Upstream) -> None:
        for steps in range(40):
            async with read(upstream), read(upstream):
                pass
            assert upstream.connections.busy == 0
            for connection in (one for each in upstream.connections._idle.values() for one in each):
                connection.http._connection._expire_at = 0
            task = asyncio.create_task(ended(upstream))
            for _ in range(steps):
                await asyncio.sleep(0)
            task.cancel()
            await asyncio.gather(task, return_exceptions=True)
            assert upstream.connections.busy == 0, f"after {steps} steps"

    running(provider, job)


def test_a_redirect_to_no_address_is_no_answer(provider: ScriptedProvider) -> None:
    """Also where the library trips over the address itself."""
    provider.begin(lambda turn: turn.send(302, b"", [("Location", "http://[::bad/")]))

    async def job(upstream: Upstream) -> None:
        with pytest.raises(ProviderUnreachable):
            async with upstream.send(call()):
                pass
        assert upstream.connections.busy == 0

    running(provider, job)


def test_no_cookie_of_a_provider_comes_back_to_it(provider: ScriptedProvider) -> None:
    """One client serves all callers: a session of one shall not be another's."""
    cookies = [("Set-Cookie", "session=1; Path=/"), ("Set-Cookie", 'bad="'), ("Content-Type", "application/json")]
    provider.begin(lambda turn: turn.send(200, b"{}", cookies))

    async def job(upstream: Upstream) -> None:
        for _ in range(2):
            async with upstream.send(call()) as response:
                await response.read()
                assert response.headers == [(b"content-type", b"application/json")]

    running(provider, job)
    assert b"cookie" not in provider.received.lower()


@pytest.mark.parametrize("kind", ["application/json", "text/event-stream"])
def test_of_two_headers_of_one_name_the_first_comes_back(provider: ScriptedProvider, kind: str) -> None:
    """Also when their names are spelled differently; and what the answer is taken for is what the caller is told."""
    twice = [
        ("Content-Type", kind),
        ("content-type", "text/html"),
        ("Request-Id", "a"),
        ("request-id", "b"),
    ]
    provider.begin(lambda turn: turn.send(200, b"{}", twice))

    async def job(upstream: Upstream) -> None:
        async with upstream.send(call()) as response:
            await response.read()
            assert response.is_event_stream == (kind == "text/event-stream")
            assert response.headers == [(b"content-type", kind.encode()), (b"request-id", b"a")]

    running(provider, job)
