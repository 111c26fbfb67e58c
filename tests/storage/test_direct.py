"""Statements on the driver's own cursor fail as all others do, and leave the pool as they would."""

from contextlib import ExitStack
from datetime import UTC, date, datetime, timedelta, timezone

import pytest
import sqlalchemy
from sqlalchemy import bindparam, insert, text
from sqlalchemy.exc import IntegrityError
from sqlmodel import col

from schemas.errors import MaskerUnavailable
from storage.database import Database
from storage.direct import Direct
from storage.tables import Entry, Purse
from tests.storage.people import new_account

PURSES = Direct(sqlalchemy.select(col(Purse.account_id), col(Purse.paid_tokens), col(Purse.free_day)))
LINES = Direct(insert(Entry).inline(), [name for name in Entry.model_fields if name != "id"])
SAID = Direct(sqlalchemy.select(bindparam("said")))


def line(account: object, reference: str, created_at: datetime) -> dict[str, object]:
    parts = {"kind": "charge", "free_tokens": -1, "paid_tokens": 0, "reason": "text", "day": date(2026, 1, 2)}
    return {"account_id": account, "reference": reference, "created_at": created_at, **parts}


def test_values_are_the_same_on_the_way_there_and_back(database: Database, now: datetime) -> None:
    account = new_account(database, now, paid_tokens=5)
    riyadh = datetime(2026, 1, 2, 3, 4, 5, 678, timezone(timedelta(hours=3)))
    with database.bare_transaction() as connection:
        assert PURSES.row(connection, {}) == (account, 5, connection.scalar(sqlalchemy.select(col(Purse.free_day))))
        LINES.run(connection, [line(account, "a", riyadh), line(account, "b", riyadh)])
        LINES.run(connection, [line(account, "c", riyadh)])
    with database.reading() as session:
        found = session.exec(sqlalchemy.select(Entry).where(col(Entry.kind) == "charge")).scalars().all()
        assert {entry.reference for entry in found} == {"a", "b", "c"}
        assert {entry.created_at for entry in found} == {riyadh.astimezone(UTC)}
        assert {(entry.account_id, entry.day, entry.free_tokens) for entry in found} == {
            (account, date(2026, 1, 2), -1)
        }


def test_nothing_found_is_none(database: Database) -> None:
    with database.bare_transaction() as connection:
        assert PURSES.row(connection, {}) is None


@pytest.mark.parametrize("number", [1, 2])
def test_what_breaks_a_rule_undoes_the_transaction_and_quotes_no_value(
    database: Database, now: datetime, number: int
) -> None:
    account = new_account(database, now)
    with database.bare_transaction() as connection:
        LINES.run(connection, [line(account, "fact-1", now)])
    with pytest.raises(IntegrityError) as refused, database.bare_transaction() as connection:
        LINES.run(connection, [line(account, "fact-2", now)])
        LINES.run(connection, [line(account, f"fact-{at}", now) for at in range(1, 1 + number)])
    assert refused.value.params is None
    with database.reading() as session:
        assert session.exec(sqlalchemy.select(col(Entry.reference))).scalars().all() == ["fact-1"]


def test_the_first_to_meet_a_dead_connection_spares_all_others(postgres_url: str) -> None:
    database, killer = Database(postgres_url), Database(postgres_url)
    try:
        with ExitStack() as stack:
            connections = [stack.enter_context(database.bare_transaction()) for _ in range(3)]
            pids = [connection.scalar(text("SELECT pg_backend_pid()")) for connection in connections]
        with killer.transaction() as session:
            for pid in pids:
                session.connection().execute(text("SELECT pg_terminate_backend(:pid, 5000)"), {"pid": pid})
        with pytest.raises(MaskerUnavailable), database.bare_transaction() as connection:
            SAID.row(connection, {"said": 1})
        for _ in range(3):
            with database.bare_transaction() as connection:
                assert SAID.row(connection, {"said": 1}) == (1,)
    finally:
        database.dispose()
        killer.dispose()
