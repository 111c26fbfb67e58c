"""The envelope by the interface's constants alone, with no code of ours: what opens it, and what does not."""

import base64
import json
import secrets
from typing import Any

import httpx
import pytest
from cryptography.exceptions import InvalidTag
from cryptography.hazmat.primitives.ciphers.aead import AESGCM
from cryptography.hazmat.primitives.hashes import SHA256, SHA512
from cryptography.hazmat.primitives.kdf.hkdf import HKDF

from tests.api.serving import Account, Served

TEXT = "Write to noura@example.com, نورة سالم المثالي, or 0501234567; again 0501234567."
CONSTANTS: dict[str, Any] = {
    "algorithm": SHA256(),
    "length": 32,
    "salt": b"masker-kek-salt-v1",
    "info": b"masker-kek-v1",
}


def mask(client: httpx.Client, **more: object) -> dict[str, Any]:
    answer = client.post("/api/v1/mask", json={"text": TEXT, **more})
    assert answer.status_code == 200, answer.text
    return dict(answer.json())


def raw(answer: dict[str, Any], name: str) -> bytes:
    """Strict standard base64: `validate` refuses the URL-safe alphabet, the decoder refuses missing padding."""
    return base64.b64decode(answer[name], validate=True)


def opened(answer: dict[str, Any], bearer: str, **other: Any) -> dict[str, str]:
    kek = HKDF(**{**CONSTANTS, **other}).derive(bearer.encode("utf-8"))
    dek = AESGCM(kek).decrypt(raw(answer, "nonce_dek"), raw(answer, "wrapped_dek"), None)
    return dict(json.loads(AESGCM(dek).decrypt(raw(answer, "nonce_payload"), raw(answer, "ciphertext"), None)))


def test_the_envelope_opens_by_its_constants(client: httpx.Client, account: Account) -> None:
    """“Envelope mode: KEK = HKDF(bearer); DEK = AES-GCM-decrypt(KEK, nonce_dek, wrapped_dek); mappings JSON =
    AES-GCM-decrypt(DEK, nonce_payload, ciphertext).” “KDF | HKDF-SHA256”, “KDF input key material | the bearer key's
    UTF-8 bytes”, “HKDF salt | ASCII bytes `masker-kek-salt-v1`”, “HKDF info | ASCII bytes `masker-kek-v1`”, “Derived
    key (KEK) length | 32 bytes”, “AEAD | AES-GCM, 12-byte nonce, no associated data”; “AES-GCM ciphertext of the JSON
    mapping object `{token: original}`”, “data key wrapped under a key derived from the bearer”
    """
    answer = mask(client)
    mapping = opened(answer, account.bearer)
    restored = answer["masked_text"]
    for token, original in mapping.items():
        restored = restored.replace(token, original)
    assert restored == TEXT
    assert sorted(mapping.values()) == ["0501234567", "noura@example.com", "نورة سالم المثالي"]


@pytest.mark.parametrize(
    "other",
    [
        {"salt": b"masker-kek-salt-v2"},
        {"salt": None},
        {"info": b"masker-kek-v2"},
        {"info": b""},
        {"algorithm": SHA512()},
        {"length": 16},
    ],
)
def test_a_wrong_parameter(client: httpx.Client, account: Account, other: dict[str, Any]) -> None:
    """“A wrong parameter yields an authentication-tag mismatch.”"""
    answer = mask(client)
    with pytest.raises(InvalidTag):
        opened(answer, account.bearer, **other)


def test_nothing_but_the_bearer_opens_it(client: httpx.Client, served: Served, account: Account) -> None:
    """“The service key is the input for the envelope key derivation”; another key, a changed byte or a swapped nonce do
    not do.
    """
    answer = mask(client)
    for bearer in (served.account().bearer, account.bearer + " ", f"Bearer {account.bearer}"):
        with pytest.raises(InvalidTag):
            opened(answer, bearer)
    for name in ("ciphertext", "wrapped_dek", "nonce_payload", "nonce_dek"):
        spoiled = bytearray(raw(answer, name))
        spoiled[-1] ^= 1
        with pytest.raises(InvalidTag):
            opened({**answer, name: base64.b64encode(spoiled).decode()}, account.bearer)
    with pytest.raises(InvalidTag):
        opened({**answer, "nonce_dek": answer["nonce_payload"]}, account.bearer)


def test_the_sizes_and_the_alphabet(client: httpx.Client) -> None:
    """“nonce_payload | string (base64) | 12-byte nonce for the payload encryption”; “nonce_dek | string (base64) or
    null | 12-byte nonce for the wrapping”; “Base64 | standard alphabet with padding (not URL-safe)”. Always fresh.
    """
    answers = [mask(client) for _ in range(40)]
    for name, size in (("nonce_payload", 12), ("nonce_dek", 12), ("wrapped_dek", 32 + 16)):
        values = {raw(answer, name) for answer in answers}
        assert {len(value) for value in values} == {size}
        assert len(values) == len(answers)
    spelled = "".join(answer[name] for answer in answers for name in ("ciphertext", "wrapped_dek", "nonce_dek"))
    assert {"+", "/", "="} <= set(spelled) and not {"-", "_"} & set(spelled)


def test_a_key_of_the_callers_own(client: httpx.Client, account: Account) -> None:
    """“key | string (standard base64 of a 32-byte AES-256 key) | no | enables BYOK mode; the field name is `key`”; “in
    BYOK mode the response is encrypted directly under `key`”; “null in BYOK mode”; “BYOK key length | 32 bytes”; “BYOK
    mode: mappings JSON = AES-GCM-decrypt(supplied key, nonce_payload, ciphertext)”
    """
    key = secrets.token_bytes(32)
    answer = mask(client, key=base64.b64encode(key).decode())
    assert answer["wrapped_dek"] is None and answer["nonce_dek"] is None
    mapping = json.loads(AESGCM(key).decrypt(raw(answer, "nonce_payload"), raw(answer, "ciphertext"), None))
    assert set(mapping) == set(opened(mask(client), account.bearer)), "the tokens are the bearer's all the same"
    with pytest.raises(InvalidTag):
        AESGCM(secrets.token_bytes(32)).decrypt(raw(answer, "nonce_payload"), raw(answer, "ciphertext"), None)
    other_names = mask(client, byok_key=base64.b64encode(key).decode(), Key=base64.b64encode(key).decode())
    assert other_names["wrapped_dek"] is not None


@pytest.mark.parametrize("size", [0, 1, 16, 24, 31, 33, 64])
def test_the_length_of_such_a_key(client: httpx.Client, size: int) -> None:
    """“400 | key must decode to 32 bytes (256 bits), got {n} | decoded key has the wrong length”."""
    key = base64.b64encode(bytes(size)).decode()
    answer = client.post("/api/v1/mask", json={"text": TEXT, "key": key})
    assert (answer.status_code, answer.json()) == (
        400,
        {"detail": f"key must decode to 32 bytes (256 bits), got {size}"},
    )


def test_what_is_masked_and_what_is_counted(client: httpx.Client, account: Account) -> None:
    """“`POST /api/v1/mask` replaces each detected entity with an opaque token and returns an encrypted envelope.”
    “masked_text | string | entities replaced by tokens”; “number of canonical entities after de-duplication; the
    contract for entity counting”; “spans has one span per entity, not per distinct value”; “`/mask` and proxy |
    `<MASKED_{TYPE}_{8 hex}>` where TYPE is the detection type”
    """
    answer = mask(client)
    assert answer["pii_count"] == len(answer["spans"]) == 4
    pieces, end = [], 0
    mapping = {original: token for token, original in opened(answer, account.bearer).items()}
    for span in answer["spans"]:
        token = mapping[TEXT[span["start"] : span["end"]]]
        assert token.startswith(f"<MASKED_{span['type']}_") and len(token) == len(f"<MASKED_{span['type']}_12345678>")
        pieces += [TEXT[end : span["start"]], token]
        end = span["end"]
    assert "".join([*pieces, TEXT[end:]]) == answer["masked_text"]
    assert len(mapping) == 3


def test_two_people_and_two_spellings(client: httpx.Client, account: Account) -> None:
    """“Two different people get two different tokens.” “`/mask` mints per exact original surface so that restoring is
    loss-free”
    """
    text = "Noura Salem Almithali met Fahad Omar Altajribi; 0501234567 is 050 123 4567"
    answer = client.post("/api/v1/mask", json={"text": text}).json()
    mapping = opened(answer, account.bearer)
    assert sorted(mapping.values()) == ["050 123 4567", "0501234567", "Fahad Omar Altajribi", "Noura Salem Almithali"]


def test_no_mapping_is_kept(client: httpx.Client, served: Served) -> None:
    """“The server does not persist token mappings.” Neither the originals nor the tokens are in anything it stores."""
    original = "zeinab.unforgettable@example.com"
    answer = client.post("/api/v1/mask", json={"text": f"mail {original}"}).json()
    token = answer["masked_text"].removeprefix("mail ").strip("<>")
    stored = [path for path in served.services.settings.data_dir.rglob("*") if path.is_file()]
    assert stored
    for path in stored:
        content = path.read_bytes()
        assert original.encode() not in content and token.encode() not in content, path.name
