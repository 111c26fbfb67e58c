"""The server is killed between a charge and its answer: what is lost is that charge at most, and the books agree."""

import subprocess
from contextlib import suppress
from pathlib import Path
from threading import Event, Thread
from time import monotonic
from uuid import UUID

import httpx
import pytest
from sqlmodel import col, func, select

from examples.server import MASKER, free_port, wait_until_ready
from schemas.clock import utc_now
from storage import ledger
from storage.accounts import keys
from storage.accounts import records as accounts
from storage.opening import Storage
from storage.tables import Entry, Purse
from tests.api.serving import settings_for

WORDS = 1_000_000  # a text that takes seconds
FREE, PAID = 400_000, 2_000_000
_PATIENCE = 60  # seconds


def opened(data_dir: Path) -> Storage:
    return Storage.open(settings_for(data_dir))


def customer(storage: Storage) -> tuple[UUID, str]:
    """An account's id and bearer."""
    storage.database.migrate()
    with storage.database.transaction() as session:
        now, pepper = utc_now(), keys.pepper(session, storage.keyring)
        row = accounts.create(session, email="a@example.com", password_hash="-", now=now, paid_tokens=PAID)
        _, bearer = keys.mint(session, pepper, account_id=row.id, name="test", now=now)
    return row.id, bearer


def kinds(storage: Storage, account_id: UUID) -> list[str]:
    with storage.database.reading() as session:
        return [entry.kind for entry in ledger.entries(session, account_id, limit=10)][::-1]


def wait_for_charge(storage: Storage, account_id: UUID) -> None:
    deadline, pause = monotonic() + _PATIENCE, Event()
    while "charge" not in kinds(storage, account_id):
        assert monotonic() < deadline
        pause.wait(0.005)


@pytest.mark.slow
def test_a_kill_costs_one_charge_at_most(tmp_path: Path) -> None:
    data, log, port = tmp_path / "data", tmp_path / "log", str(free_port())
    storage = opened(data)
    account_id, bearer = customer(storage)
    environment = {
        "PATH": "/usr/bin:/bin",
        "MASKER_DATA_DIR": str(data),
        "MASKER_FREE_TOKENS_PER_DAY": str(FREE),
    }
    answers: list[httpx.Response] = []

    def call() -> None:
        with suppress(httpx.HTTPError):
            body = {"text": "noura@example.com " * WORDS}
            headers = {"Authorization": f"Bearer {bearer}"}
            answers.append(httpx.post(f"http://127.0.0.1:{port}/api/v1/mask", json=body, headers=headers, timeout=60))

    with log.open("wb") as stream:
        process = subprocess.Popen(
            [MASKER, "serve", "--port", port], env=environment, stdout=stream, stderr=stream, cwd=tmp_path
        )
    try:
        wait_until_ready(f"http://127.0.0.1:{port}", process, log)
        caller = Thread(target=call)
        caller.start()
        wait_for_charge(storage, account_id)
    finally:
        process.kill()
        process.wait(30)
    caller.join(30)
    assert answers == []
    assert kinds(storage, account_id) == ["credit", "charge"]
    with storage.database.reading() as session:
        purse = session.get_one(Purse, account_id)
        mine = col(Entry.account_id) == account_id
        sums = select(func.sum(Entry.paid_tokens), func.sum(Entry.free_tokens)).where(mine)
        assert session.exec(sums).one() == (purse.paid_tokens, -purse.free_used) == (PAID - (WORDS - FREE), -FREE)
    storage.close()
