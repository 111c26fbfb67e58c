"""Who is let in: the messages of every kind of endpoint, bearer keys, and how fast a revocation is seen."""

import re
from collections.abc import Iterator, Mapping
from contextlib import contextmanager
from datetime import datetime
from pathlib import Path
from typing import Any
from uuid import uuid4

import httpx
import pytest
from cryptography.exceptions import InvalidTag
from sqlalchemy import event
from sqlmodel import select

from api.dependencies import BearerCallerDep
from schemas.clock import utc_now
from storage.accounts import keys
from storage.tables import Key, Secret
from tests.api.serving import Account, Served, serving, settings_for
from tests.contract.text.test_mask import opened

UNKNOWN_BEARER = f"mk_live_{'a' * 12}_{'B' * 43}"
EITHER = [
    ("POST", "/api/v1/mask"),
    ("POST", "/api/v1/redact"),
    ("POST", "/api/v1/files/redact"),
    ("GET", "/api/v1/files"),
    ("GET", f"/api/v1/files/{uuid4()}"),
    ("DELETE", f"/api/v1/files/{uuid4()}"),
    ("GET", "/v1/glossaries"),
    ("POST", "/v1/glossaries"),
    ("GET", "/me/entities"),
    ("PUT", "/me/entities"),
    ("GET", f"/v1/keys/{uuid4()}/entities"),
    ("PUT", "/v1/keys/nonsense/entities"),
]
COOKIE_ONLY = [
    ("GET", "/me"),
    ("GET", "/me/usage?days=x"),
    ("GET", "/me/ledger?limit=x"),
    ("GET", "/v1/keys"),
    ("POST", "/v1/keys"),
    ("PATCH", f"/v1/keys/{uuid4()}"),
    ("DELETE", "/v1/keys/nonsense"),
]
BEARER_ONLY = ("POST", "/proxy-like")

MISSING, MISSING_TOKEN, MISSING_COOKIE = (
    "Missing authentication",
    "Missing authentication token",
    "Missing session cookie",
)
MALFORMED, INVALID, NO_SESSION = (
    "Malformed authentication token",
    "Invalid authentication token",
    "Invalid or expired session",
)
NOTHING: dict[str, str] = {}
BAD_COOKIE = {"Cookie": f"masker_session={'A' * 43}"}


@pytest.fixture(scope="module")
def proxied(tmp_path_factory: pytest.TempPathFactory) -> Iterator[Served]:
    """A server that has a route of the kind that takes a bearer alone."""
    with serving(settings_for(tmp_path_factory.mktemp("proxied"))) as served:

        @served.app.post("/proxy-like")
        async def proxy_like(caller: BearerCallerDep) -> dict[str, str]:
            return {"account_id": str(caller.caller.account_id)}

        yield served


def call(served: Served, route: tuple[str, str], headers: Mapping[str, str]) -> httpx.Response:
    content = {} if route[0] == "GET" else {"content": b"not even json"}
    return httpx.request(route[0], served.url + route[1], headers=dict(headers), timeout=30, **content)


def refused(answer: httpx.Response, detail: str) -> None:
    assert (answer.status_code, answer.json()) == (401, {"detail": detail})
    assert "set-cookie" not in answer.headers


@pytest.mark.clause("AUTH-07", "AUTH-11", "AUTH-12", "AUTH-14")
@pytest.mark.parametrize("route", EITHER)
@pytest.mark.parametrize(
    ("headers", "detail"),
    [
        (NOTHING, MISSING),
        ({"Cookie": "other=1; masker_session_=2"}, MISSING),
        (BAD_COOKIE, NO_SESSION),
        ({"Cookie": "masker_session="}, NO_SESSION),
        ({"Authorization": ""}, MALFORMED),
        ({"Authorization": "Basic dTpw"}, MALFORMED),
        ({"Authorization": "Bearer mk_live_short_key"}, MALFORMED),
        ({"Authorization": f"Bearer {UNKNOWN_BEARER}"}, INVALID),
    ],
)
def test_where_a_bearer_or_a_cookie_is_taken(
    served: Served, route: tuple[str, str], headers: dict[str, str], detail: str
) -> None:
    refused(call(served, route, headers), detail)


@pytest.mark.clause("AUTH-09", "AUTH-11", "AUTH-15")
@pytest.mark.parametrize("route", COOKIE_ONLY)
@pytest.mark.parametrize(
    ("headers", "detail"),
    [(NOTHING, MISSING_COOKIE), (BAD_COOKIE, NO_SESSION), ({"Cookie": "masker_session="}, NO_SESSION)],
)
def test_where_a_cookie_alone_is_taken(
    served: Served, route: tuple[str, str], headers: dict[str, str], detail: str
) -> None:
    refused(call(served, route, headers), detail)


@pytest.mark.clause("AUTH-10")
@pytest.mark.parametrize("route", COOKIE_ONLY)
def test_a_bearer_opens_no_cookie_route(served: Served, account: Account, route: tuple[str, str]) -> None:
    with served.browser(account) as browser:
        cookie = browser.headers["Cookie"]
    for headers in (account.headers, account.headers | {"Cookie": cookie}, {"Authorization": "x", "Cookie": cookie}):
        refused(call(served, route, headers), MISSING_COOKIE)


@pytest.mark.clause("AUTH-08", "AUTH-13")
@pytest.mark.parametrize(
    ("headers", "detail"),
    [
        (NOTHING, MISSING_TOKEN),
        (BAD_COOKIE, MISSING_TOKEN),
        ({"Authorization": "Token x"}, MALFORMED),
        ({"Authorization": f"Bearer {UNKNOWN_BEARER}"}, INVALID),
    ],
)
def test_where_a_bearer_alone_is_taken(proxied: Served, headers: dict[str, str], detail: str) -> None:
    refused(call(proxied, BEARER_ONLY, headers), detail)


@pytest.mark.clause("AUTH-08")
def test_a_session_opens_no_bearer_route(proxied: Served) -> None:
    account = proxied.account()
    with proxied.browser(account) as browser:
        refused(browser.post("/proxy-like"), MISSING_TOKEN)
    answer = call(proxied, BEARER_ONLY, account.headers)
    assert answer.json() == {"account_id": str(account.id)}


@pytest.mark.clause("AUTH-10", "AUTH-20")
def test_a_bearer_wins(served: Served, account: Account) -> None:
    stranger = served.account()
    cookie = f"masker_session={served.session(stranger)}"
    answer = httpx.post(
        f"{served.url}/api/v1/mask",
        json={"text": "Write to noura@example.com"},
        headers={**account.headers, "Cookie": cookie, "Origin": "https://elsewhere.example"},
    )
    assert answer.status_code == 200
    assert answer.json()["mappings"] is None
    assert list(opened(answer.json(), account.bearer).values()) == ["noura@example.com"]
    assert served.balance(stranger) == served.services.settings.free_tokens_per_day
    bad = {"Authorization": f"Bearer {UNKNOWN_BEARER}", "Cookie": cookie, "Origin": served.url}
    refused(httpx.post(f"{served.url}/api/v1/mask", json={"text": "x"}, headers=bad), INVALID)


@pytest.mark.clause("AUTH-01", "AUTH-07")
@pytest.mark.parametrize("scheme", ["Bearer", "bearer", "BEARER"])
def test_the_scheme(served: Served, account: Account, scheme: str) -> None:
    headers = {"Authorization": f"{scheme} {account.bearer}"}
    assert httpx.get(f"{served.url}/api/v1/files", headers=headers).status_code == 200


@pytest.mark.clause("AUTH-04")
def test_two_authorization_headers_are_malformed(served: Served, account: Account) -> None:
    for other in (account.bearer, UNKNOWN_BEARER):
        lines = [("Authorization", f"Bearer {account.bearer}"), ("Authorization", f"Bearer {other}")]
        refused(httpx.get(f"{served.url}/api/v1/files", headers=lines), MALFORMED)


@pytest.mark.clause("AUTH-04")
@pytest.mark.parametrize(
    "bearer",
    [
        "{bearer} {bearer}", "{bearer},", "{bearer}=", "\t{bearer}", "mk_live_{bearer}", "mk_test_{tail}",
        "MK_LIVE_{tail}", "{bearer}" + "A" * 5000, "é" * 60,
    ],
)  # fmt: skip
def test_what_is_not_of_the_form(served: Served, account: Account, bearer: str) -> None:
    tail = account.bearer.removeprefix("mk_live_")
    header = b"Bearer " + bearer.format(bearer=account.bearer, tail=tail).encode()
    refused(httpx.get(f"{served.url}/api/v1/files", headers={b"Authorization": header}), MALFORMED)


@pytest.mark.clause("AUTH-02", "AUTH-03")
def test_what_is_stored_of_a_key(served: Served, account: Account) -> None:
    with served.browser(account) as browser:
        minted = browser.post("/v1/keys", json={"name": "stored"}).json()
    parts = re.fullmatch(r"mk_live_([a-z0-9]{12})_([A-Za-z0-9-]{43})", minted["key"])
    assert parts is not None
    headers = {"Authorization": f"Bearer {minted['key']}"}
    assert httpx.get(f"{served.url}/api/v1/files", headers=headers).status_code == 200
    with served.services.storage.database.reading() as session:
        row = session.exec(select(Key).where(Key.prefix == parts[1])).one()
        boxes = session.exec(select(Secret)).all()
    assert parts[2] not in repr(row.model_dump())
    assert len(row.secret_hash) == 32
    assert boxes and all(served.services.pepper not in box.sealed for box in boxes)
    assert parts[2] not in repr(vars(served.services.auth_cache))


@contextmanager
def statements(served: Served) -> Iterator[list[str]]:
    """The statements that the server sends to its database meanwhile."""
    sent: list[str] = []

    def note(*arguments: Any) -> None:
        sent.append(arguments[2])

    engine = served.services.storage.database.engine
    event.listen(engine, "before_cursor_execute", note)
    yield sent
    event.remove(engine, "before_cursor_execute", note)


@pytest.mark.clause("AUTH-06")
def test_a_known_key_asks_no_database(served: Served, account: Account) -> None:
    """A second call asks the database nothing about its caller."""
    with served.client(account) as client, statements(served) as sent:
        assert client.post("/api/v1/mask", json={}).status_code == 422
        assert sent
        del sent[:]
        assert client.post("/api/v1/mask", json={}).status_code == 422
        # What earlier calls used is written from time to time, whoever calls.
        assert [statement for statement in sent if not statement.startswith("INSERT INTO usage")] == []
        client.headers["Authorization"] = f"Bearer {UNKNOWN_BEARER}"
        for _ in range(2):
            del sent[:]
            refused(client.post("/api/v1/mask", json={}), INVALID)
            assert sent, "a refusal is not remembered"


@pytest.mark.clause("AUTH-06")
def test_a_revocation_by_this_process_holds_at_once(served: Served, account: Account) -> None:
    with served.client(account) as client, served.browser(account) as browser:
        assert client.get("/api/v1/files").status_code == 200
        (row,) = browser.get("/v1/keys").json()
        assert browser.delete(f"/v1/keys/{row['id']}").status_code == 204
        refused(client.get("/api/v1/files"), INVALID)


@pytest.mark.clause("AUTH-06")
def test_a_revocation_by_another_process_is_seen_in_time(tmp_path: Path) -> None:
    """The cache's time, here one second."""
    settings = settings_for(tmp_path, auth_cache_seconds=1, rate_limit_per_minute=1_000_000)
    with serving(settings) as served:
        account = served.account()
        with served.client(account) as client:
            assert client.get("/api/v1/files").status_code == 200
            with served.services.storage.database.transaction() as session:
                (key,) = keys.of_account(session, account.id)
                keys.revoke(session, key.id, utc_now())
            revoked = utc_now()
            while client.get("/api/v1/files").status_code == 200:
                assert (utc_now() - revoked).total_seconds() < 10
            refused(client.get("/api/v1/files"), INVALID)


@pytest.mark.clause("MASK-34", "MASK-35")
def test_a_revoked_keys_envelopes_stay_shut(served: Served, account: Account) -> None:
    """The service keeps no key that opens one; a new key of the same account does not either."""
    text = {"text": "Write to noura@example.com"}
    with served.client(account) as client, served.browser(account) as browser:
        answer = client.post("/api/v1/mask", json=text).json()
        (row,) = browser.get("/v1/keys").json()
        browser.delete(f"/v1/keys/{row['id']}")
        successor = browser.post("/v1/keys", json={"name": "next"}).json()["key"]
        refused(client.post("/api/v1/mask", json=text), INVALID)
    with pytest.raises(InvalidTag):
        opened(answer, successor)


@pytest.mark.clause("ACCT-06")
def test_the_time_of_last_use(served: Served, account: Account) -> None:
    with served.client(account) as client, served.browser(account) as browser:
        assert browser.get("/v1/keys").json()[0]["last_used_at"] is None
        before = utc_now()
        client.get("/api/v1/files")
        noted = browser.get("/v1/keys").json()[0]["last_used_at"]
        client.get("/api/v1/files")
        assert browser.get("/v1/keys").json()[0]["last_used_at"] == noted
    assert noted.endswith("Z") and before <= datetime.fromisoformat(noted) <= utc_now()
