"""What the parts of a proxied call hand to one another: what was asked, the masked prompt, and the tokens minted."""

from collections import Counter
from collections.abc import Mapping
from dataclasses import dataclass, field
from datetime import date
from enum import StrEnum

from schemas.entities import EntityType
from schemas.spans import TermSet


class Provider(StrEnum):
    """A wire format, and whose: the `{provider}` of the path."""

    ANTHROPIC = "anthropic"
    OPENAI = "openai"


@dataclass(frozen=True, slots=True)
class Asked:
    """How a body is to be masked: by whose key, under which terms, and what the caller's headers ask for.

    `key` is `tokens.token_key` of the caller's bearer; `today` (Asia/Riyadh) is the day ages are as of.
    """

    provider: Provider
    key: bytes = field(repr=False)
    today: date
    terms: tuple[TermSet, ...] = ()
    transforms: tuple[EntityType, ...] = ()
    preserve_tags: bool = False
    allow_attachments: bool = False


@dataclass(frozen=True, slots=True)
class Minted:
    """The tokens of one request, `{token: original}`, and those that stand where a JSON number stood.

    `prefill`: the beginning of the answer, if the prompt has one, with tokens.
    """

    originals: Mapping[str, str] = field(repr=False)
    numbers: frozenset[str] = frozenset()
    prefill: str = field(default="", repr=False)


@dataclass(frozen=True, slots=True)
class MaskedPrompt:
    """What may leave: `body` is UTF-8 JSON. `streams`: an event stream is asked for. `found`: entities by type."""

    body: bytes = field(repr=False)
    minted: Minted
    streams: bool
    found: Counter[EntityType]


class StreamTooLong(Exception):
    """One event of the provider's stream is longer than any that makes sense. Carries no text of it."""
