"""A refund of a charge that may still be committing waits for it, gives back exactly it, and invents nothing."""

import threading
from datetime import datetime
from time import monotonic

import pytest
from sqlalchemy import text

from storage import ledger
from storage.database import Database
from tests.storage import charging
from tests.storage.people import new_account

FREE = 10
_PATIENCE = 20  # seconds


def test_it_waits_for_the_commit(postgres_url: str, now: datetime) -> None:
    """On SQLite there is one writer in any case; on PostgreSQL the lost connection's transaction may still be open."""
    database = Database(postgres_url)
    account = new_account(database, now, paid_tokens=3)
    answers: list[bool] = []

    def refund() -> None:
        with database.transaction() as session:
            answers.append(ledger.refund(session, "lost", now, in_doubt=account))

    refunding = threading.Thread(target=refund)
    with database.transaction() as session:
        charging.charge(session, account, 12, reference="lost", free_per_day=FREE, now=now)
        refunding.start()
        wait_for_a_waiter(database)
    refunding.join(_PATIENCE)
    assert answers == [True]
    with database.reading() as session:
        assert ledger.balance(session, account, free_per_day=FREE, now=now)[:2] == (FREE, 3)
    database.dispose()


def wait_for_a_waiter(database: Database) -> None:
    """Until some connection waits for a lock."""
    query = text(
        "SELECT count(*) FROM pg_stat_activity WHERE datname = current_database() AND wait_event_type = 'Lock'"
    )
    deadline = monotonic() + _PATIENCE
    while True:
        with database.reading() as session:
            if session.connection().execute(query).scalar_one():
                return
        assert monotonic() < deadline


@pytest.mark.parametrize("times", [1, 2])
def test_without_a_charge_there_is_nothing_to_give_back(database: Database, now: datetime, times: int) -> None:
    account = new_account(database, now, paid_tokens=3)
    for _ in range(times):
        with database.transaction() as session:
            assert ledger.refund(session, "never", now, in_doubt=account) is False
    with database.reading() as session:
        assert ledger.balance(session, account, free_per_day=FREE, now=now)[:2] == (FREE, 3)
        assert [entry.kind for entry in ledger.entries(session, account, limit=9)] == ["credit"]
