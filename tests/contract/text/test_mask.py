"""`POST /api/v1/mask`, sentence by sentence of the interface."""

import base64
import json
import re
import secrets
from uuid import UUID

import httpx
import pytest
from cryptography.hazmat.primitives.ciphers.aead import AESGCM
from cryptography.hazmat.primitives.hashes import SHA256
from cryptography.hazmat.primitives.kdf.hkdf import HKDF

from schemas.clock import utc_now
from schemas.entities import CORE_TYPES, TOGGLABLE_TYPES, EntityType
from schemas.spans import Term
from storage.accounts import glossaries
from tests.api.serving import Account, Served

TEXT = "Write to noura@example.com or 0501234567, again noura@example.com."
PATTERN = re.compile(r"<MASKED_([A-Z_]+)_([a-f0-9]{8})>")
FIELDS = {
    "masked_text", "ciphertext", "nonce_payload", "wrapped_dek", "nonce_dek", "pii_count", "spans", "request_id",
    "processing_time_ms", "judge_used", "judge_model", "mappings",
}  # fmt: skip


def decoded(answer: dict[str, str], *names: str) -> list[bytes]:
    return [base64.b64decode(answer[name], validate=True) for name in names]


def opened(answer: dict[str, str], bearer: str) -> dict[str, str]:
    """By the interface's constants alone, with no code of ours."""
    kdf = HKDF(algorithm=SHA256(), length=32, salt=b"masker-kek-salt-v1", info=b"masker-kek-v1")
    nonce_dek, wrapped, nonce, ciphertext = decoded(answer, "nonce_dek", "wrapped_dek", "nonce_payload", "ciphertext")
    dek = AESGCM(kdf.derive(bearer.encode())).decrypt(nonce_dek, wrapped, None)
    return dict(json.loads(AESGCM(dek).decrypt(nonce, ciphertext, None)))


@pytest.mark.clause("MASK-19", "REDACT-11")
def test_the_answer_has_every_field_and_no_other(client: httpx.Client) -> None:
    answer = client.post("/api/v1/mask", json={"text": TEXT})
    assert answer.status_code == 200
    assert answer.json().keys() == FIELDS


@pytest.mark.clause("MASK-21")
def test_one_token_per_distinct_value(client: httpx.Client, account: Account) -> None:
    answer = client.post("/api/v1/mask", json={"text": TEXT}).json()
    tokens = [match[0] for match in PATTERN.finditer(answer["masked_text"])]
    assert len(tokens) == 3 and tokens[0] == tokens[2]
    assert opened(answer, account.bearer) == {tokens[0]: "noura@example.com", tokens[1]: "0501234567"}


@pytest.mark.clause("MASK-03")
def test_the_caller_restores_the_text(client: httpx.Client, account: Account) -> None:
    answer = client.post("/api/v1/mask", json={"text": TEXT}).json()
    mapping = opened(answer, account.bearer)
    assert PATTERN.sub(lambda match: mapping[match[0]], answer["masked_text"]) == TEXT


@pytest.mark.clause("MASK-33")
def test_byok(client: httpx.Client) -> None:
    key = secrets.token_bytes(32)
    body = {"text": TEXT, "key": base64.b64encode(key).decode()}
    answer = client.post("/api/v1/mask", json=body).json()
    assert answer["wrapped_dek"] is None and answer["nonce_dek"] is None
    nonce, ciphertext = decoded(answer, "nonce_payload", "ciphertext")
    assert len(nonce) == 12
    assert sorted(json.loads(AESGCM(key).decrypt(nonce, ciphertext, None)).values()) == [
        "0501234567",
        "noura@example.com",
    ]


@pytest.mark.clause("MASK-08")
@pytest.mark.parametrize(
    ("key", "detail"),
    [
        ("not base64!", "key must be valid base64"),
        ("A" * 43, "key must be valid base64"),
        ("_" * 43 + "=", "key must be valid base64"),
        (base64.b64encode(bytes(16)).decode(), "key must decode to 32 bytes (256 bits), got 16"),
        ("", "key must decode to 32 bytes (256 bits), got 0"),
    ],
)
def test_bad_key_material(client: httpx.Client, key: str, detail: str) -> None:
    answer = client.post("/api/v1/mask", json={"text": TEXT, "key": key})
    assert (answer.status_code, answer.json()) == (400, {"detail": detail})


@pytest.mark.clause("MASK-13")
def test_spans(client: httpx.Client) -> None:
    text = "🙂\u200f نص قبل no\u200dura@example.com ثم noura@example.com"
    answer = client.post("/api/v1/mask", json={"text": text}).json()
    assert [text[span["start"] : span["end"]] for span in answer["spans"]] == [
        "no\u200dura@example.com",
        "noura@example.com",
    ]
    assert [span["type"] for span in answer["spans"]] == ["EMAIL_ADDRESS"] * 2
    assert answer["pii_count"] == len(answer["spans"])


@pytest.mark.clause("HTTP-13", "MASK-15")
def test_request_id(client: httpx.Client) -> None:
    answer = client.post("/api/v1/mask", json={"text": TEXT})
    assert re.fullmatch(r"mask_[0-9a-f]{8}", answer.json()["request_id"])
    assert answer.headers["x-request-id"] == answer.json()["request_id"]


@pytest.mark.clause("JUDGE-05", "MASK-18")
def test_bearer_callers_get_no_mapping(client: httpx.Client) -> None:
    answer = client.post(
        "/api/v1/mask", json={"text": TEXT, "use_judge": True, "judge_model": "any"}, headers={"X-Use-Judge": "true"}
    ).json()
    assert (answer["mappings"], answer["judge_used"], answer["judge_model"]) == (None, False, None)
    assert answer["processing_time_ms"] >= 0


@pytest.mark.clause("MASK-24")
def test_a_value_keeps_its_token_from_request_to_request(client: httpx.Client, served: Served) -> None:
    first, second = (
        PATTERN.search(client.post("/api/v1/mask", json={"text": text}).json()["masked_text"])
        for text in (TEXT, "noura@example.com it is")
    )
    with served.client() as other:
        third = PATTERN.search(other.post("/api/v1/mask", json={"text": TEXT}).json()["masked_text"])
    assert first and second and third
    assert first[0] == second[0] != third[0]


@pytest.mark.clause("MASK-26")
def test_a_token_in_the_input_stays(client: httpx.Client, account: Account) -> None:
    text = "<MASKED_EMAIL_ADDRESS_ab12cd34> PERSON_NAME_01 noura@example.com"
    answer = client.post("/api/v1/mask", json={"text": text}).json()
    assert answer["masked_text"].startswith("<MASKED_EMAIL_ADDRESS_ab12cd34> PERSON_NAME_01 <MASKED_")
    assert list(opened(answer, account.bearer).values()) == ["noura@example.com"]


@pytest.mark.clause("DETECT-37", "GLOSS-24", "MASK-10")
def test_inline_glossary(client: httpx.Client) -> None:
    answer = client.post("/api/v1/mask", json={"text": "Project Zephyr begins", "glossary": [" zephyr "]}).json()
    assert answer["spans"] == [{"start": 8, "end": 14, "type": "CUSTOM_TERM"}]


@pytest.mark.clause("GLOSS-11", "GLOSS-12")
def test_enabled_glossaries_apply_by_themselves_and_others_by_id(
    client: httpx.Client, served: Served, account: Account
) -> None:
    storage = served.services.storage
    with storage.database.transaction() as session:
        ids = [
            glossaries.create(
                session,
                storage.keyring,
                account_id=account.id,
                name=term,
                entries=[Term(term)],
                enabled=term == "lot A-7",
                now=utc_now(),
            ).id
            for term in ("lot A-7", "lot B-7")
        ]
    body = {"text": "lot A-7 and lot B-7"}
    assert client.post("/api/v1/mask", json=body).json()["pii_count"] == 1
    assert client.post("/api/v1/mask", json={**body, "glossary_id": str(ids[1])}).json()["pii_count"] == 2


@pytest.mark.clause("BILL-06", "GLOSS-23")
def test_a_glossary_of_nobody_is_404_before_billing(client: httpx.Client, served: Served, account: Account) -> None:
    before = served.balance(account)
    answer = client.post("/api/v1/mask", json={"text": TEXT, "glossary_id": str(UUID(int=7))})
    assert (answer.status_code, answer.json()) == (404, {"detail": "Glossary not found"})
    assert served.balance(account) == before


@pytest.mark.clause("ACCT-10", "ACCT-12")
def test_entity_sets(client: httpx.Client) -> None:
    text = "host 203.0.113.7, mail noura@example.com"
    assert EntityType.IP_ADDRESS not in CORE_TYPES
    assert [span["type"] for span in client.post("/api/v1/mask", json={"text": text}).json()["spans"]] == [
        "EMAIL_ADDRESS"
    ]
    assert client.put("/me/entities", json={"enabled": list(TOGGLABLE_TYPES)}).status_code == 200
    assert [span["type"] for span in client.post("/api/v1/mask", json={"text": text}).json()["spans"]] == [
        "IP_ADDRESS",
        "EMAIL_ADDRESS",
    ]


@pytest.mark.clause("DETECT-08")
def test_a_bad_check_digit_is_not_masked(client: httpx.Client) -> None:
    answer = client.post("/api/v1/mask", json={"text": "ID 1000000008, not 1000000009"}).json()
    assert answer["spans"] == [{"start": 3, "end": 13, "type": "NATIONAL_ID"}]


@pytest.mark.clause("HTTP-17")
@pytest.mark.parametrize("text", ["a\0b noura@example.com", " \n\t", "\u200f", "٠" * 50, "<" * 500, "𝔸" * 500])
def test_odd_but_valid_texts_are_answered(client: httpx.Client, account: Account, text: str) -> None:
    answer = client.post("/api/v1/mask", json={"text": text})
    assert answer.status_code == 200
    mapping = opened(answer.json(), account.bearer)
    assert PATTERN.sub(lambda match: mapping[match[0]], answer.json()["masked_text"]) == text
