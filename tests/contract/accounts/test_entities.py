"""`/me/entities` and `/v1/keys/{key_id}/entities`, sentence by sentence of the interface."""

from datetime import UTC, datetime, timedelta
from typing import Any
from uuid import UUID, uuid4

import httpx
import pytest

from schemas.entities import CORE_TYPES, EXTENDED_TYPES, TOGGLABLE_TYPES
from storage.accounts import keys
from tests.api.serving import Account, Served

CORE, EVERY = [type_.value for type_ in CORE_TYPES], [type_.value for type_ in TOGGLABLE_TYPES]
ACCOUNT = "/me/entities"
TEXT = "host 203.0.113.7, mail noura@example.com"
SHIPPED = datetime(2026, 1, 1, tzinfo=UTC)


def key_of(served: Served, account: Account) -> str:
    """The id of the account's key."""
    with served.services.storage.database.reading() as session:
        return str(keys.of_account(session, account.id)[0].id)


def found(client: httpx.Client, text: str = TEXT, path: str = "mask", **more: Any) -> list[str]:
    answer = client.post(f"/api/v1/{path}", json={"text": text, **more})
    assert answer.status_code == 200, answer.text
    if path == "redact":
        return sorted(answer.json()["entity_counts"])
    return [span["type"] for span in answer.json()["spans"]]


def put(client: httpx.Client, *types: str) -> dict[str, Any]:
    answer = client.put(ACCOUNT, json={"enabled": types})
    assert answer.status_code == 200, answer.text
    return dict(answer.json())


@pytest.mark.clause("ACCT-11", "ACCT-12", "DETECT-15")
def test_a_new_account(client: httpx.Client) -> None:
    answer = client.get(ACCOUNT)
    assert answer.status_code == 200
    assert answer.json().keys() == {"enabled", "is_default", "min_score", "catalog"}
    assert answer.json()["is_default"] is True
    assert answer.json()["min_score"] == 0
    assert answer.json()["enabled"] == [
        "PERSON", "NATIONAL_ID", "RESIDENCE_PERMIT", "PHONE_NUMBER", "EMAIL_ADDRESS", "DATE_TIME", "IBAN",
        "CREDIT_CARD", "PASSPORT", "ADDRESS",
    ]  # fmt: skip


@pytest.mark.clause("ACCT-13", "DETECT-16")
def test_the_catalogue(client: httpx.Client) -> None:
    catalog = client.get(ACCOUNT).json()["catalog"]
    extended = [
        "ORGANIZATION", "LOCATION", "MRN", "BUSINESS_ID", "TAX_ID", "VEHICLE_PLATE", "STUDENT_ID", "INSURANCE_POLICY",
        "MEDICAL_LICENSE", "API_KEY", "MONETARY_AMOUNT", "SSN", "IP_ADDRESS",
    ]  # fmt: skip
    assert catalog == [
        *({"type": type_, "group": "core", "default_on": True} for type_ in CORE),
        *({"type": type_, "group": "extended", "default_on": False} for type_ in extended),
    ]
    assert len(CORE_TYPES) == 10 and len(EXTENDED_TYPES) == 13


@pytest.mark.clause("ACCT-15")
def test_saving_a_set(client: httpx.Client) -> None:
    saved = put(client, "IP_ADDRESS", "IBAN", "PERSON", "IP_ADDRESS", "IBAN")
    assert (saved["enabled"], saved["is_default"]) == (["PERSON", "IBAN", "IP_ADDRESS"], False)
    assert client.get(ACCOUNT).json() == saved
    assert put(client, "MRN")["enabled"] == ["MRN"]
    assert put(client, *reversed(EVERY))["enabled"] == EVERY
    # The default's own types, saved, are a selection too.
    assert put(client, *CORE) == {**saved, "enabled": CORE}


@pytest.mark.clause("ACCT-19", "ACCT-20")
def test_a_saved_set_holds_from_the_next_request(client: httpx.Client, served: Served) -> None:
    with served.client() as other:
        for types, expected in (
            (["IP_ADDRESS"], ["IP_ADDRESS"]),
            (["EMAIL_ADDRESS"], ["EMAIL_ADDRESS"]),
            (["PERSON"], []),
            (["EMAIL_ADDRESS", "IP_ADDRESS"], ["IP_ADDRESS", "EMAIL_ADDRESS"]),
        ):
            put(client, *types)
            assert found(client) == expected
            prefixes = {"IP_ADDRESS": "IP", "EMAIL_ADDRESS": "EMAIL"}
            assert found(client, path="redact") == sorted(prefixes[type_] for type_ in expected)
            assert found(other) == ["EMAIL_ADDRESS"]


@pytest.mark.clause("ACCT-14")
@pytest.mark.parametrize(
    ("created_at", "enabled"),
    [
        (SHIPPED - timedelta(microseconds=1), EVERY),
        (SHIPPED - timedelta(days=400), EVERY),
        (SHIPPED, CORE),
        (SHIPPED + timedelta(days=1), CORE),
    ],
)
def test_grandfathering(served: Served, created_at: datetime, enabled: list[str]) -> None:
    account = served.account(created_at=created_at)
    with served.client(account) as client:
        own = client.get(ACCOUNT).json()
        assert (own["enabled"], own["is_default"]) == (enabled, True)
        assert [row["type"] for row in own["catalog"] if row["default_on"]] == CORE
        assert client.get(f"/v1/keys/{key_of(served, account)}/entities").json()["effective"] == enabled
        assert ("IP_ADDRESS" in found(client)) is (enabled == EVERY)
        put(client, "PERSON")
        assert client.get(ACCOUNT).json()["enabled"] == ["PERSON"]
        assert found(client) == []


@pytest.mark.clause("ACCT-16", "ACCT-17")
def test_a_key_inherits_until_it_has_its_own(client: httpx.Client, served: Served, account: Account) -> None:
    key = key_of(served, account)
    where = f"/v1/keys/{key}/entities"
    assert client.get(where).json() == {"key_id": key, "override": None, "effective": CORE}
    put(client, "EMAIL_ADDRESS")
    assert client.get(where).json() == {"key_id": key, "override": None, "effective": ["EMAIL_ADDRESS"]}
    answer = client.put(where, json={"override": ["IP_ADDRESS", "PERSON", "IP_ADDRESS"]})
    own = {"key_id": key, "override": ["PERSON", "IP_ADDRESS"], "effective": ["PERSON", "IP_ADDRESS"]}
    assert (answer.status_code, answer.json(), client.get(where).json()) == (200, own, own)
    assert found(client) == ["IP_ADDRESS"]
    put(client, "MRN")
    assert client.get(where).json() == own and found(client) == ["IP_ADDRESS"]
    put(client, "EMAIL_ADDRESS")
    answer = client.put(where, json={"override": None})
    assert answer.json() == {"key_id": key, "override": None, "effective": ["EMAIL_ADDRESS"]}
    assert found(client) == ["EMAIL_ADDRESS"]


@pytest.mark.clause("ACCT-10")
def test_each_key_has_its_own(client: httpx.Client, served: Served, account: Account) -> None:
    with served.browser(account) as page:
        second = page.post("/v1/keys", json={"name": "second"}).json()
        with served.client(Account(account.id, second["key"])) as other:
            answer = client.put(f"/v1/keys/{second['id']}/entities", json={"override": ["IP_ADDRESS"]})
            assert answer.status_code == 200
            for _ in range(2):
                assert found(client) == found(page) == ["EMAIL_ADDRESS"]
                assert found(other) == ["IP_ADDRESS"]


@pytest.mark.clause("AUTH-07")
def test_a_browser_session_reads_and_sets_them_too(served: Served, account: Account) -> None:
    key = key_of(served, account)
    with served.browser(account) as page:
        assert put(page, "IP_ADDRESS")["enabled"] == ["IP_ADDRESS"]
        assert page.get(ACCOUNT).json()["is_default"] is False
        assert page.put(f"/v1/keys/{key}/entities", json={"override": ["IBAN"]}).json()["effective"] == ["IBAN"]
        assert page.get(f"/v1/keys/{key}/entities").json()["override"] == ["IBAN"]
        assert found(page) == ["IP_ADDRESS"]  # the account's: a session has no key


@pytest.mark.clause("AUTH-12")
def test_no_credentials(served: Served) -> None:
    for method in ("GET", "PUT"):
        for path in (ACCOUNT, f"/v1/keys/{uuid4()}/entities"):
            answer = httpx.request(method, served.url + path)
            assert (answer.status_code, answer.json()) == (401, {"detail": "Missing authentication"})


@pytest.mark.clause("ACCT-01", "ACCT-02")
def test_a_key_that_is_not_yours(client: httpx.Client, served: Served) -> None:
    other = served.account()
    for id_ in (key_of(served, other), str(uuid4()), "no-uuid", "1" * 400, str(UUID(int=0)) + "x"):
        for body in ({"override": ["IBAN"]}, {"override": None}):
            answer = client.put(f"/v1/keys/{id_}/entities", json=body)
            assert answer.status_code == 404, answer.text
            assert answer.json() == client.get(f"/v1/keys/{id_}/entities").json() == {"detail": "Key not found"}
    with served.client(other) as theirs:
        assert theirs.get(f"/v1/keys/{key_of(served, other)}/entities").json()["override"] is None


@pytest.mark.clause("ACCT-16")
def test_a_revoked_key_keeps_its_set(served: Served, account: Account) -> None:
    """A revoked key stays listed, so its set can still be read and changed; it opens nothing."""
    key = key_of(served, account)
    with served.browser(account) as page:
        assert page.delete(f"/v1/keys/{key}").status_code == 204
        answer = page.put(f"/v1/keys/{key}/entities", json={"override": ["IBAN"]})
        assert (answer.status_code, answer.json()["override"]) == (200, ["IBAN"])
        assert page.get(f"/v1/keys/{key}/entities").json() == answer.json()
    with served.client(account) as client:
        assert client.get(ACCOUNT).status_code == 401


WRONG: list[Any] = [
    [], ["CUSTOM_TERM"], ["PERSON", "CUSTOM_TERM"], ["IQAMA-7"], ["person"], ["PERSON", None], [1], "PERSON", {}, 7,
    True,     [["PERSON"]], ["PERSON\x00"], ["PERSON"] * 1001, ["PHONE"], ["SAUDI_PASSPORT"],
]  # fmt: skip


@pytest.mark.clause("ACCT-18")
@pytest.mark.parametrize("types", WRONG)
def test_an_invalid_set(client: httpx.Client, served: Served, account: Account, types: Any) -> None:
    where = f"/v1/keys/{key_of(served, account)}/entities"
    for answer in (
        client.put(ACCOUNT, json={"enabled": types}),
        client.put(where, json={"override": types}),
    ):
        assert answer.status_code == 422
        assert all(error.keys() == {"type", "loc", "msg"} for error in answer.json()["detail"])
        assert "IQAMA-7" not in answer.text
    assert client.get(ACCOUNT).json()["is_default"] is True
    assert client.get(where).json()["override"] is None


@pytest.mark.clause("HTTP-05")
def test_a_body_without_the_set(client: httpx.Client, served: Served, account: Account) -> None:
    where = f"/v1/keys/{key_of(served, account)}/entities"
    assert client.put(where, json={"override": ["IBAN"]}).status_code == 200
    assert client.put(ACCOUNT, json={"enabled": None}).status_code == 422
    for path in (ACCOUNT, where):
        for body in (b"{}", b"[]", b"null", b"", b"{", b"\xff"):
            assert client.put(path, content=body, headers={"Content-Type": "application/json"}).status_code == 422
        large = client.put(path, content=b" " * 70_000, headers={"Content-Type": "application/json"})
        assert large.status_code == 413
    assert client.get(where).json()["override"] == ["IBAN"]


@pytest.mark.clause("DETECT-37", "GLOSS-15")
def test_custom_terms_are_never_filtered(client: httpx.Client) -> None:
    put(client, "IBAN")
    entries = [
        {"term": "noura@example.com", "entity_type": "ORGANIZATION"},
        {"term": "203.0.113.7", "entity_type": "CUSTOM_TERM"},
    ]
    assert client.post("/v1/glossaries", json={"name": "g", "entries": entries}).status_code == 201
    assert found(client) == ["CUSTOM_TERM", "ORGANIZATION"]
    assert found(client, "only Zephyr here", glossary=["zephyr"]) == ["CUSTOM_TERM"]
    assert found(client, path="redact") == ["CUSTOM_TERM", "ORG"]


@pytest.mark.clause("DETECT-37")
def test_a_glossary_term_outranks_everything(client: httpx.Client) -> None:
    put(client, *EVERY)
    entries = [{"term": "1000000008", "entity_type": "IP_ADDRESS"}]
    assert client.post("/v1/glossaries", json={"name": "g", "entries": entries}).status_code == 201
    assert found(client, "ID 1000000008, 1000000016") == ["IP_ADDRESS", "NATIONAL_ID"]
