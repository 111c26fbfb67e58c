"""The jobs of an account: quotas, creation, record, list, deletion and pins."""

from collections.abc import Sequence
from dataclasses import dataclass
from datetime import date, datetime, timedelta
from typing import cast
from uuid import UUID

from sqlalchemy import ColumnElement, and_, delete, or_, select, update
from sqlalchemy import func as sql
from sqlalchemy.orm import QueryableAttribute, defer
from sqlmodel import Session, col

from schemas.clock import riyadh_day
from schemas.errors import (
    FileNotFound,
    InvalidCursor,
    NothingToPin,
    QuotaActive,
    TooManyConcurrentJobs,
    TooManyFilesToday,
    TooManyPinned,
)
from schemas.files import Format, JobRecord, JobState
from schemas.ids import parse_id
from schemas.refusals import REMEDY, Reason
from schemas.spans import Term, dump_terms, load_terms
from storage import ledger
from storage.database import changed, insert_missing
from storage.encryption import Keyring
from storage.jobs import leases
from storage.jobs.objects import result_key
from storage.jobs.tables import Job, JobPart, UploadCount

MAX_PAGE = 50
# What is sealed in a row, by column, with the name in its context.
SEALED = {"filename": "filename", "output_name": "output-name", "terms": "terms"}
FILES_PATH = "/api/v1/files"
_RUNNING = (JobState.QUEUED.value, JobState.PROCESSING.value)
_TERMS = cast("QueryableAttribute[bytes | None]", Job.terms_sealed)


@dataclass(frozen=True, slots=True)
class Quotas:
    """Uploads an account may have: per Asia/Riyadh day; queued or processing; queued, processing or ready."""

    daily: int
    concurrent: int
    active: int


@dataclass(frozen=True, slots=True)
class Upload:
    """A file whose bytes are already in the store under `input_key(job_id)`."""

    job_id: UUID
    account_id: UUID
    format: Format
    filename: str
    content_type: str
    size: int
    terms: Sequence[Term] = ()


def check_quotas(session: Session, account_id: UUID, quotas: Quotas, now: datetime) -> None:
    """Whether one more upload is allowed right now: daily, then concurrent, then active."""
    today = select(col(UploadCount.uploads)).where(
        col(UploadCount.account_id) == account_id, col(UploadCount.day) >= riyadh_day(now)
    )
    if (session.scalar(today) or 0) >= quotas.daily:
        raise TooManyFilesToday
    running = _count(session, account_id, col(Job.state).in_(_RUNNING))
    if running >= quotas.concurrent:
        raise TooManyConcurrentJobs
    if running + _count(session, account_id, col(Job.state) == JobState.READY.value, kept(now)) >= quotas.active:
        raise QuotaActive


def enqueue(
    session: Session,
    keyring: Keyring,
    upload: Upload,
    quotas: Quotas,
    *,
    ttl_seconds: int,
    lease_seconds: float,
    now: datetime,
) -> Job:
    """Inserts a queued job, or raises what `check_quotas` raises. Announce FIRST_STAGE after the commit.

    An announcement that never happens is made up for by the sweeper `lease_seconds` later.
    """
    day = riyadh_day(now)
    lock_quotas(session, upload.account_id, day)
    check_quotas(session, upload.account_id, quotas, now)
    _count_upload(session, upload.account_id)
    job = Job(
        id=upload.job_id,
        account_id=upload.account_id,
        format=upload.format.value,
        content_type=upload.content_type,
        filename_sealed=keyring.seal(upload.filename.encode(), _context(upload.job_id, "filename")),
        terms_sealed=_seal_terms(keyring, upload.job_id, upload.terms),
        size_in=upload.size,
        uploaded_day=day,
        created_at=now,
        expires_at=now + timedelta(seconds=ttl_seconds),
        waiting_since=now,
        due_at=now + timedelta(seconds=lease_seconds),
    )
    session.add(job)
    session.flush()
    return job


def get(session: Session, account_id: UUID, job_id: UUID) -> Job:
    """An account's own job. FileNotFound, also for another's."""
    job = session.get(Job, job_id)
    if job is None or job.account_id != account_id:
        raise FileNotFound
    return job


def list_page(
    session: Session, account_id: UUID, *, limit: int, cursor: str | None
) -> tuple[Sequence[Job], str | None]:
    """Newest first, strictly older than `cursor` (a file id of the account), and the cursor of the next page.

    `limit` is clamped to 1..50. InvalidCursor when the cursor is not one of the account's files.
    """
    limit = max(1, min(limit, MAX_PAGE))
    # The terms of an upload may weigh megabytes, and no list shows them.
    query = select(Job).where(col(Job.account_id) == account_id).options(defer(_TERMS))
    if cursor is not None:
        last = _cursor_row(session, account_id, cursor)
        query = query.where(
            or_(
                col(Job.created_at) < last.created_at,
                and_(col(Job.created_at) == last.created_at, col(Job.id) < last.id),
            )
        )
    newest_first = query.order_by(col(Job.created_at).desc(), col(Job.id).desc())
    rows = session.scalars(newest_first.limit(limit + 1)).all()
    page = rows[:limit]
    return page, str(page[-1].id) if len(rows) > limit else None


def kept(now: datetime) -> ColumnElement[bool]:
    """The condition of a ready job whose file can be downloaded: not expired, or pinned."""
    return or_(col(Job.is_persisted), col(Job.expires_at) > now)


def state_of(job: Job, now: datetime) -> JobState:
    """The state that a caller sees: a ready file that is past its time and not pinned reads as expired before the
    sweep.
    """
    if job.state == JobState.READY.value and not job.is_persisted and job.expires_at <= now:
        return JobState.EXPIRED
    return JobState(job.state)


def record(job: Job, keyring: Keyring, now: datetime) -> JobRecord:
    """The job as the interface shows it."""
    state, path = state_of(job, now), f"{FILES_PATH}/{job.id}"
    reason = None if job.reason is None else Reason(job.reason)
    return JobRecord(
        file_id=job.id,
        state=state,
        original_filename=filename(job, keyring),
        content_type=job.content_type,
        size_bytes_in=job.size_in,
        size_bytes_out=job.size_out,
        word_count=job.word_count,
        entity_count=job.entity_count,
        created_at=job.created_at,
        processed_at=job.processed_at,
        expires_at=job.expires_at,
        is_persisted=job.is_persisted,
        error_code=job.error_code,
        reason=reason,
        remedy=None if reason is None else REMEDY[reason],
        download_url=f"{path}/download" if state is JobState.READY else None,
        poll_url=path,
        stage=leases.stage(job),
        progress=leases.progress(job),
        pages_to_read=job.parts,
        pages_read=job.parts - job.parts_left,
    )


def filename(job: Job, keyring: Keyring) -> str:
    """The name as uploaded."""
    return keyring.open(job.filename_sealed, _context(job.id, "filename")).decode()


def output_name(job: Job, keyring: Keyring) -> str:
    """The name of the download: the original name with placeholders for the values in it."""
    if job.output_name_sealed is None:
        return f"{job.id}.{job.format}"
    return keyring.open(job.output_name_sealed, _context(job.id, "output-name")).decode()


def seal_output_name(keyring: Keyring, job_id: UUID, name: str) -> bytes:
    """The sealed value of the column of `output_name`."""
    return keyring.seal(name.encode(), _context(job_id, "output-name"))


def terms(job: Job, keyring: Keyring) -> tuple[Term, ...]:
    """The glossary terms that applied when the file was uploaded; none once the job has ended."""
    return load_terms(written_terms(job, keyring))


def written_terms(job: Job, keyring: Keyring) -> bytes:
    """The terms in the form that `load_terms` reads."""
    if job.terms_sealed is None:
        return dump_terms(())
    return keyring.open(job.terms_sealed, _context(job.id, "terms"))


def download_key(job: Job) -> str:
    """The object key of the result of a ready job."""
    return result_key(job.id, job.outputs["store"])


def delete_job(session: Session, account_id: UUID, job_id: UUID, now: datetime) -> None:
    """Deletes the row in any state and releases an open hold; the caller then destroys the objects.

    FileNotFound, also for another account's. A worker that has the job notices and discards its work.
    """
    own = (col(Job.id) == job_id, col(Job.account_id) == account_id)
    if changed(session, delete(Job).where(*own)) == 0:
        raise FileNotFound
    changed(session, delete(JobPart).where(col(JobPart.job_id) == job_id))
    ledger.release(session, hold_reference(job_id), now)


def hold_reference(job_id: UUID) -> str:
    """The reference of a job's hold in the ledger."""
    return f"job:{job_id}"


def _context(job_id: UUID, what: str) -> str:
    return f"job:{job_id}:{what}"


def _seal_terms(keyring: Keyring, job_id: UUID, terms: Sequence[Term]) -> bytes | None:
    if not terms:
        return None
    return keyring.seal(dump_terms(terms), _context(job_id, "terms"))


def _count(session: Session, account_id: UUID, *which: ColumnElement[bool]) -> int:
    query = select(sql.count()).select_from(Job).where(col(Job.account_id) == account_id, *which)
    return session.scalars(query).one()


def lock_quotas(session: Session, account_id: UUID, day: date) -> None:
    """Serializes the uploads and pins of an account, so that two of them cannot take the last place of a quota."""
    insert_missing(session, UploadCount, {"account_id": account_id, "day": day, "uploads": 0})
    # An update that changes nothing but holds the row until the transaction ends. A new day begins at zero.
    changed(session, update(UploadCount).where(col(UploadCount.account_id) == account_id).values(day=UploadCount.day))
    changed(
        session,
        update(UploadCount)
        .where(col(UploadCount.account_id) == account_id, col(UploadCount.day) < day)
        .values(day=day, uploads=0),
    )


def _count_upload(session: Session, account_id: UUID) -> None:
    changed(
        session,
        update(UploadCount)
        .where(col(UploadCount.account_id) == account_id)
        .values(uploads=col(UploadCount.uploads) + 1),
    )


def _cursor_row(session: Session, account_id: UUID, cursor: str) -> Job:
    try:
        return get(session, account_id, parse_id(cursor))
    except (ValueError, FileNotFound):
        raise InvalidCursor from None


# Pinned files: kept beyond their time, so many per account and no more.


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
    """Ends the exemption of a file from its time, which may be over; safe to repeat. FileNotFound."""
    get(session, account_id, job_id)
    changed(session, update(Job).where(col(Job.id) == job_id, col(Job.is_persisted)).values(is_persisted=False))
    return _now(session, account_id, job_id)


def _now(session: Session, account_id: UUID, job_id: UUID) -> Job:
    """The row at this moment; it may have been deleted meanwhile."""
    session.expire_all()
    return get(session, account_id, job_id)
