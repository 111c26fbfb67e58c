"""The file surface's words: formats, job states, the job record and the upload's answer."""

from datetime import datetime
from enum import StrEnum
from uuid import UUID

from pydantic import BaseModel, Field

from schemas.refusals import Reason
from schemas.stages import Stage


class Format(StrEnum):
    """Document formats."""

    PDF = "pdf"
    DOCX = "docx"
    XLSX = "xlsx"
    PPTX = "pptx"
    CSV = "csv"
    PNG = "png"
    JPEG = "jpeg"
    TIFF = "tiff"


MEDIA_TYPE: dict[Format, str] = {
    Format.PDF: "application/pdf",
    Format.DOCX: "application/vnd.openxmlformats-officedocument.wordprocessingml.document",
    Format.XLSX: "application/vnd.openxmlformats-officedocument.spreadsheetml.sheet",
    Format.PPTX: "application/vnd.openxmlformats-officedocument.presentationml.presentation",
    Format.CSV: "text/csv",
    Format.PNG: "image/png",
    Format.JPEG: "image/jpeg",
    Format.TIFF: "image/tiff",
}

SUPPORTED_FORMATS: frozenset[Format] = frozenset(Format)


class JobState(StrEnum):
    """States of a file job; `failed` and `expired` are terminal."""

    QUEUED = "queued"
    PROCESSING = "processing"
    READY = "ready"
    FAILED = "failed"
    EXPIRED = "expired"


class JobRecord(BaseModel):
    """`GET /api/v1/files/{file_id}` and each row of the list."""

    file_id: UUID
    state: JobState
    original_filename: str
    content_type: str
    size_bytes_in: int
    size_bytes_out: int | None
    word_count: int | None
    entity_count: int | None
    created_at: datetime
    processed_at: datetime | None
    expires_at: datetime
    is_persisted: bool
    error_code: str | None
    reason: Reason | None = Field(description="why the format is not supported; null for every other outcome")
    remedy: str | None = Field(
        description="what the owner of the document can do, in one sentence; null without a reason"
    )
    download_url: str | None
    poll_url: str
    stage: Stage | None = Field(description="the step that it is at, or at which it failed; null of a finished file")
    progress: float = Field(ge=0, le=1, description="how far it is: never goes backwards, 1 when ready")
    pages_to_read: int = Field(ge=0, description="scanned pages and pictures that OCR has to read, once that is known")
    pages_read: int = Field(ge=0, description="how many of them are read")


class UploadResponse(BaseModel):
    """201 of `POST /api/v1/files/redact`."""

    file_id: UUID
    state: JobState
    created_at: datetime
    expires_at: datetime
    poll_url: str


class FileList(BaseModel):
    """Newest first; `next_cursor` as `cursor` returns strictly older rows."""

    files: list[JobRecord]
    next_cursor: str | None
