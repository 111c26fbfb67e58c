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


@pytest.mark.clause("MASK-27", "MASK-29", "MASK-30", "MASK-31", "MASK-32")
def test_the_envelope_opens_by_its_constants(client: httpx.Client, account: Account) -> None:
    answer = mask(client)
    mapping = opened(answer, account.bearer)
    restored = answer["masked_text"]
    for token, original in mapping.items():
        restored = restored.replace(token, original)
    assert restored == TEXT
    assert sorted(mapping.values()) == ["0501234567", "noura@example.com", "نورة سالم المثالي"]


@pytest.mark.clause("MASK-34")
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
    answer = mask(client)
    with pytest.raises(InvalidTag):
        opened(answer, account.bearer, **other)


@pytest.mark.clause("MASK-31")
def test_nothing_but_the_bearer_opens_it(client: httpx.Client, served: Served, account: Account) -> None:
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


@pytest.mark.clause("MASK-28", "MASK-29", "MASK-30")
def test_the_sizes_and_the_alphabet(client: httpx.Client) -> None:
    answers = [mask(client) for _ in range(40)]
    for name, size in (("nonce_payload", 12), ("nonce_dek", 12), ("wrapped_dek", 32 + 16)):
        values = {raw(answer, name) for answer in answers}
        assert {len(value) for value in values} == {size}
        assert len(values) == len(answers)
    spelled = "".join(answer[name] for answer in answers for name in ("ciphertext", "wrapped_dek", "nonce_dek"))
    assert {"+", "/", "="} <= set(spelled) and not {"-", "_"} & set(spelled)


@pytest.mark.clause("MASK-07", "MASK-33")
def test_a_key_of_the_callers_own(client: httpx.Client, account: Account) -> None:
    key = secrets.token_bytes(32)
    answer = mask(client, key=base64.b64encode(key).decode())
    assert answer["wrapped_dek"] is None and answer["nonce_dek"] is None
    mapping = json.loads(AESGCM(key).decrypt(raw(answer, "nonce_payload"), raw(answer, "ciphertext"), None))
    assert set(mapping) == set(opened(mask(client), account.bearer)), "the tokens are the bearer's all the same"
    with pytest.raises(InvalidTag):
        AESGCM(secrets.token_bytes(32)).decrypt(raw(answer, "nonce_payload"), raw(answer, "ciphertext"), None)
    other_names = mask(client, byok_key=base64.b64encode(key).decode(), Key=base64.b64encode(key).decode())
    assert other_names["wrapped_dek"] is not None


@pytest.mark.clause("MASK-09")
@pytest.mark.parametrize("size", [0, 1, 16, 24, 31, 33, 64])
def test_the_length_of_such_a_key(client: httpx.Client, size: int) -> None:
    key = base64.b64encode(bytes(size)).decode()
    answer = client.post("/api/v1/mask", json={"text": TEXT, "key": key})
    assert (answer.status_code, answer.json()) == (
        400,
        {"detail": f"key must decode to 32 bytes (256 bits), got {size}"},
    )


@pytest.mark.clause("MASK-02", "MASK-11", "MASK-12", "MASK-13", "MASK-20")
def test_what_is_masked_and_what_is_counted(client: httpx.Client, account: Account) -> None:
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


@pytest.mark.clause("MASK-22")
def test_two_people_and_two_spellings(client: httpx.Client, account: Account) -> None:
    text = "Noura Salem Almithali met Fahad Omar Altajribi; 0501234567 is 050 123 4567"
    answer = client.post("/api/v1/mask", json={"text": text}).json()
    mapping = opened(answer, account.bearer)
    assert sorted(mapping.values()) == ["050 123 4567", "0501234567", "Fahad Omar Altajribi", "Noura Salem Almithali"]


@pytest.mark.clause("MASK-04")
def test_no_mapping_is_kept(client: httpx.Client, served: Served) -> None:
    """Neither the originals nor the tokens are in anything it stores."""
    original = "zeinab.unforgettable@example.com"
    answer = client.post("/api/v1/mask", json={"text": f"mail {original}"}).json()
    token = answer["masked_text"].removeprefix("mail ").strip("<>")
    stored = [path for path in served.services.settings.data_dir.rglob("*") if path.is_file()]
    assert stored
    for path in stored:
        content = path.read_bytes()
        assert original.encode() not in content and token.encode() not in content, path.name
