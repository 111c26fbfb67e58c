"""A job's way through its stages: claimed under a lease, moved on by the attempt that owns it, ended in one place."""

from collections.abc import Mapping
from dataclasses import dataclass
from datetime import datetime, timedelta
from typing import Any
from uuid import UUID

from sqlalchemy import ColumnElement, delete, or_, select, update
from sqlmodel import Session, col

from schemas.files import JobState
from schemas.stages import Stage
from storage import ledger
from storage.changes import changed
from storage.job_tables import Job, JobPart
from storage.jobs import hold_reference

_RUNNING = (JobState.QUEUED.value, JobState.PROCESSING.value)


@dataclass(frozen=True, slots=True)
class Claim:
    """The right of one attempt to work on one stage of a job, or on one part of its OCR.

    `attempt` is the fencing token, `claims` how often this stage has been claimed, this time included; `job` the row as
    it was then.
    """

    job: Job
    stage: Stage
    attempt: int
    claims: int
    part: int | None = None

    @property
    def job_id(self) -> UUID:
        return self.job.id


def claim(
    session: Session, job_id: UUID, stage: Stage, *, lease_seconds: float, max_attempts: int, now: datetime
) -> Claim | None:
    """Takes the lease of a job that waits at `stage`, or None: another has it, it moved on, ended, or is used up."""
    until = now + timedelta(seconds=lease_seconds)
    row = session.execute(
        update(Job)
        .where(
            col(Job.id) == job_id,
            col(Job.stage) == stage.value,
            col(Job.state).in_(_RUNNING),
            or_(col(Job.lease_until).is_(None), col(Job.lease_until) <= now),
            col(Job.claims) < max_attempts,
        )
        .values(
            state=JobState.PROCESSING.value,
            attempt=col(Job.attempt) + 1,
            claims=col(Job.claims) + 1,
            lease_until=until,
            due_at=until,
            announcements=0,
        )
        .returning(Job),
        execution_options={"populate_existing": True},
    ).first()
    if row is None:
        return None
    job: Job = row[0]
    return Claim(job, stage, job.attempt, job.claims)


def claim_part(
    session: Session, job_id: UUID, part: int, *, lease_seconds: float, max_attempts: int, now: datetime
) -> Claim | None:
    """As `claim`, for one raster of a job that waits at OCR."""
    job = session.get(Job, job_id)
    if job is None or job.state not in _RUNNING or job.stage != Stage.OCR.value:
        return None
    until = now + timedelta(seconds=lease_seconds)
    row = session.execute(
        update(JobPart)
        .where(
            col(JobPart.job_id) == job_id,
            col(JobPart.part) == part,
            col(JobPart.done).is_(False),
            or_(col(JobPart.lease_until).is_(None), col(JobPart.lease_until) <= now),
            col(JobPart.claims) < max_attempts,
        )
        .values(
            attempt=col(JobPart.attempt) + 1,
            claims=col(JobPart.claims) + 1,
            lease_until=until,
            due_at=until,
            announcements=0,
        )
        .returning(col(JobPart.attempt), col(JobPart.claims))
    ).first()
    return None if row is None else Claim(job, Stage.OCR, row[0], row[1], part)


def renew(session: Session, claim: Claim, *, lease_seconds: float, now: datetime) -> bool:
    """Prolongs the lease; False when it is no longer ours and the work should be dropped."""
    return _give_lease(session, claim, now + timedelta(seconds=lease_seconds), now + timedelta(seconds=lease_seconds))


def relinquish(session: Session, claim: Claim, *, retry_at: datetime, lease_seconds: float) -> bool:
    """Gives the stage back to be claimed again, not before `retry_at`; False when it is no longer ours."""
    return _give_lease(session, claim, retry_at, retry_at + timedelta(seconds=lease_seconds))


def _give_lease(session: Session, claim: Claim, until: datetime, due_at: datetime) -> bool:
    if claim.part is None:
        statement = update(Job).where(*_owned(claim)).values(lease_until=until, due_at=due_at)
    else:
        statement = update(JobPart).where(*_owned_part(claim)).values(lease_until=until, due_at=due_at)
    return changed(session, statement) == 1


def advance(
    session: Session,
    claim: Claim,
    to: Stage,
    *,
    lease_seconds: float,
    now: datetime,
    facts: Mapping[str, Any] | None = None,
) -> bool:
    """Moves the job on, with what this stage learnt (columns of the row); False when the claim is no longer ours."""
    values = _moved(to, now, lease_seconds) | {"outputs": _outputs(claim)} | dict(facts or {})
    return changed(session, update(Job).where(*_owned(claim)).values(**values)) == 1


def split(session: Session, claim: Claim, parts: int, *, lease_seconds: float, now: datetime) -> bool:
    """Moves the job to OCR, to be read in `parts` parts (at least one); False when the claim is no longer ours."""
    values = _moved(Stage.OCR, now, lease_seconds) | {"outputs": _outputs(claim), "parts_left": parts, "due_at": None}
    if changed(session, update(Job).where(*_owned(claim)).values(**values)) == 0:
        return False
    due_at = now + timedelta(seconds=lease_seconds)
    session.add_all([JobPart(job_id=claim.job_id, part=part, due_at=due_at) for part in range(parts)])
    session.flush()
    return True


def finish_part(session: Session, claim: Claim, *, lease_seconds: float, now: datetime) -> bool:
    """Marks a part as read. True when it was the last one: the job now waits at detect, to be announced."""
    # Job before part, as everywhere: with the job's row locked, of two parts that finish together one sees zero.
    _lock(session, claim.job_id)
    done = update(JobPart).where(*_owned_part(claim)).values(done=True, lease_until=None, due_at=None)
    if changed(session, done) == 0:
        return False
    row = session.execute(
        update(Job).where(*_reading(claim)).values(parts_left=col(Job.parts_left) - 1).returning(col(Job.parts_left))
    ).first()
    if row is None or row[0] > 0:
        return False
    changed(session, update(Job).where(*_reading(claim)).values(**_moved(Stage.DETECT, now, lease_seconds)))
    return True


def part_attempts(session: Session, job_id: UUID) -> dict[int, int]:
    """Of every part, the attempt whose reading counts."""
    parts = session.scalars(select(JobPart).where(col(JobPart.job_id) == job_id, col(JobPart.done)))
    return {row.part: row.attempt for row in parts}


def hold(
    session: Session, claim: Claim, tokens: int, *, free_per_day: int, lease_seconds: float, now: datetime
) -> bool:
    """Reserves what the job costs and moves it to store, in one transaction. InsufficientTokens."""
    if not advance(session, claim, Stage.STORE, lease_seconds=lease_seconds, now=now):
        return False
    ledger.hold(
        session,
        claim.job.account_id,
        tokens,
        reference=hold_reference(claim.job_id),
        free_per_day=free_per_day,
        now=now,
    )
    return True


def publish(session: Session, claim: Claim, size_out: int, *, now: datetime) -> bool:
    """Charges and makes the result visible, in one transaction; False when the claim is no longer ours."""
    ready = {
        "state": JobState.READY.value,
        "outputs": _outputs(claim),
        "size_out": size_out,
        "processed_at": now,
        "lease_until": None,
        "due_at": None,
    }
    if changed(session, update(Job).where(*_owned(claim)).values(**ready)) == 0:
        return False
    ledger.settle(session, hold_reference(claim.job_id), now)
    return True


def fail(session: Session, claim: Claim, code: str, *, now: datetime) -> bool:
    """Ends the job by its own worker; False when the claim is no longer ours."""
    if claim.part is None:
        return _end(session, claim.job_id, code, now, *_owned(claim))
    _lock(session, claim.job_id)
    if changed(session, update(JobPart).where(*_owned_part(claim)).values(lease_until=None, due_at=None)) == 0:
        return False
    return _end(session, claim.job_id, code, now, *_reading(claim))


def fail_stuck(session: Session, job_id: UUID, attempt: int, code: str, *, now: datetime) -> bool:
    """Ends a job whose workers died too often, unless it has been claimed or moved since it was seen."""
    stuck = (col(Job.attempt) == attempt, col(Job.lease_until) <= now)
    return _end(session, job_id, code, now, *stuck)


def fail_stuck_part(session: Session, job_id: UUID, code: str, *, now: datetime) -> bool:
    """Ends a job that waits for a part whose workers died too often."""
    return _end(session, job_id, code, now, col(Job.stage) == Stage.OCR.value)


def _end(session: Session, job_id: UUID, code: str, now: datetime, *still: ColumnElement[bool]) -> bool:
    """The one way to fail: state, error code and the hold given back together; the bytes go right after the commit."""
    failed = {
        "state": JobState.FAILED.value,
        "error_code": code,
        "processed_at": now,
        "ended_at": now,
        "lease_until": None,
        "due_at": None,
    }
    running = (col(Job.id) == job_id, col(Job.state).in_(_RUNNING))
    if changed(session, update(Job).where(*running, *still).values(**failed)) == 0:
        return False
    changed(session, delete(JobPart).where(col(JobPart.job_id) == job_id))
    ledger.release(session, hold_reference(job_id), now)
    return True


def _lock(session: Session, job_id: UUID) -> None:
    session.execute(select(col(Job.id)).where(col(Job.id) == job_id).with_for_update()).first()


def _owned(claim: Claim) -> tuple[ColumnElement[bool], ...]:
    return (
        col(Job.id) == claim.job_id,
        col(Job.stage) == claim.stage.value,
        col(Job.attempt) == claim.attempt,
        col(Job.state) == JobState.PROCESSING.value,
    )


def _owned_part(claim: Claim) -> tuple[ColumnElement[bool], ...]:
    return (
        col(JobPart.job_id) == claim.job_id,
        col(JobPart.part) == claim.part,
        col(JobPart.attempt) == claim.attempt,
        col(JobPart.done).is_(False),
    )


def _reading(claim: Claim) -> tuple[ColumnElement[bool], ...]:
    return (
        col(Job.id) == claim.job_id,
        col(Job.stage) == Stage.OCR.value,
        col(Job.state) == JobState.PROCESSING.value,
    )


def _moved(to: Stage, now: datetime, lease_seconds: float) -> dict[str, Any]:
    return {
        "stage": to.value,
        "claims": 0,
        "announcements": 0,
        "lease_until": None,
        "due_at": now + timedelta(seconds=lease_seconds),
    }


def _outputs(claim: Claim) -> dict[str, int]:
    return claim.job.outputs | {claim.stage.value: claim.attempt}
