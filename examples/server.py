"""Starts `masker serve` in embedded mode on a free port with a data directory of its own, and stops it again."""

import contextlib
import json
import os
import socket
import subprocess
import sys
import tempfile
import time
from collections.abc import Iterator
from dataclasses import dataclass
from pathlib import Path

import httpx

MASKER = Path(sys.executable).with_name("masker")


@dataclass(frozen=True)
class Server:
    """A running server: its address, a bearer key, the log of its worker stages, and the environment it runs in."""

    url: str
    key: str
    log: Path
    environment: dict[str, str]


def masker(*arguments: str, environment: dict[str, str]) -> dict[str, object]:
    """One `masker` subcommand with `--json`; its answer."""
    done = subprocess.run(
        [MASKER, *arguments, "--json"], env=environment, capture_output=True, text=True, check=False, timeout=120
    )
    if done.returncode:
        raise SystemExit(f"masker {arguments[0]} ended with {done.returncode}:\n{done.stderr}")
    return json.loads(done.stdout)


def free_port() -> int:
    """A loopback port that nobody listens on."""
    with socket.socket() as probe:
        probe.bind(("127.0.0.1", 0))
        return int(probe.getsockname()[1])


def wait_until_ready(url: str, process: subprocess.Popen[bytes], log: Path) -> None:
    """Returns when the health probe answers; stops the demo when the server ended or 60 s passed."""
    for _ in range(600):
        if process.poll() is not None:
            raise SystemExit(f"the server ended with {process.returncode}:\n{log.read_text()}")
        with contextlib.suppress(httpx.TransportError):
            if httpx.get(f"{url}/api/v1/health/ready").status_code == 200:
                return
        time.sleep(0.1)
    raise SystemExit(f"the server was not ready after 60 s:\n{log.read_text()}")


@contextlib.contextmanager
def embedded_server(email: str = "demo@example.com", paid_tokens: int = 0, **settings: str) -> Iterator[Server]:
    """A server with one account and one key, gone with its data at the end. `settings`: MASKER_ variables."""
    with tempfile.TemporaryDirectory(prefix="masker-demo-") as folder:
        kept = {name: value for name, value in os.environ.items() if not name.startswith("MASKER_")}
        given = {f"MASKER_{name}": value for name, value in settings.items()}
        environment = {**kept, "MASKER_DATA_DIR": folder, "PYTHONUNBUFFERED": "1", **given}
        tokens = ("--paid-tokens", str(paid_tokens))
        masker("account", "create", "--email", email, *tokens, environment=environment)
        key = masker("key", "create", "--email", email, "--name", "demo", environment=environment)["key"]
        port, log = free_port(), Path(folder) / "server.log"
        with log.open("wb") as stream:
            process = subprocess.Popen(
                [MASKER, "serve", "--port", str(port)], env=environment, stdout=stream, stderr=stream, cwd=folder
            )
        try:
            url = f"http://127.0.0.1:{port}"
            wait_until_ready(url, process, log)
            yield Server(url, str(key), log, environment)
        finally:
            process.terminate()
            try:
                process.wait(timeout=20)
            except subprocess.TimeoutExpired:
                process.kill()
