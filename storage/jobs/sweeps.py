"""The sweeper's queries on jobs: overdue stages, expired files, leftover objects, old rows."""

from collections.abc import Collection, Sequence
from datetime import datetime, timedelta
from typing import NamedTuple
from uuid import UUID

from sqlalchemy import delete, select, update
from sqlalchemy import func as sql
from sqlmodel import Session, col

from schemas.files import JobState
from schemas.stages import Stage
from storage.database import changed
from storage.jobs.tables import Job, JobPart

BATCH = 500
_RUNNING = (JobState.QUEUED.value, JobState.PROCESSING.value)
_ENDED = (JobState.FAILED.value, JobState.EXPIRED.value)
_MAX_DOUBLINGS = 3  # then every eight leases


class Overdue(NamedTuple):
    """A stage, or a part of one, that was not moved in time."""

    job_id: UUID
    stage: Stage
    part: int | None
    attempt: int
    claims: int
    announcements: int


def overdue(session: Session, now: datetime) -> list[Overdue]:
    """The longest overdue stages and parts, at most BATCH of each."""
    jobs = session.scalars(
        select(Job).where(col(Job.state).in_(_RUNNING), col(Job.due_at) <= now).order_by(col(Job.due_at)).limit(BATCH)
    ).all()
    parts = session.scalars(
        select(JobPart)
        .join(Job, col(Job.id) == col(JobPart.job_id))
        .where(
            col(Job.state).in_(_RUNNING),
            col(Job.stage) == col(JobPart.stage),
            col(JobPart.done).is_(False),
            col(JobPart.due_at) <= now,
        )
        .order_by(col(JobPart.due_at))
        .limit(BATCH)
    ).all()
    return [
        *(Overdue(job.id, Stage(job.stage), None, job.attempt, job.claims, job.announcements) for job in jobs),
        *(Overdue(p.job_id, Stage(p.stage), p.part, p.attempt, p.claims, p.announcements) for p in parts),
    ]


def take_announcement(session: Session, late: Overdue, *, lease_seconds: float, now: datetime) -> bool:
    """Takes the right to announce a stage again; False when another sweeper took it or the stage moved.

    Each repetition waits twice as long as the last, up to eight leases: a long queue is not filled with messages for
    the same work, and work whose message Redis lost does not lie for longer.
    """
    wait = timedelta(seconds=lease_seconds * 2 ** min(late.announcements, _MAX_DOUBLINGS))
    table = Job if late.part is None else JobPart
    values = {
        "due_at": now + wait,
        "announcements": late.announcements + 1,
        "waiting_since": sql.coalesce(col(table.waiting_since), now),  # a process older than the column wrote none
    }
    if late.part is None:
        statement = (
            update(Job)
            .where(
                col(Job.id) == late.job_id,
                col(Job.stage) == late.stage.value,
                col(Job.attempt) == late.attempt,
                col(Job.due_at) <= now,
            )
            .values(**values)
        )
    else:
        statement = (
            update(JobPart)
            .where(
                col(JobPart.job_id) == late.job_id,
                col(JobPart.stage) == late.stage.value,
                col(JobPart.part) == late.part,
                col(JobPart.attempt) == late.attempt,
                col(JobPart.due_at) <= now,
            )
            .values(**values)
        )
    return changed(session, statement) == 1


def expire(session: Session, now: datetime) -> int:
    """Marks ready, unpinned jobs past their time as expired; their objects are then left over. Returns the number."""
    return changed(
        session,
        update(Job)
        .where(col(Job.state) == JobState.READY.value, col(Job.is_persisted).is_(False), col(Job.expires_at) <= now)
        .values(state=JobState.EXPIRED.value, ended_at=now, has_residue=True),
    )


def leftovers(session: Session) -> Sequence[Job]:
    """Finished jobs whose objects may not be destroyed yet; at most BATCH."""
    return session.scalars(
        select(Job)
        .where(col(Job.has_residue), col(Job.state).not_in(_RUNNING))
        .order_by(col(Job.processed_at))
        .limit(BATCH)
    ).all()


def cleared(session: Session, job_id: UUID, state: JobState) -> None:
    """Notes that the leftover objects of a job of this state are destroyed."""
    changed(session, update(Job).where(col(Job.id) == job_id, col(Job.state) == state.value).values(has_residue=False))


def purge(session: Session, ended_before: datetime) -> int:
    """Deletes rows of jobs that failed or expired before a moment and have no objects left. Returns the number."""
    gone = (col(Job.state).in_(_ENDED), col(Job.ended_at) < ended_before, col(Job.has_residue).is_(False))
    changed(session, delete(JobPart).where(col(JobPart.job_id).in_(select(col(Job.id)).where(*gone))))
    return changed(session, delete(Job).where(*gone))


def rows(session: Session, job_ids: Collection[UUID]) -> dict[UUID, Job]:
    """The existing rows of these jobs."""
    return {job.id: job for job in session.scalars(select(Job).where(col(Job.id).in_(job_ids)))}
