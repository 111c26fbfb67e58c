"""Charges of a process that died are refunded once, with the others that are answered left alone."""

from collections.abc import Collection, Sequence
from concurrent.futures import ThreadPoolExecutor
from datetime import datetime
from threading import Barrier
from uuid import UUID

import pytest

from storage import charging_leases, ledger
from storage.database import Database
from storage.ledger import LeaseEnded, Order
from tests.storage.people import new_account

FREE = 10
PAID = 1000


def begun(database: Database) -> UUID:
    with database.transaction() as session:
        return charging_leases.begin(session)


def charge(database: Database, account: UUID, lease: UUID, references: Sequence[str], now: datetime) -> None:
    orders = [Order(3, reference) for reference in references]
    with database.bare_transaction() as connection:
        ledger.charge_all(connection, account, orders, lease=lease, free_per_day=FREE, now=now)


def renew(database: Database, lease: UUID, open_references: Collection[str]) -> bool:
    with database.transaction() as session:
        line = charging_leases.last_line(session)
        return charging_leases.renew(session, lease, line=line, open_references=open_references)


def give_up(database: Database, lease: UUID, renewed: int, now: datetime) -> list[str]:
    with database.transaction() as session:
        return charging_leases.give_up(session, lease, renewed, now)


def left(database: Database, account: UUID, now: datetime) -> int:
    """What the account can spend."""
    with database.reading() as session:
        return sum(ledger.balance(session, account, free_per_day=FREE, now=now)[:2])


def leases(database: Database) -> dict[UUID, int]:
    with database.reading() as session:
        return charging_leases.renewals(session)


def test_open_charges_come_back_and_answered_ones_do_not(database: Database, now: datetime) -> None:
    account = new_account(database, now, paid_tokens=PAID)
    dead, sister = begun(database), begun(database)
    charge(database, account, dead, ["answered", "open"], now)
    charge(database, account, sister, ["of a sister"], now)
    assert renew(database, dead, {"open", "never charged"})
    charge(database, account, dead, ["later"], now)
    charge(database, account, sister, ["of a sister, later"], now)
    assert sorted(give_up(database, dead, 1, now)) == ["later", "open"]
    assert left(database, account, now) == FREE + PAID - 3 * 3
    assert leases(database) == {sister: 0}


def test_what_was_refunded_already_is_not_refunded_again(database: Database, now: datetime) -> None:
    account, lease = new_account(database, now, paid_tokens=PAID), begun(database)
    charge(database, account, lease, ["one", "two"], now)
    with database.transaction() as session:
        assert ledger.refund(session, "one", now)
    assert give_up(database, lease, 0, now) == ["two"]
    with database.transaction() as session:
        assert not ledger.refund(session, "two", now)
    assert left(database, account, now) == FREE + PAID


def test_a_lease_that_was_renewed_meanwhile_stays(database: Database, now: datetime) -> None:
    account, lease = new_account(database, now, paid_tokens=PAID), begun(database)
    charge(database, account, lease, ["open"], now)
    assert renew(database, lease, {"open"})
    assert give_up(database, lease, 0, now) == []
    assert left(database, account, now) == FREE + PAID - 3
    assert leases(database) == {lease: 1}


def test_nothing_is_charged_or_renewed_under_a_lease_that_has_ended(database: Database, now: datetime) -> None:
    account, lease = new_account(database, now, paid_tokens=PAID), begun(database)
    assert give_up(database, lease, 0, now) == []
    with pytest.raises(LeaseEnded):
        charge(database, account, lease, ["zombie"], now)
    assert not renew(database, lease, ())
    assert left(database, account, now) == FREE + PAID


def test_settlers_and_the_process_itself_at_once_refund_each_charge_once(database: Database, now: datetime) -> None:
    """The process was only suspended: it refunds a call that failed, and charges on, while two others give it up."""
    accounts = [new_account(database, now, paid_tokens=PAID) for _ in range(3)]
    for number in range(20):
        lease, barrier = begun(database), Barrier(4)
        references = [f"{number}:{each}" for each in range(9)]
        for each, account in enumerate(accounts):
            charge(database, account, lease, references[each::3], now)

        def settle(_: int, lease: UUID = lease, barrier: Barrier = barrier) -> list[str]:
            barrier.wait()
            return give_up(database, lease, 0, now)

        def refund(reference: str, barrier: Barrier = barrier) -> list[str]:
            barrier.wait()
            with database.transaction() as session:
                return [reference] if ledger.refund(session, reference, now) else []

        def go_on(reference: str, lease: UUID = lease, barrier: Barrier = barrier) -> list[str]:
            barrier.wait()
            try:
                charge(database, accounts[0], lease, [reference], now)
            except LeaseEnded:
                return [reference]
            return []

        with ThreadPoolExecutor(4) as threads:
            refusing = threads.submit(go_on, f"{number}:late", lease, barrier)
            settling = [threads.submit(settle, each, lease, barrier) for each in range(2)]
            refunding = threads.submit(refund, references[4], barrier)
            done = [each.result() for each in (*settling, refunding, refusing)]
        done.append(give_up(database, lease, 0, now))  # both may have been refused while the process charged
        assert sorted(reference for each in done for reference in each) == [*references, f"{number}:late"]
        assert [left(database, account, now) for account in accounts] == [FREE + PAID] * 3


def test_a_charge_that_is_being_committed_is_waited_for(postgres_url: str, now: datetime) -> None:
    """On a lost connection of PostgreSQL; SQLite has one writer."""
    database = Database(postgres_url)
    account, lease = new_account(database, now, paid_tokens=PAID), begun(database)
    with database.bare_transaction() as connection:
        ledger.charge_all(connection, account, [Order(3, "lost")], lease=lease, free_per_day=FREE, now=now)
        assert renew(database, lease, {"lost"})  # which need not wait
        assert give_up(database, lease, 1, now) == []
    assert give_up(database, lease, 1, now) == ["lost"]
    assert left(database, account, now) == FREE + PAID
    database.dispose()
