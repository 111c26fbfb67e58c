"""The caller's side of `/mask`: opens an envelope with the bearer key and restores the originals in a reply.

Needs only the `cryptography` package. The constants are in docs/interface/mask.md.
"""

import base64
import json

from cryptography.hazmat.primitives.ciphers.aead import AESGCM
from cryptography.hazmat.primitives.hashes import SHA256
from cryptography.hazmat.primitives.kdf.hkdf import HKDF


def open_envelope(answer: dict[str, str], bearer: str) -> dict[str, str]:
    """The mapping {token: original} of a mask answer. InvalidTag when the key is not the one that made it."""
    kek = HKDF(SHA256(), 32, b"masker-kek-salt-v1", b"masker-kek-v1").derive(bearer.encode())
    raw = {name: base64.b64decode(answer[name]) for name in ("nonce_dek", "wrapped_dek", "nonce_payload", "ciphertext")}
    dek = AESGCM(kek).decrypt(raw["nonce_dek"], raw["wrapped_dek"], None)
    return json.loads(AESGCM(dek).decrypt(raw["nonce_payload"], raw["ciphertext"], None))


def restore(reply: str, mapping: dict[str, str]) -> str:
    """`reply` with every token replaced by its original."""
    for token, original in mapping.items():
        reply = reply.replace(token, original)
    return reply
