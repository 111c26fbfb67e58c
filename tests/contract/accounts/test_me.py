"""`/me`: the account, what it used, and how its tokens moved."""

from collections.abc import Iterator
from datetime import date, datetime, timedelta
from uuid import uuid4

import httpx
import pytest

from schemas.clock import next_riyadh_midnight, riyadh_day, utc_now
from schemas.entities import EntityType
from storage import ledger
from storage.accounts import usage
from tests.api.serving import Account, Served


@pytest.fixture
def account(served: Served) -> Account:
    return served.account(paid_tokens=7)


@pytest.fixture
def browser(served: Served, account: Account) -> Iterator[httpx.Client]:
    """A page in which `account` is logged in."""
    with served.browser(account) as browser:
        yield browser


@pytest.mark.clause("ACCT-03", "HTTP-14")
def test_the_account(served: Served, browser: httpx.Client, account: Account) -> None:
    free = served.services.settings.free_tokens_per_day
    browser.post("/api/v1/redact", json={"text": "one two three"})
    before = next_riyadh_midnight(utc_now())
    answer = browser.get("/me")
    assert answer.status_code == 200
    me = answer.json()
    assert me.keys() == {"account_id", "email", "created_at", "balance"}
    assert me["account_id"] == str(account.id)
    assert me["email"].endswith("@example.com")
    assert me["created_at"].endswith("Z") and datetime.fromisoformat(me["created_at"]) <= utc_now()
    assert me["balance"].keys() == {"free_tokens", "paid_tokens", "free_resets_at"}
    assert (me["balance"]["free_tokens"], me["balance"]["paid_tokens"]) == (free - 3, 7)
    assert me["balance"]["free_resets_at"].endswith(":00:00Z")
    assert datetime.fromisoformat(me["balance"]["free_resets_at"]) in (before, next_riyadh_midnight(utc_now()))


def used(served: Served, account: Account, days_ago: int, tokens: int, *types: EntityType) -> None:
    with served.services.storage.database.transaction() as session:
        moment = utc_now() - timedelta(days=days_ago)
        usage.record(session, account.id, tokens=tokens, entities=dict.fromkeys(types, 2), now=moment)


@pytest.mark.clause("ACCT-04")
def test_usage(served: Served, browser: httpx.Client, account: Account) -> None:
    for days_ago, tokens in ((0, 5), (0, 6), (2, 7), (29, 8), (30, 9)):
        used(served, account, days_ago, tokens, EntityType.EMAIL_ADDRESS)
    used(served, served.account(), 0, 1000)
    answer = browser.get("/me/usage")
    assert answer.status_code == 200
    days = answer.json()["days"]
    today = riyadh_day(utc_now())
    assert [day["day"] for day in days] == [str(today - timedelta(days=back)) for back in range(29, -1, -1)]
    assert days[-1] == {"day": str(today), "tokens": 11, "calls": 2, "entities": {"EMAIL_ADDRESS": 4}}
    assert days[-2] == {"day": str(today - timedelta(days=1)), "tokens": 0, "calls": 0, "entities": {}}
    assert [days[-3]["tokens"], days[0]["tokens"]] == [7, 8]


@pytest.mark.clause("ACCT-04")
@pytest.mark.parametrize(("days", "count"), [("1", 1), ("7", 7), ("366", 366), ("0", 1), ("-5", 1), ("9" * 30, 366)])
def test_how_far_back(browser: httpx.Client, days: str, count: int) -> None:
    """A number outside of what is kept for this is moved inside."""
    shown = browser.get("/me/usage", params={"days": days}).json()["days"]
    assert len(shown) == count
    assert date.fromisoformat(shown[-1]["day"]) == riyadh_day(utc_now())


@pytest.mark.clause("HTTP-03")
@pytest.mark.parametrize("path", ["/me/usage?days=x", "/me/usage?days=", "/me/usage?days=1.5", "/me/ledger?limit=all"])
def test_what_is_no_number(browser: httpx.Client, path: str) -> None:
    answer = browser.get(path)
    assert answer.status_code == 422
    (item,) = answer.json()["detail"]
    assert item.keys() == {"type", "loc", "msg"}
    assert item["loc"][0] == "query"


@pytest.mark.clause("ACCT-05")
def test_the_ledger(served: Served, browser: httpx.Client, account: Account) -> None:
    browser.post("/api/v1/redact", json={"text": "one two three"})
    with served.browser() as stranger:
        stranger.post("/api/v1/redact", json={"text": "not yours"})
    page = browser.get("/me/ledger").json()
    assert page.keys() == {"entries", "next_cursor"}
    assert page["next_cursor"] is None
    charge, opening = page["entries"]
    assert charge.keys() == {"id", "kind", "reason", "free_tokens", "paid_tokens", "created_at"}
    assert (charge["kind"], charge["free_tokens"], charge["paid_tokens"]) == ("charge", -3, 0)
    assert (opening["kind"], opening["free_tokens"], opening["paid_tokens"]) == ("credit", 0, 7)
    assert charge["created_at"].endswith("Z") and charge["created_at"] >= opening["created_at"]


@pytest.mark.clause("ACCT-05")
def test_the_ledgers_pages(served: Served, browser: httpx.Client, account: Account) -> None:
    """Whole, without a gap or a repeat."""
    for number in range(1, 12):
        with served.services.storage.database.transaction() as session:
            ledger.credit(session, account.id, number, reference=f"credit:{uuid4()}", now=utc_now())
    seen: list[int] = []
    cursor: str | None = None
    for _ in range(4):
        query = {"limit": "4"} if cursor is None else {"limit": "4", "cursor": cursor}
        page = browser.get("/me/ledger", params=query).json()
        seen += [entry["paid_tokens"] for entry in page["entries"]]
        cursor = page["next_cursor"]
        if cursor is None:
            break
    assert seen == [*range(11, 0, -1), 7]
    whole = browser.get("/me/ledger?limit=12").json()
    assert (len(whole["entries"]), whole["next_cursor"]) == (12, None)


@pytest.mark.clause("ACCT-05", "FILE-48")
@pytest.mark.parametrize(
    ("limit", "count"), [("0", 1), ("-1", 1), ("1", 1), ("100", 100), ("101", 100), ("9" * 30, 100)]
)
def test_the_limit_is_moved_inside(
    served: Served, browser: httpx.Client, account: Account, limit: str, count: int
) -> None:
    with served.services.storage.database.transaction() as session:
        for _ in range(101):
            ledger.credit(session, account.id, 1, reference=f"credit:{uuid4()}", now=utc_now())
    assert len(browser.get("/me/ledger", params={"limit": limit}).json()["entries"]) == count


@pytest.mark.clause("FILE-50")
def test_cursors_that_are_none(served: Served, browser: httpx.Client) -> None:
    with served.browser() as stranger:
        stranger.post("/api/v1/redact", json={"text": "theirs"})
        theirs = stranger.get("/me/ledger").json()["entries"][0]["id"]
        assert stranger.get("/me/ledger", params={"cursor": theirs}).json() == {"entries": [], "next_cursor": None}
    for cursor in (
        theirs,
        "",
        "1",
        "x:y",
        "charge:",
        f"charge:text:{uuid4()}",
        "charge:\0",
        "credit:" + "x" * 5000,
        "é:é",
    ):
        answer = browser.get("/me/ledger", params={"cursor": cursor})
        assert (answer.status_code, answer.json()) == (400, {"detail": "invalid_cursor"}), cursor
