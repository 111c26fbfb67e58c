"""Masking, the reversible transform: every entity becomes a token, and the mapping brings the originals back."""

from collections.abc import Mapping
from typing import NamedTuple

from pipeline.transform.tokens import TOKEN, Mint
from schemas.spans import Detection, Span


class Masked(NamedTuple):
    """The masked text, the mapping `{token: original}`, and the entities it replaced (offsets in the original text)."""

    text: str
    mapping: dict[str, str]
    spans: tuple[Span, ...]


def mask(detection: Detection, key: bytes) -> Masked:
    """Replace every entity of a detection by its token under `key` (see `tokens.token_key`).

    `restore(masked.text, masked.mapping)` is the original text, whatever it holds: a token that stands in the input is
    never minted again for a value, so it stays what it was.
    """
    text = detection.text
    mint = Mint(key, reserved=tokens_in(text))
    pieces: list[str] = []
    position = 0
    for span in detection.spans:
        pieces += (text[position : span.start], mint.token(span.type, text[span.start : span.end]))
        position = span.end
    pieces.append(text[position:])
    return Masked("".join(pieces), mint.mapping, detection.spans)


def restore(text: str, mapping: Mapping[str, str]) -> str:
    """Put the originals back in one pass; a token that the mapping does not know stays as it is."""
    return TOKEN.sub(lambda match: mapping.get(match[0], match[0]), text)


def tokens_in(text: str) -> frozenset[str]:
    """Every token-shaped string of a text."""
    return frozenset(match[0] for match in TOKEN.finditer(text))
