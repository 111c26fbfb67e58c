"""Paths, deferred features, and the names that were retired."""

import re
from collections.abc import Iterator

import httpx
import pytest

from schemas.entities import LEGACY, TOGGLABLE_TYPES
from tests.api.serving import Served, serving, settings_for

# One value of each type that once had another name.
TEXT = (
    "national ID 1000000008, iqama 2000000006, passport number A12345678, IBAN SA0380000000608010167519, "
    "CR number 1010123456, VAT 300000000000003, MRN: 12345678"
)
RETIRED = {
    "NATIONAL_ID": "SAUDI_NATIONAL_ID",
    "RESIDENCE_PERMIT": "IQAMA",
    "PASSPORT": "SAUDI_PASSPORT",
    "IBAN": "IBAN_SA",
    "BUSINESS_ID": "CR_NUMBER",
    "TAX_ID": "ZAKAT_NUMBER",
    "MRN": "MRN_MEDICAL",
}


@pytest.fixture(scope="module")
def dual(tmp_path_factory: pytest.TempPathFactory) -> Iterator[Served]:
    """A server with the compatibility switch on."""
    with serving(settings_for(tmp_path_factory.mktemp("dual"), legacy_spans=True)) as served:
        yield served


def everything(client: httpx.Client) -> None:
    answer = client.put("/me/entities", json={"enabled": [type_.value for type_ in TOGGLABLE_TYPES]})
    assert answer.status_code == 200


@pytest.mark.clause("DETECT-38", "MASK-13")
def test_only_canonical_names(client: httpx.Client) -> None:
    everything(client)
    answer = client.post("/api/v1/mask", json={"text": TEXT}).json()
    assert [span["type"] for span in answer["spans"]] == list(RETIRED)
    assert answer["pii_count"] == len(answer["spans"]) == 7
    assert not any(name in answer["masked_text"] for name in set(RETIRED.values()) - set(RETIRED))


@pytest.mark.clause("DETECT-38", "DETECT-39")
def test_the_switch_brings_the_retired_names_back(client: httpx.Client, dual: Served) -> None:
    assert {type_.value: name for type_, name in LEGACY.items()} == RETIRED
    everything(client)
    plain = client.post("/api/v1/mask", json={"text": TEXT}).json()
    with dual.client() as other:
        everything(other)
        both = other.post("/api/v1/mask", json={"text": TEXT}).json()
    assert len(both["spans"]) == 14
    for canonical, legacy in zip(both["spans"][::2], both["spans"][1::2], strict=True):
        assert legacy == {**canonical, "type": RETIRED[canonical["type"]]}
    first = {(span["start"], span["end"]): span for span in reversed(both["spans"])}
    assert list(reversed(first.values())) == plain["spans"]


@pytest.mark.clause("DETECT-39")
def test_the_switch_changes_nothing_else(client: httpx.Client, dual: Served) -> None:
    everything(client)
    account = dual.account()
    before = dual.balance(account)
    with dual.client(account) as other:
        everything(other)
        both = other.post("/api/v1/mask", json={"text": TEXT}).json()
        redacted = other.post("/api/v1/redact", json={"text": TEXT}).json()
    plain = client.post("/api/v1/mask", json={"text": TEXT}).json()
    assert both["pii_count"] == plain["pii_count"] == 7
    of_any_key = re.compile(r"(<MASKED_[A-Z_]+)_[0-9a-f]{8}>")
    assert of_any_key.sub(r"\1", both["masked_text"]) == of_any_key.sub(r"\1", plain["masked_text"])
    assert before - dual.balance(account) == 2 * len(TEXT.split())
    assert set(redacted["entity_counts"]) == set(RETIRED)
    with dual.browser(account) as page:
        today = page.get("/me/usage", params={"days": 1}).json()["days"][-1]
    assert today["entities"] == dict.fromkeys(RETIRED, 2)


@pytest.mark.clause("HTTP-41")
def test_paths_carry_the_version(served: Served, client: httpx.Client) -> None:
    for path, status in [
        ("/api/v1/files", 200), ("/v1/glossaries", 200), ("/v1/keys", 401), ("/files/redact", 404), ("/mask", 404),
        ("/api/v1/glossaries", 404), ("/api/v1/keys", 404), ("/v1/files", 404), ("/api/v2/files", 404),
    ]:  # fmt: skip
        assert client.get(path).status_code == status, path


@pytest.mark.clause("HTTP-43", "GENERAL-20")
def test_what_is_deferred(client: httpx.Client) -> None:
    text = "Invoice of 02/17/2025, 15 رمضان 1445 هـ"
    masked = client.post("/api/v1/mask", json={"text": text, "transforms": {"DATE_TIME": "generalize"}}).json()
    assert masked["masked_text"].startswith("Invoice of <MASKED_DATE_TIME_") and "2025" not in masked["masked_text"]
    redacted = client.post("/api/v1/redact", json={"text": text, "transforms": {"DATE_TIME": "generalize"}}).json()
    assert redacted["redacted_text"] == "Invoice of 2025, DATE_01"
    for type_ in ("PERSON", "LOCATION", "MONETARY_AMOUNT"):
        body = {"text": text, "transforms": {type_: "generalize"}}
        assert client.post("/api/v1/redact", json=body).status_code == 422
    assert client.post("/api/v1/redact", json={"text": text}).json()["generalized_count"] == 0
