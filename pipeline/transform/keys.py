"""The keys of a caller, derived from its bearer: HKDF-SHA256 (RFC 5869)."""

import hmac

KEY_BYTES = 32


def derived_key(key_material: str, info: bytes, salt: bytes = b"") -> bytes:
    """The 32-byte key for the purpose `info`, over the UTF-8 bytes of `key_material`; no salt when it is left out.

    A key as long as the hash needs one block of the expansion (section 2.3), so each step is one HMAC.
    """
    extracted = hmac.new(salt, key_material.encode(), "sha256").digest()
    return hmac.new(extracted, info + b"\x01", "sha256").digest()
