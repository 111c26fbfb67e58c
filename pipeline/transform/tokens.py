"""Mints the reversible tokens `<MASKED_{TYPE}_{8 hex}>`: keyed, so one caller's value always has the same token."""

import hmac
import re
from collections.abc import Container, Iterator

from cryptography.hazmat.primitives.hashes import SHA256
from cryptography.hazmat.primitives.kdf.hkdf import HKDF

from schemas.entities import EntityType

TOKEN = re.compile(r"<MASKED_([A-Z_]+)_([a-f0-9]{8})>")
_INFO = b"masker-token-v1"
_HEX = 8


def token_key(key_material: str) -> bytes:
    """The 32-byte HMAC key of a caller's tokens: HKDF-SHA256 (RFC 5869), no salt, over the bearer's UTF-8 bytes."""
    return HKDF(algorithm=SHA256(), length=32, salt=None, info=_INFO).derive(key_material.encode())


class Mint:
    """The tokens of one request: one per distinct (type, exact surface), never one of `reserved`.

    `mapping` is token to original, one entry per token, in order of minting. Not thread-safe: it lives for a request.
    """

    def __init__(self, key: bytes, reserved: Container[str] = ()) -> None:
        self._key = key
        self._reserved = reserved
        self._minted: dict[tuple[EntityType, str], str] = {}
        self.mapping: dict[str, str] = {}

    def token(self, type_: EntityType, surface: str) -> str:
        """The token of a value; a second call with the same value returns the same token."""
        known = self._minted.get((type_, surface))
        if known is not None:
            return known
        block = hmac.digest(self._key, type_.encode() + b"\0" + surface.encode("utf-8", "surrogatepass"), "sha256")
        candidate = f"<MASKED_{type_}_{block[: _HEX // 2].hex()}>"
        if candidate in self.mapping or candidate in self._reserved:
            candidate = next(
                other
                for other in _others(self._key, type_, block)
                if other not in self.mapping and other not in self._reserved
            )
        self._minted[type_, surface] = candidate
        self.mapping[candidate] = surface
        return candidate


def _others(key: bytes, type_: EntityType, block: bytes) -> Iterator[str]:
    """The value's further tokens in order of preference: each next 8 hex of its HMAC, and then of a chained HMAC."""
    first = _HEX
    while True:
        digits = block.hex()
        for start in range(first, len(digits), _HEX):
            yield f"<MASKED_{type_}_{digits[start : start + _HEX]}>"
        block, first = hmac.digest(key, block, "sha256"), 0
