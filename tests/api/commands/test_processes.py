"""`masker serve --processes`: several API processes on one socket, over real servers, that act as one."""

import base64
import json
import os
import secrets
import signal
import subprocess
import time
from collections import Counter
from collections.abc import Callable, Iterator
from concurrent.futures import ThreadPoolExecutor
from contextlib import suppress
from pathlib import Path

import httpx
import pytest

from examples.server import MASKER, free_port, masker, wait_until_ready
from tests.servers.process import descendants

LIMIT = 30


@pytest.fixture
def environment(tmp_path: Path, postgres_url: str, redis_url: str) -> dict[str, str]:
    variables = {
        "PATH": os.environ["PATH"],
        "MASKER_DATA_DIR": str(tmp_path / "data"),
        "MASKER_DATABASE_URL": postgres_url,
        "MASKER_REDIS_URL": redis_url,
        "MASKER_MASTER_KEY": base64.b64encode(secrets.token_bytes(32)).decode(),
        "MASKER_RATE_LIMIT_PER_MINUTE": str(LIMIT),
        "MASKER_AUTH_CACHE_SECONDS": "1",
        "MASKER_NAMES": "rules",
    }
    masker("migrate", environment=variables)
    masker("account", "create", "--email", "someone@example.com", environment=variables)
    return variables


class Front:
    """The parent process and what is below it."""

    def __init__(self, url: str, process: subprocess.Popen[bytes], log: Path) -> None:
        self.url, self.process, self._log = url, process, log

    def serving(self) -> set[int]:
        """The API processes: forks of the front, which run what it runs."""
        found, own = set(), Path(f"/proc/{self.process.pid}/cmdline").read_bytes()
        for pid in set(descendants(self.process.pid)) - {self.process.pid}:
            with suppress(OSError):
                if Path(f"/proc/{pid}/cmdline").read_bytes() == own:
                    found.add(pid)
        return found

    def lines(self) -> list[dict[str, object]]:
        return [json.loads(line) for line in self._log.read_text().splitlines()]


@pytest.fixture
def front(environment: dict[str, str], tmp_path: Path) -> Iterator[Front]:
    port, log = free_port(), tmp_path / "log"
    with log.open("wb") as stream:
        process = subprocess.Popen(
            [MASKER, "serve", "--port", str(port), "--processes", "2"],
            env=environment,
            stdout=stream,
            stderr=stream,
            cwd=tmp_path,
        )
    every = {process.pid}
    try:
        wait_until_ready(f"http://127.0.0.1:{port}", process, log)
        started = Front(f"http://127.0.0.1:{port}", process, log)
        until(lambda: len(listening(started)) == 2)
        every |= set(descendants(process.pid))
        yield started
    finally:
        every |= set(descendants(process.pid))
        process.kill()
        process.wait()
        for pid in every:
            with suppress(ProcessLookupError):
                os.kill(pid, signal.SIGKILL)


def listening(front: Front) -> list[dict[str, object]]:
    return [line for line in front.lines() if str(line["event"]).startswith("serving on") and "apart" in str(line)]


def until(done: Callable[[], bool], seconds: float = 30) -> None:
    end = time.monotonic() + seconds
    while not done():
        assert time.monotonic() < end
        time.sleep(0.05)


def key(environment: dict[str, str]) -> str:
    return str(masker("key", "create", "--email", "someone@example.com", environment=environment)["key"])


def mask(front: Front, bearer: str) -> int:
    """One call on a connection of its own."""
    headers = {"Authorization": f"Bearer {bearer}", "Connection": "close"}
    return httpx.post(f"{front.url}/api/v1/mask", json={"text": "call 0501234567"}, headers=headers).status_code


def test_limits_are_counted_together(front: Front, environment: dict[str, str]) -> None:
    bearer = key(environment)
    with ThreadPoolExecutor(8) as callers:
        statuses = Counter(callers.map(lambda _: mask(front, bearer), range(2 * LIMIT)))
    assert statuses == {200: LIMIT, 429: LIMIT}
    assert len(front.serving()) == 2


def test_a_revoked_key_is_refused_by_all(front: Front, environment: dict[str, str]) -> None:
    bearer = key(environment)
    assert {mask(front, bearer) for _ in range(8)} == {200}  # both processes remember it
    listed = masker("key", "list", "--email", "someone@example.com", environment=environment)["keys"]
    assert isinstance(listed, list)
    masker("key", "revoke", str(listed[0]["key_id"]), environment=environment)
    time.sleep(1.2)
    assert {mask(front, bearer) for _ in range(12)} == {401}


def test_one_that_dies_is_replaced_and_all_end_together(front: Front, environment: dict[str, str]) -> None:
    bearer = key(environment)
    before = front.serving()
    victim = min(before)
    os.kill(victim, signal.SIGKILL)
    until(lambda: len(listening(front)) == 3)
    assert len(front.serving()) == 2 and victim not in front.serving()
    assert {mask(front, bearer) for _ in range(6)} == {200}
    below = descendants(front.process.pid)[1:]
    front.process.send_signal(signal.SIGTERM)
    assert front.process.wait(30) == 0
    assert not [pid for pid in below if Path(f"/proc/{pid}").exists()]
    assert any(line["event"] == "an API process ended and is replaced" for line in front.lines())


def test_they_share_what_was_loaded_before_them(front: Front) -> None:
    serving = front.serving()
    assert len(serving) == 2
    for pid in serving:
        rows = (line.split() for line in Path(f"/proc/{pid}/smaps_rollup").read_text().splitlines()[1:])
        kib = {row[0]: int(row[1]) for row in rows}
        assert kib["Private_Dirty:"] < kib["Shared_Dirty:"]


def test_none_outlives_a_parent_that_is_killed(front: Front) -> None:
    below = descendants(front.process.pid)[1:]
    front.process.kill()
    front.process.wait()
    until(lambda: not [pid for pid in below if Path(f"/proc/{pid}/exe").exists()])


def test_embedded_mode_has_one_process(tmp_path: Path) -> None:
    done = subprocess.run(
        [MASKER, "serve", "--processes", "2"],
        env={"PATH": "/usr/bin:/bin", "MASKER_DATA_DIR": str(tmp_path)},
        capture_output=True,
        text=True,
        check=False,
    )
    assert done.returncode == 2
    assert "MASKER_REDIS_URL" in done.stderr
