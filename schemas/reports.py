"""The signed verification report of a redacted file. It contains counts and names of libraries, never values."""

import json
from datetime import datetime
from typing import Annotated, Any, Literal
from uuid import UUID

from pydantic import BaseModel, ConfigDict, Field, NonNegativeInt, PositiveInt

from schemas.entities import EntityType
from schemas.files import Format

_MAX_INTEGER = 2**53 - 1  # in canonical JSON (RFC 8785, section 3.2.2.3)
_Sha256 = Annotated[str, Field(pattern="^[0-9a-f]{64}$")]


class _Strict(BaseModel):
    model_config = ConfigDict(extra="forbid")


class Output(_Strict):
    """The redacted file: its SHA-256 in lower-case hexadecimal, and its size."""

    sha256: _Sha256
    bytes: NonNegativeInt


class SecondReading(_Strict):
    """What the independent second reading of the output covered, and the libraries that read it (`name version`).

    `parts`: files of a package, objects of a PDF, frames of an image. `pages`: pages, sheets or slides.
    """

    parts: NonNegativeInt
    pages: NonNegativeInt
    readers: list[str]


class OcrPasses(_Strict):
    """The number of rasters that OCR read, of the original document and of the output."""

    document: NonNegativeInt
    output: NonNegativeInt


class VerificationReport(_Strict):
    """What was removed from a file, and how the result was verified.

    `findings`: removed places by entity type. `removed_unread`: parts that were removed without being read, by kind.
    `residual_count`: detected values that the second reading still found; a file with any is never returned.
    `rounds`: how often the file was redacted and read again. `milliseconds`: time of all stages. `file_id`: null for a
    file that was redacted on the command line.
    """

    version: Literal[1] = 1
    service: str
    file_id: UUID | None
    format: Format
    output: Output
    second_reading: SecondReading
    ocr_passes: OcrPasses
    findings: dict[EntityType, PositiveInt]
    removed_unread: dict[str, PositiveInt]
    residual_count: Literal[0] = 0
    rounds: PositiveInt
    verified_at: datetime
    milliseconds: NonNegativeInt


class Signature(_Strict):
    """Ed25519 (RFC 8032) over the report's canonical form; `value` in base64. `key_id` names the public key."""

    algorithm: Literal["Ed25519"] = "Ed25519"
    key_id: str
    value: str


class SignedReport(_Strict):
    """`GET /api/v1/files/{file_id}/report`, and what `masker redact-file --report` writes."""

    report: VerificationReport
    signature: Signature


class PublicKey(_Strict):
    """A public key for report signatures: its 32 bytes in base64, and as PEM (RFC 8410)."""

    key_id: str
    algorithm: Literal["Ed25519"] = "Ed25519"
    public_key: str
    pem: str


class ReportKeys(PublicKey):
    """`GET /api/v1/files/report-key`: the current key, and the previous ones that are still known."""

    previous: list[PublicKey]


class MalformedReport(ValueError):
    """The file is not a signed report. The message quotes nothing of it."""


def canonical(report: dict[str, Any]) -> bytes:
    """The bytes that are signed: JSON in canonical form (RFC 8785) of strings, whole numbers, nulls and objects."""
    return json.dumps(report, ensure_ascii=False, separators=(",", ":"), sort_keys=True, allow_nan=False).encode()


def parse_signed(data: bytes) -> tuple[dict[str, Any], SignedReport]:
    """The report as raw JSON, whose bytes are signed, and the parsed signed report. MalformedReport.

    Repeated names and numbers that readers round are refused: the report that is shown must be the one that is signed.
    """
    try:
        raw = json.loads(
            data, object_pairs_hook=_unique_pairs, parse_float=_refuse_number, parse_constant=_refuse_number
        )
        signed = SignedReport.model_validate_json(data)
    except (ValueError, RecursionError):
        raise MalformedReport("not a signed verification report") from None
    return raw["report"], signed


def _unique_pairs(pairs: list[tuple[str, Any]]) -> dict[str, Any]:
    found = dict(pairs)
    if len(found) != len(pairs) or any(
        isinstance(value, int) and abs(value) > _MAX_INTEGER for value in found.values()
    ):
        raise MalformedReport("not canonical")
    return found


def _refuse_number(_: str) -> None:
    raise MalformedReport("not canonical")
