"""The server stops while a call is being charged: the charge cannot be called back, so it is given back behind it."""

import asyncio
import base64
import secrets
from collections.abc import Iterator
from pathlib import Path
from time import monotonic
from typing import Never

import pytest
from sqlalchemy import text

from api.text_calls import run_paid
from schemas.clock import utc_now
from schemas.settings import load_settings
from schemas.spans import Detection
from schemas.text import MaskRequest
from storage import keys, ledger
from tests.api.serving import Served, serving

_PATIENCE = 30  # seconds
_WAITERS = text("SELECT count(*) FROM pg_stat_activity WHERE datname = current_database() AND wait_event_type = 'Lock'")


@pytest.fixture
def served(postgres_url: str, tmp_path: Path) -> Iterator[Served]:
    master_key = base64.b64encode(secrets.token_bytes(32)).decode()
    settings = load_settings(_env_file=None, data_dir=tmp_path, database_url=postgres_url, master_key=master_key)
    with serving(settings) as server:
        yield server


def never(found: Detection) -> Never:
    raise AssertionError("nothing is detected for a cancelled call")


async def waiters(served: Served, count: int) -> None:
    """Until so many connections wait for a lock."""
    deadline = monotonic() + _PATIENCE
    while True:
        with served.services.storage.database.reading() as session:
            if session.connection().execute(_WAITERS).scalar_one() == count:
                return
        assert monotonic() < deadline
        await asyncio.sleep(0)


def test_it_is_given_back(served: Served) -> None:
    account, database = served.account(paid_tokens=5), served.services.storage.database
    caller = keys.Caller(account.id, None, False, utc_now())

    async def cancelled_call() -> None:
        with database.transaction() as session:
            ledger.charge(session, account.id, 1, reason="text", reference="other", free_per_day=1, now=utc_now())
            call = asyncio.create_task(run_paid(served.services, caller, MaskRequest(text="one two"), never))
            await waiters(served, 1)
            call.cancel()
            await waiters(served, 2)
        with pytest.raises(asyncio.CancelledError):
            await call

    asyncio.run(cancelled_call())
    with database.reading() as session:
        kinds = [entry.kind for entry in ledger.entries(session, account.id, limit=9)]
    assert kinds[::-1] == ["credit", "charge", "charge", "refund"]
