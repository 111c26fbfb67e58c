"""The data that the parts of a proxied call exchange: masking options, the masked prompt, and the minted tokens."""

from collections import Counter
from collections.abc import Mapping
from dataclasses import dataclass, field
from datetime import date
from enum import StrEnum

from schemas.entities import EntityType
from schemas.spans import TermSet


class Provider(StrEnum):
    """A provider's wire format: the `{provider}` of the path."""

    ANTHROPIC = "anthropic"
    OPENAI = "openai"


@dataclass(frozen=True, slots=True)
class MaskingOptions:
    """How to mask a request body.

    `key`: the token key made from the caller's bearer (`token_key`). `today`: the date in Asia/Riyadh that ages refer
    to. `min_score`: as in `DetectOptions`.
    """

    provider: Provider
    key: bytes = field(repr=False)
    today: date
    terms: tuple[TermSet, ...] = ()
    transforms: tuple[EntityType, ...] = ()
    preserve_tags: bool = False
    allow_attachments: bool = False
    min_score: float = 0.0


@dataclass(frozen=True, slots=True)
class Minted:
    """The tokens of one request, `{token: original}`, and the `numbers`: tokens that replaced JSON numbers.

    `prefill`: the masked text of a last assistant message, which the answer continues.
    """

    originals: Mapping[str, str] = field(repr=False)
    numbers: frozenset[str] = frozenset()
    prefill: str = field(default="", repr=False)


@dataclass(frozen=True, slots=True)
class MaskedPrompt:
    """The masked request as UTF-8 JSON.

    `streams`: whether it asks for an event stream. `found`: the number of entities by type.
    """

    body: bytes = field(repr=False)
    minted: Minted
    streams: bool
    found: Counter[EntityType]


class StreamTooLong(Exception):
    """One event of the provider's stream exceeds its size limit. Carries none of its text."""
