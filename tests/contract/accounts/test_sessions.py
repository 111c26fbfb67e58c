"""Browser sessions: the cookie, how long it lasts, what it is good for, and logout."""

import base64
import hashlib
import secrets
from datetime import timedelta
from pathlib import Path
from uuid import UUID

import httpx
import pytest
from sqlmodel import select

from schemas.clock import utc_now
from schemas.settings import load_settings
from storage.accounts import records as accounts
from storage.accounts.passwords import hash_password
from storage.tables import BrowserSession
from tests.api.serving import Account, Served, serving, settings_for
from tests.contract.browsers import PASSWORD, cookie_of, new_email, page, registered, send, told
from tests.contract.playing_judge import PlayingJudge
from tests.contract.text.test_mask import opened

TEXT = {"text": "Write to noura@example.com"}


@pytest.fixture
def served(patient: Served) -> Served:
    return patient


def stored(served: Served, account_id: str) -> list[BrowserSession]:
    with served.services.storage.database.reading() as session:
        query = select(BrowserSession).where(BrowserSession.account_id == UUID(account_id))
        return list(session.exec(query))


@pytest.mark.clause("AUTH-16", "AUTH-18")
def test_the_cookie(served: Served) -> None:
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


@pytest.mark.clause("AUTH-17")
def test_the_cookie_of_an_https_dashboard(walled: Served) -> None:
    with walled.services.storage.database.transaction() as session:
        password_hash = hash_password(PASSWORD)
        accounts.create(session, email="operator@example.com", password_hash=password_hash, now=utc_now())
    answer = send(walled.url, "/auth/login", "operator@example.com")
    assert cookie_of(answer)["secure"] is True


@pytest.mark.clause("AUTH-26")
def test_logout(served: Served) -> None:
    email = new_email()
    answers = registered(served.url, email), registered(served.url)
    ended, other = (cookie_of(answer).value for answer in answers)
    second = cookie_of(send(served.url, "/auth/login", email)).value
    with page(served.url, ended) as browser:
        answer = browser.post("/auth/logout")
        assert (answer.status_code, answer.content) == (204, b"")
        cleared = cookie_of(answer)
        assert (cleared.key, cleared.value, cleared["path"], cleared["max-age"]) == ("masker_session", "", "/", "0")
        assert told(browser.get("/me")) == (401, {"detail": "Invalid or expired session"})
        assert browser.post("/auth/logout").status_code == 204
    (left,) = stored(served, answers[0].json()["account_id"])
    assert left.token_hash == hashlib.sha256(second.encode()).digest()
    for cookie in (other, second):
        with page(served.url, cookie) as browser:
            assert browser.get("/me").status_code == 200
    assert httpx.post(f"{served.url}/auth/logout").status_code == 204


@pytest.mark.clause("AUTH-16", "AUTH-18")
@pytest.mark.parametrize("path", ["/auth/register", "/auth/login"])
def test_a_cookie_planted_before_the_login_never_opens_the_account(served: Served, path: str) -> None:
    """Session fixation: whoever planted it, made up or of a session of their own, waits for the victim to log in."""
    made_up = secrets.token_urlsafe(32)
    attacker = new_email()
    own = cookie_of(registered(served.url, attacker)).value
    for planted in (made_up, own):
        email = new_email()
        if path == "/auth/login":
            registered(served.url, email)
        answer = send(served.url, path, email, Cookie=f"masker_session={planted}", Origin=served.url)
        fresh = cookie_of(answer).value
        assert len({fresh, made_up, own}) == 3
        with page(served.url, fresh) as browser:
            assert browser.get("/me").json()["email"] == email
    with page(served.url, made_up) as browser:
        assert told(browser.get("/me")) == (401, {"detail": "Invalid or expired session"})
    with page(served.url, own) as browser:
        assert browser.get("/me").json()["email"] == attacker


@pytest.mark.clause("AUTH-15", "AUTH-18")
def test_a_session_ends_at_its_time(served: Served, account: Account) -> None:
    ttl = timedelta(seconds=served.services.settings.session_ttl_seconds)
    over = served.session(account, began=utc_now() - ttl)
    nearly = served.session(account, began=utc_now() - ttl + timedelta(seconds=60))
    with page(served.url, over) as browser:
        assert told(browser.get("/me")) == (401, {"detail": "Invalid or expired session"})
    with page(served.url, nearly) as browser:
        assert browser.get("/me").status_code == 200


@pytest.mark.clause("MASK-18", "MASK-36")
def test_masking_in_the_browser(served: Served, account: Account) -> None:
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


@pytest.mark.clause("JUDGE-01")
def test_a_session_may_ask_for_the_judge_when_a_key_of_its_account_may(tmp_path: Path) -> None:
    """A session has no key, and logging in is no way around the gate."""
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


@pytest.mark.clause("AUTH-07", "FILE-09")
def test_a_session_uses_the_accounts_tokens_and_files(served: Served, account: Account) -> None:
    before = served.balance(account)
    with served.browser(account) as browser, served.client(account) as client, served.browser() as stranger:
        assert browser.post("/api/v1/redact", json={"text": "one two three"}).status_code == 200
        assert before - served.balance(account) == 3
        files = {"file": ("visits.csv", b"email\nnoura@example.com\n", "text/csv")}
        file_id = browser.post("/api/v1/files/redact", files=files).json()["file_id"]
        assert client.get(f"/api/v1/files/{file_id}").status_code == 200
        assert stranger.get(f"/api/v1/files/{file_id}").status_code == 404
        assert client.delete(f"/api/v1/files/{file_id}").status_code == 204


@pytest.mark.clause("RUN-06")
def test_the_same_on_postgresql(tmp_path: Path, postgres_url: str) -> None:
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
