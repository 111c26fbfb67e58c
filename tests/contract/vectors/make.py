"""Writes envelope.json anew (python -m tests.contract.vectors.make), with none of the service's code."""

import base64
import json
from hashlib import sha256
from pathlib import Path
from typing import Any

from cryptography.hazmat.primitives.ciphers.aead import AESGCM
from cryptography.hazmat.primitives.hashes import SHA256
from cryptography.hazmat.primitives.kdf.hkdf import HKDF

PATH = Path(__file__).with_name("envelope.json")
BEARER = "mk_live_abcdefghij12_" + "Zm9vYmFy" * 5 + "abc"
MAPPINGS = {
    "one value": {"<MASKED_PERSON_0a1b2c3d>": "Reem Alharbi"},
    "arabic and emoji": {"<MASKED_PERSON_11111111>": "ريم الحربي", "<MASKED_CUSTOM_TERM_22222222>": "مشروع 🚀 «أ»"},
    "nothing": {},
    "escapes": {"<MASKED_ADDRESS_33333333>": 'line\none\t"quoted" \\ \u0000 </script>'},
}


def fixed_bytes(name: str, length: int) -> bytes:
    """Bytes that are the same each time."""
    return sha256(name.encode()).digest()[:length]


def _text(data: bytes) -> str:
    return base64.b64encode(data).decode()


def _sealed(mapping: dict[str, str], name: str, key: bytes | None) -> dict[str, str | None]:
    data_key = key or fixed_bytes(f"{name} data key", 32)
    nonce, nonce_dek = fixed_bytes(f"{name} nonce", 12), fixed_bytes(f"{name} nonce of the key", 12)
    answer: dict[str, str | None] = {
        "ciphertext": _text(AESGCM(data_key).encrypt(nonce, json.dumps(mapping, ensure_ascii=False).encode(), None)),
        "nonce_payload": _text(nonce),
        "wrapped_dek": None,
        "nonce_dek": None,
    }
    if key is None:
        wrapping = HKDF(SHA256(), 32, b"masker-kek-salt-v1", b"masker-kek-v1").derive(BEARER.encode())
        answer |= {
            "wrapped_dek": _text(AESGCM(wrapping).encrypt(nonce_dek, data_key, None)),
            "nonce_dek": _text(nonce_dek),
        }
    return answer


def cases() -> list[dict[str, Any]]:
    """All cases; `mapping` is null where opening must fail."""
    found: list[dict[str, Any]] = []
    own = fixed_bytes("own key", 32)
    for name, mapping in MAPPINGS.items():
        found.append({"name": name, "key": BEARER, "answer": _sealed(mapping, name, None), "mapping": mapping})
        found.append(
            {"name": f"{name}, own key", "key": _text(own), "answer": _sealed(mapping, name, own), "mapping": mapping}
        )
    sealed, sealed_own = _sealed(MAPPINGS["one value"], "bad", None), _sealed(MAPPINGS["one value"], "bad", own)
    swapped = sealed | {"nonce_payload": sealed["nonce_dek"]}
    cut = sealed | {"ciphertext": _text(base64.b64decode(str(sealed["ciphertext"]))[:-1])}
    for name, key, answer in (
        ("another bearer", BEARER[:-1] + "d", sealed),
        ("another own key", _text(fixed_bytes("other", 32)), sealed_own),
        ("a short own key", _text(own[:31]), sealed_own),
        ("a nonce in the wrong place", BEARER, swapped),
        ("a cut ciphertext", BEARER, cut),
        ("no base64", BEARER, sealed | {"ciphertext": "*"}),
    ):
        found.append({"name": name, "key": key, "answer": answer, "mapping": None})
    return found


if __name__ == "__main__":
    PATH.write_text(json.dumps(cases(), ensure_ascii=False, indent=1) + "\n", "utf-8")
