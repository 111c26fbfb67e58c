"""The encrypted envelope that carries a mapping to its caller: HKDF-SHA256 (RFC 5869) and AES-256-GCM (SP 800-38D)."""

import base64
import json
import secrets
from collections.abc import Mapping
from dataclasses import dataclass

from cryptography.exceptions import InvalidTag
from cryptography.hazmat.primitives.ciphers.aead import AESGCM

from pipeline.transform.keys import KEY_BYTES, derived_key
from schemas.errors import InvalidKeyMaterial

KEK_SALT = b"masker-kek-salt-v1"
KEK_INFO = b"masker-kek-v1"
NONCE_BYTES = 12
_to_json = json.JSONEncoder(ensure_ascii=False).encode


class EnvelopeNotOpened(Exception):
    """The key, a nonce or the ciphertext is wrong."""


@dataclass(frozen=True, slots=True)
class Envelope:
    """A sealed mapping. `wrapped_dek` and `nonce_dek` are None when it was sealed under the caller's own key."""

    ciphertext: bytes
    nonce_payload: bytes
    wrapped_dek: bytes | None = None
    nonce_dek: bytes | None = None


def seal(mapping: Mapping[str, str], key_material: str) -> Envelope:
    """Seal under a fresh data key, wrapped by the key derived from `key_material` (the bearer)."""
    drawn = secrets.token_bytes(KEY_BYTES + 2 * NONCE_BYTES)  # at once: each draw lets other threads run
    dek, nonce_dek, nonce = drawn[:KEY_BYTES], drawn[KEY_BYTES:-NONCE_BYTES], drawn[-NONCE_BYTES:]
    wrapped = AESGCM(_kek(key_material)).encrypt(nonce_dek, dek, None)
    return Envelope(_sealed(mapping, dek, nonce), nonce, wrapped, nonce_dek)


def seal_byok(mapping: Mapping[str, str], key: bytes) -> Envelope:
    """Seal directly under the caller's 32-byte key."""
    nonce = secrets.token_bytes(NONCE_BYTES)
    return Envelope(_sealed(mapping, key, nonce), nonce)


def open_envelope(envelope: Envelope, key_material: str) -> dict[str, str]:
    """The mapping of an envelope sealed with `seal`. Raises EnvelopeNotOpened if the key or any field is wrong."""
    if envelope.wrapped_dek is None or envelope.nonce_dek is None:
        raise EnvelopeNotOpened
    dek = _decrypt(_kek(key_material), envelope.nonce_dek, envelope.wrapped_dek)
    return open_byok(envelope, dek)


def open_byok(envelope: Envelope, key: bytes) -> dict[str, str]:
    """The mapping of an envelope sealed with `seal_byok`. Raises EnvelopeNotOpened if the key or any field is wrong."""
    payload = _decrypt(key, envelope.nonce_payload, envelope.ciphertext)
    mapping: dict[str, str] = json.loads(payload.decode("utf-8", "surrogatepass"))
    return mapping


def decode_key(key: str) -> bytes:
    """A caller's AES-256 key from strict standard base64 (RFC 4648, section 4). Raises InvalidKeyMaterial."""
    try:
        raw = base64.b64decode(key, validate=True)
    except ValueError:  # binascii.Error is one; so is a character outside ASCII
        raise InvalidKeyMaterial("key must be valid base64") from None
    if to_base64(raw) != key:  # the decoder lets surplus padding pass
        raise InvalidKeyMaterial("key must be valid base64")
    if len(raw) != KEY_BYTES:
        raise InvalidKeyMaterial(f"key must decode to {KEY_BYTES} bytes (256 bits), got {len(raw)}")
    return raw


def to_base64(raw: bytes) -> str:
    """Base64 with the standard alphabet and padding, the encoding of every binary field of an answer."""
    return base64.b64encode(raw).decode("ascii")


def _sealed(mapping: Mapping[str, str], key: bytes, nonce: bytes) -> bytes:
    return AESGCM(key).encrypt(nonce, _to_json(mapping).encode("utf-8", "surrogatepass"), None)


def _kek(key_material: str) -> bytes:
    return derived_key(key_material, KEK_INFO, KEK_SALT)


def _decrypt(key: bytes, nonce: bytes, ciphertext: bytes) -> bytes:
    try:
        return AESGCM(key).decrypt(nonce, ciphertext, None)
    except (InvalidTag, ValueError):
        raise EnvelopeNotOpened from None
