"""Calls from pages of other origins: who may, with which headers, and never with a cookie."""

from collections.abc import Iterator

import httpx
import pytest

from tests.api.serving import Served, serving, settings_for

APP, OTHER = "https://app.example.com", "https://evil.example.com"
PATHS = ["/api/v1/mask", "/api/v1/files", "/v1/glossaries", "/nothing/here"]


@pytest.fixture(scope="module")
def open_to(tmp_path_factory: pytest.TempPathFactory) -> Iterator[Served]:
    """A server that pages of one other origin may call."""
    settings = settings_for(tmp_path_factory.mktemp("cors"), cors_origins=(APP, "http://localhost:5173"))
    with serving(settings) as served:
        yield served


@pytest.fixture
def page(open_to: Served) -> Iterator[httpx.Client]:
    """A browser without a key."""
    with httpx.Client(base_url=open_to.url, timeout=30) as client:
        yield client


def preflight(client: httpx.Client, path: str, origin: str, headers: str = "authorization") -> httpx.Response:
    asks = {"Origin": origin, "Access-Control-Request-Method": "POST", "Access-Control-Request-Headers": headers}
    return client.options(path, headers=asks)


@pytest.mark.clause("HTTP-38")
@pytest.mark.parametrize("path", PATHS)
def test_a_preflight_needs_no_authentication(page: httpx.Client, path: str) -> None:
    answer = preflight(page, path, APP, "authorization, content-type, x-use-judge")
    assert answer.status_code == 200
    assert answer.headers["access-control-allow-origin"] == APP
    assert "access-control-allow-credentials" not in answer.headers
    assert "X-Request-Id" in answer.headers


@pytest.mark.clause("HTTP-39")
@pytest.mark.parametrize("headers", ["x-provider-key", "authorization, X-Provider-Key", "x-service-preserve-tags"])
@pytest.mark.parametrize("path", ["/api/v1/proxy/anthropic/v1/messages", "/api/v1/mask"])
def test_the_providers_key_is_not_for_browsers(page: httpx.Client, path: str, headers: str) -> None:
    answer = preflight(page, path, APP, headers)
    assert answer.status_code == 400
    assert "provider" not in answer.headers.get("access-control-allow-headers", "").lower()


@pytest.mark.clause("HTTP-38")
@pytest.mark.parametrize("origin", [OTHER, "null", f"{APP}.evil.example.com", "http://app.example.com", f"{APP}:444"])
def test_other_origins_get_no_leave(open_to: Served, page: httpx.Client, origin: str) -> None:
    assert "access-control-allow-origin" not in preflight(page, "/api/v1/mask", origin).headers
    with open_to.client() as client:
        answer = client.post("/api/v1/mask", json={"text": "x"}, headers={"Origin": origin})
    assert answer.status_code == 200  # a bearer is no ambient authority: the browser keeps the answer to itself
    assert "access-control-allow-origin" not in answer.headers


@pytest.mark.clause("HTTP-13", "HTTP-31")
def test_answers_may_be_read_also_when_they_are_refusals(open_to: Served, page: httpx.Client) -> None:
    with open_to.client() as client:
        answers = [
            client.post("/api/v1/mask", json={"text": "x"}, headers={"Origin": APP}),
            client.post("/api/v1/mask", json={}, headers={"Origin": APP}),
            page.post("/api/v1/mask", headers={"Origin": APP}),
            page.get("/nothing", headers={"Origin": APP}),
        ]
    assert [answer.status_code for answer in answers] == [200, 422, 401, 404]
    for answer in answers:
        assert answer.headers["access-control-allow-origin"] == APP
        exposed = {name.strip() for name in answer.headers["access-control-expose-headers"].split(",")}
        assert {"Retry-After", "X-Request-Id"} <= exposed
        assert "origin" in answer.headers["vary"].lower()
        assert "access-control-allow-credentials" not in answer.headers


@pytest.mark.clause("HTTP-38")
def test_without_origins_nobody_is_answered(client: httpx.Client) -> None:
    answers = [preflight(client, "/api/v1/mask", APP), client.get("/api/v1/health", headers={"Origin": APP})]
    for answer in answers:
        assert not [name for name in answer.headers if name.startswith("access-control")]
