"""A newcomer with nothing but the README: from a clone to the first redacted PDF and the first restored reply.

The minutes and the pictures are kept in build/newcomer.
"""

import json
import os
import shutil
import signal
import subprocess
import sys
import time
from collections.abc import Iterator
from pathlib import Path

import pytest
from playwright.sync_api import Browser, expect, sync_playwright

from examples.server import free_port
from tests.api.proxy.provider import ScriptedProvider
from tests.api.proxy.provider_answers import parrot

ROOT = Path(__file__).parents[2]
KEPT = ROOT / "build" / "newcomer"
QUESTION = "I am Noura Salem Almithali, national ID 1058374925. Greet me."
pytestmark = pytest.mark.slow


@pytest.fixture
def clone(tmp_path: Path) -> Path:
    """What is committed, and nothing else."""
    if not (ROOT / ".git").exists():
        pytest.skip("this is no clone")
    subprocess.run(["git", "clone", "--quiet", ROOT, tmp_path / "masker"], check=True)
    return tmp_path / "masker"


@pytest.fixture
def provider() -> Iterator[ScriptedProvider]:
    scripted = ScriptedProvider()
    scripted.begin(parrot)
    yield scripted
    scripted.close()


@pytest.fixture
def browser() -> Iterator[Browser]:
    flags = ["--no-sandbox"] if os.geteuid() == 0 else []
    with sync_playwright() as playwright:
        launched = playwright.chromium.launch(executable_path=shutil.which("chromium"), args=flags)
        yield launched
        launched.close()


def test_the_first_ten_minutes(clone: Path, provider: ScriptedProvider, browser: Browser, tmp_path: Path) -> None:
    KEPT.mkdir(parents=True, exist_ok=True)
    readme = (clone / "README.md").read_text()
    assert "`make run`" in readme and "api/v1/proxy/anthropic" in readme  # what the steps below do
    began, reached = time.monotonic(), {}
    kept = {name: value for name, value in os.environ.items() if not name.startswith(("MASKER_", "VIRTUAL_ENV"))}
    port = free_port()
    settings = {"MASKER_DATA_DIR": str(tmp_path / "data"), "MASKER_ANTHROPIC_BASE_URL": provider.url}
    with (KEPT / "make-run.log").open("wb") as log:
        serving = subprocess.Popen(
            ["make", "run", f"PORT={port}"], cwd=clone, env={**kept, **settings}, stdout=log, stderr=log,
            start_new_session=True,
        )  # fmt: skip
    try:
        page = browser.new_page()
        url = f"http://127.0.0.1:{port}"
        while serving.poll() is None and time.monotonic() - began < 900:
            try:
                page.goto(url)
                break
            except Exception:
                time.sleep(1)
        reached["the dashboard answers"] = time.monotonic() - began
        page.get_by_role("link", name="Create an account").click()
        page.fill("[name=email]", "newcomer@example.com")
        page.fill("[name=password]", "a long password")
        page.click("button[type=submit]")
        page.wait_for_url(f"{url}/")
        page.get_by_role("link", name="Files").click()
        page.set_input_files("#choose", clone / "examples" / "documents" / "customer-letter.pdf")
        expect(page.locator(".state[data-state=ready]")).to_have_count(1, timeout=120_000)
        with page.expect_download() as download:
            page.get_by_text("Download", exact=True).click()
        assert download.value.path().read_bytes().startswith(b"%PDF")
        page.screenshot(path=KEPT / "first-file.png", full_page=True)
        reached["the first redacted PDF"] = time.monotonic() - began
        page.get_by_role("link", name="Keys").click()
        page.fill("#mint [name=name]", "first")
        page.click("#mint button")
        expect(page.locator("#minted")).to_be_visible()  # the answer is there
        key = page.locator("#minted code").inner_text()
        page.screenshot(path=KEPT / "first-key.png", full_page=True)
        # The provider's library is the reader's own: it is in the environment of tests, not in the one that was set up.
        done = subprocess.run(
            [sys.executable, "-m", "examples.integrations.anthropic_chat", QUESTION],
            env={**kept, "MASKER_SERVER": url, "MASKER_API_KEY": key, "PROVIDER_KEY": "sk-ant-test"},
            cwd=clone, capture_output=True, text=True, check=False,
        )  # fmt: skip
        assert done.stdout.strip() == QUESTION, done.stderr[-2000:]
        reached["the first restored reply"] = time.monotonic() - began
    finally:
        os.killpg(serving.pid, signal.SIGTERM)
        serving.wait(timeout=60)
    received = b"".join(turn.raw for turn in provider.turns)
    assert b"MASKED_NATIONAL_ID" in received and b"1058374925" not in received
    minutes = {step: round(seconds / 60, 2) for step, seconds in reached.items()}
    (KEPT / "minutes.json").write_text(json.dumps(minutes, indent=1) + "\n")
    assert len(minutes) == 3
