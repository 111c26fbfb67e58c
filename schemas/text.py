"""Requests and answers of `/mask` and `/redact`, word for word as the interface specification has them."""

from typing import Annotated, Literal
from uuid import UUID

from pydantic import BaseModel, ConfigDict, Field, StrictBool, StrictStr, StringConstraints

InlineTerm = Annotated[str, StringConstraints(strict=True, strip_whitespace=True, min_length=1, max_length=200)]


class TextRequest(BaseModel):
    """What both calls take. Unknown fields are ignored. `allow`: surfaces that stay where they are found as a whole."""

    model_config = ConfigDict(extra="ignore")

    text: Annotated[StrictStr, Field(min_length=1)]
    use_judge: StrictBool = False
    judge_model: StrictStr | None = None
    glossary: Annotated[list[InlineTerm], Field(max_length=1000)] | None = None
    glossary_id: UUID | None = None
    allow: Annotated[list[InlineTerm], Field(max_length=1000)] | None = None
    explain: Annotated[StrictBool, Field(description="adds `explanations` to the answer")] = False


class MaskRequest(TextRequest):
    """`key`: standard base64 of a 32-byte AES-256 key; enables BYOK mode."""

    key: StrictStr | None = None


class RedactRequest(TextRequest):
    """`transforms`: only DATE_TIME and ADDRESS, only `generalize`."""

    transforms: dict[Literal["DATE_TIME", "ADDRESS"], Literal["generalize"]] | None = None


class MaskSpan(BaseModel):
    """Offsets in code points of the original text, right-half-open."""

    start: int
    end: int
    type: str


class ExplainedPlace(BaseModel):
    """Offsets in code points of the original text, right-half-open."""

    start: int
    end: int


class ExplainedSpan(ExplainedPlace):
    """A span by its place and type."""

    type: str


class ExplainedWhy(BaseModel):
    """What made a span.

    `shape`: what its recognizer looks for. `check`: the checksum that it passed (`luhn`, `mod97`, `icao9303`). `cue`:
    the word that made it, or made it surer. `outranked`: the overlapping spans that lost to it.
    """

    shape: str
    check: str | None
    cue: ExplainedPlace | None
    outranked: list[ExplainedSpan]


class Explanation(ExplainedSpan):
    """Why one entity was found: by which recognizer, how sure it is (0 to 1), and for what reasons. Offsets only."""

    recognizer: str
    score: float
    why: ExplainedWhy


# Never set, and so not in the answer (exclude_unset), unless the request says explain.
Explanations = Annotated[list[Explanation], Field(description="only with `explain`: one per entity, by position")]


class MaskResponse(BaseModel):
    """Every field of the answer; base64 is the standard alphabet with padding."""

    masked_text: str
    ciphertext: str
    nonce_payload: str
    wrapped_dek: str | None
    nonce_dek: str | None
    pii_count: int
    spans: list[MaskSpan]
    request_id: str
    processing_time_ms: int
    judge_used: bool
    judge_model: str | None
    mappings: dict[str, str] | None
    explanations: Explanations = []


class RedactResponse(BaseModel):
    """`entity_counts` is keyed by redact prefix and counts distinct values."""

    redacted_text: str
    pii_count: int
    entity_counts: dict[str, int]
    generalized_count: int
    request_id: str
    processing_time_ms: int
    judge_used: bool
    judge_model: str | None
    explanations: Explanations = []
