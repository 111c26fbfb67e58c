"""Charges text calls; the calls of one account that wait at the same time are charged in one transaction.

The purse of an account is one row. If each call were charged alone, each would lock that row for several turns of the
interpreter and a write to the database's disk, while all other calls of the account wait. So calls that arrive during a
charge are charged together afterwards.
"""

import asyncio
from collections import deque
from concurrent.futures import ThreadPoolExecutor
from dataclasses import dataclass, field
from uuid import UUID

from api.services.open_charges import OpenCharges
from schemas.clock import utc_now
from schemas.errors import InsufficientTokens
from storage import ledger
from storage.database import CONNECTIONS, Database
from storage.ledger import Charge, LeaseEnded, Order

_MAX_BATCH = 100  # calls of one transaction
_Outcomes = list[Charge | InsufficientTokens | Exception]


@dataclass(frozen=True, slots=True, eq=False)
class _Call:
    order: Order
    outcome: asyncio.Future[Charge]


@dataclass(slots=True, eq=False)
class _Queue:
    """The calls of one account: the batch that is being charged, its outcomes, and the calls that wait."""

    batch: list[_Call]
    outcomes: asyncio.Future[_Outcomes]
    waiting: deque[_Call] = field(default_factory=deque)


class ChargeBatcher:
    """Charges the text calls of one process. For one event loop.

    Accounts do not wait for each other as long as the database has a free connection.
    """

    def __init__(self, database: Database, open_charges: OpenCharges, free_per_day: int) -> None:
        self._database, self._open_charges, self._free_per_day = database, open_charges, free_per_day
        self._threads = ThreadPoolExecutor(CONNECTIONS, thread_name_prefix="charges")
        self._queues: dict[UUID, _Queue] = {}  # of the accounts that are being charged
        self._tasks: set[asyncio.Task[None]] = set()

    async def charge(self, account_id: UUID, order: Order) -> Charge:
        """Takes the tokens; the order's reference must be new, and open (`OpenCharges.add`). InsufficientTokens;
        MaskerUnavailable or CommitInDoubt.

        Without other calls of the account the charge starts at once, in a thread. A call that is cancelled while it
        waits takes nothing. A call that is cancelled while it is charged ends when the outcome is known, and tokens
        that were taken stay taken.
        """
        call = _Call(order, asyncio.get_running_loop().create_future())
        queue = self._queues.get(account_id)
        if queue is None:
            queue = self._open(account_id, call)
        else:
            queue.waiting.append(call)
        try:
            return await asyncio.shield(call.outcome)
        except asyncio.CancelledError:
            if call in queue.waiting:
                queue.waiting.remove(call)
            else:
                await asyncio.wait({call.outcome})
            raise

    def _open(self, account_id: UUID, first: _Call) -> _Queue:
        queue = self._queues[account_id] = _Queue([first], self._start_batch(account_id, [first]))
        task = asyncio.create_task(self._serve(account_id, queue))
        self._tasks.add(task)  # the loop itself references tasks only weakly
        task.add_done_callback(self._tasks.discard)
        task.add_done_callback(lambda _: self._close(account_id, queue))  # it may be cancelled before its first step
        return queue

    async def _serve(self, account_id: UUID, queue: _Queue) -> None:
        """Sets the outcomes of a batch and charges the calls that arrived meanwhile, until there are none."""
        try:
            while True:
                try:
                    outcomes = await queue.outcomes
                except Exception as error:  # noqa: BLE001 - passed on to every call of the batch
                    outcomes = [error] * len(queue.batch)
                for call, outcome in zip(queue.batch, outcomes, strict=True):
                    _set_outcome(call.outcome, outcome)
                if not queue.waiting:
                    return
                queue.batch = [queue.waiting.popleft() for _ in range(min(len(queue.waiting), _MAX_BATCH))]
                queue.outcomes = self._start_batch(account_id, queue.batch)
        finally:
            self._close(account_id, queue)

    def _close(self, account_id: UUID, queue: _Queue) -> None:
        """Removes a queue that is no longer served. Calls that are still in it when the loop ends are cancelled."""
        if self._queues.get(account_id) is queue:
            del self._queues[account_id]
            queue.outcomes.cancel()
            for call in (*queue.batch, *queue.waiting):
                call.outcome.cancel()

    def _start_batch(self, account_id: UUID, batch: list[_Call]) -> asyncio.Future[_Outcomes]:
        orders = [call.order for call in batch]
        return asyncio.get_running_loop().run_in_executor(self._threads, self._charge, account_id, orders)

    def _charge(self, account_id: UUID, orders: list[Order]) -> _Outcomes:
        lease = self._open_charges.lease()
        try:
            return self._charge_under(lease, account_id, orders)
        except LeaseEnded:  # this process was suspended for so long that another one gave it up
            return self._charge_under(self._open_charges.lease(ended=lease), account_id, orders)

    def _charge_under(self, lease: UUID, account_id: UUID, orders: list[Order]) -> _Outcomes:
        with self._database.bare_transaction() as connection:
            free, now = self._free_per_day, utc_now()
            return [*ledger.charge_all(connection, account_id, orders, lease=lease, free_per_day=free, now=now)]


def _set_outcome(future: asyncio.Future[Charge], outcome: Charge | Exception) -> None:
    if isinstance(outcome, Exception):
        future.set_exception(outcome)
        future.exception()  # marks it as retrieved: the call may be gone already
    else:
        future.set_result(outcome)
