"""The README is true: its tour and its shell lines are run as they stand."""

import os
import re
import subprocess
import sys
from pathlib import Path

import pytest

from examples.server import Server
from tests.servers.embedded import Embedded

ROOT = Path(__file__).parents[1]
README = (ROOT / "README.md").read_text()
TEXT = "I am Noura Salem Almithali, national ID 1058374925"


def block(language: str, containing: str) -> str:
    """The README's fenced block of that language with that text in it."""
    blocks = re.findall(rf"```{language}\n(.*?)```", README, re.DOTALL)
    return next(code for code in blocks if containing in code)


def shell(script: str, environment: dict[str, str], folder: Path = ROOT) -> str:
    done = subprocess.run(
        ["bash", "-euo", "pipefail", "-c", script],
        cwd=folder,
        env=environment,
        capture_output=True,
        text=True,
        timeout=100,
        check=False,
        stdin=subprocess.DEVNULL,
    )
    assert done.returncode == 0, done.stderr
    return done.stdout


@pytest.fixture(scope="module")
def server(embedded: Embedded) -> Server:
    return embedded.server


def test_the_curl_tour(server: Server) -> None:
    script = block("sh", "curl").replace("http://127.0.0.1:8000", server.url)
    said = shell(script, {**os.environ, **server.environment})
    assert '"status":"ok"' in said.replace(" ", "")
    assert "<MASKED_NATIONAL_ID_" in said
    assert "NATIONAL_ID_01" in said
    downloaded = said[said.rindex("الاسم") :]
    assert "PERSON_NAME_01" in downloaded
    assert "1072645185" not in downloaded


def test_the_shell_lines(tmp_path: Path) -> None:
    script = re.sub(r"letter-re(dacted|port)\.", rf"{tmp_path}/\g<0>", block("sh", "redact-file"))
    path = f"{Path(sys.executable).parent}:{os.environ['PATH']}"
    said = shell(script, {**os.environ, "PATH": path, "MASKER_DATA_DIR": str(tmp_path)})
    assert said.startswith("call PERSON_NAME_01 on PHONE_01")
    assert (tmp_path / "letter-redacted.pdf").read_bytes().startswith(b"%PDF")
    assert "signature: good" in said and "file: matches" in said


def test_every_make_target_that_the_readme_names_exists() -> None:
    makefile = (ROOT / "Makefile").read_text()
    for target in set(re.findall(r"`?make ([a-z-]+)", README)):
        assert re.search(rf"^{target}:", makefile, re.MULTILINE), target
