"""Charges text calls. An account's purse is one row, so its calls that come while one is charged are charged together.

Without that each would hold the row's lock for several turns of the interpreter, and of the database's disk, and all
others would wait for each.
"""

import asyncio
from collections import deque
from dataclasses import dataclass
from uuid import UUID

from anyio import to_thread

from schemas.clock import utc_now
from schemas.errors import InsufficientTokens
from storage import ledger
from storage.database import Database
from storage.ledger import Charge, Order

_MOST_AT_ONCE = 100  # calls of one transaction


@dataclass(frozen=True, slots=True, eq=False)
class _Waiting:
    order: Order
    outcome: asyncio.Future[Charge]


class Cashier:
    """For one event loop. Accounts do not wait for each other."""

    def __init__(self, database: Database, free_per_day: int) -> None:
        self._database, self._free_per_day = database, free_per_day
        self._lines: dict[UUID, deque[_Waiting]] = {}  # of each account that is being served
        self._serving: set[asyncio.Task[None]] = set()

    async def charge(self, account_id: UUID, tokens: int, reference: str) -> Charge:
        """Takes the tokens; `reference` must be new. InsufficientTokens; MaskerUnavailable, among them CommitInDoubt.

        Cancelled in the line, it takes nothing. Cancelled while it is served, it ends when the outcome is known, and
        what was taken is taken.
        """
        waiting = _Waiting(Order(tokens, reference), asyncio.get_running_loop().create_future())
        line = self._lines.get(account_id)
        if line is None:
            line = self._lines[account_id] = deque()
            serving = asyncio.create_task(self._serve(account_id, line))
            self._serving.add(serving)  # the loop itself holds tasks weakly
            serving.add_done_callback(lambda task: self._served(task, account_id, line))
        line.append(waiting)
        try:
            return await asyncio.shield(waiting.outcome)
        except asyncio.CancelledError:
            if waiting in line:
                line.remove(waiting)
            else:
                await asyncio.wait({waiting.outcome})
            raise

    async def _serve(self, account_id: UUID, line: deque[_Waiting]) -> None:
        """Charges whoever is in the line, all at once, until nobody is."""
        batch: list[_Waiting] = []
        try:
            while line:
                batch = [line.popleft() for _ in range(min(len(line), _MOST_AT_ONCE))]
                try:
                    outcomes = await to_thread.run_sync(self._charge, account_id, [waiting.order for waiting in batch])
                except Exception as error:  # noqa: BLE001 - handed on to every caller of the batch
                    outcomes = [error] * len(batch)
                for waiting, outcome in zip(batch, outcomes, strict=True):
                    _tell(waiting.outcome, outcome)
        finally:
            del self._lines[account_id]
            for waiting in (*batch, *line):  # the loop ends, and with it who serves: no outcome will come any more
                waiting.outcome.cancel()

    def _served(self, task: asyncio.Task[None], account_id: UUID, line: deque[_Waiting]) -> None:
        self._serving.discard(task)
        if self._lines.get(account_id) is line:  # cancelled before its first step, it cleared nothing away
            del self._lines[account_id]
            for waiting in line:
                waiting.outcome.cancel()

    def _charge(self, account_id: UUID, orders: list[Order]) -> list[Charge | InsufficientTokens | Exception]:
        with self._database.transaction() as session:
            return [*ledger.charge_all(session, account_id, orders, free_per_day=self._free_per_day, now=utc_now())]


def _tell(waiting: asyncio.Future[Charge], outcome: Charge | Exception) -> None:
    if isinstance(outcome, Exception):
        waiting.set_exception(outcome)
        waiting.exception()  # nobody may be there to look any more
    else:
        waiting.set_result(outcome)
