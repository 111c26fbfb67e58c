"""Who may work next: so many places at once, waiting callers served in turn, and no more waiting than there is room."""

import asyncio
from collections import OrderedDict, deque
from collections.abc import AsyncIterator, Awaitable, Callable, Hashable
from contextlib import asynccontextmanager

from starlette.requests import ClientDisconnect

from schemas.errors import MaskerUnavailable

Gone = Callable[[], Awaitable[None]]  # returns when the caller has hung up


class Room:
    """How many may wait in all the queues that share it."""

    def __init__(self, places: int) -> None:
        self.places = places
        self.taken = 0


class FairQueue:
    """`places` at work at once; of those who wait, one of each caller in turn. For one event loop.

    Past `most` waiting, or when the shared `room` is full, somebody must leave: the last in the longest line, which is
    the newcomer unless another caller has a longer one. `retry_after`: seconds that it shall stay away.
    """

    def __init__(self, places: int, most: int, room: Room, retry_after: int) -> None:
        self._free, self._most, self._room, self._retry_after = places, most, room, retry_after
        self._lines: OrderedDict[Hashable, deque[asyncio.Future[None]]] = OrderedDict()  # the next to be served first
        self._waiting = 0

    @asynccontextmanager
    async def place(self, caller: Hashable, gone: Gone | None = None) -> AsyncIterator[None]:
        """A place, for as long as the block lasts. MaskerUnavailable without room.

        ClientDisconnect when the caller hangs up (`gone` returns) while it waits.
        """
        await self._enter(caller, gone)
        try:
            yield
        finally:
            self._leave()

    @property
    def waiting(self) -> int:
        """How many wait."""
        return self._waiting

    async def _enter(self, caller: Hashable, gone: Gone | None) -> None:
        if self._free:
            self._free -= 1
            return
        self._make_room(caller)
        turn: asyncio.Future[None] = asyncio.get_running_loop().create_future()
        self._lines.setdefault(caller, deque()).append(turn)
        self._count(1)
        try:
            await _turn_or_gone(turn, gone)
        except BaseException:
            if turn.done() and not turn.cancelled() and turn.exception() is None:
                self._leave()  # the place came at the same moment: on with it
            elif turn in self._lines.get(caller, ()):
                self._take_out(caller, turn)
            raise

    def _leave(self) -> None:
        """Hands a place on."""
        if not self._lines:
            self._free += 1
            return
        caller, line = self._lines.popitem(last=False)
        turn = line.popleft()
        if line:
            self._lines[caller] = line  # behind all others
        self._count(-1)
        turn.set_result(None)

    def _make_room(self, caller: Hashable) -> None:
        if self._waiting < self._most and self._room.taken < self._room.places:
            return
        longest = max(self._lines, key=lambda name: len(self._lines[name]), default=caller)
        if len(self._lines.get(longest, ())) <= len(self._lines.get(caller, ())) + 1:
            raise MaskerUnavailable(retry_after=self._retry_after)
        last = self._lines[longest][-1]
        self._take_out(longest, last)
        last.set_exception(MaskerUnavailable(retry_after=self._retry_after))

    def _take_out(self, caller: Hashable, turn: asyncio.Future[None]) -> None:
        line = self._lines[caller]
        line.remove(turn)
        if not line:
            del self._lines[caller]
        self._count(-1)

    def _count(self, more: int) -> None:
        self._waiting += more
        self._room.taken += more


async def _turn_or_gone(turn: asyncio.Future[None], gone: Gone | None) -> None:
    if gone is None:
        await turn
        return
    leaving = asyncio.ensure_future(gone())
    try:
        await asyncio.wait({turn, leaving}, return_when=asyncio.FIRST_COMPLETED)
        if not turn.done():
            raise ClientDisconnect
        turn.result()
    finally:
        leaving.cancel()
