"""The envelope opens by the constants of the interface, only with the right key, and only if it was not changed."""

import base64
import json
import secrets
from typing import Any

import pytest
from cryptography.hazmat.primitives.ciphers.aead import AESGCM
from cryptography.hazmat.primitives.hashes import SHA256
from cryptography.hazmat.primitives.kdf.hkdf import HKDF
from hypothesis import given
from hypothesis import strategies as st

from pipeline.transform import envelope
from pipeline.transform.envelope import Envelope, EnvelopeNotOpened
from schemas.errors import InvalidKeyMaterial
from tests.contract.vectors.make import cases, fixed_bytes

MAPPINGS = st.dictionaries(st.text(), st.text(), max_size=5)
BEARER = "mk_live_abcdefghijkl_" + "B" * 43


def test_a_caller_opens_it_by_the_published_constants_alone() -> None:
    sealed = envelope.seal({"<MASKED_PERSON_ab12cd34>": "نورة"}, BEARER)
    kdf = HKDF(algorithm=SHA256(), length=32, salt=b"masker-kek-salt-v1", info=b"masker-kek-v1")
    assert sealed.nonce_dek is not None and sealed.wrapped_dek is not None
    assert len(sealed.nonce_dek) == len(sealed.nonce_payload) == 12
    dek = AESGCM(kdf.derive(BEARER.encode())).decrypt(sealed.nonce_dek, sealed.wrapped_dek, None)
    assert json.loads(AESGCM(dek).decrypt(sealed.nonce_payload, sealed.ciphertext, None)) == {
        "<MASKED_PERSON_ab12cd34>": "نورة"
    }


def of_answer(answer: dict[str, str | None]) -> Envelope:
    """Raises ValueError for a field that is no base64."""
    raw = {name: None if value is None else base64.b64decode(value, validate=True) for name, value in answer.items()}
    return Envelope(**raw)  # type: ignore[arg-type]


@pytest.mark.parametrize("case", cases(), ids=lambda case: case["name"])
def test_the_vectors_of_the_clients_open_or_fail_here_too(case: dict[str, Any]) -> None:
    def opened() -> dict[str, str]:
        sealed, key = of_answer(case["answer"]), case["key"]
        if sealed.wrapped_dek is None:
            return envelope.open_byok(sealed, envelope.decode_key(key))
        return envelope.open_envelope(sealed, key)

    if case["mapping"] is None:
        with pytest.raises((EnvelopeNotOpened, InvalidKeyMaterial, ValueError)):
            opened()
    else:
        assert opened() == case["mapping"]


@pytest.mark.parametrize(
    "case", [case for case in cases() if case["mapping"] is not None], ids=lambda case: case["name"]
)
def test_with_the_vectors_randomness_the_same_bytes_are_sealed(
    case: dict[str, Any], monkeypatch: pytest.MonkeyPatch
) -> None:
    wanted, key = of_answer(case["answer"]), case["key"]
    drawn = [wanted.nonce_payload]
    if wanted.wrapped_dek is not None:
        drawn = [fixed_bytes(f"{case['name']} data key", 32) + wanted.nonce_dek + wanted.nonce_payload]  # type: ignore[operator]
    monkeypatch.setattr(secrets, "token_bytes", lambda length: drawn.pop(0))
    own = wanted.wrapped_dek is None
    mapping = case["mapping"]
    assert (envelope.seal_byok(mapping, envelope.decode_key(key)) if own else envelope.seal(mapping, key)) == wanted
    assert drawn == []


@given(MAPPINGS, st.text(max_size=40), st.text(max_size=40))
def test_only_the_bearer_it_was_sealed_for_opens_it(mapping: dict[str, str], bearer: str, other: str) -> None:
    sealed = envelope.seal(mapping, bearer)
    assert envelope.open_envelope(sealed, bearer) == mapping
    if other != bearer:
        with pytest.raises(EnvelopeNotOpened):
            envelope.open_envelope(sealed, other)


@given(MAPPINGS, st.binary(min_size=32, max_size=32), st.binary(max_size=40))
def test_only_the_callers_own_key_opens_a_byok_envelope(mapping: dict[str, str], key: bytes, other: bytes) -> None:
    sealed = envelope.seal_byok(mapping, key)
    assert (sealed.wrapped_dek, sealed.nonce_dek) == (None, None)
    assert envelope.open_byok(sealed, key) == mapping
    if other != key:
        with pytest.raises(EnvelopeNotOpened):
            envelope.open_byok(sealed, other)
    with pytest.raises(EnvelopeNotOpened):
        envelope.open_envelope(sealed, BEARER)


@pytest.mark.parametrize("field", ["ciphertext", "nonce_payload", "wrapped_dek", "nonce_dek"])
def test_a_changed_bit_anywhere_keeps_it_shut(field: str) -> None:
    sealed = envelope.seal({"token": "value"}, BEARER)
    fields = {name: getattr(sealed, name) for name in Envelope.__slots__}
    fields[field] = bytes([fields[field][0] ^ 1]) + fields[field][1:]
    with pytest.raises(EnvelopeNotOpened):
        envelope.open_envelope(Envelope(**fields), BEARER)


def test_no_two_envelopes_share_a_nonce_or_key() -> None:
    one, two = (envelope.seal({}, BEARER) for _ in range(2))
    assert len({one.nonce_payload, two.nonce_payload, one.nonce_dek, two.nonce_dek}) == 4
    assert one.wrapped_dek != two.wrapped_dek


def test_a_key_is_strict_standard_base64_of_32_bytes() -> None:
    key = secrets.token_bytes(32)
    assert envelope.decode_key(base64.b64encode(key).decode()) == key


@pytest.mark.parametrize(
    "key",
    ["*", "_" * 43 + "=", "A" * 43, "A" * 44 + "=", " " + "A" * 43 + "=", "A" * 43 + "=\n", "مفتاح", "A===", "\0"],
)
def test_what_is_not_strict_base64_is_refused(key: str) -> None:
    with pytest.raises(InvalidKeyMaterial) as refused:
        envelope.decode_key(key)
    assert refused.value.detail == "key must be valid base64"


@pytest.mark.parametrize("length", [0, 16, 31, 33, 64])
def test_another_length_is_named(length: int) -> None:
    with pytest.raises(InvalidKeyMaterial) as refused:
        envelope.decode_key(base64.b64encode(bytes(length)).decode())
    assert refused.value.detail == f"key must decode to 32 bytes (256 bits), got {length}"
