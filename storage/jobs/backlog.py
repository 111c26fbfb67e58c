"""What waits for a worker, by queue: the signal by which operators scale each pool."""

from datetime import datetime, timedelta

from sqlalchemy import ColumnElement, or_, select
from sqlalchemy import func as sql
from sqlmodel import Session, col

from schemas.files import JobState
from schemas.stages import AFTER_PARTS, STAGE, Queue, Stage
from storage.jobs.tables import Job, JobPart

_RUNNING = (JobState.QUEUED.value, JobState.PROCESSING.value)


def _is_free(lease_until: datetime | None, now: datetime) -> ColumnElement[bool]:
    return or_(col(lease_until).is_(None), col(lease_until) <= now)


def backlog(session: Session, now: datetime, lease_seconds: float) -> dict[Queue, tuple[int, float]]:
    """For each queue with work: how many stages and parts nobody has, and how many seconds the oldest waits.

    A row's `due_at` is a lease behind its last announcement.
    """
    jobs = (
        select(col(Job.stage), sql.count(), sql.min(Job.due_at))
        .where(col(Job.state).in_(_RUNNING), col(Job.stage).not_in(AFTER_PARTS), _is_free(Job.lease_until, now))
        .group_by(col(Job.stage))
    )
    parts = (
        select(col(JobPart.stage), sql.count(), sql.min(JobPart.due_at))
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
    for name, count, due_at in (*session.execute(jobs), *session.execute(parts)):
        announced = now if due_at is None else due_at - timedelta(seconds=lease_seconds)
        queue, waits = STAGE[Stage(name)].queue, max(0.0, (now - announced).total_seconds())
        known = found.get(queue, (0, 0.0))
        found[queue] = known[0] + count, max(known[1], waits)
    return found
