"""Markup in every field runs nowhere, and pages of other origins forge nothing."""

import threading
from collections.abc import Iterator
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer
from pathlib import Path

import httpx
import pytest
from playwright.sync_api import expect

from examples.server import Server
from tests.contract.dashboard.conftest import Visit

MARKUP = "<img src=x onerror='window.ran=1'><script>window.ran=1</script>"


def ran(visit: Visit) -> bool:
    return (
        visit.page.evaluate("window.ran === 1") or visit.page.locator("main img[src=x], dialog img[src=x]").count() > 0
    )


@pytest.mark.clause("DASH-14")
def test_markup_in_a_text_is_text(visit: Visit) -> None:
    page = visit.page
    page.fill("#text", f"{MARKUP} Reem Alharbi 1012345672 {MARKUP}")
    page.click("#try button[type=submit]")
    expect(page.locator("#masked")).to_contain_text("<script>window.ran=1</script>")
    page.locator("#original mark").first.focus()
    page.click("#byok summary")
    page.click("#byok-key")
    page.click("#byok-mask")
    page.click("#byok-open")
    page.fill("#byok-reply", MARKUP)
    page.click("#byok-restore")
    expect(page.locator("#byok-restored")).to_have_text(MARKUP)
    assert not ran(visit)


@pytest.mark.clause("DASH-14")
@pytest.mark.slow
def test_markup_in_names_terms_and_files_is_text(visit: Visit, tmp_path: Path) -> None:
    page = visit.page
    visit.open("/keys")
    page.fill("#mint [name=name]", MARKUP)
    page.click("#mint button")
    expect(page.locator("#keys input")).to_have_value(MARKUP)
    page.locator("#keys").get_by_role("button", name="Types").click()
    expect(page.locator("dialog h2")).to_contain_text(MARKUP)
    assert not ran(visit)
    visit.open("/glossaries")
    page.fill("#create [name=name]", MARKUP)
    page.click("#create button")
    page.locator("section.card summary").click()
    page.get_by_role("button", name="Add a term").click()
    page.locator("[name=term]").fill(MARKUP)
    page.locator("details").get_by_role("button", name="Save").click()
    visit.open("/glossaries")
    expect(page.locator("section.card input").first).to_have_value(MARKUP)
    page.get_by_role("button", name="Try on a text").click()
    page.locator("dialog textarea").fill(f"before {MARKUP} after")
    page.locator("dialog button[type=submit]").click()
    expect(page.locator("dialog .text")).to_contain_text(MARKUP)
    assert not ran(visit)
    visit.open("/files")
    file = tmp_path / "<img src=x onerror=window.ran=1>.csv"
    file.write_text(f"name,note\nReem Alharbi,{MARKUP}\n")
    page.set_input_files("#choose", [file])
    expect(page.locator(".state[data-state=ready]")).to_have_count(1, timeout=30_000)
    page.get_by_role("button", name="Before and after").click()
    expect(page.locator("dialog .written").nth(0)).to_contain_text(MARKUP)
    assert not ran(visit)


@pytest.mark.clause("DASH-14")
@pytest.mark.slow
def test_a_registration_with_markup_is_refused_or_text(visit: Visit) -> None:
    page = visit.page
    page.click("#sign-out")
    page.wait_for_url(f"{visit.url}/sign-in")
    page.request.post(
        f"{visit.url}/auth/register",
        data={"email": "<b>x</b>@example.com", "password": "long enough"},
        headers={"Origin": visit.url},
    )
    visit.open("/")
    assert page.locator(".account b").count() == 0


@pytest.fixture
def foreign_page() -> Iterator[str]:
    """A page of another origin on the same host, whose requests carry the dashboard's cookie."""

    class Page(BaseHTTPRequestHandler):
        def do_GET(self) -> None:
            self.send_response(200)
            self.send_header("Content-Type", "text/html")
            self.end_headers()
            self.wfile.write(b"<!doctype html><title>foreign</title>")

        def log_message(self, *_: object) -> None: ...

    with ThreadingHTTPServer(("127.0.0.1", 0), Page) as server:
        threading.Thread(target=server.serve_forever, daemon=True).start()
        yield f"http://127.0.0.1:{server.server_port}/"
        server.shutdown()


FORGED = [
    ("POST", "/v1/keys", '{"name": "forged"}'),
    ("POST", "/v1/glossaries", '{"name": "forged", "entries": []}'),
    ("POST", "/auth/logout", ""),
    ("POST", "/api/v1/redact", '{"text": "Reem Alharbi"}'),
]


@pytest.mark.clause("DASH-15")
@pytest.mark.parametrize(
    ("method", "path", "body"), [FORGED[0], *(pytest.param(*call, marks=pytest.mark.slow) for call in FORGED[1:])]
)
def test_a_foreign_page_forges_nothing(visit: Visit, foreign_page: str, method: str, path: str, body: str) -> None:
    page = visit.page
    visit.asked.clear()
    page.goto(foreign_page)
    with page.expect_response(lambda answer: answer.url == visit.url + path) as answered:
        page.evaluate(
            "([url, options]) => fetch(url, {...options, mode: 'no-cors', credentials: 'include'}).catch(() => 0)",
            [visit.url + path, {"method": method, "body": body}],
        )
    assert answered.value.status == 403
    visit.asked.clear()
    visit.problems.clear()  # the refusal
    visit.open("/keys")
    assert page.url == f"{visit.url}/keys"  # still signed in
    expect(page.locator("#keys tr")).to_have_count(0)


@pytest.mark.clause("DASH-13")
def test_pages_refuse_frames_inline_scripts_and_other_origins(server: Server) -> None:
    headers = httpx.get(f"{server.url}/sign-in").headers
    policy = dict(part.strip().split(" ", 1) for part in headers["content-security-policy"].split(";"))
    assert policy["default-src"] == policy["frame-ancestors"] == policy["base-uri"] == "'none'"
    assert policy["script-src"] == policy["style-src"] == policy["connect-src"] == "'self'"
    assert headers["x-content-type-options"] == "nosniff"
    assert headers["cache-control"] == "no-store"


@pytest.mark.clause("DASH-16")
@pytest.mark.parametrize(
    "path", ["/static/../pages.py", "/static/%2e%2e/pages.py", "/static/en.json", "/static/", "/static/x.js"]
)
def test_static_files_are_a_closed_list(server: Server, path: str) -> None:
    assert httpx.get(server.url + path).status_code == 404


@pytest.mark.clause("DASH-16")
def test_static_files_are_compressed_and_known_again(server: Server) -> None:
    first = httpx.get(f"{server.url}/static/common.js", headers={"Accept-Encoding": "gzip"})
    assert first.headers["content-encoding"] == "gzip"
    assert httpx.get(f"{server.url}/static/common.js", headers={"Accept-Encoding": "identity"}).text == first.text
    assert (
        httpx.get(f"{server.url}/static/common.js", headers={"If-None-Match": first.headers["etag"]}).status_code == 304
    )
