"""Browser sessions: registration, login, logout, the cookie, and pages of other sites."""

import base64
from collections.abc import Iterator
from datetime import timedelta
from pathlib import Path
from uuid import UUID

import httpx
import pytest
from sqlmodel import select

from schemas.clock import utc_now
from schemas.settings import load_settings
from storage import accounts
from storage.tables import Account as AccountRow
from storage.tables import BrowserSession
from tests.api.serving import Account, Served, serving, settings_for
from tests.contract.browsers import PASSWORD, cookie_of, new_email, page, registered, send
from tests.contract.playing_judge import PlayingJudge
from tests.contract.test_mask import opened

REFUSED = (403, {"detail": "Cross-site request refused"})
TEXT = {"text": "Write to noura@example.com"}


@pytest.fixture(scope="module")
def served(tmp_path_factory: pytest.TempPathFactory) -> Iterator[Served]:
    """A server that lets everybody try as often as they like."""
    settings = settings_for(tmp_path_factory.mktemp("sessions"), login_attempts_per_minute=100_000)
    with serving(settings) as server:
        yield server


@pytest.fixture(scope="module")
def walled(tmp_path_factory: pytest.TempPathFactory) -> Iterator[Served]:
    """A server whose dashboard is reached by https under a name of its own, and where operators make the accounts."""
    settings = settings_for(
        tmp_path_factory.mktemp("walled"), dashboard_url="https://Masker.Example.sa:443/app/", open_registration=False
    )
    with serving(settings) as server:
        yield server


def told(answer: httpx.Response) -> tuple[int, object]:
    return answer.status_code, answer.json()


def stored(served: Served, account_id: str) -> list[BrowserSession]:
    with served.services.storage.database.reading() as session:
        query = select(BrowserSession).where(BrowserSession.account_id == UUID(account_id))
        return list(session.exec(query))


def test_registration(served: Served) -> None:
    """“`POST /auth/register` | `{email, password}` | 201 `{account_id, email}` and the cookie”; “`account_id` and
    `key_id` are UUIDs”.
    """
    answer = registered(served.url, " Noura.One@Example.com ")
    assert answer.json().keys() == {"account_id", "email"}
    assert answer.json()["email"] == "noura.one@example.com"
    UUID(answer.json()["account_id"])
    with page(served.url, cookie_of(answer).value) as browser:
        me = browser.get("/me").json()
    assert (me["account_id"], me["email"]) == (answer.json()["account_id"], "noura.one@example.com")


def test_login(served: Served) -> None:
    """“`POST /auth/login` | `{email, password}` | 200 `{account_id, email}` and the cookie; 401 `Invalid email or
    password`”.
    """
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


def test_a_second_registration(served: Served) -> None:
    """“A second registration of an e-mail address: 409 `Email already registered`.”"""
    email = new_email()
    registered(served.url, email)
    again = send(served.url, "/auth/register", f" {email.upper()} ", "another password")
    assert told(again) == (409, {"detail": "Email already registered"})
    assert "set-cookie" not in again.headers
    assert send(served.url, "/auth/login", email).status_code == 200


@pytest.mark.parametrize(
    ("password", "status"),
    [("x" * 7, 422), ("x" * 8, 201), ("٠" * 8, 201), (" \t\0\n" * 2, 201), ("𝔸" * 1024, 201), ("x" * 1025, 422)],
)
def test_passwords(served: Served, password: str, status: int) -> None:
    """“Passwords: argon2id (argon2-cffi), 8-1024 characters, no other rule.”"""
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


def test_a_hash_of_weaker_times_is_replaced(served: Served) -> None:
    """“Passwords: argon2id (argon2-cffi)”: at the next login, when its parameters were raised since."""
    from argon2 import PasswordHasher

    email, weak = new_email(), PasswordHasher(time_cost=1, memory_cost=8, parallelism=1).hash(PASSWORD)
    with served.services.storage.database.transaction() as session:
        account = accounts.create(session, email=email, password_hash=weak, now=utc_now())
    assert send(served.url, "/auth/login", email, "wrong horse 1").status_code == 401
    for _ in range(2):
        assert send(served.url, "/auth/login", email).status_code == 200
        with served.services.storage.database.reading() as session:
            kept = session.get_one(AccountRow, account.id).password_hash
        assert kept.startswith("$argon2id$v=19$m=65536,")


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
    """“422 bodies | array of `{type, loc, msg}`: no `input`, no `ctx`”."""
    answer = httpx.post(served.url + path, content=content, headers={"Content-Type": "application/json"})
    assert answer.status_code == 422
    assert answer.json()["detail"]
    assert all(item.keys() == {"type", "loc", "msg"} for item in answer.json()["detail"])
    assert "12345678" not in answer.text and "a@example.com" not in answer.text


@pytest.mark.parametrize(
    "email", ["", "noura", "@example.com", "noura@", "a b@example.com", "a@" + "b" * 254, "a\0@b.sa"]
)
def test_what_is_no_address_is_not_registered(served: Served, email: str) -> None:
    """“422 | schema validation message | wrong type, invalid enum, empty text”."""
    answer = send(served.url, "/auth/register", email)
    assert answer.status_code == 422
    assert [item["loc"] for item in answer.json()["detail"]] == [["body", "email"]]


def test_an_endless_body_is_refused(served: Served) -> None:
    """“413, `{"detail": "request_too_large"}`”, long before the cap of texts."""
    body = b'{"email": "a@example.com", "password": "' + b"x" * 100_000 + b'"}'
    for content in (body, iter([body[:50_000], body[50_000:]])):
        answer = httpx.post(f"{served.url}/auth/login", content=content, headers={"Content-Type": "application/json"})
        assert told(answer) == (413, {"detail": "request_too_large"})


def test_the_cookie(served: Served) -> None:
    """“Session cookie `masker_session`: random 32 bytes, stored hashed; HttpOnly, SameSite=Lax, Path=/.” “Only register
    and login set the cookie; use does not extend a session.”
    """
    email = new_email()
    answers = [registered(served.url, email), send(served.url, "/auth/login", email)]
    cookies = [cookie_of(answer) for answer in answers]
    for cookie in cookies:
        assert cookie.key == "masker_session"
        assert len(base64.urlsafe_b64decode(cookie.value + "=")) == 32
        assert (cookie["httponly"], cookie["samesite"].lower(), cookie["path"]) == (True, "lax", "/")
        assert (cookie["secure"], cookie["domain"]) == ("", "")
        assert cookie["max-age"] == str(served.services.settings.session_ttl_seconds)
    assert cookies[0].value != cookies[1].value
    rows = stored(served, answers[0].json()["account_id"])
    assert len(rows) == 2
    assert not any(cookie.value in repr(row.model_dump()) for row in rows for cookie in cookies)
    with page(served.url, cookies[0].value) as browser:
        for answer in (browser.get("/me"), browser.post("/api/v1/mask", json=TEXT), browser.get("/v1/keys")):
            assert answer.status_code == 200 and "set-cookie" not in answer.headers
    assert stored(served, answers[0].json()["account_id"]) == rows


def test_the_cookie_of_an_https_dashboard(walled: Served) -> None:
    """“`COOKIE_SECURE` | true when `DASHBOARD_URL` is https”."""
    walled_account(walled)
    answer = send(walled.url, "/auth/login", "operator@example.com")
    assert cookie_of(answer)["secure"] is True


def walled_account(walled: Served) -> None:
    from storage.passwords import hash_password

    with walled.services.storage.database.transaction() as session:
        if accounts.by_email(session, "operator@example.com") is None:
            accounts.create(session, email="operator@example.com", password_hash=hash_password(PASSWORD), now=utc_now())


def test_registration_can_be_closed(walled: Served) -> None:
    """“can be turned off with `MASKER_OPEN_REGISTRATION=false` (403)”."""
    answer = send(walled.url, "/auth/register", new_email())
    assert told(answer) == (403, {"detail": "Registration is closed"})
    assert "set-cookie" not in answer.headers


def test_logout(served: Served) -> None:
    """“`POST /auth/logout` | - | 204, the session ends on the server too”."""
    email = new_email()
    ended, other = (cookie_of(answer).value for answer in (registered(served.url, email), registered(served.url)))
    second = cookie_of(send(served.url, "/auth/login", email)).value
    with page(served.url, ended) as browser:
        answer = browser.post("/auth/logout")
        assert (answer.status_code, answer.content) == (204, b"")
        cleared = cookie_of(answer)
        assert (cleared.key, cleared.value, cleared["path"], cleared["max-age"]) == ("masker_session", "", "/", "0")
        assert told(browser.get("/me")) == (401, {"detail": "Invalid or expired session"})
        assert browser.post("/auth/logout").status_code == 204
    for cookie in (other, second):
        with page(served.url, cookie) as browser:
            assert browser.get("/me").status_code == 200
    assert httpx.post(f"{served.url}/auth/logout").status_code == 204


def test_a_session_ends_at_its_time(served: Served, account: Account) -> None:
    """“Invalid or expired session”; “use does not extend a session”."""
    ttl = timedelta(seconds=served.services.settings.session_ttl_seconds)
    over = served.session(account, began=utc_now() - ttl)
    nearly = served.session(account, began=utc_now() - ttl + timedelta(seconds=60))
    with page(served.url, over) as browser:
        assert told(browser.get("/me")) == (401, {"detail": "Invalid or expired session"})
    with page(served.url, nearly) as browser:
        assert browser.get("/me").status_code == 200


def test_masking_in_the_browser(served: Served, account: Account) -> None:
    """“For a mask call made with a cookie, the envelope's key material is the session cookie's value, and `mappings` is
    filled.” “dashboard sessions get `mappings` populated in mask responses.”; “null for bearer-key callers; populated
    only for dashboard browser sessions”
    """
    token = served.session(account)
    with page(served.url, token) as browser:
        answer = browser.post("/api/v1/mask", json=TEXT).json()
        again = browser.post("/api/v1/mask", json=TEXT).json()
        key = base64.b64encode(bytes(32)).decode()
        own = browser.post("/api/v1/mask", json={**TEXT, "key": key}).json()
    assert opened(answer, token) == answer["mappings"]
    assert list(answer["mappings"].values()) == ["noura@example.com"]
    assert own["wrapped_dek"] is None and own["mappings"] == answer["mappings"] == again["mappings"]
    with served.client(account) as client:
        by_key = client.post("/api/v1/mask", json=TEXT).json()
    assert by_key["mappings"] is None
    assert opened(by_key, account.bearer).keys() != answer["mappings"].keys()


def test_a_session_may_ask_for_the_judge_when_a_key_of_its_account_may(tmp_path: Path) -> None:
    """“Per-key `judge_allowed` gate controls whether `use_judge` takes effect.” A session has no key, and logging in is
    no way around the gate.
    """
    judge = PlayingJudge()
    settings = settings_for(tmp_path, judge_base_url=judge.base_url, judge_models=("small",), judge_timeout_seconds=60)
    with serving(settings) as served:
        account = served.account(judge_allowed=True)
        for caller, used in ((account, True), (served.account(), False)):
            with served.browser(caller) as browser:
                answer = browser.post("/api/v1/mask", json={**TEXT, "use_judge": True}).json()
            assert (answer["judge_used"], answer["pii_count"]) == (used, 1)
        with served.browser(account) as browser:
            browser.delete(f"/v1/keys/{browser.get('/v1/keys').json()[0]['id']}")
            assert not browser.post("/api/v1/mask", json={**TEXT, "use_judge": True}).json()["judge_used"]
    judge.close()


def test_a_session_uses_the_accounts_tokens_and_files(served: Served, account: Account) -> None:
    """“Glossary and file endpoints also accept a browser session cookie”; “Files belong to the uploading user; any of
    that user's keys can poll or download.”
    """
    before = served.balance(account)
    with served.browser(account) as browser, served.client(account) as client, served.browser() as stranger:
        assert browser.post("/api/v1/redact", json={"text": "one two three"}).status_code == 200
        assert before - served.balance(account) == 3
        files = {"file": ("visits.csv", b"email\nnoura@example.com\n", "text/csv")}
        file_id = browser.post("/api/v1/files/redact", files=files).json()["file_id"]
        assert client.get(f"/api/v1/files/{file_id}").status_code == 200
        assert stranger.get(f"/api/v1/files/{file_id}").status_code == 404
        assert client.delete(f"/api/v1/files/{file_id}").status_code == 204


def test_the_same_on_postgresql(tmp_path: Path, postgres_url: str) -> None:
    """“`DATABASE_URL` | `sqlite:///<DATA_DIR>/masker.db`; production `postgresql+psycopg://…`”."""
    master_key = base64.b64encode(bytes(range(32))).decode()
    settings = load_settings(_env_file=None, data_dir=tmp_path, database_url=postgres_url, master_key=master_key)
    with serving(settings) as served:
        email = new_email()
        account_id = registered(served.url, email).json()["account_id"]
        assert send(served.url, "/auth/register", email).status_code == 409
        with page(served.url, cookie_of(send(served.url, "/auth/login", email)).value) as browser:
            key = browser.post("/v1/keys", json={"name": "laptop"}).json()
            headers = {"Authorization": f"Bearer {key['key']}"}
            for text in ("one two", "three"):
                assert (
                    httpx.post(f"{served.url}/api/v1/redact", json={"text": text}, headers=headers).status_code == 200
                )
            newest = browser.get("/me/ledger?limit=1").json()
            older = browser.get("/me/ledger", params={"cursor": newest["next_cursor"]}).json()
            spent = [entry["free_tokens"] for entry in newest["entries"] + older["entries"]]
            assert spent == [-1, -2]
            for nonsense in ("charge:text:\0", "charge:x"):
                assert browser.get("/me/ledger", params={"cursor": nonsense}).status_code == 400
            assert browser.get("/me").json()["account_id"] == account_id
            assert len(browser.get("/me/usage").json()["days"]) == 30
            assert browser.delete(f"/v1/keys/{key['id']}").status_code == 204
            assert browser.get("/v1/keys").json()[0]["last_used_at"] is not None
            assert browser.post("/auth/logout").status_code == 204
            assert browser.get("/me").status_code == 401
        assert httpx.get(f"{served.url}/api/v1/files", headers=headers).status_code == 401


UNSAFE = [
    ("POST", "/api/v1/mask", 422),
    ("POST", "/api/v1/redact", 422),
    ("POST", "/api/v1/files/redact", 422),
    ("DELETE", "/api/v1/files/nonsense", 404),
    ("POST", "/v1/keys", 422),
    ("PATCH", "/v1/keys/nonsense", 422),
    ("DELETE", "/v1/keys/nonsense", 404),
    ("PUT", "/me/entities", 422),
    ("POST", "/v1/glossaries", 422),
]


def dashboard(served: Served) -> list[dict[str, str]]:
    """What browsers send with the calls of the dashboard's own pages."""
    port = served.url.rpartition(":")[2]
    origins = [f"http://127.0.0.1:{port}", f"http://localhost:{port}"]
    return [*({"Origin": origin} for origin in origins), {"Sec-Fetch-Site": "same-origin"}]


def elsewhere(served: Served) -> list[dict[str, str]]:
    """What they send, or leave out, with calls of other pages."""
    host, _, port = served.url.rpartition(":")
    return [
        {},
        *(
            {"Origin": origin}
            for origin in (
                "https://elsewhere.example", "null", "", f"{host}:{int(port) ^ 1}", "http://localhost",
                f"{served.url}/", f"https://127.0.0.1:{port}", f"http://127.0.0.1:{port}.elsewhere.example",
                f"{served.url}, {served.url}", f"http://[::1]:{port}", f"HTTP://127.0.0.1:{port}",
            )
        ),
        *({"Sec-Fetch-Site": site} for site in ("cross-site", "same-site", "none", "", "same-origin, cross-site")),
        {"Referer": f"{served.url}/"},
        {"Host": "elsewhere.example", "Origin": "http://elsewhere.example"},
    ]  # fmt: skip


@pytest.mark.parametrize(("method", "path", "status"), UNSAFE)
def test_unsafe_methods(served: Served, account: Account, method: str, path: str, status: int) -> None:
    """“Unsafe methods with a cookie need an `Origin` of `DASHBOARD_URL` (or `Sec-Fetch-Site: same-origin`); else 403
    `{"detail": "Cross-site request refused"}`.” “`DASHBOARD_URL` | unset: `http://127.0.0.1:PORT` and
    `http://localhost:PORT` of `serve`”
    """
    cookie = {"Cookie": f"masker_session={served.session(account)}", "Content-Type": "application/json"}
    for headers in dashboard(served):
        answer = httpx.request(method, served.url + path, headers=cookie | headers)
        assert answer.status_code == status, (headers, answer.text)
    for headers in elsewhere(served):
        answer = httpx.request(method, served.url + path, headers=cookie | headers)
        assert told(answer) == REFUSED, headers
    assert len(elsewhere(served)) > 15


def test_safe_methods_need_no_origin(served: Served, account: Account) -> None:
    """“Unsafe methods with a cookie need an `Origin`”: others do not, and change nothing."""
    cookie = {"Cookie": f"masker_session={served.session(account)}"}
    for headers in elsewhere(served):
        assert httpx.get(f"{served.url}/me", headers=cookie | headers).status_code == 200


def test_without_a_session_there_is_nothing_to_forge(served: Served, account: Account) -> None:
    """“without a cookie there is none either”; a cookie that lets nobody in is told so, whatever the page."""
    bad = {"Cookie": f"masker_session={'A' * 43}", "Origin": "https://elsewhere.example"}
    answer = httpx.post(f"{served.url}/api/v1/mask", json=TEXT, headers=bad)
    assert told(answer) == (401, {"detail": "Invalid or expired session"})
    foreign = account.headers | {"Origin": "https://elsewhere.example", "Sec-Fetch-Site": "cross-site"}
    assert httpx.post(f"{served.url}/api/v1/mask", json=TEXT, headers=foreign).status_code == 200


def test_the_dashboards_own_address(walled: Served) -> None:
    """“need an `Origin` of `DASHBOARD_URL`”: once it is set, no other will do, as browsers write it."""
    cookie = {"Cookie": f"masker_session={walled.session(walled.account())}"}
    for origin, status in (
        ("https://masker.example.sa", 201),
        ("http://masker.example.sa", 403),
        ("https://masker.example.sa:8443", 403),
        ("https://Masker.Example.sa", 403),
        ("https://app.masker.example.sa", 403),
        (walled.url, 403),
    ):
        answer = httpx.post(f"{walled.url}/v1/keys", json={"name": "x"}, headers=cookie | {"Origin": origin})
        assert answer.status_code == status, origin


def test_foreign_pages_at_the_door(served: Served) -> None:
    """“`/auth/*` refuses a foreign `Origin`”."""
    email = new_email()
    cookie = {"Cookie": f"masker_session={cookie_of(registered(served.url, email)).value}"}
    for headers in elsewhere(served):
        if "Origin" not in headers:
            assert send(served.url, "/auth/login", email, "short", **headers).status_code == 401
            continue
        for path in ("/auth/register", "/auth/login"):
            answer = send(served.url, path, email, **headers)
            assert told(answer) == REFUSED, headers
            assert "set-cookie" not in answer.headers
        assert told(httpx.post(f"{served.url}/auth/logout", headers=headers)) == REFUSED
    for headers in dashboard(served):
        assert send(served.url, "/auth/login", email, "short", **headers).status_code == 401
    for headers in elsewhere(served):
        assert told(httpx.post(f"{served.url}/auth/logout", headers=cookie | headers)) == REFUSED
    assert httpx.get(f"{served.url}/me", headers=cookie).status_code == 200


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
    ours = [record.getMessage() for record in caplog.records if not record.name.startswith("http")]
    assert any("route=/auth/login status=401" in line for line in ours)
    for secret in (email, PASSWORD, "wrong horse 1", cookie, key, key[-43:]):
        assert not any(secret in line for line in ours)
