"""`masker serve --processes`: several API processes on one socket, over real servers, that act as one."""

import base64
import json
import os
import re
import secrets
import signal
import subprocess
import time
from collections import Counter
from collections.abc import Callable, Iterator
from concurrent.futures import ThreadPoolExecutor
from contextlib import contextmanager, suppress
from pathlib import Path
from typing import NamedTuple
from uuid import UUID, uuid4

import httpx
import pytest
from redis import Redis

from examples.server import MASKER, free_port, wait_until_ready
from schemas.clock import utc_now
from schemas.settings import load_settings
from storage.accounts import keys
from storage.accounts import records as accounts
from storage.database import Database
from storage.opening import Storage
from tests.servers import PostgreSQL, RedisServer
from tests.servers.process import descendants

LIMIT = 30


@pytest.fixture(scope="module")
def database(postgresql: PostgreSQL) -> Iterator[str]:
    """The address of a migrated database for all servers of this module."""
    name = postgresql.create()
    opened = Database(postgresql.url(name))
    opened.migrate()
    opened.dispose()
    yield postgresql.url(name)
    postgresql.drop(name)


@pytest.fixture(scope="module")
def environment(tmp_path_factory: pytest.TempPathFactory, database: str, _redis: RedisServer) -> dict[str, str]:
    return {
        "PATH": os.environ["PATH"],
        "MASKER_DATA_DIR": str(tmp_path_factory.mktemp("data")),
        "MASKER_DATABASE_URL": database,
        "MASKER_REDIS_URL": _redis.url,
        "MASKER_MASTER_KEY": base64.b64encode(secrets.token_bytes(32)).decode(),
        "MASKER_RATE_LIMIT_PER_MINUTE": str(LIMIT),
        "MASKER_AUTH_CACHE_SECONDS": "1",
        "MASKER_NAMES": "rules",
        "MASKER_METRICS_PORT": str(free_port()),
    }


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


@contextmanager
def started(environment: dict[str, str], folder: Path) -> Iterator[Front]:
    port, log = free_port(), folder / "log"
    with log.open("wb") as stream:
        process = subprocess.Popen(
            ["prlimit", "--nofile=1024:4096", MASKER, "serve", "--port", str(port), "--processes", "2"],
            env=environment,
            stdout=stream,
            stderr=stream,
            cwd=folder,
        )
    every = {process.pid}
    try:
        wait_until_ready(f"http://127.0.0.1:{port}", process, log)
        front = Front(f"http://127.0.0.1:{port}", process, log)
        until(lambda: len(listening(front)) == 2)
        every |= set(descendants(process.pid))
        yield front
    finally:
        every |= set(descendants(process.pid))
        process.kill()
        process.wait()
        for pid in every:
            with suppress(ProcessLookupError):
                os.kill(pid, signal.SIGKILL)


@pytest.fixture(scope="module")
def front(environment: dict[str, str], tmp_path_factory: pytest.TempPathFactory) -> Iterator[Front]:
    """For tests that leave it with two processes."""
    with started(environment, tmp_path_factory.mktemp("front")) as front:
        yield front


@pytest.fixture
def ending(environment: dict[str, str], tmp_path: Path) -> Iterator[Front]:
    """For a test that ends it."""
    with started(environment, tmp_path) as front:
        yield front


def listening(front: Front) -> list[dict[str, object]]:
    return [line for line in front.lines() if str(line["event"]).startswith("serving on") and "apart" in str(line)]


def until(done: Callable[[], bool], seconds: float = 30) -> None:
    end = time.monotonic() + seconds
    while not done():
        assert time.monotonic() < end
        time.sleep(0.05)


def test_each_process_tells_its_metrics_and_how_old_the_work_is(front: Front) -> None:
    ports = {line["port"] for line in front.lines() if line["event"] == "metrics are served"}
    assert len(ports) == 2
    for port in ports:
        assert 'masker_queue_oldest_seconds{queue="ocr"} 0.0' in httpx.get(f"http://127.0.0.1:{port}/metrics").text


class Key(NamedTuple):
    """A key of an account that has no other."""

    id: UUID
    bearer: str


@pytest.fixture
def storage(environment: dict[str, str]) -> Iterator[Storage]:
    """What the server stores in, opened beside it."""
    given = {name.removeprefix("MASKER_").lower(): value for name, value in environment.items() if name != "PATH"}
    opened = Storage.open(load_settings(_env_file=None, **given))
    yield opened
    opened.close()


@pytest.fixture
def key(storage: Storage) -> Key:
    with storage.database.transaction() as session:
        now = utc_now()
        account = accounts.create(session, email=f"{uuid4()}@example.com", password_hash="-", now=now)
        pepper = keys.pepper(session, storage.keyring)
        row, bearer = keys.mint(session, pepper, account_id=account.id, name="test", now=now)
        return Key(row.id, bearer)


def mask(front: Front, bearer: str) -> int:
    """One call on a connection of its own."""
    headers = {"Authorization": f"Bearer {bearer}", "Connection": "close"}
    return httpx.post(f"{front.url}/api/v1/mask", json={"text": "call 0501234567"}, headers=headers).status_code


def test_limits_are_counted_together(front: Front, key: Key, _redis: RedisServer) -> None:
    with Redis.from_url(_redis.url) as redis:
        before = set(redis.keys("masker:rate:*"))
        with ThreadPoolExecutor(8) as callers:
            statuses = Counter(callers.map(lambda _: mask(front, key.bearer), range(2 * LIMIT)))
        counted = [redis.llen(name) for name in set(redis.keys("masker:rate:*")) - before]
    assert counted == [LIMIT]  # in one place for both; a call that a busy machine answers late goes on uncounted
    assert statuses.keys() == {200, 429}
    assert statuses[200] >= LIMIT
    assert len(front.serving()) == 2


def test_a_revoked_key_is_refused_by_all(front: Front, key: Key, storage: Storage) -> None:
    assert {mask(front, key.bearer) for _ in range(8)} == {200}  # both processes remember it
    with storage.database.transaction() as session:
        keys.revoke(session, key.id, utc_now())
    time.sleep(1.2)
    assert {mask(front, key.bearer) for _ in range(12)} == {401}


def test_they_share_what_was_loaded_before_them(front: Front) -> None:
    serving = front.serving()
    assert len(serving) == 2
    for pid in serving:
        rows = (line.split() for line in Path(f"/proc/{pid}/smaps_rollup").read_text().splitlines()[1:])
        kib = {row[0]: int(row[1]) for row in rows}
        assert kib["Private_Dirty:"] < kib["Shared_Dirty:"]


def test_they_may_hold_as_many_connections_as_the_system_allows(front: Front) -> None:
    def limits() -> list[str]:
        return [Path(f"/proc/{pid}/limits").read_text() for pid in front.serving()]

    until(lambda: all(re.search(r"^Max open files +4096 +4096 ", each, re.MULTILINE) for each in limits()))


def test_one_that_dies_is_replaced(front: Front, key: Key) -> None:
    before, said = front.serving(), len(listening(front))
    victim = min(before)
    os.kill(victim, signal.SIGKILL)
    until(lambda: len(listening(front)) == said + 1)
    assert len(front.serving()) == 2 and victim not in front.serving()
    assert {mask(front, key.bearer) for _ in range(6)} == {200}
    assert any(line["event"] == "an API process ended and is replaced" for line in front.lines())


def test_all_end_together(ending: Front) -> None:
    below = descendants(ending.process.pid)[1:]
    assert len(ending.serving()) == 2
    ending.process.send_signal(signal.SIGTERM)
    assert ending.process.wait(30) == 0
    assert not [pid for pid in below if Path(f"/proc/{pid}").exists()]


def test_none_outlives_a_parent_that_is_killed(ending: Front) -> None:
    below = descendants(ending.process.pid)[1:]
    ending.process.kill()
    ending.process.wait()
    until(lambda: not [pid for pid in below if Path(f"/proc/{pid}/exe").exists()])


@pytest.mark.slow
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
