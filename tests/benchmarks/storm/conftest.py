"""Stores of a system without processes, and an account of the load in them."""

from collections.abc import Iterator
from dataclasses import dataclass
from datetime import datetime
from pathlib import Path
from uuid import UUID

import pytest

from benchmarks.storm.checks import Verdict, check_account
from benchmarks.storm.load import Seen
from benchmarks.storm.system import PAID_TOKENS
from storage.database import Database
from storage.opening import Storage
from storage.tables import Account
from tests.api.serving import settings_for
from tests.storage.people import new_account


@pytest.fixture
def storage(tmp_path: Path) -> Iterator[Storage]:
    opened = Storage.open(settings_for(tmp_path / "data"))
    opened.database.migrate()
    yield opened
    opened.close()


@dataclass(frozen=True)
class Caller:
    """An account and what its callers saw."""

    id: UUID
    seen: Seen
    storage: Storage

    @property
    def database(self) -> Database:
        return self.storage.database

    def judged(self, *killed: float) -> list[str]:
        """The remarks on its files and its money. `killed`: when a process was."""
        with self.database.reading() as session:
            account = session.get_one(Account, self.id)
        verdict = Verdict()
        check_account(self.storage, account.email, self.seen, killed, verdict)
        return verdict.remarks


@pytest.fixture
def caller(storage: Storage, now: datetime) -> Caller:
    return Caller(new_account(storage.database, now, paid_tokens=PAID_TOKENS), Seen(), storage)
