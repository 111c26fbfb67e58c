"""File jobs as the routes use them: quotas, enqueueing, records, pinning, deletion, download."""

import json
import logging
from collections.abc import AsyncIterator, Generator
from datetime import datetime
from typing import Annotated
from uuid import UUID

from pydantic import Field, TypeAdapter, ValidationError
from starlette.concurrency import iterate_in_threadpool

from api.auth.bearer import Authenticated
from api.files.uploads import StoredUpload
from api.http.content_disposition import content_disposition
from api.http.errors import Invalid
from api.services.container import Services
from api.services.policies import inline_terms
from schemas.callbacks import Callback, check_callback, webhook_secret
from schemas.errors import (
    FileExpired,
    FileNotFound,
    FileNotReady,
    GlossaryNotFound,
    InsufficientTokens,
    MaskerUnavailable,
)
from schemas.files import FileList, Format, JobRecord, JobState, UploadResponse
from schemas.ids import parse_id
from schemas.reports import SignedReport
from schemas.spans import Term
from schemas.stages import FIRST_STAGE
from schemas.text import InlineTerm
from storage import ledger
from storage.accounts import glossaries
from storage.accounts.keys import Caller
from storage.jobs import records as jobs
from storage.jobs import webhooks
from storage.jobs.objects import destroy_all
from storage.jobs.records import Upload
from storage.objects.store import ObjectNotFound

log = logging.getLogger("masker.api")

_PRICED_BY_PAGE = frozenset({Format.PDF, Format.PPTX, Format.PNG, Format.JPEG, Format.TIFF})
_TERMS = TypeAdapter(Annotated[list[InlineTerm], Field(max_length=1000)])


def check_quotas(services: Services, caller: Caller, now: datetime) -> None:
    """Checks the daily, concurrent and active quotas before the body is read. Raises the quotas' 429 errors."""
    with services.storage.database.reading() as session:
        jobs.check_quotas(session, caller.account_id, services.quotas, now)


def upload_terms(services: Services, caller: Caller, fields: dict[str, bytes]) -> tuple[Term, ...]:
    """The terms of an upload's form fields and of the account's glossaries. Invalid (422), GlossaryNotFound."""
    inline = _inline_glossary(fields.get("glossary", b""))
    glossary_id = _glossary_id(fields.get("glossary_id", b""))
    with services.storage.database.reading() as session:
        stored = glossaries.applicable(session, services.storage.keyring, caller.account_id, glossary_id)
    return (*inline, *stored)


def callback_of(services: Services, caller: Authenticated, fields: dict[str, bytes]) -> Callback | None:
    """Whom an upload asks to be told of its end, signed with a secret of its key. Invalid (422).

    A session has no key that the receiver could know.
    """
    field = fields.get("callback_url", b"").strip()
    if not field:
        return None
    try:
        url = check_callback(field.decode(), allow_private=services.settings.webhook_private_addresses)
        if caller.by_session:
            raise ValueError("needs a bearer key, whose secret signs the call")
    except ValueError as error:
        said = "must be ASCII" if isinstance(error, UnicodeDecodeError) else str(error)
        raise Invalid([{"type": "value_error", "loc": ("body", "callback_url"), "msg": said}]) from None
    return Callback(url, webhook_secret(caller.key_material))


def enqueue(
    services: Services,
    caller: Caller,
    upload: StoredUpload,
    terms: tuple[Term, ...],
    callback: Callback | None,
    now: datetime,
) -> UploadResponse:
    """Checks balance and quotas and inserts the job of a stored upload in one transaction; then queues its first stage.

    InsufficientTokens, and the quotas' 429 errors. When the queue is unavailable the sweeper queues the job later.
    """
    storage, settings = services.storage, services.settings
    new = Upload(
        job_id=upload.job_id,
        account_id=caller.account_id,
        format=upload.format,
        filename=upload.filename,
        content_type=upload.content_type,
        size=upload.size,
        terms=terms,
    )
    with storage.database.transaction() as session:
        balance = ledger.balance(session, caller.account_id, free_per_day=settings.free_tokens_per_day, now=now)
        needed, available = needed_tokens(upload.format), balance.free_tokens + balance.paid_tokens
        if available < needed:
            raise InsufficientTokens(needed, available)
        job = jobs.enqueue(
            session,
            storage.keyring,
            new,
            services.quotas,
            ttl_seconds=settings.file_ttl_seconds,
            lease_seconds=settings.lease_seconds,
            now=now,
        )
        if callback is not None:
            webhooks.register(session, storage.keyring, upload.job_id, callback.url, callback.secret, now)
        record = jobs.record(job, storage.keyring, now)
    log.info("a file is taken", extra={"job_id": str(upload.job_id)})
    try:
        storage.queue.announce(FIRST_STAGE, upload.job_id)
    except MaskerUnavailable:
        log.warning("a file was not announced: the sweeper will", extra={"job_id": str(upload.job_id)})
    return UploadResponse(
        file_id=record.file_id,
        state=JobState.QUEUED,
        created_at=record.created_at,
        expires_at=record.expires_at,
        poll_url=record.poll_url,
    )


def needed_tokens(format_: Format) -> int:
    """The balance that an upload requires: the price of one page, or of one word."""
    return 10 if format_ in _PRICED_BY_PAGE else 1


def get_record(services: Services, caller: Caller, file_id: str, now: datetime) -> JobRecord:
    """The record of a file. FileNotFound, also for a malformed id and another account's file."""
    with services.storage.database.reading() as session:
        job = jobs.get(session, caller.account_id, _file_id(file_id))
        return jobs.record(job, services.storage.keyring, now)


def get_report(services: Services, caller: Caller, file_id: str, now: datetime) -> SignedReport:
    """The signed report of a file that is or was ready. FileNotFound, FileNotReady."""
    with services.storage.database.reading() as session:
        job = jobs.get(session, caller.account_id, _file_id(file_id))
        if jobs.state_of(job, now) not in (JobState.READY, JobState.EXPIRED) or job.report is None:
            raise FileNotReady
        return SignedReport.model_validate(job.report)


def list_records(services: Services, caller: Caller, limit: int, cursor: str | None, now: datetime) -> FileList:
    """One page of the account's files, newest first. InvalidCursor."""
    with services.storage.database.reading() as session:
        rows, following = jobs.list_page(session, caller.account_id, limit=limit, cursor=cursor)
        records = [jobs.record(job, services.storage.keyring, now) for job in rows]
    return FileList(files=records, next_cursor=following)


def pin(services: Services, caller: Caller, file_id: str, now: datetime) -> JobRecord:
    """Keeps a ready file beyond its time to live. FileNotFound, NothingToPin, TooManyPinned."""
    storage, job_id = services.storage, _file_id(file_id)
    with storage.database.transaction() as session:
        job = jobs.pin(session, caller.account_id, job_id, services.settings.pinned_files, now)
        return jobs.record(job, storage.keyring, now)


def unpin(services: Services, caller: Caller, file_id: str, now: datetime) -> JobRecord:
    """Gives a file its time to live back. FileNotFound."""
    storage, job_id = services.storage, _file_id(file_id)
    with storage.database.transaction() as session:
        return jobs.record(jobs.unpin(session, caller.account_id, job_id), storage.keyring, now)


def delete(services: Services, caller: Caller, file_id: str, now: datetime) -> None:
    """Deletes row and bytes in any state. FileNotFound; MaskerUnavailable when the bytes cannot be deleted now."""
    job_id = _file_id(file_id)
    with services.storage.database.transaction() as session:
        jobs.delete_job(session, caller.account_id, job_id, now)
    destroy_all(services.storage.objects, job_id)


class Download:
    """A redacted file: its headers, and its bytes as a stream from the encrypted store."""

    def __init__(self, services: Services, caller: Caller, file_id: str, now: datetime) -> None:
        """FileNotFound, FileNotReady, FileExpired."""
        storage = services.storage
        with storage.database.reading() as session:
            job = jobs.get(session, caller.account_id, _file_id(file_id))
            state = jobs.state_of(job, now)
            if state is JobState.EXPIRED:
                raise FileExpired
            if state is not JobState.READY:
                raise FileNotReady
            self.name = jobs.output_name(job, storage.keyring)
            self.content_type = job.content_type
            self.size = job.size_out
            key = jobs.download_key(job)
        try:
            self._chunks = storage.objects.read(key)
        except ObjectNotFound:  # deleted or expired after the row was read
            raise FileNotFound from None

    @property
    def headers(self) -> dict[str, str]:
        """The headers of the download."""
        return {
            "Content-Disposition": content_disposition(self.name),
            "Content-Type": self.content_type,
            "Content-Length": str(self.size),
            "X-Content-Type-Options": "nosniff",
        }

    def close(self) -> None:
        """Closes the stored object."""
        if isinstance(self._chunks, Generator):
            self._chunks.close()

    async def stream(self) -> AsyncIterator[bytes]:
        """The bytes in chunks. The stored object is also closed when the client disconnects."""
        try:
            async for chunk in iterate_in_threadpool(self._chunks):
                yield chunk
        finally:
            self.close()


def _file_id(text: str) -> UUID:
    try:
        return parse_id(text)
    except ValueError:
        raise FileNotFound from None


def _glossary_id(field: bytes) -> UUID | None:
    text = field.decode("utf-8", "replace").strip()
    try:
        return parse_id(text) if text else None
    except ValueError:
        raise GlossaryNotFound from None


def _inline_glossary(field: bytes) -> tuple[Term, ...]:
    """The terms of the field `glossary`: a JSON array of strings or a comma-separated list. Invalid (422)."""
    try:
        text = field.decode("utf-8-sig").strip()
    except UnicodeDecodeError:  # with a guessed encoding the term would differ and stay in the document
        wrong = {"type": "string_unicode", "loc": ("body", "glossary"), "msg": "Input should be valid Unicode"}
        raise Invalid([wrong]) from None
    listed = text if text.startswith("[") else json.dumps([item for item in text.split(",") if item.strip()])
    try:
        return inline_terms(_TERMS.validate_json(listed))
    except ValidationError as error:
        raise Invalid.of(error, "body", "glossary", declared=_TERMS) from None
