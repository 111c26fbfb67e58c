"""The end of a job and its money in one transaction: held, charged when ready, or released on failure."""

from datetime import datetime
from uuid import UUID

from sqlalchemy import ColumnElement, delete, update
from sqlmodel import Session, col

from schemas.entities import EntityType
from schemas.files import JobState
from schemas.refusals import Reason
from schemas.stages import Stage
from storage import ledger
from storage.accounts import usage
from storage.database import changed
from storage.jobs.leases import RUNNING, Claim, advance, finished, locked, owned, owned_part
from storage.jobs.records import hold_reference
from storage.jobs.sweeps import Overdue
from storage.jobs.tables import Job, JobPart

TOKENS_PER_PAGE = 10


def cost(job: Job) -> int:
    """Tokens: one per word, ten per PDF page or standalone image."""
    return (job.word_count or 0) + TOKENS_PER_PAGE * (job.page_count or 0)


def hold(
    session: Session, claim: Claim, *, free_per_day: int, milliseconds: int, lease_seconds: float, now: datetime
) -> bool:
    """Holds the cost of the job and moves it to the store stage, in one transaction. InsufficientTokens."""
    if not advance(session, claim, Stage.STORE, milliseconds=milliseconds, lease_seconds=lease_seconds, now=now):
        return False
    tokens, reference = cost(claim.job), hold_reference(claim.job_id)
    ledger.hold(session, claim.job.account_id, tokens, reference=reference, free_per_day=free_per_day, now=now)
    return True


def publish(session: Session, claim: Claim, size_out: int, *, milliseconds: int, now: datetime) -> bool:
    """Charges and makes the result ready in one transaction; False when another attempt owns the job."""
    ready = finished(claim, milliseconds) | {
        "state": JobState.READY.value,
        "size_out": size_out,
        "processed_at": now,
        "lease_until": None,
        "due_at": None,
        "terms_sealed": None,  # nobody looks for them any more
    }
    if not changed(session, update(Job).where(*owned(claim)).values(**ready)):
        return False
    changed(session, delete(JobPart).where(col(JobPart.job_id) == claim.job_id))
    ledger.settle(session, hold_reference(claim.job_id), now)
    found = {EntityType(name): count for name, count in claim.job.found.items()}
    usage.record(session, claim.job.account_id, tokens=cost(claim.job), entities=found, now=now)
    return True


def fail(session: Session, claim: Claim, code: str, reason: Reason | None = None, *, now: datetime) -> bool:
    """Fails the job from its own worker; False when another attempt owns it. `reason`: of `unsupported_format`."""
    if claim.part is None:
        return _end(session, claim.job_id, code, now, *owned(claim), reason=reason)
    return _end_for_part(session, claim.job_id, claim.stage, code, now, *owned_part(claim))


def fail_stuck(session: Session, late: Overdue, code: str, *, now: datetime) -> bool:
    """Fails a job whose workers died too often at this stage (or part), unless it moved since it was read."""
    if late.part is None:
        return _end(session, late.job_id, code, now, col(Job.attempt) == late.attempt, col(Job.lease_until) <= now)
    stuck = (
        col(JobPart.job_id) == late.job_id,
        col(JobPart.stage) == late.stage.value,
        col(JobPart.part) == late.part,
        col(JobPart.attempt) == late.attempt,
        col(JobPart.done).is_(False),
        col(JobPart.lease_until) <= now,
    )
    return _end_for_part(session, late.job_id, late.stage, code, now, *stuck)


def _end_for_part(
    session: Session, job_id: UUID, stage: Stage, code: str, now: datetime, *part: ColumnElement[bool]
) -> bool:
    locked(session, job_id)
    if not changed(session, update(JobPart).where(*part).values(lease_until=None, due_at=None)):
        return False
    return _end(session, job_id, code, now, col(Job.stage) == stage.value)


def _end(
    session: Session,
    job_id: UUID,
    code: str,
    now: datetime,
    *still: ColumnElement[bool],
    reason: Reason | None = None,
) -> bool:
    """The only way to fail a job: state, error code and release of the hold together; the caller destroys the bytes
    next.
    """
    failed = {
        "state": JobState.FAILED.value,
        "error_code": code,
        "reason": None if reason is None else reason.value,
        "processed_at": now,
        "ended_at": now,
        "lease_until": None,
        "due_at": None,
        "terms_sealed": None,
        "report": None,
    }
    running = (col(Job.id) == job_id, col(Job.state).in_(RUNNING))
    if not changed(session, update(Job).where(*running, *still).values(**failed)):
        return False
    changed(session, delete(JobPart).where(col(JobPart.job_id) == job_id))
    ledger.release(session, hold_reference(job_id), now)
    return True
