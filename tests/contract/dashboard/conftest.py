"""One server and one browser for each module; every test has an account and a browser context of its own."""

import os
import secrets
import shutil
from collections.abc import Callable, Iterator
from dataclasses import dataclass, field
from pathlib import Path

import pytest
from playwright.sync_api import Browser, BrowserContext, Page, sync_playwright

from examples.server import Server, embedded_server

SCREENSHOTS = Path(__file__).parents[3] / "build" / "screenshots"
PASSWORD = "correct horse battery"


@pytest.fixture(scope="module")
def server() -> Iterator[Server]:
    limits = {"RATE_LIMIT_PER_MINUTE": "100000", "LOGIN_ATTEMPTS_PER_MINUTE": "100000"}
    with embedded_server("operator@example.com", **limits) as running:
        yield running


@pytest.fixture(scope="module")
def browser() -> Iterator[Browser]:
    program = shutil.which("chromium")
    if program is None:
        pytest.fail("chromium is not installed (run scripts/setup)", pytrace=False)
    # Chromium's own sandbox refuses to run as root; it shows pages of this test's server only.
    flags = ["--no-sandbox"] if os.geteuid() == 0 else []
    with sync_playwright() as playwright:
        launched = playwright.chromium.launch(executable_path=program, args=flags)
        yield launched
        launched.close()


@dataclass
class Visit:
    """A browser window with what went wrong in it, and the addresses that it asked."""

    page: Page
    url: str
    email: str
    problems: list[str] = field(default_factory=list)
    asked: list[str] = field(default_factory=list)

    def open(self, path: str) -> None:
        self.page.goto(self.url + path)
        self.page.wait_for_load_state("networkidle")

    def sign_up(self) -> None:
        self.open("/sign-up")
        self.page.fill("[name=email]", self.email)
        self.page.fill("[name=password]", PASSWORD)
        self.page.click("button[type=submit]")
        self.page.wait_for_url(f"{self.url}/")

    def shot(self, name: str) -> None:
        SCREENSHOTS.mkdir(parents=True, exist_ok=True)
        self.page.screenshot(path=SCREENSHOTS / f"{name}.png", full_page=True)


@pytest.fixture
def visitor(server: Server, browser: Browser) -> Iterator[Callable[..., Visit]]:
    """Makes visitors; what their browsers complained about fails the test."""
    contexts: list[BrowserContext] = []
    visits: list[Visit] = []

    def make(**options: object) -> Visit:
        context = browser.new_context(**{"locale": "en-GB", "viewport": {"width": 1280, "height": 800}} | options)  # type: ignore[arg-type]
        contexts.append(context)
        page = context.new_page()
        visit = Visit(page, server.url, f"{secrets.token_hex(6)}@example.com")
        page.on("pageerror", lambda error: visit.problems.append(str(error)))
        page.on("console", lambda line: visit.problems.append(line.text) if line.type == "error" else None)
        page.on("request", lambda request: visit.asked.append(request.url))
        visits.append(visit)
        return visit

    yield make
    for context in contexts:
        context.close()
    assert [problem for visit in visits for problem in visit.problems if "401" not in problem] == []
    own = (server.url, "blob:", "data:")
    assert [asked for visit in visits for asked in visit.asked if not asked.startswith(own)] == []


@pytest.fixture
def visit(visitor: Callable[..., Visit]) -> Visit:
    """A visitor who has just signed up."""
    found = visitor()
    found.sign_up()
    return found
