"""The verification report of a finished file: what was read, by what, what was removed; counts, never values."""

import json
from datetime import datetime
from typing import Annotated, Any, Literal
from uuid import UUID

from pydantic import BaseModel, ConfigDict, Field, NonNegativeInt, PositiveInt

from schemas.entities import EntityType
from schemas.files import Format

_LARGEST = 2**53 - 1  # of a number in canonical JSON (RFC 8785, section 3.2.2.3)
_Sha256 = Annotated[str, Field(pattern="^[0-9a-f]{64}$")]


class _Strict(BaseModel):
    model_config = ConfigDict(extra="forbid")


class Output(_Strict):
    """The file that the report speaks of, known by its SHA-256 (lower-case hex)."""

    sha256: _Sha256
    bytes: NonNegativeInt


class SecondReading(_Strict):
    """What the independent second reading of the output covered, and the libraries (`name version`) that read.

    `parts`: files of a package, objects of a PDF, frames of an image. `pages`: pages, sheets or slides.
    """

    parts: NonNegativeInt
    pages: NonNegativeInt
    readers: list[str]


class OcrPasses(_Strict):
    """How many rasters OCR read, of the document as it came and of the output."""

    document: NonNegativeInt
    output: NonNegativeInt


class VerificationReport(_Strict):
    """What was done to one file and how its cleanness was proven.

    `findings`: places removed by entity type. `removed_unread`: what was taken out without being read, by kind.
    `residual_count`: found values that the second reading still saw; a file with any is never handed over. `rounds`:
    how often the file was redacted and read again. `milliseconds`: all stages' work until then. `file_id` is null for
    a file that no server had.
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
    """One key that reports are signed with: its raw 32 bytes in base64, and the same as PEM (RFC 8410)."""

    key_id: str
    algorithm: Literal["Ed25519"] = "Ed25519"
    public_key: str
    pem: str


class ReportKeys(PublicKey):
    """`GET /api/v1/files/report-key`: the key that signs now, and all that signed before and are still known."""

    previous: list[PublicKey]


class MalformedReport(ValueError):
    """Not a signed report; says where, never what stands there."""


def canonical(report: dict[str, Any]) -> bytes:
    """The bytes that are signed: JSON in canonical form (RFC 8785) of strings, whole numbers, nulls and objects."""
    return json.dumps(report, ensure_ascii=False, separators=(",", ":"), sort_keys=True, allow_nan=False).encode()


def parse_signed(data: bytes) -> tuple[dict[str, Any], SignedReport]:
    """A signed report as it stands in the file, and read. MalformedReport when it is anything else.

    What is verified must be what is shown: a name that stands twice, or a number that readers round, is refused.
    """
    try:
        raw = json.loads(data, object_pairs_hook=_once, parse_float=_refused, parse_constant=_refused)
        signed = SignedReport.model_validate_json(data)
    except (ValueError, RecursionError):
        raise MalformedReport("not a signed verification report") from None
    return raw["report"], signed


def _once(pairs: list[tuple[str, Any]]) -> dict[str, Any]:
    found = dict(pairs)
    if len(found) != len(pairs) or any(isinstance(value, int) and abs(value) > _LARGEST for value in found.values()):
        raise MalformedReport("not canonical")
    return found


def _refused(_: str) -> None:
    raise MalformedReport("not canonical")
