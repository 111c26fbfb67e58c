"""Tokens move only in the ledger: free ones first, exactly once, never below zero, and back exactly as they went."""

from collections import Counter
from collections.abc import Callable
from concurrent.futures import ThreadPoolExecutor
from datetime import UTC, datetime, timedelta
from uuid import UUID, uuid4

import pytest
from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st
from sqlalchemy.exc import IntegrityError
from sqlmodel import col, func, select

from schemas.errors import InsufficientTokens, Unprocessable
from storage import ledger
from storage.database import Database
from storage.ledger import Charge, ReferenceConflict, UnknownAccount
from storage.tables import Entry, Purse
from tests.storage import charging
from tests.storage.people import new_account

FREE = 10
# 23:59 in Riyadh, and two minutes later.
BEFORE_MIDNIGHT = datetime(2026, 11, 21, 20, 59, tzinfo=UTC)
AFTER_MIDNIGHT = datetime(2026, 11, 21, 21, 1, tzinfo=UTC)


def charge(database: Database, account: UUID, tokens: int, reference: str, now: datetime, free: int = FREE) -> Charge:
    with database.transaction() as session:
        return charging.charge(session, account, tokens, reference=reference, free_per_day=free, now=now)


def hold(database: Database, account: UUID, tokens: int, reference: str, now: datetime) -> Charge:
    with database.transaction() as session:
        return ledger.hold(session, account, tokens, reference=reference, free_per_day=FREE, now=now)


def refund(database: Database, reference: str, now: datetime) -> bool:
    with database.transaction() as session:
        return ledger.refund(session, reference, now)


def settle(database: Database, reference: str, now: datetime) -> None:
    with database.transaction() as session:
        ledger.settle(session, reference, now)


def release(database: Database, reference: str, now: datetime) -> bool:
    with database.transaction() as session:
        return ledger.release(session, reference, now)


def spendable(database: Database, account: UUID, now: datetime, free: int = FREE) -> tuple[int, int]:
    with database.reading() as session:
        free_tokens, paid_tokens, _ = ledger.balance(session, account, free_per_day=free, now=now)
    return free_tokens, paid_tokens


def entry_kinds(database: Database, account: UUID) -> list[str]:
    with database.reading() as session:
        return [entry.kind for entry in reversed(ledger.entries(session, account, limit=100))]


def test_free_tokens_go_first(database: Database, now: datetime) -> None:
    account = new_account(database, now, paid_tokens=5)
    assert charge(database, account, 7, "a", now) == Charge(free=7, paid=0)
    assert charge(database, account, 6, "b", now) == Charge(free=3, paid=3)
    assert spendable(database, account, now) == (0, 2)


def test_too_few_tokens_take_none(database: Database, now: datetime) -> None:
    account = new_account(database, now, paid_tokens=5)
    with pytest.raises(InsufficientTokens) as refused:
        charge(database, account, 16, "a", now)
    assert refused.value.extra == {"needed_tokens": 16, "available_tokens": 15, "topup_url": "/billing"}
    assert spendable(database, account, now) == (10, 5)
    assert entry_kinds(database, account) == ["credit"]
    assert charge(database, account, 15, "a", now) == Charge(free=10, paid=5)


def test_nothing_is_charged_for_nothing(database: Database, now: datetime) -> None:
    account = new_account(database, now)
    assert charge(database, account, 0, "a", now, free=0) == Charge(0, 0)
    with pytest.raises(ValueError, match="taken"):
        charge(database, account, -1, "b", now)


def test_a_charge_cannot_be_repeated(database: Database, now: datetime) -> None:
    account = new_account(database, now, paid_tokens=50)
    charge(database, account, 12, "a", now)
    with pytest.raises(ReferenceConflict):
        charge(database, account, 12, "a", now + timedelta(days=1))
    assert spendable(database, account, now) == (0, 48)


def test_a_reference_belongs_to_one_account(database: Database, now: datetime) -> None:
    mine, theirs = new_account(database, now), new_account(database, now)
    charge(database, mine, 1, "a", now)
    with pytest.raises(ReferenceConflict):
        charge(database, theirs, 1, "a", now)
    assert spendable(database, theirs, now) == (10, 0)


def test_a_refund_restores_the_exact_split_once(database: Database, now: datetime) -> None:
    account = new_account(database, now, paid_tokens=50)
    charge(database, account, 4, "other", now)
    charge(database, account, 12, "a", now)
    assert [refund(database, "a", now) for _ in range(3)] == [True, False, False]
    assert spendable(database, account, now) == (6, 50)
    assert entry_kinds(database, account) == ["credit", "charge", "charge", "refund"]


def test_a_refunded_reference_buys_nothing_more(database: Database, now: datetime) -> None:
    account = new_account(database, now)
    charge(database, account, 3, "a", now)
    refund(database, "a", now)
    with pytest.raises(ReferenceConflict):
        charge(database, account, 3, "a", now)


def test_a_refund_of_what_was_never_charged_gives_nothing(database: Database, now: datetime) -> None:
    assert refund(database, "never", now) is False


def test_free_tokens_come_back_at_midnight_in_riyadh(database: Database) -> None:
    account = new_account(database, BEFORE_MIDNIGHT)
    charge(database, account, 10, "a", BEFORE_MIDNIGHT)
    with pytest.raises(InsufficientTokens):
        charge(database, account, 1, "b", BEFORE_MIDNIGHT)
    with database.reading() as session:
        evening = ledger.balance(session, account, free_per_day=FREE, now=BEFORE_MIDNIGHT)
    assert evening == (0, 0, datetime(2026, 11, 21, 21, 0, tzinfo=UTC))
    assert spendable(database, account, AFTER_MIDNIGHT) == (10, 0)
    assert charge(database, account, 10, "b", AFTER_MIDNIGHT) == Charge(free=10, paid=0)


@pytest.mark.parametrize("spent_today", [0, 6])
def test_a_refund_of_yesterdays_free_tokens_does_not_inflate_today(database: Database, spent_today: int) -> None:
    account = new_account(database, BEFORE_MIDNIGHT, paid_tokens=5)
    charge(database, account, 12, "yesterday", BEFORE_MIDNIGHT)
    if spent_today:
        charge(database, account, spent_today, "today", AFTER_MIDNIGHT)
    assert refund(database, "yesterday", AFTER_MIDNIGHT)
    assert spendable(database, account, AFTER_MIDNIGHT) == (FREE - spent_today, 5)
    assert spendable(database, account, AFTER_MIDNIGHT + timedelta(hours=1)) == (FREE - spent_today, 5)


def test_a_server_whose_clock_lags_does_not_reopen_yesterday(database: Database) -> None:
    account = new_account(database, BEFORE_MIDNIGHT)
    charge(database, account, 10, "a", AFTER_MIDNIGHT)
    with pytest.raises(InsufficientTokens):
        charge(database, account, 1, "b", BEFORE_MIDNIGHT)
    assert spendable(database, account, BEFORE_MIDNIGHT) == (0, 0)


def test_a_clock_that_was_years_ahead_does_not_freeze_the_quota(database: Database, now: datetime) -> None:
    account = new_account(database, now)
    charge(database, account, 10, "a", now + timedelta(days=3650))
    assert charge(database, account, 10, "b", now) == Charge(free=10, paid=0)


def test_a_lowered_quota_never_shows_a_debt(database: Database, now: datetime) -> None:
    account = new_account(database, now, paid_tokens=3)
    charge(database, account, 8, "a", now)
    assert spendable(database, account, now, free=5) == (0, 3)
    assert charge(database, account, 2, "b", now, free=5) == Charge(free=0, paid=2)


def test_a_settled_hold_stays_taken(database: Database, now: datetime) -> None:
    account = new_account(database, now, paid_tokens=5)
    assert hold(database, account, 12, "job", now) == Charge(free=10, paid=2)
    settle(database, "job", now)
    settle(database, "job", now)
    assert release(database, "job", now) is False
    assert spendable(database, account, now) == (0, 3)
    assert entry_kinds(database, account) == ["credit", "hold", "settle"]


def test_a_released_hold_nets_to_zero(database: Database, now: datetime) -> None:
    account = new_account(database, now, paid_tokens=5)
    hold(database, account, 12, "job", now)
    assert [release(database, "job", now) for _ in range(3)] == [True, False, False]
    assert spendable(database, account, now) == (10, 5)
    with pytest.raises(ReferenceConflict):
        settle(database, "job", now)
    with pytest.raises(ReferenceConflict):
        hold(database, account, 12, "job", now)


def test_a_repeated_hold_takes_once(database: Database, now: datetime) -> None:
    account = new_account(database, now, paid_tokens=5)
    assert hold(database, account, 12, "job", now) == hold(database, account, 12, "job", now)
    assert spendable(database, account, now) == (0, 3)


def test_what_was_never_held_cannot_be_settled(database: Database, now: datetime) -> None:
    with pytest.raises(ReferenceConflict):
        settle(database, "never", now)
    assert release(database, "never", now) is False


def test_a_charge_and_a_hold_of_one_reference_are_apart(database: Database, now: datetime) -> None:
    account = new_account(database, now)
    charge(database, account, 1, "same", now)
    hold(database, account, 2, "same", now)
    assert release(database, "same", now)
    assert spendable(database, account, now) == (9, 0)


def test_a_credit_counts_once(database: Database, now: datetime) -> None:
    account, other = new_account(database, now), new_account(database, now)
    for _ in range(2):
        with database.transaction() as session:
            ledger.credit(session, account, 100, reference="invoice-1", now=now)
    assert spendable(database, account, now) == (10, 100)
    with pytest.raises(ReferenceConflict), database.transaction() as session:
        ledger.credit(session, other, 100, reference="invoice-1", now=now)


@pytest.mark.parametrize("tokens", [0, -5, ledger.MAX_CREDIT + 1])
def test_a_credit_adds_a_sane_amount(database: Database, now: datetime, tokens: int) -> None:
    account = new_account(database, now)
    with pytest.raises(Unprocessable), database.transaction() as session:
        ledger.credit(session, account, tokens, reference="x", now=now)


def test_nobody_has_no_tokens(database: Database, now: datetime) -> None:
    with pytest.raises(UnknownAccount):
        charge(database, uuid4(), 1, "a", now)
    with pytest.raises(UnknownAccount):
        spendable(database, uuid4(), now)


def test_a_failure_after_the_charge_takes_nothing(database: Database, now: datetime) -> None:
    account = new_account(database, now)
    with pytest.raises(RuntimeError), database.transaction() as session:
        charging.charge(session, account, 5, reference="a", free_per_day=FREE, now=now)
        raise RuntimeError
    assert spendable(database, account, now) == (10, 0)
    assert entry_kinds(database, account) == []


def test_the_database_itself_refuses_a_negative_purse(database: Database, now: datetime) -> None:
    account = new_account(database, now)
    with pytest.raises(IntegrityError), database.transaction() as session:
        session.get_one(Purse, account).paid_tokens = -1


def test_entries_are_listed_newest_first_and_page_by_page(database: Database, now: datetime) -> None:
    account, other = new_account(database, now), new_account(database, now)
    for number in range(5):
        charge(database, account, 1, f"r{number}", now)
        charge(database, other, 1, f"o{number}", now)
    with database.reading() as session:
        page = ledger.entries(session, account, limit=3)
        rest = ledger.entries(session, account, limit=3, before=page[-1].id)
    assert [entry.reference for entry in (*page, *rest)] == ["r4", "r3", "r2", "r1", "r0"]
    assert all(entry.created_at == now and entry.created_at.tzinfo is not None for entry in page)


def in_parallel(act: Callable[[int], object], times: int) -> Counter[object]:
    with ThreadPoolExecutor(24) as threads:
        return Counter(threads.map(act, range(times)))


def test_200_charges_against_100_tokens_take_exactly_100(database: Database, now: datetime) -> None:
    account = new_account(database, now, paid_tokens=60)

    def buy(number: int) -> str:
        try:
            charge(database, account, 1, f"c{number}", now, free=40)
        except InsufficientTokens:
            return "refused"
        return "charged"

    assert in_parallel(buy, 200) == {"charged": 100, "refused": 100}
    assert spendable(database, account, now, free=40) == (0, 0)


def test_charges_of_many_tokens_never_go_below_zero(database: Database, now: datetime) -> None:
    account = new_account(database, now, paid_tokens=61)

    def buy(number: int) -> int:
        tokens = 1 + number % 7
        try:
            charge(database, account, tokens, f"c{number}", now, free=40)
        except InsufficientTokens as refused:
            assert 0 <= refused.available_tokens < tokens
            return 0
        return tokens

    taken = sum(tokens * count for tokens, count in in_parallel(buy, 100).items() if isinstance(tokens, int))
    assert taken + sum(spendable(database, account, now, free=40)) == 101
    with database.reading() as session:
        entries = ledger.entries(session, account, limit=200)
    paid, free = 0, 40
    for entry in reversed(entries):
        paid, free = paid + entry.paid_tokens, free + entry.free_tokens
        assert paid >= 0 and free >= 0


@pytest.mark.parametrize("undo", [refund, release])
def test_one_of_many_at_once_gives_back(
    database: Database, now: datetime, undo: Callable[[Database, str, datetime], bool]
) -> None:
    account = new_account(database, now, paid_tokens=30)
    charge(database, account, 25, "r", now)
    hold(database, account, 5, "r", now)
    assert in_parallel(lambda _: undo(database, "r", now), 20) == {True: 1, False: 19}


def test_one_of_many_at_once_takes_for_a_reference(database: Database, now: datetime) -> None:
    account = new_account(database, now, paid_tokens=100)
    assert in_parallel(lambda _: hold(database, account, 15, "r", now), 20) == {Charge(10, 5): 20}
    assert spendable(database, account, now) == (0, 95)


def test_of_many_accounts_at_once_one_gets_a_reference(database: Database, now: datetime) -> None:
    accounts = [new_account(database, now) for _ in range(8)]

    def buy(number: int) -> str:
        try:
            charge(database, accounts[number], 1, "r", now)
        except ReferenceConflict:
            return "taken"
        return "charged"

    assert in_parallel(buy, len(accounts)) == {"charged": 1, "taken": 7}
    assert sum(spendable(database, account, now)[0] for account in accounts) == 8 * FREE - 1


def test_settle_and_release_at_once_have_one_winner(database: Database, now: datetime) -> None:
    account = new_account(database, now, paid_tokens=100)
    hold(database, account, 20, "job", now)

    def end(number: int) -> str:
        if number % 2:
            return "released" if release(database, "job", now) else "too late"
        try:
            settle(database, "job", now)
        except ReferenceConflict:
            return "too late"
        return "settled"

    ends = in_parallel(end, 20)
    assert ("settled" in ends) != ("released" in ends)
    assert spendable(database, account, now) == ((0, 90) if "settled" in ends else (10, 100))


ACTS = st.tuples(
    st.sampled_from(["charge", "hold", "refund", "settle", "release", "credit"]),
    st.integers(0, 14),  # tokens
    st.integers(0, 3),  # reference
    st.integers(0, 30),  # hours since the act before
)


@settings(max_examples=15, suppress_health_check=[HealthCheck.function_scoped_fixture])
@given(acts=st.lists(ACTS, max_size=20))
def test_the_purse_is_always_the_sum_of_the_entries(database: Database, acts: list[tuple[str, int, int, int]]) -> None:
    now = BEFORE_MIDNIGHT
    account = new_account(database, now, paid_tokens=9)
    for act, tokens, number, hours in acts:
        now += timedelta(hours=hours)
        reference = f"{account}:{number}"
        try:
            match act:
                case "charge":
                    charge(database, account, tokens, reference, now)
                case "hold":
                    hold(database, account, tokens, reference, now)
                case "credit":
                    with database.transaction() as session:
                        ledger.credit(session, account, tokens + 1, reference=reference, now=now)
                case "refund":
                    refund(database, reference, now)
                case "settle":
                    settle(database, reference, now)
                case "release":
                    release(database, reference, now)
        except (InsufficientTokens, ReferenceConflict):
            pass
        with database.reading() as session:
            purse = session.get_one(Purse, account)
            of_account = col(Entry.account_id) == account
            paid = session.exec(select(func.sum(Entry.paid_tokens)).where(of_account)).one()
            used = session.exec(
                select(func.sum(Entry.free_tokens)).where(of_account, col(Entry.day) == purse.free_day)
            ).one()
            assert (purse.paid_tokens, purse.free_used) == (paid, -(used or 0))
            assert purse.paid_tokens >= 0
            assert 0 <= purse.free_used <= FREE


def test_an_entry_is_found_by_its_fact_and_by_its_owner_alone(database: Database, now: datetime) -> None:
    account, stranger = new_account(database, now, paid_tokens=5), new_account(database, now)
    charge(database, account, 3, "text:1", now)
    with database.reading() as session:
        found = ledger.find(session, account, "charge", "text:1")
        assert found is not None
        assert found == ledger.entries(session, account, limit=1)[0]
        assert [entry.kind for entry in ledger.entries(session, account, limit=9, before=found.id)] == ["credit"]
        for owner, kind, reference in (
            (stranger, "charge", "text:1"),
            (account, "refund", "text:1"),
            (account, "charge", ""),
        ):
            assert ledger.find(session, owner, kind, reference) is None


def test_what_was_read_before_the_lock_is_read_again(postgres_url: str, now: datetime) -> None:
    """On SQLite nobody can come between; on PostgreSQL somebody can."""
    database = Database(postgres_url)
    account = new_account(database, now, paid_tokens=10)
    with database.transaction() as session:
        known = session.get_one(Purse, account)  # the session keeps what somebody refers to
        assert known.paid_tokens == 10
        charge(database, account, 7, "between", now, free=0)
        with pytest.raises(InsufficientTokens) as refused:
            charging.charge(session, account, 4, reference="late", free_per_day=0, now=now)
        assert refused.value.available_tokens == 3
    database.dispose()
