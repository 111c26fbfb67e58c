"""One server and one browser for all; every test has an account and a browser context of its own."""

import os
import secrets
import shutil
from collections.abc import Callable, Iterator
from dataclasses import dataclass, field
from pathlib import Path

import pytest
from playwright.sync_api import Browser, BrowserContext, Page, Request, sync_playwright

from examples.server import Server
from tests.servers.embedded import Embedded

SCREENSHOTS = Path(__file__).parents[3] / "build" / "screenshots"
PASSWORD = "correct horse battery"
_IDLE = "() => new Promise(done => setTimeout(() => requestIdleCallback(done), 40))"


@pytest.fixture(scope="package")
def server(embedded: Embedded) -> Server:
    return embedded.server


@pytest.fixture(scope="package")
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
    pending: set[Request] = field(default_factory=set)

    def open(self, path: str) -> None:
        self.pending.clear()
        self.page.goto(self.url + path)
        self.settle()

    def settle(self) -> None:
        """Returns when the page waits for nobody and has nothing to do."""
        quiet = 0
        while quiet < 2:
            self.page.evaluate(_IDLE)
            quiet = 0 if self.pending else quiet + 1

    def enter(self) -> None:
        """The first page, for somebody who has just registered."""
        form = {"email": self.email, "password": PASSWORD}
        answer = self.page.request.post(f"{self.url}/auth/register", data=form, headers={"Origin": self.url})
        assert answer.ok, answer.text()
        self.open("/")

    def sign_up(self) -> None:
        """The same, by the form."""
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
        page.on("request", lambda request: (visit.asked.append(request.url), visit.pending.add(request)))
        page.on("requestfinished", lambda request: visit.pending.discard(request))
        page.on("requestfailed", lambda request: visit.pending.discard(request))
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
    """A visitor who has just registered."""
    found = visitor()
    found.enter()
    return found
