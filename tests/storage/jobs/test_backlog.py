"""What waits for a worker, by queue: counts and the age of the oldest, on both databases."""

from datetime import datetime, timedelta

from schemas.stages import FIRST_STAGE, STAGE, Queue, Stage
from storage.database import Database
from storage.encryption import Keyring
from storage.jobs.backlog import backlog
from storage.jobs.tables import Job, JobPart
from tests.storage.jobs.samples import LEASE, new_job, owned
from tests.storage.people import new_account


def test_queues_without_work_are_not_named(database: Database, now: datetime) -> None:
    with database.reading() as session:
        assert backlog(session, now, LEASE) == {}


def test_waiting_stages_count_and_leased_ones_do_not(database: Database, keyring: Keyring, now: datetime) -> None:
    account = new_account(database, now)
    waiting, leased, scanned = (new_job(database, keyring, account, now) for _ in range(3))
    owned(database, leased, FIRST_STAGE, now)
    with database.transaction() as session:
        job = session.get_one(Job, scanned)
        job.stage, job.parts, job.parts_left = Stage.OCR.value, 3, 2
        for part in range(3):
            due = now + timedelta(seconds=LEASE)
            session.add(JobPart(job_id=scanned, part=part, due_at=due, done=part == 0))
    with database.reading() as session:
        found = backlog(session, now + timedelta(seconds=7), LEASE)
    assert found == {STAGE[FIRST_STAGE].queue: (1, 7.0), Queue.OCR: (2, 7.0)}
    with database.reading() as session:  # the lease has ended: its worker is gone, and it waits again
        later = backlog(session, now + timedelta(seconds=LEASE + 1), LEASE)
    assert later[STAGE[FIRST_STAGE].queue][0] == 2
    assert waiting != leased
