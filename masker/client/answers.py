"""What a server answers, as typed dictionaries; docs/openapi.json describes every field."""

from typing import Any, NotRequired, TypedDict


class Span(TypedDict):
    """An entity in the text as sent: `text[start:end]` in code points."""

    start: int
    end: int
    type: str


class Sealed(TypedDict):
    """An envelope: base64; the wrapped key and its nonce are None where the caller gave a key of its own."""

    ciphertext: str
    nonce_payload: str
    wrapped_dek: str | None
    nonce_dek: str | None


class MaskAnswer(Sealed):
    """The answer of a mask call."""

    masked_text: str
    pii_count: int
    spans: list[Span]
    request_id: str
    processing_time_ms: int
    judge_used: bool
    judge_model: str | None
    mappings: dict[str, str] | None


class RedactAnswer(TypedDict):
    """The answer of a redact call."""

    redacted_text: str
    pii_count: int
    entity_counts: dict[str, int]
    generalized_count: int
    request_id: str
    processing_time_ms: int
    judge_used: bool
    judge_model: str | None
    synthetic: NotRequired[list[Span]]  # in `redacted_text`


class Upload(TypedDict):
    """The answer to an upload."""

    file_id: str
    state: str
    created_at: str
    expires_at: str
    poll_url: str


class FileRecord(TypedDict):
    """A file job. `state`: queued, processing, ready, failed or expired; `progress`: 0 to 1."""

    file_id: str
    state: str
    original_filename: str
    content_type: str
    size_bytes_in: int
    size_bytes_out: int | None
    word_count: int | None
    entity_count: int | None
    created_at: str
    processed_at: str | None
    expires_at: str
    is_persisted: bool
    error_code: str | None
    reason: str | None
    remedy: str | None
    download_url: str | None
    poll_url: str
    stage: str | None
    progress: float
    pages_to_read: int
    pages_read: int


class FileList(TypedDict):
    """A page of the account's files, newest first."""

    files: list[FileRecord]
    next_cursor: str | None


class SignedReport(TypedDict):
    """A verification report with its signature."""

    report: dict[str, Any]
    signature: dict[str, str]


class Glossary(TypedDict):
    """A glossary with its entries."""

    id: str
    name: str
    enabled: bool
    entries: list[dict[str, Any]]
    created_at: str
    updated_at: str


class EntitySet(TypedDict):
    """The types that text calls look for, and all there are."""

    enabled: list[str]
    is_default: bool
    min_score: float
    catalog: list[dict[str, Any]]


class KeyEntities(TypedDict):
    """A key's own types, or None, and those that text calls with it look for."""

    key_id: str
    override: list[str] | None
    effective: list[str]


class Balance(TypedDict):
    """What the account can spend."""

    free_tokens: int
    paid_tokens: int
    free_resets_at: str
