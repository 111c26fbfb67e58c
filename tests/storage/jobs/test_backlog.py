"""What waits for a worker, by queue: counts and the age of the oldest, on both databases."""

from datetime import datetime, timedelta

from schemas.stages import FIRST_STAGE, STAGE, Queue, Stage
from storage.database import Database
from storage.encryption import Keyring
from storage.jobs import leases, sweeps
from storage.jobs.backlog import backlog
from storage.jobs.tables import Job, JobPart
from tests.storage.jobs.samples import LEASE, LIMITS, moved, new_job, owned
from tests.storage.people import new_account


def test_queues_without_work_are_not_named(database: Database, now: datetime) -> None:
    with database.reading() as session:
        assert backlog(session, now) == {}


def test_waiting_stages_count_and_leased_ones_do_not(database: Database, keyring: Keyring, now: datetime) -> None:
    account = new_account(database, now)
    waiting, leased, scanned = (new_job(database, keyring, account, now) for _ in range(3))
    owned(database, leased, FIRST_STAGE, now)
    with database.transaction() as session:
        job = session.get_one(Job, scanned)
        job.stage, job.parts, job.parts_left = Stage.OCR.value, 3, 2
        for part in range(3):
            due = now + timedelta(seconds=LEASE)
            session.add(JobPart(job_id=scanned, part=part, waiting_since=now, due_at=due, done=part == 0))
    with database.reading() as session:
        found = backlog(session, now + timedelta(seconds=7))
    assert found == {STAGE[FIRST_STAGE].queue: (1, 7.0), Queue.OCR: (2, 7.0)}
    with database.reading() as session:  # the lease has ended: its worker is gone, and it waits again
        later = backlog(session, now + timedelta(seconds=LEASE + 1))
    assert later[STAGE[FIRST_STAGE].queue][0] == 2
    assert waiting != leased


def aged(database: Database, now: datetime) -> dict[Queue, float]:
    with database.reading() as session:
        return {queue: seconds for queue, (_, seconds) in backlog(session, now).items()}


def test_work_is_as_old_as_its_wait_however_often_it_is_announced_again(
    database: Database, keyring: Keyring, now: datetime
) -> None:
    account = new_account(database, now)
    new_job(database, keyring, account, now)
    scanned = new_job(database, keyring, account, now - timedelta(hours=1))
    with database.transaction() as session:
        claim = leases.claim(session, Queue.LIGHT, LIMITS, now=now, asked=scanned)
        assert claim is not None
        assert leases.split(session, claim, Stage.OCR, 3, at_once=2, milliseconds=1, lease_seconds=LEASE, now=now)
    for minute in range(120):
        with database.transaction() as session:
            at = now + timedelta(minutes=minute)
            for late in sweeps.overdue(session, at):
                assert sweeps.take_announcement(session, late, lease_seconds=LEASE, now=at)
    assert aged(database, now + timedelta(hours=2)) == {STAGE[FIRST_STAGE].queue: 7200, Queue.OCR: 7200}


def test_the_next_stage_and_the_next_page_wait_anew(database: Database, keyring: Keyring, now: datetime) -> None:
    job_id = new_job(database, keyring, new_account(database, now), now)
    at = now + timedelta(minutes=30)
    assert moved(database, owned(database, job_id, FIRST_STAGE, at), Stage.EXTRACT, at)
    assert aged(database, at + timedelta(seconds=4)) == {STAGE[Stage.EXTRACT].queue: 4}
    with database.transaction() as session:
        claim = leases.claim(session, Queue.DOCUMENTS, LIMITS, now=at, asked=job_id)
        assert claim is not None
        assert leases.split(session, claim, Stage.OCR, 2, at_once=1, milliseconds=1, lease_seconds=LEASE, now=at)
        page = leases.claim_part(session, Stage.OCR, LIMITS, now=at, asked=job_id)
        assert page is not None
    with database.reading() as session:
        assert backlog(session, at + timedelta(seconds=9)) == {Queue.OCR: (1, 0)}, "its turn has not come"
    with database.transaction() as session:
        assert leases.finish_part(session, page, milliseconds=1, lease_seconds=LEASE, now=at + timedelta(seconds=10))
    assert aged(database, at + timedelta(seconds=13)) == {Queue.OCR: 3}


def test_work_that_was_given_back_waits_since_it_may_be_claimed(
    database: Database, keyring: Keyring, now: datetime
) -> None:
    job_id = new_job(database, keyring, new_account(database, now), now)
    queue = STAGE[FIRST_STAGE].queue
    claim = owned(database, job_id, FIRST_STAGE, now)
    retry_at = now + timedelta(minutes=10)
    with database.transaction() as session:
        assert leases.relinquish(session, claim, retry_at=retry_at, lease_seconds=LEASE)
    assert aged(database, retry_at - timedelta(seconds=1)) == {}
    assert aged(database, retry_at + timedelta(seconds=5)) == {queue: 5}
    owned(database, job_id, FIRST_STAGE, retry_at)
    assert aged(database, retry_at + timedelta(seconds=LEASE + 2)) == {queue: 2}, "its worker died"
