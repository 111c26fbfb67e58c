"""Choices that a secret key decides: the same key and subject always choose alike."""

import hmac
from collections.abc import Sequence
from typing import TypeVar

from pipeline.transform.keys import derived_key

T = TypeVar("T")
_INFO = b"masker-synthetic-v1"
_BYTES = 8  # of one choice: with 64 bits the bias of a remainder is below 2**-50 for all ranges in use


class Choices:
    """A sequence of choices, one after the other, for one subject. HMAC-SHA256 in counter mode."""

    def __init__(self, key: bytes, *subject: str) -> None:
        self._key = key
        self._subject = "\0".join(subject).encode("utf-8", "surrogatepass")
        self._count = 0

    def below(self, end: int) -> int:
        """A number from 0 up to and without `end`."""
        self._count += 1
        block = hmac.digest(self._key, self._count.to_bytes(4, "big") + self._subject, "sha256")
        return int.from_bytes(block[:_BYTES], "big") % end

    def of(self, options: Sequence[T]) -> T:
        """One of the options."""
        return options[self.below(len(options))]


def synthetic_key(key_material: str) -> bytes:
    """The 32-byte key of a caller's stand-ins: HKDF-SHA256 (RFC 5869), no salt, over the bearer's UTF-8 bytes."""
    return derived_key(key_material, _INFO)
