"""Masking, the reversible transform: every entity becomes a token `<MASKED_{TYPE}_{8 hex}>`.

The mapping of tokens to originals restores the text. Tokens are keyed: one caller's value always has the same token.
"""

import hmac
import re
from collections.abc import Container, Iterator, Mapping
from typing import NamedTuple

from pipeline.transform.keys import derived_key
from schemas.entities import EntityType
from schemas.spans import Detection, Span

TOKEN = re.compile(r"<MASKED_([A-Z_]+)_([a-f0-9]{8})>")
_INFO = b"masker-token-v1"
_HEX = 8


class Masked(NamedTuple):
    """The masked text, the mapping `{token: original}`, and the replaced entities (offsets in the original text)."""

    text: str
    mapping: dict[str, str]
    spans: tuple[Span, ...]


def mask(detection: Detection, key: bytes) -> Masked:
    """Replace every entity of a detection by its token under `key` (see `token_key`).

    `restore(masked.text, masked.mapping)` is always the original text: a token that is already in the input is never
    minted for a value, so it stays as it is.
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
    """Put the originals back in one pass. A token that is not in the mapping stays as it is."""
    return TOKEN.sub(lambda match: mapping.get(match[0], match[0]), text)


def tokens_in(text: str) -> frozenset[str]:
    """Every string in a text that has the form of a token."""
    return frozenset(match[0] for match in TOKEN.finditer(text))


def token_key(key_material: str) -> bytes:
    """The 32-byte HMAC key of a caller's tokens: HKDF-SHA256 (RFC 5869), no salt, over the bearer's UTF-8 bytes."""
    return derived_key(key_material, _INFO)


class Mint:
    """Mints the tokens of one request: one per distinct type and exact surface, never one of `reserved`.

    `mapping` maps each token to its original, in order of minting. Not thread-safe: each request has its own.
    """

    def __init__(self, key: bytes, reserved: Container[str] = ()) -> None:
        self._key = key
        # Copied for each value: a copy costs a third of a new one, and lets no other thread run meanwhile.
        self._keyed = hmac.new(key, digestmod="sha256")
        self._reserved = reserved
        self._minted: dict[bytes, str] = {}
        self.mapping: dict[str, str] = {}

    def token(self, type_: EntityType, surface: str) -> str:
        """The token of a value; a second call with the same value returns the same token."""
        value = f"{type_}\0{surface}".encode("utf-8", "surrogatepass")
        known = self._minted.get(value)
        if known is not None:
            return known
        keyed = self._keyed.copy()
        keyed.update(value)
        block = keyed.digest()
        candidate = f"<MASKED_{type_}_{block[: _HEX // 2].hex()}>"
        if candidate in self.mapping or candidate in self._reserved:
            candidate = next(
                other
                for other in _further_candidates(self._key, type_, block)
                if other not in self.mapping and other not in self._reserved
            )
        self._minted[value] = candidate
        self.mapping[candidate] = surface
        return candidate


def _further_candidates(key: bytes, type_: EntityType, block: bytes) -> Iterator[str]:
    """The value's further candidates: each next 8 hex digits of its HMAC, then those of an HMAC of that HMAC."""
    first = _HEX
    while True:
        digits = block.hex()
        for start in range(first, len(digits), _HEX):
            yield f"<MASKED_{type_}_{digits[start : start + _HEX]}>"
        block, first = hmac.digest(key, block, "sha256"), 0
