"""Calls that are cancelled while they are charged or wait for it: nothing stays charged."""

import asyncio
import base64
import secrets
from collections.abc import Iterator
from pathlib import Path
from time import monotonic
from typing import Never, cast

import pytest
from sqlalchemy import text

from api.engine.text_work import Work
from api.services.charge_batches import ChargeBatcher
from api.services.open_charges import OpenCharges
from api.text.calls import run_paid
from schemas.clock import utc_now
from schemas.errors import InsufficientTokens
from schemas.settings import load_settings
from schemas.spans import Detection
from schemas.text import MaskRequest
from storage import ledger
from storage.accounts import keys
from storage.ledger import Order
from tests.api.serving import Served, serving
from tests.storage import charging

_PATIENCE = 30  # seconds
_WAITERS = text("SELECT count(*) FROM pg_stat_activity WHERE datname = current_database() AND wait_event_type = 'Lock'")


@pytest.fixture
def served(postgres_url: str, tmp_path: Path) -> Iterator[Served]:
    master_key = base64.b64encode(secrets.token_bytes(32)).decode()
    settings = load_settings(_env_file=None, data_dir=tmp_path, database_url=postgres_url, master_key=master_key)
    with serving(settings) as server:
        yield server


def test_a_call_that_is_cancelled_while_it_waits_is_not_charged(served: Served) -> None:
    account, database = served.account(paid_tokens=5), served.services.storage.database
    batcher = ChargeBatcher(database, OpenCharges(database), free_per_day=0)

    async def two_calls() -> None:
        with database.transaction() as session:
            charging.charge(session, account.id, 1, reference="other", free_per_day=0, now=utc_now())
            first = asyncio.create_task(batcher.charge(account.id, Order(1, "first")))
            await waiters(served, 1)
            second, third = (
                asyncio.create_task(batcher.charge(account.id, Order(1, name))) for name in ("second", "third")
            )
            await asyncio.sleep(0)
            second.cancel()
            with pytest.raises(asyncio.CancelledError):
                await second
        assert [await first, await third] == [(0, 1), (0, 1)]

    asyncio.run(two_calls())
    with database.reading() as session:
        references = [entry.reference for entry in ledger.entries(session, account.id, limit=9)]
    assert references[:3] == ["third", "first", "other"]


def test_no_call_waits_for_ever_when_all_tasks_are_cancelled(served: Served) -> None:
    """As when the event loop is closed: the task that sets the outcomes is cancelled too."""
    account, database = served.account(paid_tokens=5), served.services.storage.database
    batcher = ChargeBatcher(database, OpenCharges(database), free_per_day=0)

    async def torn_down(*, begun: bool) -> None:
        calls = [asyncio.create_task(batcher.charge(account.id, Order(1, f"{begun}"))) for _ in range(2)]
        await asyncio.sleep(0)
        if begun:
            await waiters(served, 1)
            calls.append(asyncio.create_task(batcher.charge(account.id, Order(1, "in the line"))))
            await asyncio.sleep(0)
        for task in asyncio.all_tasks() - {asyncio.current_task()}:
            task.cancel()
        done, _ = await asyncio.wait(calls, timeout=_PATIENCE)
        assert len(done) == len(calls)
        assert all(call.cancelled() for call in done)

    with database.transaction() as session:
        charging.charge(session, account.id, 1, reference="other", free_per_day=0, now=utc_now())
        asyncio.run(torn_down(begun=False))
        runner = asyncio.Runner()
        runner.run(torn_down(begun=True))
    runner.close()


def test_calls_that_wait_together_are_charged_in_one_transaction(served: Served) -> None:
    account, database = served.account(paid_tokens=100), served.services.storage.database
    batcher = ChargeBatcher(database, OpenCharges(database), free_per_day=0)

    async def many_calls() -> list[object]:
        calls = (batcher.charge(account.id, Order(1, str(number))) for number in range(200))
        return await asyncio.gather(*calls, return_exceptions=True)

    outcomes = asyncio.run(many_calls())
    assert outcomes.count((0, 1)) == 100
    assert sum(isinstance(outcome, InsufficientTokens) for outcome in outcomes) == 100
    with database.reading() as session:
        written = session.connection().execute(text("SELECT count(DISTINCT xmin::text) FROM ledger_entries"))
        assert written.scalar_one() <= 4  # the opening credit, and at most three batches
        assert ledger.balance(session, account.id, free_per_day=0, now=utc_now()).paid_tokens == 0


def never(found: Detection) -> Never:
    raise AssertionError("nothing is detected for a cancelled call")


async def waiters(served: Served, count: int) -> None:
    """Waits until at least `count` connections wait for a lock."""
    deadline = monotonic() + _PATIENCE
    while True:
        with served.services.storage.database.reading() as session:
            if session.connection().execute(_WAITERS).scalar_one() >= count:
                return
        assert monotonic() < deadline
        await asyncio.sleep(0)


def test_a_cancelled_charge_is_refunded(served: Served) -> None:
    account, database = served.account(paid_tokens=5), served.services.storage.database
    caller = keys.Caller(account.id, None, False, utc_now())

    async def cancelled_call() -> None:
        with database.transaction() as session:
            charging.charge(session, account.id, 1, reference="other", free_per_day=1, now=utc_now())
            call = asyncio.create_task(
                run_paid(served.services, caller, MaskRequest(text="one two"), cast("Work", never))
            )
            await waiters(served, 1)
            call.cancel()
            await asyncio.sleep(0)
            assert not call.done()  # the charge cannot be called back
        with pytest.raises(asyncio.CancelledError):
            await call

    asyncio.run(cancelled_call())
    with database.reading() as session:
        kinds = [entry.kind for entry in ledger.entries(session, account.id, limit=9)]
    assert kinds[::-1] == ["credit", "charge", "charge", "refund"]
