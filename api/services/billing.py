"""Charges text calls. An account's purse is one row, so its calls that come while one is charged are charged together.

Without that each would hold the row's lock for several turns of the interpreter, and of the database's disk, and all
others would wait for each.
"""

import asyncio
from collections import deque
from concurrent.futures import ThreadPoolExecutor
from dataclasses import dataclass, field
from uuid import UUID

from schemas.clock import utc_now
from schemas.errors import InsufficientTokens
from storage import ledger
from storage.database import CONNECTIONS, Database
from storage.ledger import Charge, Order

_MOST_AT_ONCE = 100  # calls of one transaction
_Outcomes = list[Charge | InsufficientTokens | Exception]


@dataclass(frozen=True, slots=True, eq=False)
class _Waiting:
    order: Order
    outcome: asyncio.Future[Charge]


@dataclass(slots=True, eq=False)
class _Line:
    """The calls of an account: those that the database is `at`, and those behind them."""

    served: list[_Waiting]
    at: asyncio.Future[_Outcomes]
    behind: deque[_Waiting] = field(default_factory=deque)


class Cashier:
    """For one event loop. Accounts do not wait for each other, as long as the database has a connection for each."""

    def __init__(self, database: Database, free_per_day: int) -> None:
        self._database, self._free_per_day = database, free_per_day
        self._threads = ThreadPoolExecutor(CONNECTIONS, thread_name_prefix="cashier")
        self._lines: dict[UUID, _Line] = {}  # of each account that is being served
        self._serving: set[asyncio.Task[None]] = set()

    async def charge(self, account_id: UUID, order: Order) -> Charge:
        """Takes the tokens; the order's reference must be new. InsufficientTokens; MaskerUnavailable or CommitInDoubt.

        Where nobody is before it, it is on its way to the database when this first waits: whatever the event loop does
        next is done beside it. Cancelled in the line, it takes nothing. Cancelled while it is served, it ends when the
        outcome is known, and what was taken is taken.
        """
        waiting = _Waiting(order, asyncio.get_running_loop().create_future())
        line = self._lines.get(account_id)
        if line is None:
            line = self._open(account_id, waiting)
        else:
            line.behind.append(waiting)
        try:
            return await asyncio.shield(waiting.outcome)
        except asyncio.CancelledError:
            if waiting in line.behind:
                line.behind.remove(waiting)
            else:
                await asyncio.wait({waiting.outcome})
            raise

    def _open(self, account_id: UUID, first: _Waiting) -> _Line:
        line = self._lines[account_id] = _Line([first], self._begun(account_id, [first]))
        serving = asyncio.create_task(self._serve(account_id, line))
        self._serving.add(serving)  # the loop itself holds tasks weakly
        serving.add_done_callback(self._serving.discard)
        serving.add_done_callback(lambda _: self._close(account_id, line))  # cancelled before its first step, perhaps
        return line

    async def _serve(self, account_id: UUID, line: _Line) -> None:
        """Tells each call its outcome, and charges whoever came meanwhile, all at once, until nobody did."""
        try:
            while True:
                try:
                    outcomes = await line.at
                except Exception as error:  # noqa: BLE001 - handed on to every caller of the batch
                    outcomes = [error] * len(line.served)
                for waiting, outcome in zip(line.served, outcomes, strict=True):
                    _tell(waiting.outcome, outcome)
                if not line.behind:
                    return
                line.served = [line.behind.popleft() for _ in range(min(len(line.behind), _MOST_AT_ONCE))]
                line.at = self._begun(account_id, line.served)
        finally:
            self._close(account_id, line)

    def _close(self, account_id: UUID, line: _Line) -> None:
        """Nobody serves the line any more. Who still stands in it, as the loop ends, hears of no outcome."""
        if self._lines.get(account_id) is line:
            del self._lines[account_id]
            line.at.cancel()
            for waiting in (*line.served, *line.behind):
                waiting.outcome.cancel()

    def _begun(self, account_id: UUID, batch: list[_Waiting]) -> asyncio.Future[_Outcomes]:
        orders = [waiting.order for waiting in batch]
        return asyncio.get_running_loop().run_in_executor(self._threads, self._charge, account_id, orders)

    def _charge(self, account_id: UUID, orders: list[Order]) -> _Outcomes:
        with self._database.bare_transaction() as connection:
            return [*ledger.charge_all(connection, account_id, orders, free_per_day=self._free_per_day, now=utc_now())]


def _tell(waiting: asyncio.Future[Charge], outcome: Charge | Exception) -> None:
    if isinstance(outcome, Exception):
        waiting.set_exception(outcome)
        waiting.exception()  # nobody may be there to look any more
    else:
        waiting.set_result(outcome)
