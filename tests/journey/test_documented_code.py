"""The blocks of Python and shell in README and docs, run as they stand: a real server, and a scripted provider.

Those of the README's shell are run by tests/test_readme.py, that of JavaScript by the dashboard's tests.
"""

import base64
import contextlib
import hmac
import io
import json
import os
import re
import subprocess
import sys
import time
from collections.abc import Callable
from pathlib import Path
from typing import Any

import httpx
import pytest

from examples.demo import DOCUMENTS
from examples.server import Server
from masker.client import Masker, WebhookError, webhook_secret
from tests.servers.embedded import Embedded

ROOT = Path(__file__).parents[2]
PAGES = sorted(path.relative_to(ROOT) for path in (*ROOT.glob("*.md"), *ROOT.glob("docs/**/*.md")))
Names = dict[str, Any]


def blocks(page: Path, language: str = "python|py") -> list[str]:
    return re.findall(rf"(?ms)^```(?:{language})\n(.*?)^```$", (ROOT / page).read_text("utf-8"))


@pytest.fixture(scope="module")
def server(embedded: Embedded) -> Server:
    embedded.scripted()
    return embedded.account()


def run(code: str, server: Server, names: Names) -> str:
    """Runs a block with this server's address and key in place of its samples; what it printed."""
    for sample in ("http://127.0.0.1:8000", "https://masker.example"):
        code = code.replace(sample, server.url)
    code = re.sub(r"mk_live_[.…]+|YOUR_KEY", server.key, code).replace("sk-ant-…", "sk-ant-x")
    said = io.StringIO()
    with contextlib.redirect_stdout(said):
        exec(code, names)
    return said.getvalue()


def _opens_by_constants(code: str, server: Server, _: Path) -> None:
    text = "I am Noura Salem Almithali, national ID 1058374925"
    headers = {"Authorization": f"Bearer {server.key}"}
    answer = httpx.post(f"{server.url}/api/v1/mask", json={"text": text}, headers=headers).json()
    names = {"answer": answer, "key": server.key, "reply": f"Sure: {answer['masked_text']}"}
    run(code, server, names)
    assert answer["masked_text"] != text
    assert names["reply"] == f"Sure: {text}"


def _uses_the_client(code: str, server: Server, _: Path) -> None:
    names: Names = {"key": server.key}
    assert run(code, server, names) == "I am Noura Salem Almithali, national ID 1058374925\n"
    assert b"PERSON_NAME_01" in names["clean"]


def _asks_anthropic(code: str, server: Server, _: Path) -> None:
    import anthropic

    names = {"anthropic": anthropic, "key": server.key}
    run(code, server, names)
    asked = "I am Noura Salem Almithali, noura@example.com."
    reply = names["client"].messages.create(  # type: ignore[attr-defined]
        model="claude-sonnet-4-5", max_tokens=99, messages=[{"role": "user", "content": asked}]
    )
    assert reply.content[0].text == asked


def _streams_from_anthropic(code: str, server: Server, _: Path) -> None:
    assert run(code, server, {}) == "I am Noura Salem Almithali, noura@example.com. Greet me by name."


def _asks_openai(code: str, server: Server, _: Path) -> None:
    assert run(code, server, {}) == "أنا نورة سالم المثلي، جوالي 0501234567. رحّب بي باسمي.\n"


def _checks_a_report(code: str, server: Server, folder: Path) -> None:
    from cryptography.exceptions import InvalidSignature

    with Masker(server.url, server.key) as masker:
        file_id = masker.upload(DOCUMENTS / "payroll.csv")["file_id"]
        masker.wait(file_id)
        report: dict[str, Any] = dict(masker.report(file_id))
    (folder / "report.json").write_text(json.dumps(report))
    (folder / "key.json").write_text(httpx.get(f"{server.url}/api/v1/files/report-key").text)
    with contextlib.chdir(folder):
        run(code, server, {})
        report["report"]["residual_count"] = 7
        Path("report.json").write_text(json.dumps(report))
        with pytest.raises(InvalidSignature):
            run(code, server, {})


def _checks_a_call(code: str, server: Server, _: Path) -> None:
    body, moment = b'{"type":"file.ready"}', str(int(time.time()))
    secret = base64.b64decode(webhook_secret(server.key).removeprefix("whsec_"))
    signature = base64.b64encode(hmac.digest(secret, f"one.{moment}.".encode() + body, "sha256")).decode()
    headers = {"webhook-id": "one", "webhook-timestamp": moment, "webhook-signature": f"v1,{signature}"}
    names = {"body": body, "headers": headers}
    run(code, server, names)
    assert names["event"] == {"type": "file.ready"}
    with pytest.raises(WebhookError):
        run(code, server, {"body": body + b" ", "headers": headers})


RUN: dict[tuple[str, str], Callable[[str, Server, Path], None]] = {
    ("README.md", "HKDF"): _opens_by_constants,
    ("README.md", "with Masker("): _uses_the_client,
    ("README.md", "anthropic.Anthropic"): _asks_anthropic,
    ("docs/guides/reports.md", "Ed25519PublicKey"): _checks_a_report,
    ("docs/interface/proxy.md", "anthropic.Anthropic"): _asks_anthropic,
    ("docs/interface/webhooks.md", "verify_webhook"): _checks_a_call,
    ("docs/proxy.md", "messages.stream"): _streams_from_anthropic,
    ("docs/proxy.md", "openai.OpenAI"): _asks_openai,
}


@pytest.mark.parametrize("where", RUN, ids=" ".join)
def test_a_block_does_what_its_page_says(where: tuple[str, str], server: Server, tmp_path: Path) -> None:
    page, containing = where
    [code] = [block for block in blocks(Path(page)) if containing in block]
    RUN[where](code, server, tmp_path)


def shell(code: str, server: Server, folder: Path, **names: str) -> str:
    """Runs a block in a folder with this server's address in place of its samples; what it printed."""
    for sample in ("http://127.0.0.1:8000", "https://masker.example"):
        code = code.replace(sample, server.url)
    programs = f"{Path(sys.executable).parent}:{os.environ['PATH']}"
    done = subprocess.run(
        ["bash", "-euo", "pipefail", "-c", code],
        cwd=folder, capture_output=True, text=True, timeout=60, check=False,
        env={**os.environ, "PATH": programs, "BASE": server.url, "KEY": server.key, **names},
    )  # fmt: skip
    assert done.returncode == 0, done.stderr
    return done.stdout


def _fetches_and_checks_a_report(code: str, server: Server, folder: Path) -> None:
    with Masker(server.url, server.key) as masker:
        file_id = masker.upload(DOCUMENTS / "customer-letter.pdf")["file_id"]
        masker.wait(file_id)
        (folder / "redacted.pdf").write_bytes(masker.download(file_id))
    said = shell(code, server, folder, FILE_ID=file_id)
    assert "signature: good" in said and "file: matches" in said


def _sends_a_letter(code: str, server: Server, folder: Path) -> None:
    (folder / "letter.pdf").write_bytes((DOCUMENTS / "customer-letter.pdf").read_bytes())
    with Masker(server.url, server.key) as masker:
        file_id = masker.upload(folder / "letter.pdf")["file_id"]
        masker.wait(file_id)
    assert '"state":"ready"' in shell(code, server, folder, FILE_ID=file_id).replace(" ", "")
    assert (folder / "letter-redacted.pdf").read_bytes().startswith(b"%PDF")


def _asks_by_curl(code: str, server: Server, folder: Path) -> None:
    said = json.loads(shell(code, server, folder, MASKER_KEY=server.key, PROVIDER_KEY="sk-x"))
    assert said["choices"][0]["message"]["content"] == "Write to noura@example.com"


RUN_IN_SHELL: dict[str, Callable[[str, Server, Path], None]] = {
    "docs/guides/reports.md": _fetches_and_checks_a_report,
    "docs/interface/files.md": _sends_a_letter,
    "docs/proxy.md": _asks_by_curl,
}
# Whole suites and minutes of measuring, for contributors; an audit that asks a server on the internet.
NOT_RUN = {"CONTRIBUTING.md", "SECURITY.md", "docs/contributing/scans.md"}


@pytest.mark.parametrize("page", RUN_IN_SHELL)
def test_a_shell_block_does_what_its_page_says(page: str, server: Server, tmp_path: Path) -> None:
    [code] = blocks(Path(page), "sh|bash")
    RUN_IN_SHELL[page](code, server, tmp_path)


def test_every_block_is_run() -> None:
    unrun = [
        (str(page), block)
        for page in PAGES
        for block in blocks(page)
        if not any(str(page) == name and containing in block for name, containing in RUN)
    ]
    assert unrun == []
    in_shell = {str(page) for page in PAGES if blocks(page, "sh|bash")}
    assert in_shell == {*RUN_IN_SHELL, *NOT_RUN, "README.md"}
