"""The rules that keep a job whole: one owner at a time, fenced by its attempt, whoever is late or dead."""

from concurrent.futures import ThreadPoolExecutor
from datetime import UTC, datetime, timedelta
from uuid import UUID, uuid4

import pytest
from sqlalchemy import Select, select, text, update

from schemas.errors import InsufficientTokens
from schemas.files import JobState
from schemas.stages import Queue, Stage
from storage import ledger
from storage.database import Database
from storage.encryption import Keyring
from storage.jobs import endings, leases, sweeps
from storage.jobs import records as jobs
from storage.jobs.leases import Claim, PartFinished
from storage.jobs.sweeps import Overdue
from storage.jobs.tables import JobPart
from tests.storage.jobs.samples import LEASE, LIMITS, carried, claimed, moved, new_job, owned, row
from tests.storage.people import new_account

AFTER_LEASE = timedelta(seconds=LEASE)
FREE = 1000


@pytest.fixture
def account(database: Database, now: datetime) -> UUID:
    return new_account(database, now)


@pytest.fixture
def job_id(database: Database, keyring: Keyring, account: UUID, now: datetime) -> UUID:
    return new_job(database, keyring, account, now)


def claimed_part(database: Database, job_id: UUID, now: datetime, stage: Stage = Stage.OCR) -> Claim | None:
    with database.transaction() as session:
        return leases.claim_part(session, stage, LIMITS, now=now, asked=job_id)


def finished(database: Database, claim: Claim | None, now: datetime) -> PartFinished | None:
    assert claim is not None
    with database.transaction() as session:
        return leases.finish_part(session, claim, milliseconds=5, lease_seconds=LEASE, now=now)


def finished_part(database: Database, claim: Claim | None, now: datetime) -> int | None:
    done = finished(database, claim, now)
    return None if done is None else done.left


def split(database: Database, job_id: UUID, parts: int, now: datetime, at_once: int = 99) -> None:
    carried(database, job_id, Stage.EXTRACT, now)
    split_at(database, job_id, Stage.EXTRACT, Stage.OCR, parts, now, at_once)


def split_at(
    database: Database, job_id: UUID, at: Stage, to: Stage, parts: int, now: datetime, at_once: int = 99
) -> None:
    claim = owned(database, job_id, at, now)
    with database.transaction() as session:
        assert leases.split(session, claim, to, parts, at_once=at_once, milliseconds=5, lease_seconds=LEASE, now=now)


def attempts(database: Database, job_id: UUID, stage: Stage = Stage.OCR) -> dict[int, int]:
    job = row(database, job_id)
    with database.reading() as session:
        return leases.part_attempts(session, job, stage)


def failed(database: Database, claim: Claim, now: datetime, code: str = "timeout") -> bool:
    with database.transaction() as session:
        return endings.fail(session, claim, code, now=now)


def overdue(database: Database, now: datetime) -> list[tuple[Stage, int | None]]:
    with database.reading() as session:
        return [(late.stage, late.part) for late in sweeps.overdue(session, now)]


def test_the_first_claim_makes_a_job_processing(database: Database, job_id: UUID, now: datetime) -> None:
    claim = owned(database, job_id, Stage.SNIFF, now)
    assert (claim.attempt, claim.claims, row(database, job_id).state) == (1, 1, JobState.PROCESSING)


def test_of_many_claims_at_once_one_wins(database: Database, job_id: UUID, now: datetime) -> None:
    with ThreadPoolExecutor(8) as pool:
        claims = list(pool.map(lambda _: claimed(database, job_id, Stage.SNIFF, now), range(16)))
    assert sum(claim is not None for claim in claims) == 1


def test_a_message_claims_nothing_of_another_queue(database: Database, job_id: UUID, now: datetime) -> None:
    assert claimed(database, job_id, Stage.EXTRACT, now) is None
    assert claimed_part(database, job_id, now) is None


def test_a_message_is_a_hint_that_something_waits_in_its_queue(database: Database, job_id: UUID, now: datetime) -> None:
    claim = owned(database, uuid4(), Stage.STORE, now)
    assert (claim.job_id, claim.stage) == (job_id, Stage.SNIFF)


def test_a_lease_holds_until_it_ends_and_longer_when_renewed(database: Database, job_id: UUID, now: datetime) -> None:
    claim = owned(database, job_id, Stage.SNIFF, now)
    almost = now + AFTER_LEASE - timedelta(milliseconds=1)
    assert claimed(database, job_id, Stage.SNIFF, almost) is None
    with database.transaction() as session:
        assert leases.renew(session, claim, lease_seconds=LEASE, now=almost)
    assert claimed(database, job_id, Stage.SNIFF, now + AFTER_LEASE) is None
    assert claimed(database, job_id, Stage.SNIFF, almost + AFTER_LEASE) is not None


def test_who_lost_the_lease_can_do_nothing_more(database: Database, job_id: UUID, account: UUID, now: datetime) -> None:
    carried(database, job_id, Stage.STORE, now, word_count=5)
    late = owned(database, job_id, Stage.STORE, now)
    owned(database, job_id, Stage.STORE, now + AFTER_LEASE)
    with database.transaction() as session:
        assert not leases.renew(session, late, lease_seconds=LEASE, now=now)
        assert not leases.relinquish(session, late, retry_at=now, lease_seconds=LEASE)
        assert not leases.split(session, late, Stage.OCR, 1, at_once=1, milliseconds=1, lease_seconds=LEASE, now=now)
        assert not endings.hold(session, late, free_per_day=9, milliseconds=1, lease_seconds=LEASE, now=now)
        assert not endings.publish(session, late, 1, milliseconds=1, now=now)
        assert not endings.fail(session, late, "timeout", now=now)
        assert ledger.entries(session, account, limit=9) == []
    assert not moved(database, late, Stage.BILL, now)
    assert row(database, job_id).state == JobState.PROCESSING


def test_who_is_late_but_unchallenged_still_owns_the_job(database: Database, job_id: UUID, now: datetime) -> None:
    assert moved(database, owned(database, job_id, Stage.SNIFF, now), Stage.EXTRACT, now + 5 * AFTER_LEASE)


def test_a_stage_done_twice_counts_once(database: Database, job_id: UUID, now: datetime) -> None:
    claim = owned(database, job_id, Stage.SNIFF, now)
    assert moved(database, claim, Stage.EXTRACT, now)
    assert not moved(database, claim, Stage.EXTRACT, now)


def test_a_stage_is_claimed_only_so_often(database: Database, job_id: UUID, now: datetime) -> None:
    for number in range(LIMITS.max_attempts):
        assert owned(database, job_id, Stage.SNIFF, now + number * AFTER_LEASE).claims == number + 1
    assert claimed(database, job_id, Stage.SNIFF, now + 9 * AFTER_LEASE) is None


def test_the_next_stage_counts_anew(database: Database, job_id: UUID, now: datetime) -> None:
    owned(database, job_id, Stage.SNIFF, now)
    assert moved(database, owned(database, job_id, Stage.SNIFF, now + AFTER_LEASE), Stage.EXTRACT, now)
    claim = owned(database, job_id, Stage.EXTRACT, now)
    assert (claim.attempt, claim.claims) == (3, 1)


def test_a_stuck_job_fails_and_a_moving_one_does_not(database: Database, job_id: UUID, now: datetime) -> None:
    claim = owned(database, job_id, Stage.SNIFF, now)
    with database.transaction() as session:
        assert not endings.fail_stuck(
            session, Overdue(job_id, Stage.SNIFF, None, claim.attempt, 1, 0), "internal_error", now=now
        )
        assert not endings.fail_stuck(
            session, Overdue(job_id, Stage.SNIFF, None, 7, 1, 0), "internal_error", now=now + AFTER_LEASE
        )
        assert endings.fail_stuck(
            session, Overdue(job_id, Stage.SNIFF, None, 1, 1, 0), "internal_error", now=now + AFTER_LEASE
        )
    job = row(database, job_id)
    assert (job.state, job.error_code, job.has_residue) == (JobState.FAILED, "internal_error", True)


def test_a_relinquished_stage_waits_and_is_claimed_again(database: Database, job_id: UUID, now: datetime) -> None:
    claim = owned(database, job_id, Stage.SNIFF, now)
    retry_at = now + timedelta(seconds=2)
    with database.transaction() as session:
        assert leases.relinquish(session, claim, retry_at=retry_at, lease_seconds=LEASE)
    assert claimed(database, job_id, Stage.SNIFF, now) is None
    assert owned(database, job_id, Stage.SNIFF, retry_at).claims == 2


def test_a_failed_job_is_terminal_and_costs_nothing(
    database: Database, job_id: UUID, account: UUID, now: datetime
) -> None:
    carried(database, job_id, Stage.BILL, now, word_count=40)
    claim = owned(database, job_id, Stage.BILL, now)
    with database.transaction() as session:
        assert endings.hold(session, claim, free_per_day=FREE, milliseconds=1, lease_seconds=LEASE, now=now)
    claim = owned(database, job_id, Stage.STORE, now)
    assert failed(database, claim, now, "internal_error")
    assert not failed(database, claim, now)
    assert claimed(database, job_id, Stage.STORE, now + AFTER_LEASE) is None
    with database.transaction() as session:
        assert not endings.publish(session, claim, 1, milliseconds=1, now=now)
        assert ledger.balance(session, account, free_per_day=FREE, now=now).free_tokens == FREE
    job = row(database, job_id)
    assert (job.state, job.error_code, job.processed_at) == (JobState.FAILED, "internal_error", now)


def test_too_few_tokens_leave_the_job_at_bill(database: Database, job_id: UUID, account: UUID, now: datetime) -> None:
    carried(database, job_id, Stage.BILL, now, word_count=40, page_count=2)
    claim = owned(database, job_id, Stage.BILL, now)
    with pytest.raises(InsufficientTokens) as refusal, database.transaction() as session:
        endings.hold(session, claim, free_per_day=59, milliseconds=1, lease_seconds=LEASE, now=now)
    assert (refusal.value.needed_tokens, refusal.value.available_tokens) == (60, 59)
    assert row(database, job_id).stage == Stage.BILL
    assert failed(database, claim, now, "insufficient_tokens")


def test_a_deleted_job_takes_its_parts_along(database: Database, job_id: UUID, account: UUID, now: datetime) -> None:
    split(database, job_id, 3, now)
    claim = claimed_part(database, job_id, now)
    assert claim is not None
    with database.transaction() as session:
        jobs.delete_job(session, account, job_id, now)
    assert finished_part(database, claim, now) is None
    assert not failed(database, claim, now)
    with database.transaction() as session:
        assert not leases.renew(session, claim, lease_seconds=LEASE, now=now)
    assert overdue(database, now + 99 * AFTER_LEASE) == []


def test_the_last_part_moves_the_job_on(database: Database, job_id: UUID, now: datetime) -> None:
    split(database, job_id, 3, now)
    claims = [claimed_part(database, job_id, now) for _ in range(3)]
    assert [claim.part for claim in claims if claim] == [0, 1, 2]
    assert [finished_part(database, claims[part], now) for part in (2, 0, 1)] == [2, 1, 0]
    job = row(database, job_id)
    assert (job.stage, job.timings[Stage.OCR]) == (Stage.DETECT, 15)
    assert attempts(database, job_id) == {0: 1, 1: 1, 2: 1}


def test_few_parts_are_due_at_once_and_each_makes_the_next_one_due(
    database: Database, job_id: UUID, now: datetime
) -> None:
    split(database, job_id, 5, now, at_once=2)
    assert overdue(database, now + AFTER_LEASE) == [(Stage.OCR, 0), (Stage.OCR, 1)]
    claims = [claimed_part(database, job_id, now) for _ in range(2)]
    assert finished(database, claims[1], now) == (4, 2)
    assert finished(database, claims[0], now) == (3, 3)
    assert sorted(overdue(database, now + AFTER_LEASE)) == [
        (Stage.OCR, 2),
        (Stage.OCR, 3),
    ]  # a lost message is sent again
    claims = [claimed_part(database, job_id, now) for _ in range(2)]
    assert claimed_part(database, job_id, now) is None  # the fifth is not due
    assert finished(database, claims[0], now) == (2, 4)
    assert finished(database, claimed_part(database, job_id, now), now) == (1, None)
    assert finished(database, claims[1], now) == (0, None)
    assert row(database, job_id).stage == Stage.DETECT


def test_parts_that_were_announced_before_are_not_announced_again(
    database: Database, job_id: UUID, now: datetime
) -> None:
    """Of a job that was split when all parts were due at once."""
    split(database, job_id, 4, now, at_once=99)
    assert finished(database, claimed_part(database, job_id, now), now) == (3, None)


def test_parts_that_finish_together_make_different_ones_due(database: Database, job_id: UUID, now: datetime) -> None:
    split(database, job_id, 12, now, at_once=6)
    claims = [claimed_part(database, job_id, now) for _ in range(6)]
    with ThreadPoolExecutor(6) as pool:
        done = list(pool.map(lambda claim: finished(database, claim, now), claims))
    assert sorted(each.due for each in done if each is not None and each.due is not None) == list(range(6, 12))


def test_parts_that_finish_together_move_the_job_on_once(database: Database, job_id: UUID, now: datetime) -> None:
    split(database, job_id, 12, now)
    with ThreadPoolExecutor(12) as pool:
        claims = list(pool.map(lambda _: claimed_part(database, job_id, now), range(12)))
        assert sorted(claim.part or 0 for claim in claims if claim) == list(range(12))
        left = list(pool.map(lambda claim: finished_part(database, claim, now), claims))
    assert sorted(value for value in left if value is not None) == list(range(12))
    assert row(database, job_id).stage == Stage.DETECT


def test_a_part_read_twice_counts_once_and_the_later_attempt_wins(
    database: Database, job_id: UUID, now: datetime
) -> None:
    split(database, job_id, 1, now)
    slow = claimed_part(database, job_id, now)
    assert claimed_part(database, job_id, now) is None
    fast = claimed_part(database, job_id, now + AFTER_LEASE)
    assert finished_part(database, slow, now) is None
    assert finished_part(database, fast, now) == 0
    assert finished_part(database, fast, now) is None
    assert attempts(database, job_id) == {0: 2}


def test_the_parts_of_input_and_output_and_of_each_round_are_apart(
    database: Database, job_id: UUID, now: datetime
) -> None:
    """What was begun in the first round, and comes late, counts nowhere in the second."""
    split(database, job_id, 2, now)
    for _ in range(2):
        finished(database, claimed_part(database, job_id, now), now)
    assert moved(database, owned(database, job_id, Stage.DETECT, now), Stage.VERIFY, now)
    split_at(database, job_id, Stage.VERIFY, Stage.REREAD, 2, now, at_once=1)
    assert claimed_part(database, job_id, now) is None  # a message about OCR that comes late
    assert overdue(database, now + AFTER_LEASE) == [(Stage.REREAD, 0)]
    late = claimed_part(database, job_id, now, Stage.REREAD)
    assert finished(database, claimed_part(database, job_id, now + AFTER_LEASE, Stage.REREAD), now) == (1, 1)
    assert finished(database, claimed_part(database, job_id, now, Stage.REREAD), now) == (0, None)
    assert attempts(database, job_id, Stage.REREAD) == {0: 2, 1: 1}
    claim = owned(database, job_id, Stage.VERDICT, now)
    assert moved(database, claim, Stage.REDACT, now, round=2)
    assert moved(database, owned(database, job_id, Stage.REDACT, now), Stage.VERIFY, now)
    split_at(database, job_id, Stage.VERIFY, Stage.REREAD, 1, now)
    assert attempts(database, job_id, Stage.REREAD) == {}
    again = claimed_part(database, job_id, now, Stage.REREAD)
    assert again is not None and late is not None and again.attempt == late.attempt
    assert finished(database, late, now) is None
    assert not failed(database, late, now)
    assert finished(database, again, now) == (0, None)
    assert row(database, job_id).stage == Stage.VERDICT
    assert attempts(database, job_id) == {0: 1, 1: 1}


def test_accounts_take_turns(database: Database, keyring: Keyring, account: UUID, job_id: UUID, now: datetime) -> None:
    """Another account's page is read next, whoever's message comes; then what was asked for, and who waits longest."""
    more, other = new_job(database, keyring, account, now), new_job(database, keyring, new_account(database, now), now)
    for each, parts, at in ((job_id, 4, now), (more, 2, now), (other, 3, now + timedelta(seconds=1))):
        split(database, each, parts, at)
    names = {job_id: "first", more: "more", other: "other"}
    taken = [claimed_part(database, more, now + timedelta(seconds=2)) for _ in range(9)]
    order = [f"{names[claim.job_id]} {claim.part}" for claim in taken if claim is not None]
    assert order == [
        *("more 0", "other 0", "more 1", "other 1", "first 0", "other 2"),
        *("first 1", "first 2", "first 3"),
    ]
    assert finished(database, taken[0], now) is not None
    assert claimed_part(database, more, now + timedelta(seconds=2)) is None


def test_one_file_does_not_wait_for_many_of_another_account(
    database: Database, keyring: Keyring, account: UUID, now: datetime
) -> None:
    """It is next at each of its stages as soon as a worker is free, whatever message comes and whatever stage waits."""
    many = [new_job(database, keyring, account, now) for _ in range(2 * leases._CANDIDATES)]
    for each in many:
        carried(database, each, Stage.EXTRACT, now)
    under_way = [owned(database, each, Stage.EXTRACT, now) for each in many[:2]]
    later = now + timedelta(seconds=1)
    one = new_job(database, keyring, new_account(database, now), later)
    carried(database, one, Stage.EXTRACT, later)
    for stage, following in ((Stage.EXTRACT, Stage.REDACT), (Stage.REDACT, Stage.VERIFY)):
        claim = owned(database, many[2], Stage.EXTRACT, later)
        assert (claim.job_id, claim.stage) == (one, stage)
        assert owned(database, one, Stage.EXTRACT, later).job_id != one, "its only stage there is under way"
        assert moved(database, claim, following, later)
    assert [claim.job_id for claim in under_way] == many[:2]


def test_accounts_take_turns_with_files(database: Database, keyring: Keyring, account: UUID, now: datetime) -> None:
    other = new_account(database, now)
    jobs = {
        new_job(database, keyring, each, now + timedelta(seconds=at)): name
        for name, each, at in (
            *(("first 0", account, 0), ("first 1", account, 1), ("first 2", account, 2)),
            *(("other 0", other, 3), ("other 1", other, 4), ("other 2", other, 5)),
        )
    }
    taken = [claimed(database, uuid4(), Stage.SNIFF, now + timedelta(seconds=9)) for _ in range(7)]
    order = [jobs[claim.job_id] for claim in taken if claim]
    assert order == ["first 0", "other 0", "first 1", "other 1", "first 2", "other 2"]
    assert taken[-1] is None


def reannounced(database: Database, now: datetime) -> None:
    with database.transaction() as session:
        for late in sweeps.overdue(session, now):
            assert sweeps.take_announcement(session, late, lease_seconds=LEASE, now=now)


def test_a_page_that_was_announced_again_stays_before_later_ones(
    database: Database, keyring: Keyring, account: UUID, job_id: UUID, now: datetime, monkeypatch: pytest.MonkeyPatch
) -> None:
    """Also where more wait than are looked at, and where its worker died."""
    monkeypatch.setattr(leases, "_OLDEST", 2)
    split(database, job_id, 2, now)
    assert claimed_part(database, job_id, now) is not None
    later = now + 5 * AFTER_LEASE
    for minutes in range(5):
        reannounced(database, now + minutes * AFTER_LEASE)
    for _ in range(2):
        split(database, fresh := new_job(database, keyring, account, later), 2, later)
    taken = [claimed_part(database, uuid4(), later) for _ in range(2)]
    assert [(claim.job_id, claim.part) for claim in taken if claim] == [(job_id, 0), (job_id, 1)]
    assert fresh != job_id


def test_a_page_of_a_process_that_knows_no_waiting_is_read_and_gets_a_place(
    database: Database, job_id: UUID, now: datetime
) -> None:
    """It wrote the row before it was replaced by this version."""
    split(database, job_id, 1, now)
    with database.transaction() as session:
        session.execute(update(JobPart).values(waiting_since=None))
    reannounced(database, at := now + AFTER_LEASE)
    with database.transaction() as session:
        assert session.scalars(select(JobPart.waiting_since)).all() == [at]
        session.execute(update(JobPart).values(waiting_since=None))
    assert claimed_part(database, job_id, now) is not None


@pytest.mark.parametrize(
    ("query", "indexes"),
    [
        (leases._fair(Stage.OCR, LIMITS, datetime(2026, 11, 21, tzinfo=UTC), uuid4()), ["ix_job_parts_waiting_since"]),
        (leases._WHOSE_TURN[Queue.DOCUMENTS], ["ix_jobs_waiting_since", "ix_jobs_lease_until"]),
    ],
    ids=["pages", "files"],
)
def test_whose_turn_it_may_be_is_found_by_an_index(
    database: Database, query: Select[UUID, int], indexes: list[str], now: datetime
) -> None:
    query = query.params(moment=now, most=3, asked=uuid4())
    with database.reading() as session:
        connection = session.connection()
        is_sqlite = connection.dialect.name == "sqlite"
        if not is_sqlite:
            session.execute(text("SET LOCAL enable_seqscan = off"))
            session.execute(text("SET LOCAL enable_sort = off"))
        compiled = query.compile(connection, compile_kwargs={"literal_binds": True})
        explain = "EXPLAIN QUERY PLAN" if is_sqlite else "EXPLAIN"
        plan = "\n".join(str(row) for row in connection.exec_driver_sql(f"{explain} {compiled}"))
    assert all(index in plan for index in indexes), plan


def test_a_part_that_fails_ends_the_job_for_all(database: Database, job_id: UUID, now: datetime) -> None:
    split(database, job_id, 2, now)
    first, second = (claimed_part(database, job_id, now) for _ in range(2))
    assert first is not None and second is not None
    assert failed(database, first, now, "image_redact_failed")
    assert not failed(database, second, now)
    assert finished_part(database, second, now) is None
    assert row(database, job_id).error_code == "image_redact_failed"


def test_a_stuck_part_ends_the_job(database: Database, job_id: UUID, now: datetime) -> None:
    split(database, job_id, 1, now)
    for number in range(LIMITS.max_attempts):
        assert claimed_part(database, job_id, now + number * AFTER_LEASE) is not None
    late = now + 9 * AFTER_LEASE
    assert claimed_part(database, job_id, late) is None
    with database.transaction() as session:
        stuck = Overdue(job_id, Stage.OCR, 0, 3, 3, 0)
        for other in (stuck._replace(attempt=2), stuck._replace(stage=Stage.REREAD)):
            assert not endings.fail_stuck(session, other, "internal_error", now=late)
        assert endings.fail_stuck(session, stuck, "internal_error", now=late)
    assert row(database, job_id).state == JobState.FAILED


def test_what_nobody_announced_or_a_dead_worker_held_is_overdue(
    database: Database, job_id: UUID, now: datetime
) -> None:
    assert overdue(database, now) == []
    assert overdue(database, now + AFTER_LEASE) == [(Stage.SNIFF, None)]
    owned(database, job_id, Stage.SNIFF, now + timedelta(seconds=1))
    assert overdue(database, now + AFTER_LEASE) == []
    assert overdue(database, now + AFTER_LEASE + timedelta(seconds=1)) == [(Stage.SNIFF, None)]


def test_waiting_parts_are_overdue_each_by_itself(database: Database, job_id: UUID, now: datetime) -> None:
    split(database, job_id, 3, now)
    finished_part(database, claimed_part(database, job_id, now), now)
    claimed_part(database, job_id, now + timedelta(seconds=1))
    assert overdue(database, now + AFTER_LEASE) == [(Stage.OCR, 2)]
    assert overdue(database, now + 2 * AFTER_LEASE) == [(Stage.OCR, 2), (Stage.OCR, 1)]


def test_an_overdue_stage_is_announced_by_one_sweeper_and_ever_less_often(
    database: Database, job_id: UUID, now: datetime
) -> None:
    at, waits = now + AFTER_LEASE, []
    for _ in range(9):
        with database.reading() as session:
            (late,) = sweeps.overdue(session, at)
        with database.transaction() as session:
            assert sweeps.take_announcement(session, late, lease_seconds=LEASE, now=at)
            assert not sweeps.take_announcement(session, late, lease_seconds=LEASE, now=at)
        due = row(database, job_id).due_at
        assert due is not None
        waits.append((due - at) / AFTER_LEASE)
        at = due
    assert waits == [1, 2, 4, 8, 8, 8, 8, 8, 8]
