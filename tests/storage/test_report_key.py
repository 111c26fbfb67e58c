"""The key of verification reports: the same wherever the master key is, known after a rotation, forged by nobody."""

import json
import secrets
from datetime import UTC, datetime

import pytest
from cryptography.hazmat.primitives.asymmetric.ed25519 import Ed25519PrivateKey
from cryptography.hazmat.primitives.asymmetric.x25519 import X25519PrivateKey
from cryptography.hazmat.primitives.serialization import Encoding, PublicFormat

from pipeline.entities.proof import Proof
from schemas.files import Format
from schemas.reports import MalformedReport, VerificationReport, parse_signed
from storage.encryption import Keyring
from storage.report_key import NotAPublicKey, is_genuine, load_public_key, public_keys, signed

NOW = datetime(2026, 3, 1, 12, tzinfo=UTC)
FIRST, SECOND = secrets.token_bytes(32), secrets.token_bytes(32)


@pytest.fixture
def report() -> VerificationReport:
    proof = Proof("ab" * 32, 10, 3, 1, ("pypdf 6.4.0",), (0, 0), {"PERSON": 2}, {"script": 1})
    return proof.report(Format.PDF, 1, file_id=None, milliseconds=5, verified_at=NOW)


def genuine(keyring: Keyring, written: bytes) -> bool:
    raw, parsed = parse_signed(written)
    known = load_public_key(public_keys(keyring).model_dump_json().encode())
    return any(is_genuine(raw, parsed.signature, key) for key in known)


def test_every_process_with_the_master_key_signs_alike(report: VerificationReport) -> None:
    one, other = signed(Keyring(FIRST), report), signed(Keyring(FIRST), report)
    assert one == other
    assert genuine(Keyring(FIRST), one.model_dump_json().encode())
    assert genuine(Keyring(FIRST), one.model_dump_json(indent=4).encode()), "layout is not part of what is signed"
    assert not genuine(Keyring(SECOND), one.model_dump_json().encode())


def test_what_an_earlier_master_key_signed_still_verifies_as_long_as_it_is_known(report: VerificationReport) -> None:
    old = signed(Keyring(FIRST), report).model_dump_json().encode()
    rotated = Keyring(SECOND, [FIRST])
    assert genuine(rotated, old)
    assert genuine(rotated, signed(rotated, report).model_dump_json().encode())
    assert public_keys(rotated).key_id == public_keys(Keyring(SECOND)).key_id
    assert [key.key_id for key in public_keys(rotated).previous] == [public_keys(Keyring(FIRST)).key_id]
    assert not genuine(Keyring(SECOND), old)


def test_a_report_under_somebody_elses_key_is_not_genuine(report: VerificationReport) -> None:
    forged = json.loads(signed(Keyring(SECOND), report).model_dump_json())
    forged["signature"]["key_id"] = public_keys(Keyring(FIRST)).key_id
    assert not genuine(Keyring(FIRST), json.dumps(forged).encode())


@pytest.mark.parametrize(
    "change",
    [
        lambda text: text.replace('"PERSON":2', '"PERSON":1'),
        lambda text: text.replace('"script":1', '"script":1,"form":1'),
        lambda text: text.replace("pypdf", "qpdf"),
        lambda text: text.replace("ab" * 32, "cd" * 32),
    ],
)
def test_a_changed_report_is_not_genuine(report: VerificationReport, change) -> None:
    text = signed(Keyring(FIRST), report).model_dump_json()
    assert change(text) != text
    assert not genuine(Keyring(FIRST), change(text).encode())


@pytest.mark.parametrize(
    "change",
    [
        lambda text: text.replace('"PERSON":2', '"PERSON":2,"PERSON":3'),
        lambda text: text.replace('"rounds":1', '"rounds":1.0'),
        lambda text: text.replace('"rounds":1', '"rounds":NaN'),
        lambda text: text.replace('"rounds":1', '"rounds":1,"note":"x"'),
        lambda text: text.replace('"residual_count":0', '"residual_count":1'),
        lambda text: text.replace('"PERSON":2', '"SARA":2'),
        lambda text: text[:-1],
        lambda text: "[" * 100_000,
        lambda text: "",
        lambda text: "null",
        lambda text: '{"report": 1, "signature": 2}',
    ],
)
def test_what_is_not_a_report_is_refused(report: VerificationReport, change) -> None:
    text = signed(Keyring(FIRST), report).model_dump_json()
    with pytest.raises(MalformedReport):
        parse_signed(change(text).encode())


def test_public_keys_come_in_three_forms() -> None:
    keys = public_keys(Keyring(FIRST))
    forms = (keys.pem, keys.public_key + "\n", keys.model_dump_json())
    assert len({load_public_key(form.encode())[0].public_bytes_raw() for form in forms}) == 1


@pytest.mark.parametrize(
    "text",
    [
        b"",
        b"{}",
        b"AAAA",
        b"\xff\xfe",
        b"-----BEGIN PUBLIC KEY-----\nAAAA\n-----END PUBLIC KEY-----\n",
        X25519PrivateKey.generate().public_key().public_bytes(Encoding.PEM, PublicFormat.SubjectPublicKeyInfo),
        Ed25519PrivateKey.generate().public_key().public_bytes_raw(),
    ],
    ids=["nothing", "no JSON of ours", "too short", "no text", "no key in PEM", "another kind of key", "raw bytes"],
)
def test_what_is_not_a_public_key_is_refused(text: bytes) -> None:
    with pytest.raises(NotAPublicKey):
        load_public_key(text)
