"""`/auth`: registration and login, and what they make of anything else than an address and its password."""

import json
from dataclasses import replace
from pathlib import Path
from uuid import UUID

import httpx
import pytest
from argon2 import PasswordHasher
from sqlmodel import select

from schemas.clock import utc_now
from storage.accounts import records as accounts
from storage.database import Database
from storage.tables import Account as AccountRow
from tests.api.serving import Served, serving, settings_for
from tests.contract.browsers import PASSWORD, cookie_of, new_email, page, registered, send, told


@pytest.fixture
def served(patient: Served) -> Served:
    return patient


@pytest.mark.clause("AUTH-22", "ACCT-01")
def test_registration(served: Served) -> None:
    answer = registered(served.url, " Noura.One@Example.com ")
    assert answer.json().keys() == {"account_id", "email"}
    assert answer.json()["email"] == "noura.one@example.com"
    UUID(answer.json()["account_id"])
    with page(served.url, cookie_of(answer).value) as browser:
        me = browser.get("/me").json()
    assert (me["account_id"], me["email"]) == (answer.json()["account_id"], "noura.one@example.com")


@pytest.mark.clause("AUTH-25")
def test_login(served: Served) -> None:
    email = new_email()
    account = registered(served.url, email).json()
    answer = send(served.url, "/auth/login", email.upper())
    assert told(answer) == (200, account)
    with page(served.url, cookie_of(answer).value) as browser:
        assert browser.get("/me").json()["account_id"] == account["account_id"]
    for wrong in (PASSWORD.upper(), "short", "", "x" * 2000):
        refused = send(served.url, "/auth/login", email, wrong)
        assert told(refused) == (401, {"detail": "Invalid email or password"})
        assert "set-cookie" not in refused.headers
    for unknown in (new_email(), "nul\0@example.com"):
        assert told(send(served.url, "/auth/login", unknown)) == (401, {"detail": "Invalid email or password"})


@pytest.mark.clause("AUTH-23")
def test_a_second_registration(served: Served) -> None:
    email = new_email()
    registered(served.url, email)
    again = send(served.url, "/auth/register", f" {email.upper()} ", "another password")
    assert told(again) == (409, {"detail": "Email already registered"})
    assert "set-cookie" not in again.headers
    assert send(served.url, "/auth/login", email).status_code == 200


@pytest.mark.clause("AUTH-27")
@pytest.mark.parametrize(
    ("password", "status"),
    [("x" * 7, 422), ("x" * 8, 201), ("٠" * 8, 201), (" \t\0\n" * 2, 201), ("𝔸" * 1024, 201), ("x" * 1025, 422)],
)
def test_passwords(served: Served, password: str, status: int) -> None:
    email = new_email()
    answer = send(served.url, "/auth/register", email, password)
    assert answer.status_code == status, answer.text
    if status == 422:
        assert [item["loc"] for item in answer.json()["detail"]] == [["body", "password"]]
        return
    assert send(served.url, "/auth/login", email, password).status_code == 200
    with served.services.storage.database.reading() as session:
        row = session.exec(select(AccountRow).where(AccountRow.email == email)).one()
    assert row.password_hash.startswith("$argon2id$")


@pytest.mark.clause("AUTH-27")
def test_a_hash_of_weaker_times_is_replaced(served: Served) -> None:
    email, weak = new_email(), PasswordHasher(time_cost=1, memory_cost=8, parallelism=1).hash(PASSWORD)
    with served.services.storage.database.transaction() as session:
        account = accounts.create(session, email=email, password_hash=weak, now=utc_now())
    assert send(served.url, "/auth/login", email, "wrong horse 1").status_code == 401
    for _ in range(2):
        assert send(served.url, "/auth/login", email).status_code == 200
        with served.services.storage.database.reading() as session:
            kept = session.get_one(AccountRow, account.id).password_hash
        assert kept.startswith("$argon2id$v=19$m=65536,")


@pytest.mark.clause("AUTH-24")
def test_registration_can_be_closed(walled: Served) -> None:
    answer = send(walled.url, "/auth/register", new_email())
    assert told(answer) == (403, {"detail": "Registration is closed"})
    assert "set-cookie" not in answer.headers


@pytest.mark.clause("HTTP-04")
@pytest.mark.parametrize("path", ["/auth/register", "/auth/login"])
@pytest.mark.parametrize(
    "content",
    [
        b"", b"{", b"[]", b"null", b"{}", b'{"email": "a@example.com"}', b'{"password": "12345678"}',
        b'{"email": 5, "password": "12345678"}', b'{"email": "a@example.com", "password": ["12345678"]}',
        b'{"email": "a@example.com", "password": null}', b'{"email": "a@example.com", "password": "\\ud800aaaaaaaa"}',
        b'{"email": "a@example.com", "password": "\xff\xff\xff\xff\xff\xff\xff\xff"}', b"[" * 10_000,
    ],
)  # fmt: skip
def test_bodies_that_are_none(served: Served, path: str, content: bytes) -> None:
    answer = httpx.post(served.url + path, content=content, headers={"Content-Type": "application/json"})
    assert answer.status_code == 422
    assert answer.json()["detail"]
    assert all(item.keys() == {"type", "loc", "msg"} for item in answer.json()["detail"])
    assert "12345678" not in answer.text and "a@example.com" not in answer.text


@pytest.mark.clause("HTTP-05")
@pytest.mark.parametrize(
    "email", ["", "noura", "@example.com", "noura@", "a b@example.com", "a@" + "b" * 254, "a\0@b.sa"]
)
def test_what_is_no_address_is_not_registered(served: Served, email: str) -> None:
    answer = send(served.url, "/auth/register", email)
    assert answer.status_code == 422
    assert [item["loc"] for item in answer.json()["detail"]] == [["body", "email"]]


@pytest.mark.clause("HTTP-21")
def test_an_endless_body_is_refused(served: Served) -> None:
    body = b'{"email": "a@example.com", "password": "' + b"x" * 100_000 + b'"}'
    for content in (body, iter([body[:50_000], body[50_000:]])):
        answer = httpx.post(f"{served.url}/auth/login", content=content, headers={"Content-Type": "application/json"})
        assert told(answer) == (413, {"detail": "request_too_large"})


@pytest.mark.clause("AUTH-30")
def test_nothing_of_a_login_is_logged(served: Served, caplog: pytest.LogCaptureFixture) -> None:
    """Neither address nor password, neither cookie nor key stands in the log."""
    email = new_email()
    with caplog.at_level("DEBUG"):
        cookie = cookie_of(registered(served.url, email)).value
        send(served.url, "/auth/login", email, "wrong horse 1")
        send(served.url, "/auth/register", email)
        with page(served.url, cookie) as browser:
            key = browser.post("/v1/keys", json={"name": email}).json()["key"]
            browser.post("/auth/logout")
    ours = [line for line in caplog.text.splitlines() if not json.loads(line)["logger"].startswith("http")]
    assert any('"route": "/auth/login", "status": 401' in line for line in ours)
    for secret in (email, PASSWORD, "wrong horse 1", cookie, key, key[-43:]):
        assert not any(secret in line for line in ours)


@pytest.mark.clause("HTTP-11")
def test_while_the_database_is_away(tmp_path: Path) -> None:
    with serving(settings_for(tmp_path)) as served:
        account = served.account()
        cookie = served.session(account)
        away = Database("postgresql+psycopg://nobody@127.0.0.1:1/none")
        services = served.services
        served.app.state.services = replace(services, storage=replace(services.storage, database=away))
        answers = [send(served.url, path, new_email()) for path in ("/auth/login", "/auth/register")]
        with page(served.url, cookie) as browser, served.client(account) as client:
            answers += [browser.get("/me"), browser.get("/v1/keys"), browser.post("/auth/logout")]
            answers += [client.get("/api/v1/files")]
        for answer in answers:
            assert told(answer) == (503, {"detail": "masker_unavailable"})
            assert "set-cookie" not in answer.headers
