"""What waits for a worker, by queue: the signal by which operators scale each pool."""

from datetime import datetime

from sqlalchemy import ColumnElement, or_, select
from sqlalchemy import func as sql
from sqlmodel import Session, col

from schemas.files import JobState
from schemas.stages import AFTER_PARTS, STAGE, Queue, Stage
from storage.jobs.tables import Job, JobPart

_RUNNING = (JobState.QUEUED.value, JobState.PROCESSING.value)


def _is_free(lease_until: datetime | None, now: datetime) -> ColumnElement[bool]:
    return or_(col(lease_until).is_(None), col(lease_until) <= now)


def backlog(session: Session, now: datetime) -> dict[Queue, tuple[int, float]]:
    """For each queue with work: how many stages and parts nobody has, and how many seconds the oldest waits.

    A stage waits since it could first be claimed; one that was given back, since it may be claimed again; one whose
    worker died, since its lease ended. Pages whose turn has not come count without an age. What a process wrote that is
    older than `waiting_since` counts from an earlier stage, or from its first announcement by the sweeper.
    """
    jobs = (
        select(col(Job.stage), sql.count(), _oldest(Job))
        .where(col(Job.state).in_(_RUNNING), col(Job.stage).not_in(AFTER_PARTS), _is_free(Job.lease_until, now))
        .group_by(col(Job.stage))
    )
    parts = (
        select(col(JobPart.stage), sql.count(), _oldest(JobPart))
        .join(Job, col(Job.id) == col(JobPart.job_id))
        .where(
            col(Job.state).in_(_RUNNING),
            col(Job.stage) == col(JobPart.stage),
            col(JobPart.done).is_(False),
            _is_free(JobPart.lease_until, now),
        )
        .group_by(col(JobPart.stage))
    )
    found: dict[Queue, tuple[int, float]] = {}
    for name, count, since in (*session.execute(jobs), *session.execute(parts)):
        queue, waits = STAGE[Stage(name)].queue, max(0.0, (now - (since or now)).total_seconds())
        known = found.get(queue, (0, 0.0))
        found[queue] = known[0] + count, max(known[1], waits)
    return found


def _oldest(table: type[Job | JobPart]) -> ColumnElement[datetime]:
    return sql.min(sql.coalesce(col(table.lease_until), col(table.waiting_since)))
