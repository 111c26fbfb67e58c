"""docs/proxy.md is true: its snippets run as they stand, but for the address and the keys."""

import json
import os
import re
import subprocess
from pathlib import Path
from typing import Any

import pytest

from tests.api.proxy.conftest import PROVIDER_KEY
from tests.api.proxy.provider import ScriptedProvider
from tests.api.serving import Account, Served

DOCUMENT = (Path(__file__).parents[3] / "docs" / "proxy.md").read_text("utf-8")
SERVER = "http://127.0.0.1:8000"


def blocks(language: str) -> list[str]:
    return re.findall(rf"```{language}\n(.*?)```", DOCUMENT, re.DOTALL)


@pytest.mark.parametrize("snippet", blocks("python"))
def test_the_python_snippets(
    served: Served, account: Account, provider: ScriptedProvider, snippet: str, capsys: pytest.CaptureFixture[str]
) -> None:
    """Against a provider that says what it is told: the question comes back, and went out masked."""
    keys = re.sub(r'"sk-[a-z-]*\.\.\."', f'"{PROVIDER_KEY}"', snippet.replace("mk_live_...", account.bearer))
    space: dict[str, Any] = {}
    exec(compile(keys.replace(SERVER, served.url), "docs/proxy.md", "exec"), space)
    assert space["question"] in capsys.readouterr().out
    assert "<MASKED_PERSON_" in provider.received.decode()
    space["client"].close()


def test_the_curl_snippet(served: Served, account: Account, provider: ScriptedProvider) -> None:
    (snippet,) = blocks("sh")
    environment = {**os.environ, "MASKER_KEY": account.bearer, "PROVIDER_KEY": PROVIDER_KEY}
    done = subprocess.run(
        ["bash", "-c", snippet.replace(SERVER, served.url)], env=environment, capture_output=True, text=True, check=True
    )
    assert "Write to noura@example.com" in done.stdout
    assert "noura@example.com" not in provider.received.decode()


def test_every_error_is_listed(served: Served) -> None:
    """Each code that the API's description has of the proxy."""

    description = json.loads((Path(__file__).parents[3] / "docs" / "openapi.json").read_text("utf-8"))
    found = set(re.findall(r'"error": "(\w+)"', json.dumps(description)))
    assert len(found) > 8
    assert not [code for code in found if f"`{code}`" not in DOCUMENT]
