"""Charges that are made together do what they would have done one after another."""

from datetime import datetime
from uuid import UUID

import pytest
from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st

from schemas.errors import InsufficientTokens
from storage import charging_leases, ledger
from storage.database import Database
from storage.ledger import Charge, Order, ReferenceConflict, UnknownAccount
from tests.storage import charging
from tests.storage.people import new_account

FREE = 10


def begun(database: Database) -> UUID:
    """A lease of a process."""
    with database.transaction() as session:
        return charging_leases.begin(session)


def charged(database: Database, account: UUID, costs: list[int], now: datetime) -> list[Charge | tuple[int, int]]:
    """What each cost came to: its split, or what was needed and what was there."""
    orders = [Order(cost, f"{account}:{number}") for number, cost in enumerate(costs)]
    lease = begun(database)
    with database.bare_transaction() as connection:
        outcomes = ledger.charge_all(connection, account, orders, lease=lease, free_per_day=FREE, now=now)
    return [
        (outcome.needed_tokens, outcome.available_tokens) if isinstance(outcome, InsufficientTokens) else outcome
        for outcome in outcomes
    ]


def one_by_one(database: Database, account: UUID, costs: list[int], now: datetime) -> list[Charge | tuple[int, int]]:
    outcomes: list[Charge | tuple[int, int]] = []
    for number, cost in enumerate(costs):
        try:
            with database.transaction() as session:
                taken = charging.charge(
                    session, account, cost, reference=f"{account}:{number}", free_per_day=FREE, now=now
                )
            outcomes.append(taken)
        except InsufficientTokens as error:
            outcomes.append((error.needed_tokens, error.available_tokens))
    return outcomes


@given(costs=st.lists(st.integers(0, 9), max_size=8), paid=st.integers(0, 9))
@settings(max_examples=40, suppress_health_check=[HealthCheck.function_scoped_fixture])
def test_a_batch_is_its_charges(database: Database, now: datetime, costs: list[int], paid: int) -> None:
    together, apart = (new_account(database, now, paid_tokens=paid) for _ in range(2))
    assert charged(database, together, costs, now) == one_by_one(database, apart, costs, now)
    with database.reading() as session:
        lines = [
            [(entry.kind, entry.free_tokens, entry.paid_tokens, entry.day) for entry in entries]
            for entries in (ledger.entries(session, account, limit=20) for account in (together, apart))
        ]
        sums = [ledger.balance(session, account, free_per_day=FREE, now=now) for account in (together, apart)]
    assert lines[0] == lines[1]
    assert sums[0] == sums[1]


def test_a_batch_with_a_reference_that_is_taken_takes_nothing(database: Database, now: datetime) -> None:
    account = new_account(database, now)
    charged(database, account, [1], now)
    orders, lease = [Order(2, "new"), Order(1, f"{account}:0")], begun(database)
    with pytest.raises(ReferenceConflict), database.bare_transaction() as connection:
        ledger.charge_all(connection, account, orders, lease=lease, free_per_day=FREE, now=now)
    with database.reading() as session:
        assert ledger.balance(session, account, free_per_day=FREE, now=now).free_tokens == FREE - 1
        assert len(ledger.entries(session, account, limit=9)) == 1


def test_nobody_is_charged_who_does_not_exist(database: Database, now: datetime) -> None:
    lease = begun(database)
    with pytest.raises(UnknownAccount), database.bare_transaction() as connection:
        ledger.charge_all(connection, UUID(int=1), [Order(1, "a")], lease=lease, free_per_day=FREE, now=now)
