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


def test_a_new_account(client: httpx.Client) -> None:
    """“GET | /me/entities | - | `{enabled, is_default, catalog}`”; “enabled | string[] | effective enabled set”;
    “is_default | boolean | true means no selection was ever saved; then the core-10 default is shown as effective”;
    “Core types (10, on for new accounts): PERSON, NATIONAL_ID, RESIDENCE_PERMIT, PHONE_NUMBER, EMAIL_ADDRESS,
    DATE_TIME, IBAN, CREDIT_CARD, PASSPORT, ADDRESS.”
    """
    answer = client.get(ACCOUNT)
    assert answer.status_code == 200
    assert answer.json().keys() == {"enabled", "is_default", "catalog"}
    assert answer.json()["is_default"] is True
    assert answer.json()["enabled"] == [
        "PERSON", "NATIONAL_ID", "RESIDENCE_PERMIT", "PHONE_NUMBER", "EMAIL_ADDRESS", "DATE_TIME", "IBAN",
        "CREDIT_CARD", "PASSPORT", "ADDRESS",
    ]  # fmt: skip


def test_the_catalogue(client: httpx.Client) -> None:
    """“catalog | array of {type: string, group: `core` or `extended`, default_on: boolean}”; “Extended types (13, off
    until enabled): ORGANIZATION, LOCATION, MRN, BUSINESS_ID, TAX_ID, VEHICLE_PLATE, STUDENT_ID, INSURANCE_POLICY,
    MEDICAL_LICENSE, API_KEY, MONETARY_AMOUNT, SSN, IP_ADDRESS.”
    """
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


def test_saving_a_set(client: httpx.Client) -> None:
    """“`{enabled: string[]}` replaces the whole set (no per-type patch) | saved set, de-duplicated and in the catalog's
    display order”; “is_default true | `PUT /me/entities` | is_default false, set replaced”.
    """
    saved = put(client, "IP_ADDRESS", "IBAN", "PERSON", "IP_ADDRESS", "IBAN")
    assert (saved["enabled"], saved["is_default"]) == (["PERSON", "IBAN", "IP_ADDRESS"], False)
    assert client.get(ACCOUNT).json() == saved
    assert put(client, "MRN")["enabled"] == ["MRN"]
    assert put(client, *reversed(EVERY))["enabled"] == EVERY
    # The default's own types, saved, are a selection too.
    assert put(client, *CORE) == {**saved, "enabled": CORE}


def test_a_saved_set_holds_from_the_next_request(client: httpx.Client, served: Served) -> None:
    """“saved toggles, overrides, glossaries | hold from the next request in the same process”; “Toggles apply to `POST
    /api/v1/mask` and `POST /api/v1/redact` only”.
    """
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
    """“Effective set by account: created after toggles shipped, the core 10; created before toggles shipped and never
    customized, the full set of canonical types (grandfathered) until a selection is saved.” “grandfathered account |
    `enabled` is the full set, `is_default` true, `default_on` true for the core ten only”.
    """
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


def test_a_key_inherits_until_it_has_its_own(client: httpx.Client, served: Served, account: Account) -> None:
    """“includes field `override` (null when inheriting the account set)”; “key override null (inherits account set) |
    `PUT /v1/keys/{key_id}/entities` with a list | key override set”; “key override set | `PUT
    /v1/keys/{key_id}/entities` with override null | inherits account set again”; “key entities answer | `{key_id,
    override, effective}`”.
    """
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


def test_each_key_has_its_own(client: httpx.Client, served: Served, account: Account) -> None:
    """“Entity toggles: per-account and per-key sets of entity types that text detection looks for.”"""
    with served.browser(account) as page:
        second = page.post("/v1/keys", json={"name": "second"}).json()
        with served.client(Account(account.id, second["key"])) as other:
            answer = client.put(f"/v1/keys/{second['id']}/entities", json={"override": ["IP_ADDRESS"]})
            assert answer.status_code == 200
            for _ in range(2):
                assert found(client) == found(page) == ["EMAIL_ADDRESS"]
                assert found(other) == ["IP_ADDRESS"]


def test_a_browser_session_reads_and_sets_them_too(served: Served, account: Account) -> None:
    """“Either a bearer or a cookie: mask, redact, files, glossaries, `/me/entities`, `/v1/keys/{id}/entities`.”"""
    key = key_of(served, account)
    with served.browser(account) as page:
        assert put(page, "IP_ADDRESS")["enabled"] == ["IP_ADDRESS"]
        assert page.get(ACCOUNT).json()["is_default"] is False
        assert page.put(f"/v1/keys/{key}/entities", json={"override": ["IBAN"]}).json()["effective"] == ["IBAN"]
        assert page.get(f"/v1/keys/{key}/entities").json()["override"] == ["IBAN"]
        assert found(page) == ["IP_ADDRESS"]  # the account's: a session has no key


def test_no_credentials(served: Served) -> None:
    """“No credentials there: `Missing authentication`.”"""
    for method in ("GET", "PUT"):
        for path in (ACCOUNT, f"/v1/keys/{uuid4()}/entities"):
            answer = httpx.request(method, served.url + path)
            assert (answer.status_code, answer.json()) == (401, {"detail": "Missing authentication"})


def test_a_key_that_is_not_yours(client: httpx.Client, served: Served) -> None:
    """“A key id not owned returns 404.” “`key_id` is the `id` of `GET /v1/keys`; an unknown or malformed one is
    404.”
    """
    other = served.account()
    for id_ in (key_of(served, other), str(uuid4()), "no-uuid", "1" * 400, str(UUID(int=0)) + "x"):
        for body in ({"override": ["IBAN"]}, {"override": None}):
            answer = client.put(f"/v1/keys/{id_}/entities", json=body)
            assert answer.status_code == 404, answer.text
            assert answer.json() == client.get(f"/v1/keys/{id_}/entities").json() == {"detail": "Key not found"}
    with served.client(other) as theirs:
        assert theirs.get(f"/v1/keys/{key_of(served, other)}/entities").json()["override"] is None


def test_a_revoked_key_keeps_its_set(served: Served, account: Account) -> None:
    """“GET | /v1/keys/{key_id}/entities | - | includes field `override` (null when inheriting the account set)”: a
    revoked key stays listed, so its set can still be read and changed; it opens nothing.
    """
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


@pytest.mark.parametrize("types", WRONG)
def test_an_invalid_set(client: httpx.Client, served: Served, account: Account, types: Any) -> None:
    """“entity toggles | 422 for an unknown type, `CUSTOM_TERM` or an empty list”; “An invalid set returns 422”."""
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


def test_a_body_without_the_set(client: httpx.Client, served: Served, account: Account) -> None:
    """“422 | schema validation message | wrong type, invalid enum, empty text”."""
    where = f"/v1/keys/{key_of(served, account)}/entities"
    assert client.put(where, json={"override": ["IBAN"]}).status_code == 200
    assert client.put(ACCOUNT, json={"enabled": None}).status_code == 422
    for path in (ACCOUNT, where):
        for body in (b"{}", b"[]", b"null", b"", b"{", b"\xff"):
            assert client.put(path, content=body, headers={"Content-Type": "application/json"}).status_code == 422
        large = client.put(path, content=b" " * 70_000, headers={"Content-Type": "application/json"})
        assert large.status_code == 413
    assert client.get(where).json()["override"] == ["IBAN"]


def test_custom_terms_are_never_filtered(client: httpx.Client) -> None:
    """“CUSTOM_TERM is never filtered”; “glossary hits with another `entity_type` | carry that type's name, keep rank
    110, are never filtered by toggles”.
    """
    put(client, "IBAN")
    entries = [
        {"term": "noura@example.com", "entity_type": "ORGANIZATION"},
        {"term": "203.0.113.7", "entity_type": "CUSTOM_TERM"},
    ]
    assert client.post("/v1/glossaries", json={"name": "g", "entries": entries}).status_code == 201
    assert found(client) == ["CUSTOM_TERM", "ORGANIZATION"]
    assert found(client, "only Zephyr here", glossary=["zephyr"]) == ["CUSTOM_TERM"]
    assert found(client, path="redact") == ["CUSTOM_TERM", "ORG"]


def test_a_glossary_term_outranks_everything(client: httpx.Client) -> None:
    """“CUSTOM_TERM | always on, never filtered | 110 | caller glossary terms; bypass confidence filters”."""
    put(client, *EVERY)
    entries = [{"term": "1000000008", "entity_type": "IP_ADDRESS"}]
    assert client.post("/v1/glossaries", json={"name": "g", "entries": entries}).status_code == 201
    assert found(client, "ID 1000000008, 1000000016") == ["IP_ADDRESS", "NATIONAL_ID"]
