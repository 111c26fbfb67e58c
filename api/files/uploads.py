"""Receives an upload: streams its file part through the format sniffer into the encrypted object store.

This takes constant memory, and the file is never on a disk unencrypted.
"""

import logging
import re
from collections.abc import AsyncIterator
from contextlib import asynccontextmanager
from dataclasses import dataclass, field
from typing import Protocol
from uuid import UUID, uuid4

from anyio import CancelScope, to_thread
from starlette.requests import Request

from api.http.answer_headers import set_warning, warning_of
from api.http.bodies import declared_length
from api.http.multipart import PartBegin, PartData, events, missing_file, repeated_field
from api.services.container import Services
from pipeline import stages
from pipeline.sandbox.parent import SandboxUnavailable
from pipeline.sniff import Sniffer
from schemas.errors import (
    ErrorCode,
    FileNotFound,
    FileTooLarge,
    MaskerError,
    MaskerUnavailable,
    StageFailed,
    UnsupportedFormat,
    type_name,
)
from schemas.files import Format
from schemas.refusals import Reason
from schemas.stages import STAGE, Stage
from storage.jobs import records as jobs
from storage.jobs.objects import destroy_all, input_key

log = logging.getLogger("masker.api")

UNTITLED = "untitled"
FORM_BYTES = 2 * 1024 * 1024  # for the other fields of the form and its framing
_CHUNK_BYTES = 1024 * 1024  # file bytes that are collected before a thread encrypts and stores them
_FIELDS = frozenset({"callback_url", "glossary", "glossary_id"})
_MEDIA_TYPE = re.compile(r"([\w.+-]+/[\w.+-]+)\s*(?:;.*?\bcharset=\"?([\w.:-]+)\"?)?", re.ASCII)


@dataclass(slots=True)
class StoredUpload:
    """An upload whose bytes are stored: its format, and what the form said about it."""

    job_id: UUID
    format: Format
    filename: str
    content_type: str
    size: int


class _Writer(Protocol):
    """Receives the file's bytes."""

    def write(self, data: bytes) -> None: ...


@dataclass(slots=True)
class _Form:
    """A form while it is being read."""

    sniffer: Sniffer | None = None
    filename: str = UNTITLED
    content_type: str = ""
    has_file: bool = False  # False for an empty filename, which browsers send when no file was chosen
    size: int = 0
    fields: dict[str, bytearray] = field(default_factory=dict)
    other_bytes: int = 0
    unknown: list[str] = field(default_factory=list)  # names of ignored parts; the parser bounds their number


def refuse_by_length(request: Request, limit: int) -> None:
    """FileTooLarge when Content-Length is already too large."""
    if declared_length(request) > limit + FORM_BYTES:
        raise FileTooLarge


@asynccontextmanager
async def receive_upload(request: Request, services: Services, account_id: UUID) -> AsyncIterator["Upload"]:
    """Stores the upload of a request, and destroys it when the block ends without a job for it in the database."""
    upload = Upload(services, uuid4())
    try:
        await upload.read(request)
        yield upload
    finally:
        with CancelScope(shield=True):
            await to_thread.run_sync(_destroy_unless_enqueued, services, account_id, upload.job_id)


class Upload:
    """One upload while it is received."""

    def __init__(self, services: Services, job_id: UUID) -> None:
        self._services = services
        self._form = _Form()
        self.job_id = job_id

    @property
    def fields(self) -> dict[str, bytes]:
        """The form's other fields, as sent."""
        return {name: bytes(value) for name, value in self._form.fields.items()}

    async def read(self, request: Request) -> None:
        """Reads the form and stores its file. FileTooLarge while reading; Invalid without a file part."""
        limit = self._services.settings.max_upload_bytes
        writer = await to_thread.run_sync(self._services.storage.objects.writer, input_key(self.job_id))
        try:
            await self._read(request, limit, writer)
            if self._form.unknown:
                set_warning(request, warning_of(self._form.unknown))
            if self._form.sniffer is None or (not self._form.has_file and not self._form.size):
                raise missing_file()
            await to_thread.run_sync(writer.commit)
        finally:
            with CancelScope(shield=True):
                await to_thread.run_sync(writer.abort)  # does nothing after the commit

    async def identified(self) -> StoredUpload:
        """The stored upload, with its format identified from its bytes. UnsupportedFormat."""
        form = self._form
        assert form.sniffer is not None  # noqa: S101 - read() saw a file part
        format_ = form.sniffer.finish()
        if form.sniffer.needs_open:
            await to_thread.run_sync(_try_opening, self._services, self.job_id, format_)
        return StoredUpload(self.job_id, format_, form.filename, form.content_type, form.size)

    async def _read(self, request: Request, limit: int, writer: _Writer) -> None:
        form, part, chunk = self._form, PartBegin(""), bytearray()
        async for event in events(request, limit + FORM_BYTES):
            if isinstance(event, PartBegin):
                part = self._begin_part(event)
            elif isinstance(event, PartData) and part.name == "file":
                chunk += event.data
                form.size += len(event.data)
                if form.size > limit:
                    raise FileTooLarge
                if len(chunk) >= _CHUNK_BYTES:
                    await to_thread.run_sync(self._store, bytes(chunk), writer)
                    chunk.clear()
            elif isinstance(event, PartData):
                self._add_field_data(part.name, event.data)
        if chunk:
            await to_thread.run_sync(self._store, bytes(chunk), writer)

    def _begin_part(self, part: PartBegin) -> PartBegin:
        if part.name in self._form.fields:
            raise repeated_field(part.name)
        if part.name in _FIELDS:
            self._form.fields[part.name] = bytearray()
        if part.name != "file":
            if part.name not in _FIELDS:
                self._form.unknown.append(part.name)
            return part
        if self._form.sniffer is not None or (part.filename is None and not part.content_type):
            raise missing_file()  # a second file, or a plain field with that name
        self._form.filename = part.filename or UNTITLED
        self._form.has_file = part.filename != ""
        self._form.content_type = _media_type(part.content_type)
        self._form.sniffer = Sniffer(part.content_type, self._form.filename)
        return part

    def _add_field_data(self, name: str, data: bytes) -> None:
        self._form.other_bytes += len(data)
        if self._form.other_bytes > FORM_BYTES:
            raise FileTooLarge
        if name in self._form.fields:
            self._form.fields[name] += data

    def _store(self, chunk: bytes, writer: _Writer) -> None:
        assert self._form.sniffer is not None  # noqa: S101 - a file part has begun
        self._form.sniffer.feed(chunk)
        writer.write(chunk)


def _media_type(content_type: str) -> str:
    """The media type and its charset. Other parameters are dropped: they can hold anything, such as a file name."""
    match = _MEDIA_TYPE.match(content_type)
    if match is None:
        return ""
    return f"{match[1]}; charset={match[2]}" if match[2] else match[1]


def _try_opening(services: Services, job_id: UUID, format_: Format) -> None:
    """Opens the document in the sandbox; an encrypted PDF must open without a password. UnsupportedFormat."""
    data = services.storage.objects.get(input_key(job_id))
    seconds = STAGE[Stage.SNIFF].seconds
    try:
        sandbox = services.sandbox
    except SandboxUnavailable:
        raise MaskerUnavailable from None
    try:
        stages.inspect(sandbox, format_, data, services.settings.max_file_pages, seconds)
    except StageFailed as failed:
        if failed.code != ErrorCode.TOO_MANY_PAGES:  # the job fails with that error
            raise UnsupportedFormat(failed.reason or Reason.CORRUPT) from None


def _destroy_unless_enqueued(services: Services, account_id: UUID, job_id: UUID) -> None:
    """Best effort: the sweeper deletes objects without a job, such as those that cannot be destroyed now."""
    try:
        with services.storage.database.reading() as session:
            jobs.get(session, account_id, job_id)
    except FileNotFound:
        _destroy(services, job_id)
    except MaskerError as error:
        log.error("a file may not have been taken", extra={"job_id": str(job_id), "error": type_name(error)})


def _destroy(services: Services, job_id: UUID) -> None:
    try:
        destroy_all(services.storage.objects, job_id)
    except MaskerError as error:
        log.error("a file was not destroyed", extra={"job_id": str(job_id), "error": type_name(error)})
