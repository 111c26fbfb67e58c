"""Opens the envelope of a mask answer and puts originals back, in whole texts and in streams.

Constants and forms are those of docs/interface/mask.md.
"""

import base64
import binascii
import json
import re
import secrets
from collections.abc import Mapping

from cryptography.exceptions import InvalidTag
from cryptography.hazmat.primitives.ciphers.aead import AESGCM
from cryptography.hazmat.primitives.hashes import SHA256
from cryptography.hazmat.primitives.kdf.hkdf import HKDF

from masker.client.answers import Sealed
from masker.client.errors import EnvelopeError

_TOKEN = re.compile(r"<MASKED_[A-Z_]+_[a-f0-9]{8}>")
_BEGUN = re.compile(r"<(?:M(?:A(?:S(?:K(?:E(?:D(?:_[A-Z_]*(?:_[a-f0-9]{0,8})?)?)?)?)?)?)?)?\Z")
_LONGEST = 64  # characters of a token
_KEY_BYTES = 32


def new_key() -> str:
    """A key of the caller's own: 32 random bytes in base64, for `key` of a mask call."""
    return base64.b64encode(secrets.token_bytes(_KEY_BYTES)).decode()


def open_envelope(answer: Sealed, key: str) -> dict[str, str]:
    """The mapping from token to original. `key`: the bearer of the call, or its own `key` in base64. EnvelopeError."""
    try:
        if answer["wrapped_dek"] is None:
            data_key = base64.b64decode(key, validate=True)
        else:
            wrapping = HKDF(SHA256(), _KEY_BYTES, b"masker-kek-salt-v1", b"masker-kek-v1").derive(key.encode())
            data_key = _decrypted(wrapping, answer["nonce_dek"] or "", answer["wrapped_dek"])
        mapping: dict[str, str] = json.loads(_decrypted(data_key, answer["nonce_payload"], answer["ciphertext"]))
    except (InvalidTag, ValueError, binascii.Error):
        raise EnvelopeError("the envelope does not open with this key") from None
    return mapping


def restore(text: str, mapping: Mapping[str, str]) -> str:
    """The text with every token of the mapping replaced by its original."""
    return _TOKEN.sub(lambda match: mapping.get(match[0], match[0]), text)


class StreamRestorer:
    """Restores a reply that comes in pieces; it holds back only an end that may begin a token."""

    def __init__(self, mapping: Mapping[str, str]) -> None:
        self._mapping, self._held = mapping, ""

    def push(self, piece: str) -> str:
        """What is certain of the text so far."""
        text = self._held + piece
        begun = _BEGUN.search(text, max(0, len(text) - _LONGEST))
        cut = begun.start() if begun else len(text)
        self._held = text[cut:]
        return restore(text[:cut], self._mapping)

    def end(self) -> str:
        """The rest."""
        rest, self._held = self._held, ""
        return restore(rest, self._mapping)


def _decrypted(key: bytes, nonce: str, data: str) -> bytes:
    if len(key) != _KEY_BYTES:
        raise ValueError
    return AESGCM(key).decrypt(base64.b64decode(nonce, validate=True), base64.b64decode(data, validate=True), None)
