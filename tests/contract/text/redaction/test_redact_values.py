"""What `/redact` counts as one value, and how it numbers them."""

import re
from time import monotonic
from uuid import uuid4

import httpx
import pytest

from schemas.clock import utc_now
from schemas.entities import PREFIX, TOGGLABLE_TYPES, EntityType
from schemas.spans import Term
from storage.accounts import entity_sets, glossaries
from tests.api.serving import Account, Served

TOKEN = re.compile(r"<MASKED_([A-Z_]+)_([a-f0-9]{8})>")
PLACEHOLDER = re.compile(r"([A-Z_]+)_(\d{2,})")


def redact(client: httpx.Client, text: str, **more: object) -> dict[str, object]:
    answer = client.post("/api/v1/redact", json={"text": text, **more})
    assert answer.status_code == 200, answer.text
    return dict(answer.json())


def everything(served: Served, account: Account) -> None:
    """Turns every type on."""
    with served.services.storage.database.transaction() as session:
        entity_sets.select_for_account(session, account.id, TOGGLABLE_TYPES)


# One value in many spellings: blanks, hyphens, Eastern, Persian and fullwidth digits, what no eye sees, case.
SPELLINGS = [
    (
        "NATIONAL_ID",
        ["1000000008", "١٠٠٠٠٠٠٠٠٨", "۱۰۰۰۰۰۰۰۰۸", "１0000000０8", "10000\u200b00008", "1000-000-008"],
    ),
    ("RESIDENCE_PERMIT", ["2000000006", "٢٠٠٠٠٠٠٠٠٦", "2000 000 006", "2000\u00ad000006"]),
    ("IBAN", ["SA0380000000608010167519", "SA03 8000 0000 6080 1016 7519", "sa03-8000-0000-6080-1016-7519"]),
    ("CARD", ["4111111111111111", "4111 1111 1111 1111", "4111-1111-1111-1111", "٤١١١١١١١١١١١١١١١"]),
    ("PHONE", ["0501234567", "050 123 4567", "050-123-4567", "٠٥٠١٢٣٤٥٦٧", "\u202a0501234567\u202c"]),
    ("EMAIL", ["noura@example.com", "Noura@Example.com", "NOURA@EXAMPLE.COM", "no\u200dura@example.com"]),
    ("DATE", ["15/03/2024", "١٥/٠٣/٢٠٢٤", "15/03/20\u200b24"]),
    ("PERSON_NAME", ["Noura Alharbi", "Noura\u00a0Alharbi", "No\u200bura Alharbi"]),
]


@pytest.mark.clause("REDACT-16")
@pytest.mark.parametrize(("prefix", "spellings"), SPELLINGS)
def test_repeated_values_share_a_number(client: httpx.Client, prefix: str, spellings: list[str]) -> None:
    answer = redact(client, "\n".join(f"Mr. {spelling}" for spelling in spellings))
    placeholders = [match[0] for match in PLACEHOLDER.finditer(str(answer["redacted_text"]))]
    assert placeholders == [f"{prefix}_01"] * len(spellings)
    assert (answer["pii_count"], answer["entity_counts"]) == (1, {prefix: 1})


@pytest.mark.clause("REDACT-01", "REDACT-04", "REDACT-15")
def test_numbering_is_by_first_appearance_for_each_type(client: httpx.Client) -> None:
    text = "z@example.com 0509999999 a@example.com 1000000008 0501111111 z@example.com m@example.com 0509999999"
    assert redact(client, text)["redacted_text"] == (
        "EMAIL_01 PHONE_01 EMAIL_02 NATIONAL_ID_01 PHONE_02 EMAIL_01 EMAIL_03 PHONE_01"
    )


@pytest.mark.clause("REDACT-13")
def test_numbers_have_two_digits_or_more(client: httpx.Client) -> None:
    text = " ".join(f"user{number}@example.com" for number in range(1, 101))
    words = str(redact(client, text)["redacted_text"]).split()
    assert words[0] == "EMAIL_01" and words[8:10] == ["EMAIL_09", "EMAIL_10"] and words[99] == "EMAIL_100"
    assert all(PLACEHOLDER.fullmatch(word) for word in words)


@pytest.mark.clause("REDACT-06", "REDACT-18")
@pytest.mark.parametrize(
    ("type_", "prefix", "text"),
    [
        (EntityType.PERSON, "PERSON_NAME", "Dear Mr. Salman Alharbi"),
        (EntityType.PHONE_NUMBER, "PHONE", "0501234567"),
        (EntityType.EMAIL_ADDRESS, "EMAIL", "a@example.com"),
        (EntityType.DATE_TIME, "DATE", "on 15/03/2024"),
        (EntityType.ORGANIZATION, "ORG", "Saudi Aramco"),
        (EntityType.CREDIT_CARD, "CARD", "4111111111111111"),
        (EntityType.IP_ADDRESS, "IP", "203.0.113.7"),
        (EntityType.MONETARY_AMOUNT, "AMOUNT", "SAR 500"),
        (EntityType.TAX_ID, "TAX_ID", "VAT 310122393500003"),
    ],
)
def test_redact_prefixes(
    client: httpx.Client, served: Served, account: Account, type_: EntityType, prefix: str, text: str
) -> None:
    everything(served, account)
    answer = redact(client, text)
    assert f"{prefix}_01" in str(answer["redacted_text"])
    assert answer["entity_counts"] == {prefix: 1}
    assert PREFIX[type_] == prefix


@pytest.mark.clause("REDACT-07")
def test_saudi_types_count_once(client: httpx.Client, served: Served, account: Account) -> None:
    everything(served, account)
    answer = redact(client, "ID 1000000008, Iqama 2000000006, IBAN SA0380000000608010167519, CR 1010123459")
    counts = answer["entity_counts"]
    assert isinstance(counts, dict)
    assert sum(counts.values()) == answer["pii_count"] == 4
    assert counts.keys() <= set(PREFIX.values())


@pytest.mark.clause("GLOSS-15")
def test_terms_count_under_their_type(client: httpx.Client, served: Served, account: Account) -> None:
    storage = served.services.storage
    with storage.database.transaction() as session:
        glossaries.create(
            session,
            storage.keyring,
            account_id=account.id,
            name="terms",
            entries=[Term("Zephyr", EntityType.ORGANIZATION), Term("Falcon"), Term("Captain Zed", EntityType.PERSON)],
            enabled=True,
            now=utc_now(),
        )
    answer = redact(client, "Zephyr and Captain Zed fly Falcon for Zephyr", glossary=["fly"])
    assert answer["redacted_text"] == "ORG_01 and PERSON_NAME_01 CUSTOM_TERM_01 CUSTOM_TERM_02 for ORG_01"
    assert answer["entity_counts"] == {"ORG": 1, "PERSON_NAME": 1, "CUSTOM_TERM": 2}
    assert answer["pii_count"] == 4


@pytest.mark.clause("REDACT-14")
def test_each_request_starts_anew(client: httpx.Client) -> None:
    assert redact(client, "b@example.com")["redacted_text"] == "EMAIL_01"
    assert redact(client, "a@example.com b@example.com")["redacted_text"] == "EMAIL_01 EMAIL_02"


@pytest.mark.clause("MASK-26")
def test_a_placeholder_in_the_text_stays(client: httpx.Client) -> None:
    text = "PERSON_NAME_01 <MASKED_IBAN_ab12cd34> DATE_02 PHONE_07"
    assert redact(client, text)["redacted_text"] == text


@pytest.mark.clause("REDACT-17")
def test_a_placeholder_is_no_token_and_a_token_no_placeholder(client: httpx.Client) -> None:
    body = {"text": "a@example.com and 1000000008"}
    masked = client.post("/api/v1/mask", json=body).json()["masked_text"]
    redacted = client.post("/api/v1/redact", json=body).json()["redacted_text"]
    assert len(TOKEN.findall(masked)) == 2 and not TOKEN.findall(redacted)
    assert PLACEHOLDER.sub("", redacted) == " and " and not PLACEHOLDER.fullmatch(masked.split()[0])


@pytest.mark.clause("REDACT-02", "REDACT-05")
def test_redact_forgets(client: httpx.Client) -> None:
    answer = client.post("/api/v1/redact", json={"text": "a@example.com A@EXAMPLE.COM 0501234567"})
    assert answer.json()["pii_count"] == 2
    assert not [name for name in answer.json() if name in ("spans", "mappings", "ciphertext", "wrapped_dek")]
    for value in ("example", "0501234567"):
        assert value not in answer.text.casefold()


@pytest.mark.clause("GLOSS-24", "JUDGE-02", "MASK-06", "MASK-10", "REDACT-03")
def test_the_request(client: httpx.Client) -> None:
    path, text = "/api/v1/redact", "Project Zephyr"
    assert client.post(path, json={"text": text, "glossary": ["zephyr"]}).json()["entity_counts"] == {"CUSTOM_TERM": 1}
    judged = client.post(path, json={"text": text, "use_judge": True}, headers={"X-Use-Judge": "false"})
    assert (judged.status_code, judged.json()["judge_used"]) == (200, False)
    assert client.post(path, json={"text": text, "glossary_id": str(uuid4())}).status_code == 404
    assert client.post(path, json={"text": text, "glossary_id": "no uuid"}).status_code == 422
    assert client.post(path, json={"text": ""}).status_code == 422
    assert client.post(path, json={}).status_code == 422


@pytest.mark.clause("MASK-16", "MASK-17", "REDACT-10")
def test_the_answers_of_the_clock(client: httpx.Client) -> None:
    began = monotonic()
    answer = client.post("/api/v1/redact", json={"text": "x " * 2000 + "a@example.com"}).json()
    assert re.fullmatch(r"redact_[0-9a-f]{8}", answer["request_id"])
    assert isinstance(answer["processing_time_ms"], int)
    assert 0 <= answer["processing_time_ms"] <= (monotonic() - began) * 1000 + 1
    assert answer["judge_used"] is False
