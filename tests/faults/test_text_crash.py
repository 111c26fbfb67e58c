"""API processes are killed between charges and answers, under load: what was not answered is refunded, nothing else."""

import base64
import os
import secrets
import signal
import subprocess
import sys
from collections import Counter
from collections.abc import Callable, Iterator
from contextlib import contextmanager, suppress
from itertools import count
from pathlib import Path
from threading import Event, Thread
from time import monotonic
from uuid import UUID

import httpx
import pytest
from sqlmodel import col, func, select

from api.services.abandoned_charges import LOOKS, AbandonedCharges
from api.services.open_charges import OpenCharges
from examples.server import free_port, wait_until_ready
from schemas.clock import utc_now
from schemas.settings import load_settings
from storage import charging_leases
from storage.accounts import keys
from storage.accounts import records as accounts
from storage.opening import Storage
from storage.tables import Entry, Purse
from tests.faults.plant import ROOT
from tests.servers.process import descendants

LARGE = 200_000  # words of a text that takes seconds
FREE, PAID = 400_000, 20_000_000
CALLERS = 6
_ENOUGH = 30  # answered calls
_RENEWALS = 3  # after which a call that was answered is known to be
_PATIENCE = 120  # seconds


class Crash:
    """A server over stores that outlive it, and one account."""

    def __init__(self, environment: dict[str, str], folder: Path, processes: int) -> None:
        self._log, self._processes, self._port = folder / "log", processes, str(free_port())
        self._environment = {
            **environment,
            "PATH": "/usr/bin:/bin",
            "MASKER_DATA_DIR": str(folder / "data"),
            "MASKER_MASTER_KEY": base64.b64encode(secrets.token_bytes(32)).decode(),
            "MASKER_FREE_TOKENS_PER_DAY": str(FREE),
            "MASKER_RATE_LIMIT_PER_MINUTE": "1000000",
            "MASKER_NAMES": "rules",
        }
        named = {name[7:].lower(): value for name, value in self._environment.items() if name.startswith("MASKER_")}
        self.storage = Storage.open(load_settings(_env_file=None, **named))
        self.storage.database.migrate()
        with self.storage.database.transaction() as session:
            now, pepper = utc_now(), keys.pepper(session, self.storage.keyring)
            row = accounts.create(session, email="a@example.com", password_hash="-", now=now, paid_tokens=PAID)
            _, self._bearer = keys.mint(session, pepper, account_id=row.id, name="test", now=now)
        self._account_id = row.id
        self._sizes = count(1)
        self.answered: list[int] = []  # words of each; no two texts have as many
        self.unanswered: list[int] = []

    @contextmanager
    def server(self) -> Iterator[subprocess.Popen[bytes]]:
        """`masker serve`, ended with all its processes by SIGKILL."""
        command = [sys.executable, "-m", "api.cli", "serve", "--port", self._port, "--processes", str(self._processes)]
        with self._log.open("ab") as stream:
            process = subprocess.Popen(command, env=self._environment, stdout=stream, stderr=stream, cwd=ROOT)
        try:
            wait_until_ready(f"http://127.0.0.1:{self._port}", process, self._log)
            yield process
        finally:
            for pid in reversed(descendants(process.pid)):  # the children first: they would end well without a parent
                with suppress(ProcessLookupError):
                    os.kill(pid, signal.SIGKILL)
            process.wait(30)

    def load(self) -> list[Thread]:
        """Callers that call one after the other until one is not answered."""
        callers = [Thread(target=self._call_on) for _ in range(CALLERS)]
        for caller in callers:
            caller.start()
        return callers

    def large(self) -> Thread:
        """One call with a text that takes seconds."""
        caller = Thread(target=self._call, args=(LARGE + next(self._sizes),))
        caller.start()
        return caller

    def taken(self) -> Counter[int]:
        """How often each number of words was charged and not refunded; 0 for what was."""
        taken: Counter[str] = Counter()
        words: dict[str, int] = {}
        with self.storage.database.reading() as session:
            lines = session.exec(select(Entry).where(col(Entry.account_id) == self._account_id)).all()
        for line in lines:
            if line.kind != "credit":
                taken[line.reference] -= line.free_tokens + line.paid_tokens
            if line.kind == "charge":
                words[line.reference] = -line.free_tokens - line.paid_tokens
        assert all(taken[reference] in (0, size) for reference, size in words.items())
        return Counter({size: taken[reference] // size for reference, size in words.items()})

    def renewals(self) -> dict[UUID, int]:
        with self.storage.database.reading() as session:
            return charging_leases.renewals(session)

    def check_purse(self) -> None:
        """It holds the sums of the ledger."""
        with self.storage.database.reading() as session:
            purse = session.get_one(Purse, self._account_id)
            mine = col(Entry.account_id) == self._account_id
            sums = select(func.sum(Entry.paid_tokens), func.sum(Entry.free_tokens)).where(mine)
            assert session.exec(sums).one() == (purse.paid_tokens, -purse.free_used)

    def wait(self, until: Callable[[], bool]) -> None:
        deadline, pause = monotonic() + _PATIENCE, Event()
        while not until():
            assert monotonic() < deadline, self._log.read_text()
            pause.wait(0.005)

    def _call_on(self) -> None:
        while self._call(next(self._sizes)):
            pass

    def _call(self, size: int) -> bool:
        body, headers = {"text": "noura@example.com " * size}, {"Authorization": f"Bearer {self._bearer}"}
        try:
            url = f"http://127.0.0.1:{self._port}/api/v1/redact"
            httpx.post(url, json=body, headers=headers, timeout=_PATIENCE).raise_for_status()
        except httpx.HTTPError:
            self.unanswered.append(size)
            return False
        self.answered.append(size)
        return True


def crashed(crash: Crash) -> list[int]:
    """Kills a server in the middle of calls; those that were answered long before, by the renewals of its leases."""
    others, earlier = crash.renewals(), len(crash.answered)

    def renewals() -> dict[UUID, int]:
        return {lease: times for lease, times in crash.renewals().items() if lease not in others}

    with crash.server():
        callers = crash.load()
        crash.wait(lambda: len(crash.answered) >= earlier + _ENOUGH)
        safe, before = crash.answered[earlier:], renewals()
        crash.wait(lambda: all(times >= before.get(each, 0) + _RENEWALS for each, times in renewals().items()))
        callers.append(crash.large())
        crash.wait(lambda: any(size > LARGE and size not in crash.unanswered for size in crash.taken()))
    for caller in callers:
        caller.join(_PATIENCE)
    return safe


def check(crash: Crash, safe: list[int]) -> None:
    """Calls without an answer cost nothing, and those that were answered long before the crash cost their words."""
    taken = crash.taken()
    assert [size for size in crash.unanswered if taken[size]] == []
    assert [size for size in safe if taken[size] != 1] == []
    crash.check_purse()


def test_what_a_killed_server_did_not_answer_is_refunded(tmp_path: Path) -> None:
    crash = Crash({}, tmp_path, processes=1)
    safe = crashed(crash)
    assert any(crash.taken()[size] for size in crash.unanswered)
    successor = AbandonedCharges(crash.storage.database, OpenCharges(crash.storage.database))
    for _ in range(LOOKS):
        successor.look()
    check(crash, safe)
    crash.storage.close()


@pytest.mark.slow
@pytest.mark.timeout(300)
def test_processes_that_are_started_again_refund_it_by_themselves(
    postgres_url: str, redis_url: str, tmp_path: Path
) -> None:
    """Twice, and two processes compete for it."""
    stores = {"MASKER_DATABASE_URL": postgres_url, "MASKER_REDIS_URL": redis_url}
    crash = Crash(stores, tmp_path, processes=2)
    safe = [size for _ in range(2) for size in crashed(crash)]
    assert any(crash.taken()[size] for size in crash.unanswered)
    with crash.server():
        crash.wait(lambda: not crash.renewals())
    check(crash, safe)
    crash.storage.close()
