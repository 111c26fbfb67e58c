"""`/v1/keys`: minting, listing, renaming and revoking keys from the dashboard."""

import json
import re
from collections.abc import Callable, Iterator
from concurrent.futures import ThreadPoolExecutor
from datetime import datetime, timedelta
from uuid import UUID, uuid4

import httpx
import pytest

from schemas.clock import utc_now
from storage.accounts import keys
from tests.api.serving import Account, Served
from tests.contract.browsers import told

ROW = {"id", "name", "prefix", "judge_allowed", "created_at", "last_used_at", "revoked_at"}
NOT_FOUND = (404, {"detail": "Key not found"})


@pytest.fixture
def browser(served: Served, account: Account) -> Iterator[httpx.Client]:
    """A page in which `account` is logged in."""
    with served.browser(account) as browser:
        yield browser


def mint(browser: httpx.Client, name: str = "laptop") -> dict[str, str]:
    answer = browser.post("/v1/keys", json={"name": name})
    assert answer.status_code == 201, answer.text
    return dict(answer.json())


def works(served: Served, bearer: str) -> int:
    return httpx.get(f"{served.url}/api/v1/files", headers={"Authorization": f"Bearer {bearer}"}).status_code


@pytest.mark.clause("AUTH-05", "ACCT-07")
def test_a_new_key(served: Served, browser: httpx.Client) -> None:
    minted = mint(browser, "  مفتاح laptop ")
    assert minted.keys() == ROW | {"key"}
    bearer = minted.pop("key")
    assert re.fullmatch(rf"mk_live_{minted['prefix']}_[A-Za-z0-9-]{{43}}", bearer)
    assert (minted["name"], minted["judge_allowed"]) == ("مفتاح laptop", False)
    assert (minted["last_used_at"], minted["revoked_at"]) == (None, None)
    assert minted["created_at"].endswith("Z") and datetime.fromisoformat(minted["created_at"])
    assert works(served, bearer) == 200
    listed = browser.get("/v1/keys")
    assert bearer[-43:] not in listed.text
    (row,) = (row for row in listed.json() if row["id"] == minted["id"])
    assert row == minted | {"last_used_at": row["last_used_at"]}
    assert row["last_used_at"] is not None


@pytest.mark.clause("ACCT-01", "ACCT-06")
def test_the_list(browser: httpx.Client, served: Served) -> None:
    names = [f"key {number}" for number in range(3)]
    minted = [mint(browser, name) for name in names]
    with served.browser() as stranger:
        mint(stranger, "another account's")
    answer = browser.get("/v1/keys")
    assert answer.status_code == 200
    assert [row["name"] for row in answer.json()] == ["test", *names]
    assert [row["id"] for row in answer.json()[1:]] == [str(UUID(one["id"])) for one in minted]
    assert all(row.keys() == ROW for row in answer.json())


@pytest.mark.clause("ACCT-08")
def test_a_new_name(browser: httpx.Client) -> None:
    minted = mint(browser)
    minted.pop("key")
    answer = browser.patch(f"/v1/keys/{minted['id']}", json={"name": " desk ", "judge_allowed": True, "id": "x"})
    assert (answer.status_code, answer.json()) == (200, minted | {"name": "desk"})
    assert answer.json() in browser.get("/v1/keys").json()


@pytest.mark.clause("HTTP-03")
@pytest.mark.parametrize(
    "body",
    [
        {}, {"name": ""}, {"name": " \n"}, {"name": "x" * 201}, {"name": None}, {"name": 5}, {"name": ["x"]},
        {"name": "\0"}, [],
    ],
)  # fmt: skip
def test_names_that_are_none(browser: httpx.Client, body: object) -> None:
    minted = mint(browser)
    for answer in (browser.post("/v1/keys", json=body), browser.patch(f"/v1/keys/{minted['id']}", json=body)):
        assert answer.status_code == 422
        assert all(item.keys() == {"type", "loc", "msg"} for item in answer.json()["detail"])
        assert answer.json()["detail"][0]["loc"] == (["body", "name"] if isinstance(body, dict) else ["body"])
    assert [row["name"] for row in browser.get("/v1/keys").json()] == ["test", "laptop"]


@pytest.mark.clause("ACCT-07")
@pytest.mark.parametrize("name", ["x", "x" * 200, "𝔸" * 200, "\x1f"])
def test_names_that_fit(browser: httpx.Client, name: str) -> None:
    assert mint(browser, name)["name"] == name


@pytest.mark.clause("HTTP-16", "JUDGE-01")
def test_a_caller_cannot_grant_itself_the_judge(browser: httpx.Client) -> None:
    answer = browser.post("/v1/keys", json={"name": "x", "judge_allowed": True, "account_id": str(uuid4())})
    assert (answer.status_code, answer.json()["judge_allowed"]) == (201, False)
    assert len(browser.get("/v1/keys").json()) == 2


@pytest.mark.clause("AUTH-14", "ACCT-09")
def test_revocation(served: Served, browser: httpx.Client) -> None:
    kept, gone = mint(browser, "kept"), mint(browser, "gone")
    assert [works(served, one["key"]) for one in (kept, gone)] == [200, 200]
    answer = browser.delete(f"/v1/keys/{gone['id']}")
    assert (answer.status_code, answer.content) == (204, b"")
    assert [works(served, one["key"]) for one in (kept, gone)] == [200, 401]
    rows = {row["id"]: row for row in browser.get("/v1/keys").json()}
    assert rows[kept["id"]]["revoked_at"] is None
    revoked_at = rows[gone["id"]]["revoked_at"]
    assert revoked_at.endswith("Z")
    assert browser.delete(f"/v1/keys/{gone['id']}").status_code == 204
    renamed = browser.patch(f"/v1/keys/{gone['id']}", json={"name": "was mine"}).json()
    assert (renamed["name"], renamed["revoked_at"]) == ("was mine", revoked_at)
    assert works(served, gone["key"]) == 401


@pytest.mark.clause("ACCT-02", "HTTP-09")
@pytest.mark.parametrize("key_id", ["nonsense", "%00", "1", "00000000-0000-0000-0000-00000000000", str(UUID(int=1))])
def test_unknown_and_malformed_ids(browser: httpx.Client, key_id: str) -> None:
    for answer in (browser.delete(f"/v1/keys/{key_id}"), browser.patch(f"/v1/keys/{key_id}", json={"name": "x"})):
        assert (answer.status_code, answer.json()) == NOT_FOUND


@pytest.mark.clause("ACCT-01", "ACCT-02")
@pytest.mark.parametrize("spell", ["{{{}}}".format, "urn:uuid:{}".format, lambda id_: id_.replace("-", ""), "-".join])
def test_an_id_in_another_spelling_is_malformed(browser: httpx.Client, spell: Callable[[str], str]) -> None:
    id_ = spell(mint(browser)["id"])
    for answer in (
        browser.delete(f"/v1/keys/{id_}"),
        browser.patch(f"/v1/keys/{id_}", json={"name": "x"}),
        browser.get(f"/v1/keys/{id_}/entities"),
    ):
        assert (answer.status_code, answer.json()) == NOT_FOUND


@pytest.mark.clause("ACCT-02")
def test_another_accounts_keys(served: Served, browser: httpx.Client) -> None:
    with served.browser() as stranger:
        theirs = mint(stranger, "theirs")
        for answer in (
            browser.delete(f"/v1/keys/{theirs['id']}"),
            browser.patch(f"/v1/keys/{theirs['id']}", json={"name": "stolen"}),
        ):
            assert (answer.status_code, answer.json()) == NOT_FOUND
        assert works(served, theirs["key"]) == 200
        assert stranger.get("/v1/keys").json()[1]["name"] == "theirs"


@pytest.mark.clause("ACCT-07")
def test_keys_minted_at_once_are_different(served: Served, account: Account) -> None:

    def one(number: int) -> dict[str, str]:
        with served.browser(account) as page:
            return mint(page, f"key {number}")

    with ThreadPoolExecutor(8) as threads:
        minted = list(threads.map(one, range(16)))
    assert len({key["key"] for key in minted}) == len({key["id"] for key in minted}) == 16
    with served.browser(account) as page:
        assert len(page.get("/v1/keys").json()) == 17


@pytest.mark.clause("ACCT-23")
def test_a_hundred_keys_are_the_most_however_they_come(served: Served, account: Account) -> None:
    def one(number: int) -> int:
        with served.browser(account) as page:
            answer = page.post("/v1/keys", json={"name": f"key {number}"})
        if answer.status_code == 422:
            [error] = answer.json()["detail"]
            assert (error["type"], error["loc"]) == ("max_keys_reached", ["body"])
        return answer.status_code

    with ThreadPoolExecutor(8) as threads:
        answers = list(threads.map(one, range(102)))
    with served.browser(account) as page:
        live = page.get("/v1/keys").json()
        assert len(live) == 100
        assert answers.count(201) == 99  # the account had one
        assert page.delete(f"/v1/keys/{live[1]['id']}").status_code == 204
        assert mint(page, "in place of the revoked one")


@pytest.mark.clause("ACCT-24")
def test_a_revoked_key_is_listed_for_90_days_and_what_it_cost_for_longer(served: Served, browser: httpx.Client) -> None:
    minted = mint(browser)
    headers = {"Authorization": f"Bearer {minted['key']}"}
    assert (
        httpx.post(f"{served.url}/api/v1/mask", json={"text": "three words here"}, headers=headers).status_code == 200
    )
    assert browser.delete(f"/v1/keys/{minted['id']}").status_code == 204
    spent = browser.get("/me/ledger").json(), browser.get("/me/usage").json()
    assert spent[0]["entries"][0]["free_tokens"] == -3

    def is_listed_after(time: timedelta) -> bool:
        with served.services.storage.database.transaction() as session:
            keys.purge(session, utc_now() + time)
        return minted["id"] in [row["id"] for row in browser.get("/v1/keys").json()]

    assert is_listed_after(timedelta(days=89))
    assert not is_listed_after(timedelta(days=90))
    assert told(browser.delete(f"/v1/keys/{minted['id']}")) == NOT_FOUND
    assert works(served, minted["key"]) == 401
    assert (browser.get("/me/ledger").json(), browser.get("/me/usage").json()) == spent


@pytest.mark.clause("HTTP-21")
def test_a_large_body_is_refused(browser: httpx.Client) -> None:
    content = json.dumps({"name": "x" * 100_000}).encode()
    answer = browser.post("/v1/keys", content=content, headers={"Content-Type": "application/json"})
    assert (answer.status_code, answer.json()) == (413, {"detail": "request_too_large"})
