"""A charge whose call failed is given back exactly once, also when the database is away at first."""

import asyncio
import logging
from collections.abc import Iterator
from datetime import UTC, datetime
from pathlib import Path
from uuid import UUID

import pytest
from pytest import LogCaptureFixture

from api.services.open_charges import OpenCharges
from api.services.refunds import Refunds
from schemas.telemetry.metrics import REFUNDS
from storage import ledger
from storage.database import Database
from storage.tables import ChargingLease
from tests.storage import charging
from tests.storage.people import new_account

NOW = datetime(2026, 11, 21, 9, tzinfo=UTC)


@pytest.fixture
def migrated(tmp_path: Path) -> Iterator[Database]:
    database = Database(f"sqlite:///{tmp_path / 'money.db'}")
    database.migrate()
    yield database
    database.dispose()


@pytest.fixture
def away(tmp_path: Path) -> Iterator[Database]:
    """A database that nobody can open."""
    (tmp_path / "folder").write_text("no folder")
    database = Database(f"sqlite:///{tmp_path / 'folder' / 'money.db'}")
    yield database
    database.dispose()


def charged(database: Database, *references: str) -> UUID:
    """An account with 30 paid tokens of which each reference took 10."""
    account = new_account(database, NOW, paid_tokens=30)
    with database.transaction() as session:
        for reference in references:
            charging.charge(session, account, 10, reference=reference, free_per_day=0, now=NOW)
    return account


def paid(database: Database, account: UUID) -> int:
    with database.reading() as session:
        return ledger.balance(session, account, free_per_day=0, now=NOW).paid_tokens


def counted(outcome: str) -> float:
    return REFUNDS.labels(outcome)._value.get()


def test_what_failed_is_given_back_once_when_the_database_is_there_again(migrated: Database, away: Database) -> None:
    account, before = charged(migrated, "one", "two"), counted("failed")
    refunds = Refunds(away, OpenCharges(away))
    refunds.give_back("one")
    refunds.give_back("two", account)
    refunds.settle()
    assert (paid(migrated, account), counted("failed") - before) == (10, 3)  # settling ends with the first that fails
    refunds._database = migrated  # it is back
    before = counted("refunded")
    for _ in range(2):
        refunds.settle()
    assert (paid(migrated, account), counted("refunded") - before) == (30, 2)


def test_without_a_charge_nothing_is_given(migrated: Database) -> None:
    account, before = charged(migrated), counted("not_charged")
    Refunds(migrated, OpenCharges(migrated)).give_back("never", account)
    assert (paid(migrated, account), counted("not_charged") - before) == (30, 1)


def test_a_charge_is_open_until_it_is_refunded(migrated: Database, away: Database) -> None:
    charged(migrated, "one")
    open_charges = OpenCharges(migrated)
    refunds = Refunds(away, open_charges)
    open_charges.add("one")

    def told() -> list[str]:
        open_charges.renew()
        with migrated.reading() as session:
            return session.get_one(ChargingLease, lease).open_references

    lease = open_charges.lease()
    refunds.give_back("one")
    assert told() == ["one"]
    refunds._database = migrated
    refunds.settle()
    assert told() == []


def test_a_server_retries_while_it_serves(migrated: Database, away: Database, monkeypatch: pytest.MonkeyPatch) -> None:
    account, refunds = charged(migrated, "one"), Refunds(away, OpenCharges(away))
    monkeypatch.setattr("api.services.refunds.INTERVAL_SECONDS", 0.01)

    async def serve() -> None:
        settling = asyncio.create_task(refunds.keep_settling())
        refunds.give_back("one")
        await asyncio.sleep(0.05)
        refunds._database = migrated
        while paid(migrated, account) < 30:
            await asyncio.sleep(0.01)
        settling.cancel()
        await asyncio.wait({settling})

    asyncio.run(serve())


@pytest.mark.parametrize("is_back", [True, False])
def test_a_server_that_stops_tries_once_more(
    migrated: Database, away: Database, caplog: LogCaptureFixture, is_back: bool
) -> None:
    account, refunds = charged(migrated, "one"), Refunds(away, OpenCharges(away))

    async def serve_and_stop() -> None:
        settling = asyncio.create_task(refunds.keep_settling())
        await asyncio.sleep(0)
        refunds.give_back("one")
        if is_back:
            refunds._database = migrated
        settling.cancel()
        await asyncio.wait({settling})

    with caplog.at_level(logging.INFO, logger="masker.api"):
        asyncio.run(serve_and_stop())
    assert paid(migrated, account) == (30 if is_back else 20)
    told = [(record.getMessage(), record.reference) for record in caplog.records if hasattr(record, "reference")]
    last = [("a charge was refunded late", "one")] if is_back else []
    assert told == [("a charge is not refunded yet", "one"), *last]
