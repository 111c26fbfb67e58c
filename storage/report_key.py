"""The Ed25519 key that signs verification reports, derived from the master key.

Every process with the master key signs with the same key, and no further secret has to be stored. When the master key
rotates, so does this key; the public keys of earlier master keys stay listed as long as those are configured.
"""

import base64
from typing import Any

from cryptography.exceptions import InvalidSignature
from cryptography.hazmat.primitives.asymmetric.ed25519 import Ed25519PrivateKey, Ed25519PublicKey
from cryptography.hazmat.primitives.hashes import SHA256, Hash
from cryptography.hazmat.primitives.serialization import Encoding, PublicFormat, load_pem_public_key

from schemas.reports import PublicKey, ReportKeys, Signature, SignedReport, VerificationReport, canonical
from storage.encryption import Keyring

_PURPOSE = "report-signing"


class NotAPublicKey(ValueError):
    """The text is neither PEM, nor base64 of an Ed25519 key, nor an answer of `report-key`."""


def signed(keyring: Keyring, report: VerificationReport) -> SignedReport:
    """The report with its signature."""
    key = Ed25519PrivateKey.from_private_bytes(keyring.derive(_PURPOSE))
    value = key.sign(canonical(report.model_dump(mode="json")))
    return SignedReport(
        report=report, signature=Signature(key_id=key_id(key.public_key()), value=base64.b64encode(value).decode())
    )


def public_keys(keyring: Keyring) -> ReportKeys:
    """The public keys: the current one, then those of earlier master keys."""
    current, *previous = [
        _shown(Ed25519PrivateKey.from_private_bytes(seed).public_key()) for seed in keyring.derive_all(_PURPOSE)
    ]
    return ReportKeys(**current.model_dump(), previous=previous)


def is_genuine(report: dict[str, Any], signature: Signature, key: Ed25519PublicKey) -> bool:
    """Whether the signature over the report, as it is in the file, was made with that key."""
    if signature.key_id != key_id(key):
        return False
    try:
        key.verify(base64.b64decode(signature.value, validate=True), canonical(report))
    except (InvalidSignature, ValueError):
        return False
    return True


def key_id(key: Ed25519PublicKey) -> str:
    """The first 16 hex digits of the SHA-256 of its raw bytes."""
    digest = Hash(SHA256())
    digest.update(key.public_bytes(Encoding.Raw, PublicFormat.Raw))
    return digest.finalize()[:8].hex()


def load_public_key(text: bytes) -> list[Ed25519PublicKey]:
    """The keys in a file: PEM, base64 of 32 bytes, or the JSON of `report-key`, all its keys. NotAPublicKey."""
    try:
        if text.lstrip().startswith(b"{"):
            known = ReportKeys.model_validate_json(text)
            return [_raw(encoded) for encoded in (known.public_key, *(key.public_key for key in known.previous))]
        if b"-----BEGIN" in text:
            key = load_pem_public_key(text)
            if not isinstance(key, Ed25519PublicKey):
                raise NotAPublicKey
            return [key]
        return [_raw(text.decode("ascii").strip())]
    except ValueError:
        raise NotAPublicKey("not an Ed25519 public key") from None


def _raw(encoded: str) -> Ed25519PublicKey:
    return Ed25519PublicKey.from_public_bytes(base64.b64decode(encoded, validate=True))


def _shown(key: Ed25519PublicKey) -> PublicKey:
    raw = key.public_bytes(Encoding.Raw, PublicFormat.Raw)
    pem = key.public_bytes(Encoding.PEM, PublicFormat.SubjectPublicKeyInfo)
    return PublicKey(key_id=key_id(key), public_key=base64.b64encode(raw).decode(), pem=pem.decode())
