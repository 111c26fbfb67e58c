"""Money: what was paid without an answer, answered without pay, paid twice, or is one word off, is a remark."""

from datetime import datetime

import pytest
from sqlalchemy import update
from sqlmodel import col

from benchmarks.storm.load import GIVEN_UP, TEXT, TEXTS
from benchmarks.storm.money import TOLD_SECONDS
from storage import charging_leases, ledger
from storage.jobs.records import hold_reference
from storage.jobs.tables import Job
from storage.ledger import Order
from storage.tables import Entry, EntryKind, Purse
from tests.benchmarks.storm.conftest import Caller
from tests.storage.jobs.samples import new_job

ONE, TWO = (f"text:00000000-0000-4000-8000-00000000000{number}" for number in (1, 2))


def charge(caller: Caller, now: datetime, *references: str, tokens: int = TEXT.tokens) -> None:
    orders = [Order(tokens, reference, TEXT.reason) for reference in references]
    with caller.database.transaction() as session:
        lease = charging_leases.begin(session)
    with caller.database.bare_transaction() as connection:
        ledger.charge_all(connection, caller.id, orders, lease=lease, free_per_day=20, now=now)


def refund(caller: Caller, now: datetime, reference: str) -> None:
    with caller.database.transaction() as session:
        assert ledger.refund(session, reference, now)


def test_what_was_answered_and_paid_is_fine(caller: Caller, now: datetime) -> None:
    charge(caller, now, ONE, TWO)
    refund(caller, now, TWO)
    caller.seen.count(TEXT, "200")
    caller.seen.count(TEXT, "503")
    assert caller.judged() == []


@pytest.mark.parametrize("status", ["200", "503", "none", GIVEN_UP])
def test_a_text_that_is_paid_twice(caller: Caller, now: datetime, status: str) -> None:
    """The second charge has no call of its price."""
    charge(caller, now, ONE, TWO)
    caller.seen.count(TEXT, "200")
    caller.seen.count(TEXTS, status)
    told = "text of 12 words: 2 paid, 1 answered, 0 of them shortly before a kill, 0 given up"
    assert told in caller.judged()


@pytest.mark.parametrize("status", ["503", "none"])
def test_a_text_that_was_paid_and_not_answered(caller: Caller, now: datetime, status: str) -> None:
    charge(caller, now, ONE)
    caller.seen.count(TEXT, status)
    assert caller.judged() != []
    refund(caller, now, ONE)
    assert caller.judged() == []


def test_a_text_that_its_caller_gave_up_may_be_paid(caller: Caller, now: datetime) -> None:
    caller.seen.count(TEXT, GIVEN_UP)
    assert caller.judged() == []
    charge(caller, now, ONE)
    assert caller.judged() == []
    charge(caller, now, TWO)
    assert caller.judged() != []


def test_a_text_that_was_answered_for_nothing(caller: Caller) -> None:
    """Only shortly before a kill."""
    caller.seen.count(TEXT, "200")
    ((moment, _),) = caller.seen.answers
    assert caller.judged() != []
    assert caller.judged(moment - 1) != []
    assert caller.judged(moment + TOLD_SECONDS + 1) != []
    assert caller.judged(moment + TOLD_SECONDS + 1, moment + 1) == []


def test_a_charge_that_is_one_word_off(caller: Caller, now: datetime) -> None:
    charge(caller, now, ONE, tokens=TEXT.tokens + 1)
    caller.seen.count(TEXT, "none")
    assert caller.judged() == ["text of 13 words: 1 paid, 0 answered, 0 of them shortly before a kill, 0 given up"]


def test_a_refund_that_is_one_word_off(caller: Caller, now: datetime) -> None:
    charge(caller, now, ONE)
    refund(caller, now, ONE)
    with caller.database.transaction() as session:
        refunds = col(Entry.kind) == EntryKind.REFUND.value
        session.execute(update(Entry).where(refunds).values(free_tokens=Entry.free_tokens - 1))
        session.execute(update(Purse).values(free_used=Purse.free_used + 1))
    assert caller.judged() == ["text of 1 words: 1 paid, 0 answered, 0 of them shortly before a kill, 0 given up"]


@pytest.mark.parametrize("column", ["paid_tokens", "free_used"])
def test_a_purse_that_is_one_word_off(caller: Caller, now: datetime, column: str) -> None:
    charge(caller, now, ONE, TWO)
    for _ in range(2):
        caller.seen.count(TEXT, "200")
    assert caller.judged() == []
    with caller.database.transaction() as session:
        session.execute(update(Purse).values({column: getattr(Purse, column) + 1}))
    (remark,) = caller.judged()
    assert "the ledger says" in remark


def test_tokens_out_of_nowhere(caller: Caller, now: datetime) -> None:
    with caller.database.transaction() as session:
        ledger.credit(session, caller.id, 1, reference="gift", now=now)
    (remark,) = caller.judged()
    assert "were credited" in remark


@pytest.mark.parametrize(("state", "held", "is_fine"), [
    ("ready", 10 + 9, True), ("ready", 10 + 8, False), ("ready", 0, False), ("failed", 0, True), ("failed", 1, False),
])  # fmt: skip
def test_what_a_file_costs(caller: Caller, now: datetime, state: str, held: int, is_fine: bool) -> None:
    job_id = new_job(caller.database, caller.storage.keyring, caller.id, now)
    caller.seen.files[str(job_id)] = "letter.csv"
    with caller.database.transaction() as session:
        session.execute(update(Job).values(state=state, word_count=9, page_count=1))
        if held:
            ledger.hold(session, caller.id, held, reference=hold_reference(job_id), free_per_day=20, now=now)
    assert (caller.judged() == []) is is_fine


def test_a_hold_of_no_file(caller: Caller, now: datetime) -> None:
    with caller.database.transaction() as session:
        ledger.hold(session, caller.id, 5, reference="job:gone", free_per_day=20, now=now)
    assert caller.judged() == ["file of 5 words: 1 paid, 0 answered, 0 of them shortly before a kill, 0 given up"]
