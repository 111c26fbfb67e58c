"""Jobs for tests of what happens to jobs."""

from collections.abc import Sequence
from datetime import datetime
from uuid import UUID, uuid4

from schemas.files import Format
from schemas.spans import Term
from schemas.stages import FIRST_STAGE, STAGE, Stage
from storage.database import Database
from storage.encryption import Keyring
from storage.jobs import endings, leases
from storage.jobs import records as jobs
from storage.jobs.leases import Claim, Limits
from storage.jobs.records import Quotas, Upload
from storage.jobs.tables import Job

LEASE = 60
LIMITS = Limits(LEASE, 3)
PLENTY = Quotas(1000, 1000, 1000)
TTL = 86400
FREE = 1000


def new_job(
    database: Database,
    keyring: Keyring,
    account_id: UUID,
    now: datetime,
    *,
    quotas: Quotas = PLENTY,
    terms: Sequence[Term] = (),
    filename: str = "letter.csv",
) -> UUID:
    """A queued CSV job's id."""
    upload = Upload(uuid4(), account_id, Format.CSV, filename, "text/csv", 123, terms)
    with database.transaction() as session:
        return jobs.enqueue(session, keyring, upload, quotas, ttl_seconds=TTL, lease_seconds=LEASE, now=now).id


def claimed(database: Database, job_id: UUID, stage: Stage, now: datetime) -> Claim | None:
    """What a worker gets that asks for the stage."""
    with database.transaction() as session:
        return leases.claim(session, STAGE[stage].queue, LIMITS, now=now, asked=job_id)


def owned(database: Database, job_id: UUID, stage: Stage, now: datetime) -> Claim:
    """A claim that must succeed."""
    claim = claimed(database, job_id, stage, now)
    assert claim is not None
    return claim


def moved(database: Database, claim: Claim, to: Stage, now: datetime, **facts: object) -> bool:
    """Whether the claim could move its job on."""
    with database.transaction() as session:
        return leases.advance(session, claim, to, milliseconds=5, lease_seconds=LEASE, now=now, facts=facts)


def carried(database: Database, job_id: UUID, to: Stage, now: datetime, **facts: object) -> None:
    """Moves a fresh job straight to a stage."""
    assert moved(database, owned(database, job_id, FIRST_STAGE, now), to, now, **facts)


def row(database: Database, job_id: UUID) -> Job:
    """The job as it is now."""
    with database.reading() as session:
        job = leases.current(session, job_id)
    assert job is not None
    return job


def ready(database: Database, job_id: UUID, now: datetime, words: int = 12) -> None:
    """Carries a fresh job to its end: one page, two persons."""
    carried(database, job_id, Stage.BILL, now, word_count=words, page_count=1, found={"PERSON": 2}, entity_count=2)
    claim = owned(database, job_id, Stage.BILL, now)
    with database.transaction() as session:
        assert endings.hold(session, claim, free_per_day=FREE, milliseconds=1, lease_seconds=LEASE, now=now)
    claim = owned(database, job_id, Stage.STORE, now)
    with database.transaction() as session:
        assert endings.publish(session, claim, 99, milliseconds=1, now=now)


def failed(database: Database, job_id: UUID, now: datetime) -> None:
    """Fails a fresh job."""
    claim = owned(database, job_id, Stage.SNIFF, now)
    with database.transaction() as session:
        assert endings.fail(session, claim, "unsupported_format", now=now)
