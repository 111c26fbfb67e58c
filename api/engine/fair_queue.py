"""A bounded queue for asyncio that serves waiting callers in turn."""

import asyncio
from collections import OrderedDict, deque
from collections.abc import Awaitable, Callable, Hashable

from starlette.requests import ClientDisconnect

from schemas.errors import MaskerUnavailable
from schemas.telemetry.metrics import SHED

Disconnected = Callable[[], Awaitable[None]]  # returns when the client has closed its connection


class SharedCapacity:
    """How many may wait in all queues that share it."""

    def __init__(self, limit: int) -> None:
        self.limit = limit
        self.used = 0


class FairQueue:
    """`slots` run at once; those who wait are served caller by caller, one of each in turn. For one event loop.

    At most `max_waiting` wait, and no more than the shared `capacity` allows. When a caller comes beyond that, the last
    one of the longest line is refused: the newcomer, unless another caller has a longer line. `retry_after`: seconds
    that the refused one is told to wait.
    """

    def __init__(self, slots: int, max_waiting: int, capacity: SharedCapacity, retry_after: int) -> None:
        self._free, self._max_waiting, self._capacity, self._retry_after = slots, max_waiting, capacity, retry_after
        self._lines: OrderedDict[Hashable, deque[asyncio.Future[None]]] = OrderedDict()  # by caller, next served first
        self._waiting = 0

    @property
    def waiting(self) -> int:
        """How many wait for a slot."""
        return self._waiting

    async def acquire(self, caller: Hashable, disconnected: Disconnected | None) -> None:
        """Takes a slot, to be given back by `release`. MaskerUnavailable when too many wait.

        ClientDisconnect when `disconnected` returns while the caller waits.
        """
        if self._free:
            self._free -= 1
            return
        self._make_room(caller)
        turn: asyncio.Future[None] = asyncio.get_running_loop().create_future()
        self._lines.setdefault(caller, deque()).append(turn)
        self._count(1)
        try:
            await _turn_or_disconnect(turn, disconnected)
        except BaseException:
            if turn.done() and not turn.cancelled() and turn.exception() is None:
                self.release()  # the slot was assigned at the same moment: pass it on
            elif turn in self._lines.get(caller, ()):
                self._remove(caller, turn)
            raise

    def release(self) -> None:
        """Gives the slot to the next caller in turn, or makes it free."""
        if not self._lines:
            self._free += 1
            return
        caller, line = self._lines.popitem(last=False)
        turn = line.popleft()
        if line:
            self._lines[caller] = line  # the caller's next one is served after all other callers
        self._count(-1)
        turn.set_result(None)

    def _make_room(self, caller: Hashable) -> None:
        """Refuses the last one of the longest line when no more may wait. MaskerUnavailable when that is `caller`."""
        if self._waiting < self._max_waiting and self._capacity.used < self._capacity.limit:
            return
        longest = max(self._lines, key=lambda name: len(self._lines[name]), default=caller)
        if len(self._lines.get(longest, ())) <= len(self._lines.get(caller, ())) + 1:
            SHED.inc()
            raise MaskerUnavailable(retry_after=self._retry_after)
        SHED.inc()
        last = self._lines[longest][-1]
        self._remove(longest, last)
        last.set_exception(MaskerUnavailable(retry_after=self._retry_after))

    def _remove(self, caller: Hashable, turn: asyncio.Future[None]) -> None:
        line = self._lines[caller]
        line.remove(turn)
        if not line:
            del self._lines[caller]
        self._count(-1)

    def _count(self, more: int) -> None:
        self._waiting += more
        self._capacity.used += more


async def _turn_or_disconnect(turn: asyncio.Future[None], disconnected: Disconnected | None) -> None:
    if disconnected is None:
        await turn
        return
    leaving = asyncio.ensure_future(disconnected())
    try:
        await asyncio.wait({turn, leaving}, return_when=asyncio.FIRST_COMPLETED)
        if not turn.done():
            raise ClientDisconnect
        turn.result()
    finally:
        leaving.cancel()
