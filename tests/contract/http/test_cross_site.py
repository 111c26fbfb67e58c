"""Pages of other sites: what a cookie that the browser adds by itself cannot be used for."""

import httpx
import pytest

from tests.api.serving import Account, Served
from tests.contract.browsers import cookie_of, new_email, registered, send, told

REFUSED = (403, {"detail": "Cross-site request refused"})
TEXT = {"text": "Write to noura@example.com"}


@pytest.fixture
def served(patient: Served) -> Served:
    return patient


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


@pytest.mark.clause("AUTH-19", "RUN-12")
@pytest.mark.parametrize(("method", "path", "status"), UNSAFE)
def test_unsafe_methods(served: Served, account: Account, method: str, path: str, status: int) -> None:
    cookie = {"Cookie": f"masker_session={served.session(account)}", "Content-Type": "application/json"}
    for headers in dashboard(served):
        answer = httpx.request(method, served.url + path, headers=cookie | headers)
        assert answer.status_code == status, (headers, answer.text)
    for headers in elsewhere(served):
        answer = httpx.request(method, served.url + path, headers=cookie | headers)
        assert told(answer) == REFUSED, headers
    assert len(elsewhere(served)) > 15


@pytest.mark.clause("AUTH-19")
def test_safe_methods_need_no_origin(served: Served, account: Account) -> None:
    cookie = {"Cookie": f"masker_session={served.session(account)}"}
    for headers in elsewhere(served):
        assert httpx.get(f"{served.url}/me", headers=cookie | headers).status_code == 200


@pytest.mark.clause("AUTH-20")
def test_without_a_session_there_is_nothing_to_forge(served: Served, account: Account) -> None:
    """A cookie that lets nobody in is told so, whatever the page."""
    bad = {"Cookie": f"masker_session={'A' * 43}", "Origin": "https://elsewhere.example"}
    answer = httpx.post(f"{served.url}/api/v1/mask", json=TEXT, headers=bad)
    assert told(answer) == (401, {"detail": "Invalid or expired session"})
    foreign = account.headers | {"Origin": "https://elsewhere.example", "Sec-Fetch-Site": "cross-site"}
    assert httpx.post(f"{served.url}/api/v1/mask", json=TEXT, headers=foreign).status_code == 200


@pytest.mark.clause("AUTH-19")
def test_the_dashboards_own_address(walled: Served) -> None:
    """Once it is set, no other will do, as browsers write it."""
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


@pytest.mark.clause("AUTH-21")
def test_foreign_pages_at_the_door(served: Served) -> None:
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
