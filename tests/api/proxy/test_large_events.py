"""Large events of a stream do not hold up the calls of others: they are restored in threads, small ones at once."""

import asyncio
import socket
import threading
from collections.abc import MutableMapping
from typing import Any

import pytest

from api.llm.model import Minted, Provider
from api.llm.streams import RestoredStream
from api.proxy.calls import _stream
from api.services.charges import PendingCharge
from api.upstream.client import ProviderRequest, Upstream
from tests.api.llm.sdk_reader import text
from tests.api.llm.strategies import ORIGINALS
from tests.api.proxy.provider import ScriptedProvider, Turn

T = "<MASKED_PERSON_ab12cd34>"


class _Noting(RestoredStream):
    """Notes which bytes it worked on in which thread."""

    def __init__(self) -> None:
        super().__init__(Provider.ANTHROPIC, Minted(ORIGINALS))
        self.sizes: dict[bool, list[int]] = {True: [], False: []}

    def feed(self, chunk: bytes) -> bytes:
        self._note(self.pending + len(chunk))
        return super().feed(chunk)

    def end(self) -> bytes:
        self._note(self.pending)
        return super().end()

    def broken(self, code: str = "provider_unreachable") -> bytes:
        self._note(self.pending)
        return super().broken(code)

    def _note(self, size: int) -> None:
        self.sizes[threading.current_thread() is threading.main_thread()].append(size)


@pytest.mark.parametrize("ending", ["ended", "cut off", "died"])
def test_large_events_are_restored_in_threads_and_small_ones_at_once(provider: ScriptedProvider, ending: str) -> None:
    small, large = text(0, f"Hi {T}. "), text(0, f"Dear {T}, " * 20_000)

    def play(turn: Turn) -> None:
        turn.begin()
        turn.more(small, large, small, large if ending == "ended" else large[:-1])
        if ending == "died":
            turn.wire.shutdown(socket.SHUT_WR)
        else:
            turn.end()

    provider.begin(play)
    stream = _Noting()
    out = asyncio.run(_relayed(provider, stream))
    assert T.encode() not in out and out.count(ORIGINALS[T].encode()) >= 20_002
    assert stream.sizes[True] and max(stream.sizes[True]) <= 32 * 1024 < max(stream.sizes[False])


async def _relayed(provider: ScriptedProvider, stream: RestoredStream) -> bytes:
    """What the caller is sent."""
    sent = bytearray()

    async def send(message: MutableMapping[str, Any]) -> None:
        sent.extend(message.get("body", b""))

    upstream = Upstream({Provider.ANTHROPIC: provider.url})
    try:
        async with upstream.send(ProviderRequest(Provider.ANTHROPIC, [], "", b"{}")) as response:
            for message in await _stream(response, stream, PendingCharge(), send):
                await send(message)
    finally:
        await upstream.close()
    return bytes(sent)
