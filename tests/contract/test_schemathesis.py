"""Every operation keeps what the published description says of it, whatever is sent: schemathesis asks a server."""

import subprocess
import sys
from collections.abc import Iterator
from pathlib import Path

import httpx
import pytest

from tests.api.proxy.provider import ScriptedProvider
from tests.api.serving import Served, serving, settings_for
from tests.contract.browsers import page, registered

SCHEMATHESIS = Path(sys.executable).parent / "schemathesis"
CONFIGURATION = Path(__file__).parent / "schemathesis.toml"
MANY = 10**6


@pytest.fixture(scope="module")
def generous(tmp_path_factory: pytest.TempPathFactory) -> Iterator[Served]:
    """A server on which no quota ends the run."""
    quotas = dict.fromkeys(("rate_limit_per_minute", "login_attempts_per_minute", "daily_uploads"), MANY)
    quotas |= dict.fromkeys(("concurrent_jobs", "active_files"), MANY)
    provider = ScriptedProvider()
    provider.play = lambda turn: turn.send(200, b"{}")
    urls = {"anthropic_base_url": provider.url, "openai_base_url": provider.url}
    settings = settings_for(tmp_path_factory.mktemp("generous"), free_tokens_per_day=10**9, **quotas, **urls)
    with serving(settings) as served:
        yield served
    provider.close()


def environment(served: Served) -> dict[str, str]:
    """An account's credentials, and the ids of things that it has."""
    session = registered(served.url).cookies["masker_session"]
    with page(served.url, session) as browser:
        key, other = (browser.post("/v1/keys", json={"name": "key"}).json() for _ in range(2))
    with httpx.Client(base_url=served.url, headers={"Authorization": f"Bearer {key['key']}"}) as client:
        glossary = client.post("/v1/glossaries", json={"name": "glossary", "entries": []}).json()
        file = client.post("/api/v1/files/redact", files={"file": ("a.csv", b"a,b\n", "text/csv")}).json()
    return {
        "BEARER": key["key"],
        "SESSION": session,
        "KEY_ID": other["id"],
        "GLOSSARY_ID": glossary["id"],
        "FILE_ID": file["file_id"],
    }


def finds_nothing(served: Served, folder: Path, *arguments: str) -> None:
    command = [SCHEMATHESIS, "--config-file", CONFIGURATION, "run", f"{served.url}/docs/openapi.json", "--no-color"]
    done = subprocess.run(
        [*command, *arguments],
        cwd=folder,
        env={"PATH": "/usr/bin:/bin", "HOME": str(folder), **environment(served)},
        capture_output=True,
        text=True,
        check=False,
    )
    assert done.returncode == 0, done.stdout[-20_000:] + done.stderr[-2_000:]
    assert "Tested: " in done.stdout


@pytest.mark.clause("HTTP-15")
@pytest.mark.slow
def test_examples_and_edges(generous: Served, tmp_path: Path) -> None:
    """Every example, and every bound and type of every field, once kept and once broken."""
    finds_nothing(generous, tmp_path, "--phases", "examples,coverage", "--generation-deterministic")


@pytest.mark.clause("HTTP-03", "HTTP-06")
@pytest.mark.slow
def test_whatever_is_sent(generous: Served, tmp_path: Path) -> None:
    """Random bodies, and chains of calls in which one uses what another answered."""
    arguments = ["--max-examples", "80", "--phases", "examples,coverage,fuzzing,stateful"]
    finds_nothing(generous, tmp_path, *arguments, "--generation-database", "none")
