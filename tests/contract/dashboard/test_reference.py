"""`/docs` in a browser: all is shown, found and tried under the page's policy, and nothing leaves."""

import json

import pytest
from playwright.sync_api import expect

from examples.server import Server
from tests.contract.dashboard import accessibility
from tests.contract.dashboard.conftest import Visit


@pytest.mark.slow
@pytest.mark.clause("HTTP-45")
def test_operations_are_found_and_tried(visit: Visit, server: Server) -> None:
    page = visit.page
    visit.open("/docs")
    shown = page.locator(".opblock")
    document = json.loads(page.request.get(f"{visit.url}/docs/openapi.json").text())
    everything = sum(len(operations) for operations in document["paths"].values())
    expect(shown).to_have_count(everything)
    page.get_by_label("Search operations").fill("redact many")
    expect(shown).to_have_count(0)
    page.get_by_label("Search operations").fill("redact text call")
    expect(shown.first).to_be_visible()
    assert 0 < shown.count() < everything
    page.get_by_label("Search operations").fill("/api/v1/redact placeholders")
    redact = page.locator("#operations-text-redact_text_api_v1_redact_post, .opblock", has_text="/api/v1/redact").first
    redact.locator(".opblock-summary-control").click()
    expect(redact.locator(".opblock-description")).to_contain_text("curl -s -X POST $BASE/api/v1/redact")
    expect(redact.locator(".responses-table").first).to_contain_text("402")
    redact.locator(".try-out__btn").click()
    redact.locator("textarea.body-param__text").fill(json.dumps({"text": "call 0501234567"}))
    redact.locator(".execute").click()  # with the session of the dashboard
    expect(redact.locator(".live-responses-table .response-col_status").last).to_contain_text("200")
    expect(redact.locator(".live-responses-table")).to_contain_text("call PHONE_01")
    visit.shot("reference")


@pytest.mark.clause("HTTP-45")
@pytest.mark.slow
def test_a_key_authorizes(visit: Visit, server: Server) -> None:
    page = visit.page
    page.context.clear_cookies()
    visit.open("/docs")
    page.locator(".authorize").first.click()
    page.locator(".auth-container input").first.fill(server.key)
    page.locator(".auth-btn-wrapper .authorize").first.click()
    page.locator(".btn-done").first.click()
    block = page.locator(".opblock", has_text="/api/v1/balance").first
    block.locator(".opblock-summary-control").click()
    block.locator(".try-out__btn").click()
    block.locator(".execute").click()
    expect(block.locator(".live-responses-table")).to_contain_text("free_tokens")
    stored = page.evaluate(
        "JSON.stringify(Object.entries(localStorage)) + JSON.stringify(Object.entries(sessionStorage))"
    )
    assert server.key not in stored  # a key stays in the page's memory


@pytest.mark.slow
@pytest.mark.clause("HTTP-45")
def test_it_can_be_read_by_everybody(visit: Visit) -> None:
    """No serious finding of axe, folded and unfolded; Arabic samples run from right to left."""
    page = visit.page
    visit.open("/docs")
    for opened in (False, True):
        if opened:
            page.locator(".opblock", has_text="/api/v1/redact").first.locator(".opblock-summary-control").click()
            expect(page.locator(".responses-table").first).to_be_visible()
        accessibility.check(page)
    sample = page.locator("pre", has_text="رقم الهوية").first
    assert sample.evaluate("element => getComputedStyle(element).unicodeBidi") == "plaintext"
