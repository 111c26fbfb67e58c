"""Takes an upload in: form part to sniffer to sealed store, in constant memory, never to a disk in the clear."""

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
from pipeline.sandbox.parent import CageUnavailable
from pipeline.sniff import Sniffer
from schemas.errors import (
    ErrorCode,
    FileNotFound,
    FileTooLarge,
    MaskerError,
    MaskerUnavailable,
    StageFailed,
    UnsupportedFormat,
)
from schemas.files import Format
from schemas.refusals import Reason
from schemas.stages import STAGE, Stage
from storage.jobs import records as jobs
from storage.jobs.objects import destroy_all, input_key

log = logging.getLogger("masker.api")

UNTITLED = "untitled"
FORM_BYTES = 2 * 1024 * 1024  # what the form may hold beside the file: fields and framing
_PIECE = 1024 * 1024  # file bytes that are gathered before a thread seals and stores them
_FIELDS = frozenset({"glossary", "glossary_id"})
_MEDIA_TYPE = re.compile(r"([\w.+-]+/[\w.+-]+)\s*(?:;.*?\bcharset=\"?([\w.:-]+)\"?)?", re.ASCII)


@dataclass(slots=True)
class Received:
    """An upload whose bytes are stored, and what the form said of it."""

    job_id: UUID
    format: Format
    filename: str
    content_type: str
    size: int


class _Sink(Protocol):
    """Where file bytes go."""

    def write(self, data: bytes) -> None: ...


@dataclass(slots=True)
class _Form:
    """A form while it is being read."""

    sniffer: Sniffer | None = None
    filename: str = UNTITLED
    content_type: str = ""
    chosen: bool = False  # False: an empty filename, which a browser sends when no file was chosen
    size: int = 0
    fields: dict[str, bytearray] = field(default_factory=dict)
    other_bytes: int = 0
    unknown: list[str] = field(default_factory=list)  # names of parts that are ignored; the parser bounds their number


def refuse_by_length(request: Request, limit: int) -> None:
    """FileTooLarge when Content-Length already says so."""
    if declared_length(request) > limit + FORM_BYTES:
        raise FileTooLarge


@asynccontextmanager
async def received(request: Request, services: Services, account_id: UUID) -> AsyncIterator["Upload"]:
    """The upload of a request, stored; destroyed again when the `with` block ends without a job in the database."""
    upload = Upload(services, uuid4())
    try:
        await upload.read(request)
        yield upload
    finally:
        with CancelScope(shield=True):
            await to_thread.run_sync(_destroy_unless_taken, services, account_id, upload.job_id)


class Upload:
    """One upload on its way in."""

    def __init__(self, services: Services, job_id: UUID) -> None:
        self._services = services
        self._form = _Form()
        self.job_id = job_id

    @property
    def fields(self) -> dict[str, bytes]:
        """The form's other fields, as sent."""
        return {name: bytes(value) for name, value in self._form.fields.items()}

    async def read(self, request: Request) -> None:
        """Reads the whole form and stores its file. FileTooLarge mid-stream; Invalid without a file part."""
        limit = self._services.settings.max_upload_bytes
        writer = await to_thread.run_sync(self._services.storage.objects.writer, input_key(self.job_id))
        try:
            await self._read(request, limit, writer)
            if self._form.unknown:
                set_warning(request, warning_of(self._form.unknown))
            if self._form.sniffer is None or (not self._form.chosen and not self._form.size):
                raise missing_file()
            await to_thread.run_sync(writer.commit)
        finally:
            with CancelScope(shield=True):
                await to_thread.run_sync(writer.abort)  # harmless after the commit

    async def judged(self) -> Received:
        """What was received, its format told from its bytes. UnsupportedFormat."""
        form = self._form
        assert form.sniffer is not None  # noqa: S101 - read() saw a file part
        format_ = form.sniffer.finish()
        if form.sniffer.needs_open:
            await to_thread.run_sync(_open_once, self._services, self.job_id, format_)
        return Received(self.job_id, format_, form.filename, form.content_type, form.size)

    async def _read(self, request: Request, limit: int, writer: _Sink) -> None:
        form, part, piece = self._form, PartBegin(""), bytearray()
        async for event in events(request, limit + FORM_BYTES):
            if isinstance(event, PartBegin):
                part = self._begin(event)
            elif isinstance(event, PartData) and part.name == "file":
                piece += event.data
                form.size += len(event.data)
                if form.size > limit:
                    raise FileTooLarge
                if len(piece) >= _PIECE:
                    await to_thread.run_sync(self._store, bytes(piece), writer)
                    piece.clear()
            elif isinstance(event, PartData):
                self._keep(part.name, event.data)
        if piece:
            await to_thread.run_sync(self._store, bytes(piece), writer)

    def _begin(self, part: PartBegin) -> PartBegin:
        if part.name in self._form.fields:
            raise repeated_field(part.name)
        if part.name in _FIELDS:
            self._form.fields[part.name] = bytearray()
        if part.name != "file":
            if part.name not in _FIELDS:
                self._form.unknown.append(part.name)
            return part
        if self._form.sniffer is not None or (part.filename is None and not part.content_type):
            raise missing_file()  # two files are one too many, and a plain field of that name is no file
        self._form.filename = part.filename or UNTITLED
        self._form.chosen = part.filename != ""
        self._form.content_type = _declared(part.content_type)
        self._form.sniffer = Sniffer(part.content_type, self._form.filename)
        return part

    def _keep(self, name: str, data: bytes) -> None:
        self._form.other_bytes += len(data)
        if self._form.other_bytes > FORM_BYTES:
            raise FileTooLarge
        if name in self._form.fields:
            self._form.fields[name] += data

    def _store(self, piece: bytes, writer: _Sink) -> None:
        assert self._form.sniffer is not None  # noqa: S101 - a file part has begun
        self._form.sniffer.feed(piece)
        writer.write(piece)


def _declared(content_type: str) -> str:
    """The media type and its charset; other parameters may hold anything, a file's name for instance."""
    match = _MEDIA_TYPE.match(content_type)
    if match is None:
        return ""
    return f"{match[1]}; charset={match[2]}" if match[2] else match[1]


def _open_once(services: Services, job_id: UUID, format_: Format) -> None:
    """A PDF with an Encrypt dictionary is accepted when it opens without a password. UnsupportedFormat otherwise."""
    data = services.storage.objects.get(input_key(job_id))
    seconds = STAGE[Stage.SNIFF].seconds
    try:
        sandbox = services.sandbox
    except CageUnavailable:
        raise MaskerUnavailable from None
    try:
        stages.inspect(sandbox, format_, data, services.settings.max_file_pages, seconds)
    except StageFailed as failed:
        if failed.code != ErrorCode.TOO_MANY_PAGES:  # that one, the job says
            raise UnsupportedFormat(failed.reason or Reason.CORRUPT) from None


def _destroy_unless_taken(services: Services, account_id: UUID, job_id: UUID) -> None:
    """Best effort: what cannot be destroyed now belongs to no job, and the sweeper takes it."""
    try:
        with services.storage.database.reading() as session:
            jobs.get(session, account_id, job_id)
    except FileNotFound:
        _destroy(services, job_id)
    except MaskerError as error:
        log.error("job_id=%s may not have been taken: %s", job_id, type(error).__name__)


def _destroy(services: Services, job_id: UUID) -> None:
    try:
        destroy_all(services.storage.objects, job_id)
    except MaskerError as error:
        log.error("job_id=%s was not destroyed: %s", job_id, type(error).__name__)
