"""What waits for a worker, by queue: the signal by which operators scale each pool."""

from datetime import datetime, timedelta

from sqlalchemy import ColumnElement, or_, select
from sqlalchemy import func as sql
from sqlmodel import Session, col

from schemas.files import JobState
from schemas.stages import STAGE, Queue, Stage
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
        .where(col(Job.state).in_(_RUNNING), col(Job.stage) != Stage.OCR.value, _is_free(Job.lease_until, now))
        .group_by(col(Job.stage))
    )
    parts = (
        select(sql.count(), sql.min(JobPart.due_at))
        .join(Job, col(Job.id) == col(JobPart.job_id))
        .where(
            col(Job.state).in_(_RUNNING),
            col(Job.stage) == Stage.OCR.value,
            col(JobPart.done).is_(False),
            _is_free(JobPart.lease_until, now),
        )
    )
    found: dict[Queue, tuple[int, float]] = {}
    rows = [(Stage(name), count, due_at) for name, count, due_at in session.execute(jobs)]
    rows += [(Stage.OCR, count, due_at) for count, due_at in session.execute(parts)]
    for stage, count, due_at in rows:
        if not count:
            continue
        announced = now if due_at is None else due_at - timedelta(seconds=lease_seconds)
        queue, waits = STAGE[stage].queue, max(0.0, (now - announced).total_seconds())
        known = found.get(queue, (0, 0.0))
        found[queue] = known[0] + count, max(known[1], waits)
    return found
