"""Requests and answers of `/mask` and `/redact`, as the interface specification defines them."""

from typing import Annotated, Literal
from uuid import UUID

from pydantic import BaseModel, ConfigDict, Field, StrictBool, StrictStr, StringConstraints

from schemas.scores import MinScore
from schemas.whitespace import describe_trimmed

InlineTerm = Annotated[
    str,
    StringConstraints(strict=True, strip_whitespace=True, min_length=1, max_length=200),
    Field(json_schema_extra=describe_trimmed(200)),
]
_BASE64_OF_32_BYTES = "^[A-Za-z0-9+/]{42}[AEIMQUYcgkosw048]=$"


class TextRequest(BaseModel):
    """The fields of both requests. `allow`: surfaces that stay where the whole entity is one of them."""

    model_config = ConfigDict(extra="ignore")

    text: Annotated[StrictStr, Field(min_length=1, description="of any length")]
    use_judge: Annotated[
        StrictBool,
        Field(description="ask the language-model judge, where the key may; the header `X-Use-Judge` outranks it"),
    ] = False
    judge_model: Annotated[StrictStr | None, Field(description="one of the operator's list")] = None
    glossary: Annotated[
        Annotated[list[InlineTerm], Field(max_length=1000)] | None,
        Field(description="terms of this request, 1 to 200 characters each, found as `CUSTOM_TERM`"),
    ] = None
    glossary_id: Annotated[UUID | None, Field(description="a saved glossary, also one that is switched off")] = None
    allow: Annotated[
        Annotated[list[InlineTerm], Field(max_length=1000)] | None,
        Field(description="surfaces that stay as they are where they are found as a whole"),
    ] = None
    explain: Annotated[StrictBool, Field(description="adds `explanations` to the answer")] = False
    min_score: Annotated[
        MinScore | None,
        Field(
            description="the least score of an entity, by default the account's (`PUT /me/entities`); terms and passed "
            "check digits always count"
        ),
    ] = None


class MaskRequest(TextRequest):
    """`key`: the caller's own AES-256 key, in standard base64, for the envelope."""

    key: Annotated[
        Annotated[StrictStr, Field(json_schema_extra={"pattern": _BASE64_OF_32_BYTES})] | None,
        Field(description="standard base64 of 32 bytes that the mapping is encrypted under, instead of the bearer's"),
    ] = None


class RedactRequest(TextRequest):
    """`transforms`: only DATE_TIME and ADDRESS, only `generalize`. `replacement`: what other values become."""

    transforms: Annotated[
        dict[Literal["DATE_TIME", "ADDRESS"], Literal["generalize"]] | None,
        Field(description="types whose values become abstract instead of placeholders"),
    ] = None
    replacement: Annotated[
        Literal["placeholder", "synthetic"],
        Field(
            description="`synthetic`: plausible stand-ins instead of placeholders, the same for equal values, never "
            "with a valid check digit; the answer lists them"
        ),
    ] = "placeholder"


MAX_BATCH = 100  # texts of one call
MAX_BATCH_BYTES = 4 * 1024 * 1024  # of its body: more would hold up the parser of all other calls


class MaskItem(MaskRequest):
    """A text of a batch. Its `key` may be any string: one that is no key is the item's error, not the call's."""

    key: Annotated[
        StrictStr | None,
        Field(description="standard base64 of 32 bytes, as in a single request; another is an error of the item"),
    ] = None


class MaskBatchRequest(BaseModel):
    """Texts that are masked in one call, each with the fields of a single request."""

    items: Annotated[list[MaskItem], Field(min_length=1, max_length=MAX_BATCH)]


class RedactBatchRequest(BaseModel):
    """Texts that are redacted in one call, each with the fields of a single request."""

    items: Annotated[list[RedactRequest], Field(min_length=1, max_length=MAX_BATCH)]


class MaskSpan(BaseModel):
    """A place in the text as sent, in code points; `end` is the first one behind it."""

    start: int
    end: int
    type: str


class ExplainedPlace(BaseModel):
    """A place in the text as sent, in code points; `end` is the first one behind it."""

    start: int
    end: int


class ExplainedSpan(ExplainedPlace):
    """A span: its offsets and type."""

    type: str


class ExplainedWhy(BaseModel):
    """The reasons for a span.

    `shape`: what its recognizer looks for. `check`: the checksum that it passed (`luhn`, `mod97`, `icao9303`). `cue`:
    the context word that it required or that raised its score. `outranked`: overlapping spans that it displaced.
    """

    shape: str
    check: str | None
    cue: ExplainedPlace | None
    outranked: list[ExplainedSpan]


class Explanation(ExplainedSpan):
    """Why an entity was found: its recognizer, its score (0 to 1) and the reasons. Contains offsets, no text."""

    recognizer: str
    score: float
    why: ExplainedWhy


# Set only when the request has `explain`; unset fields are not in the answer (exclude_unset).
Explanations = Annotated[list[Explanation], Field(description="only with `explain`: one per entity, by position")]


class MaskResponse(BaseModel):
    """The answer of `/mask`. Base64 is the standard alphabet with padding."""

    masked_text: Annotated[str, Field(description="every entity replaced by a token")]
    ciphertext: Annotated[str, Field(description="base64: AES-GCM of the JSON object from token to original")]
    nonce_payload: Annotated[str, Field(description="base64: 12 bytes")]
    wrapped_dek: Annotated[
        str | None,
        Field(description="base64: the data key under a key derived from the bearer; null with a key of your own"),
    ]
    nonce_dek: Annotated[str | None, Field(description="base64: 12 bytes; null with a key of your own")]
    pii_count: Annotated[int, Field(description="entities")]
    spans: Annotated[list[MaskSpan], Field(description="one per entity, by position")]
    request_id: Annotated[str, Field(description="also in the header `X-Request-Id`")]
    processing_time_ms: Annotated[int, Field(description="the server's wall clock")]
    judge_used: Annotated[bool, Field(description="whether the judge ran")]
    judge_model: Annotated[str | None, Field(description="the model that it used")]
    mappings: Annotated[dict[str, str] | None, Field(description="from token to original; null for bearer keys")]
    explanations: Explanations = []


class SyntheticSpan(BaseModel):
    """The place of a stand-in in `redacted_text`, in code points; `end` is the first one behind it."""

    start: int
    end: int
    type: str


class RedactResponse(BaseModel):
    """The answer of `/redact`. `entity_counts` counts distinct values by redact prefix."""

    redacted_text: Annotated[
        str, Field(description="every entity replaced by a placeholder, a generalized value or a stand-in")
    ]
    pii_count: Annotated[int, Field(description="distinct values replaced")]
    entity_counts: Annotated[dict[str, int], Field(description="distinct values by redact prefix")]
    generalized_count: Annotated[int, Field(description="occurrences that a generalized value replaced")]
    request_id: Annotated[str, Field(description="also in the header `X-Request-Id`")]
    processing_time_ms: Annotated[int, Field(description="the server's wall clock")]
    judge_used: Annotated[bool, Field(description="whether the judge ran")]
    judge_model: Annotated[str | None, Field(description="the model that it used")]
    synthetic: Annotated[
        list[SyntheticSpan],
        Field(description="only when asked for: where the stand-ins are; an entity without one got a placeholder"),
    ] = []
    explanations: Explanations = []


class ItemError(BaseModel):
    """What a single call for this item would have answered: its status and `detail`. It costs nothing."""

    status: int
    detail: str


class MaskBatchResponse(BaseModel):
    """`results`: the answer or error of each item, in the order of the request."""

    results: list[MaskResponse | ItemError]


class RedactBatchResponse(BaseModel):
    """`results`: the answer or error of each item, in the order of the request."""

    results: list[RedactResponse | ItemError]
