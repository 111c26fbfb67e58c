"""A process tells which charges are open, and what it left open is refunded by another after some looks."""

import asyncio
from collections.abc import Iterator
from datetime import UTC, datetime
from uuid import UUID

import pytest
from sqlmodel import select

from api.services.abandoned_charges import LOOKS, AbandonedCharges
from api.services.charge_batches import ChargeBatcher
from api.services.open_charges import OpenCharges
from schemas.errors import MaskerUnavailable
from storage import charging_leases, ledger
from storage.database import Database
from storage.ledger import Order
from storage.tables import ChargingLease
from tests.storage.people import new_account

NOW = datetime(2026, 11, 21, 9, tzinfo=UTC)
PAID = 100


@pytest.fixture
def database(sqlite_url: str) -> Iterator[Database]:
    database = Database(sqlite_url)
    yield database
    database.dispose()


class Process:
    """What an API process has for its charges."""

    def __init__(self, database: Database, account: UUID) -> None:
        self.open_charges, self._account = OpenCharges(database), account
        self.others = AbandonedCharges(database, self.open_charges)
        self._batcher = ChargeBatcher(database, self.open_charges, free_per_day=0)

    def charge(self, *references: str) -> None:
        """Charges one token for each."""

        async def all_of_them() -> None:
            for reference in references:
                self.open_charges.add(reference)
                await self._batcher.charge(self._account, Order(1, reference))

        asyncio.run(all_of_them())

    def look(self, times: int = LOOKS) -> None:
        for _ in range(times):
            self.others.look()


@pytest.fixture
def account(database: Database) -> UUID:
    return new_account(database, NOW, paid_tokens=PAID)


@pytest.fixture
def first(database: Database, account: UUID) -> Process:
    return Process(database, account)


@pytest.fixture
def second(database: Database, account: UUID) -> Process:
    return Process(database, account)


def refunded(database: Database, account: UUID) -> list[str]:
    with database.reading() as session:
        lines = ledger.entries(session, account, limit=100)
    return sorted(line.reference for line in lines if line.kind == "refund")


def told(database: Database) -> list[list[str]]:
    """The open charges of each lease, as the database knows them."""
    with database.reading() as session:
        return list(session.exec(select(ChargingLease.open_references)).all())


def test_a_charge_that_was_answered_is_told_as_open_once_more(database: Database, first: Process) -> None:
    first.charge("one", "two", "refunded")
    first.open_charges.drop("refunded")
    first.open_charges.answered("one")
    first.open_charges.renew()
    assert told(database) == [["one", "two"]]
    first.open_charges.renew()
    assert told(database) == [["two"]]


def test_only_a_process_that_is_silent_for_some_looks_is_given_up(
    database: Database, account: UUID, first: Process, second: Process
) -> None:
    first.charge("open", "answered")
    first.open_charges.answered("answered")
    for _ in range(3):
        first.open_charges.renew()
        second.look(LOOKS - 1)
    assert refunded(database, account) == []
    second.look(1)
    assert refunded(database, account) == ["open"]
    second.look()
    assert (refunded(database, account), told(database)) == (["open"], [])


def test_no_process_gives_up_itself(database: Database, account: UUID, first: Process) -> None:
    """It may be able to read, and not to write: its disk is full."""
    first.charge("open")
    first.look(2 * LOOKS)
    assert refunded(database, account) == []


def test_a_process_that_was_given_up_goes_on_under_a_new_lease(
    database: Database, account: UUID, first: Process, second: Process
) -> None:
    first.charge("before")
    second.look()
    first.charge("after")
    assert first.open_charges.lease_id in leases(database)
    first.open_charges.renew()
    second.look(LOOKS - 1)
    assert refunded(database, account) == ["before"]
    second.look(1)  # it is silent again
    assert refunded(database, account) == ["after", "before"]


def test_a_process_that_hears_of_it_by_its_renewal_begins_a_new_lease(
    database: Database, account: UUID, first: Process, second: Process
) -> None:
    first.charge("before")
    second.look()
    first.open_charges.renew()
    assert first.open_charges.lease_id is None
    first.charge("after")
    assert (refunded(database, account), list(leases(database))) == (["before"], [first.open_charges.lease_id])


def test_a_process_that_charges_nothing_for_a_while_keeps_no_lease(
    database: Database, account: UUID, first: Process
) -> None:
    first.charge("one")
    for _ in range(100):
        first.open_charges.renew()
    assert len(told(database)) == 1  # a call that takes long is no idleness
    first.open_charges.answered("one")
    for _ in range(100):
        first.open_charges.renew()
    assert told(database) == []
    first.charge("two")
    assert (refunded(database, account), len(told(database))) == ([], 1)


@pytest.mark.parametrize("left", [[], ["owed"]])
def test_a_process_that_stops_leaves_what_it_could_not_refund(
    database: Database, account: UUID, first: Process, second: Process, left: list[str]
) -> None:
    first.charge("answered", *left)
    first.open_charges.answered("answered")

    async def serve_and_stop() -> None:
        renewing = asyncio.create_task(first.open_charges.keep_renewing())
        await asyncio.sleep(0)
        renewing.cancel()
        await asyncio.wait({renewing})

    asyncio.run(serve_and_stop())
    assert told(database) == ([left] if left else [])
    second.look()
    assert refunded(database, account) == left


def test_while_the_database_is_away_nothing_counts(
    database: Database, account: UUID, first: Process, second: Process, monkeypatch: pytest.MonkeyPatch
) -> None:
    first.charge("open")
    second.look(1)
    away = Database("postgresql://nobody@127.0.0.1:1/none")
    monkeypatch.setattr(second.others, "_database", away)
    for _ in range(LOOKS):
        with pytest.raises(MaskerUnavailable):
            second.others.look()
    away.dispose()
    monkeypatch.undo()
    second.look(1)
    assert refunded(database, account) == []


def leases(database: Database) -> dict[UUID, int]:
    with database.reading() as session:
        return charging_leases.renewals(session)
