"""Pinned files: kept beyond their time, so many per account and no more."""

from datetime import datetime
from uuid import UUID

from sqlalchemy import func as sql
from sqlalchemy import select, update
from sqlmodel import Session, col

from schemas.clock import riyadh_day
from schemas.errors import NothingToPin, TooManyPinned
from schemas.files import JobState
from storage.changes import changed
from storage.job_tables import Job
from storage.jobs import get, kept, lock_quotas


def pin(session: Session, account_id: UUID, job_id: UUID, most: int, now: datetime) -> Job:
    """Exempts a ready file from the sweep; harmless when repeated. The row as it is then.

    FileNotFound, also for another's; NothingToPin unless its file can be downloaded; TooManyPinned past `most`.
    """
    job = get(session, account_id, job_id)
    if job.state != JobState.READY.value:
        raise NothingToPin
    lock_quotas(session, account_id, riyadh_day(now))
    job = _now(session, account_id, job_id)
    if job.is_persisted:
        return job
    pinned = select(sql.count()).select_from(Job).where(col(Job.account_id) == account_id, col(Job.is_persisted))
    if session.scalars(pinned).one() >= most:
        raise TooManyPinned
    # The sweep may have taken it since: only one of the two conditions can be true of a row.
    ready = (col(Job.id) == job_id, col(Job.state) == JobState.READY.value, kept(now))
    if not changed(session, update(Job).where(*ready).values(is_persisted=True)):
        raise NothingToPin
    return _now(session, account_id, job_id)


def unpin(session: Session, account_id: UUID, job_id: UUID) -> Job:
    """Gives a file its time to live back, which may be over; harmless when repeated. FileNotFound."""
    get(session, account_id, job_id)
    changed(session, update(Job).where(col(Job.id) == job_id, col(Job.is_persisted)).values(is_persisted=False))
    return _now(session, account_id, job_id)


def _now(session: Session, account_id: UUID, job_id: UUID) -> Job:
    """The row as it is by now; it may have been deleted meanwhile."""
    session.expire_all()
    return get(session, account_id, job_id)
