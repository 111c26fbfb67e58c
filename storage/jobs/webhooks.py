"""Webhooks: who is told when a job has ended.

What is due is taken by one sender at a time, and repeated until it is heard. The row is written with its job and
deleted with it. Address and secret are sealed: an address may hold a token.
"""

from collections.abc import Sequence
from dataclasses import dataclass
from datetime import datetime, timedelta
from uuid import UUID

from sqlalchemy import select, update
from sqlmodel import Session, col

from schemas.files import JobState
from storage.database import changed
from storage.encryption import Keyring
from storage.jobs.tables import Job, Webhook

SEALED = ("url", "secret")  # in a row
_ENDED = (JobState.READY.value, JobState.FAILED.value, JobState.EXPIRED.value)
# How long a sender waits after each attempt that was not heard; after the last one it gives up.
BACKOFF = tuple(timedelta(seconds=seconds) for seconds in (10, 60, 300, 1800, 7200, 21600, 43200))
ATTEMPTS = len(BACKOFF) + 1
_IN_FLIGHT = timedelta(seconds=120)  # after which an attempt whose sender died is repeated
BATCH = 32  # that are sent at once: a worker that stops waits for one batch


@dataclass(frozen=True, slots=True, repr=False)
class Delivery:
    """An attempt to tell that a job has ended. `attempt` counts from 1."""

    job_id: UUID
    attempt: int
    url: str
    secret: bytes
    state: JobState
    error_code: str | None


def register(session: Session, keyring: Keyring, job_id: UUID, url: str, secret: bytes, now: datetime) -> None:
    """Adds the webhook of a new job."""
    hook = Webhook(
        job_id=job_id,
        url_sealed=keyring.seal(url.encode(), _context(job_id, "url")),
        secret_sealed=keyring.seal(secret, _context(job_id, "secret")),
        due_at=now,
    )
    session.add(hook)


def due(session: Session, now: datetime) -> Sequence[tuple[UUID, int]]:
    """The jobs whose webhooks are due, longest first, at most BATCH, each with the attempts so far."""
    query = (
        select(col(Webhook.job_id), col(Webhook.attempts))
        .join(Job, col(Job.id) == col(Webhook.job_id))
        .where(col(Webhook.due_at) <= now, col(Job.state).in_(_ENDED))
        .order_by(col(Webhook.due_at))
        .limit(BATCH)
    )
    return [(job_id, attempts) for job_id, attempts in session.execute(query)]


def take(session: Session, keyring: Keyring, job_id: UUID, attempts: int, now: datetime) -> Delivery | None:
    """Takes an attempt; None when another sender took it, or the job is gone. SealBroken."""
    own = (col(Webhook.job_id) == job_id, col(Webhook.attempts) == attempts, col(Webhook.due_at) <= now)
    values = {"attempts": attempts + 1, "due_at": now + _IN_FLIGHT}
    if changed(session, update(Webhook).where(*own).values(**values)) == 0:
        return None
    hook, job = session.get(Webhook, job_id), session.get(Job, job_id)
    if hook is None or job is None:
        return None
    return Delivery(
        job_id,
        attempts + 1,
        keyring.open(hook.url_sealed, _context(job_id, "url")).decode(),
        keyring.open(hook.secret_sealed, _context(job_id, "secret")),
        JobState(job.state),
        job.error_code,
    )


def heard(session: Session, delivery: Delivery) -> None:
    """The receiver has it, or wants no more of it."""
    _settle(session, delivery, None)


def unheard(session: Session, delivery: Delivery, now: datetime) -> bool:
    """Plans the next attempt; False when that was the last one."""
    is_last = delivery.attempt >= ATTEMPTS
    _settle(session, delivery, None if is_last else now + BACKOFF[delivery.attempt - 1])
    return not is_last


def _settle(session: Session, delivery: Delivery, due_at: datetime | None) -> None:
    own = (col(Webhook.job_id) == delivery.job_id, col(Webhook.attempts) == delivery.attempt)
    changed(session, update(Webhook).where(*own).values(due_at=due_at))


def _context(job_id: UUID, what: str) -> str:
    return f"webhook:{job_id}:{what}"
