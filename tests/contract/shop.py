"""A server whose jobs are carried by hand, stage by stage: every state of a file can be looked at over HTTP."""

from collections.abc import Iterator
from contextlib import contextmanager
from dataclasses import dataclass
from datetime import datetime, timedelta
from pathlib import Path
from typing import Any
from uuid import UUID

import httpx

from schemas.clock import utc_now
from schemas.settings import Settings
from schemas.stages import Stage
from storage.jobs.objects import StoredJob, stored
from storage.jobs.tables import Job
from storage.opening import Storage
from tests.api.serving import Account, Served, serving, settings_for
from tests.workers.workshop import Workshop, caged, honest, saboteur
from workers.run import Run
from workers.sweep import Swept, sweep

UPLOAD = "/api/v1/files/redact"


@dataclass(frozen=True)
class Shop:
    """The server, and the worker beside it that does nothing unasked."""

    served: Served
    bench: Workshop

    def account(self, **create: Any) -> Account:
        return self.served.account(**create)

    def client(self, account: Account | None = None) -> httpx.Client:
        return self.served.client(account)

    def work(self, until: Stage | None = None) -> None:
        """Carries whatever was announced, or until a message for that stage would come next."""
        self.bench.run(until)

    def forget(self) -> None:
        """Drops whatever was announced, so that the next test carries none but its own."""
        while self.bench.next_message() is not None:
            pass

    @contextmanager
    def careless(self, name: str) -> Iterator[None]:
        """Meanwhile the parsers' children are those of tests/workers/saboteurs.py."""
        kept = self.bench.context.tools.sandbox
        self.bench.with_sandbox(saboteur(name))
        try:
            yield
        finally:
            self.bench.with_sandbox(kept)

    def claim(self, file_id: str, stage: Stage) -> Run:
        """What a worker holds that has just begun a stage."""
        run = Run.claim_stage(self.bench.context, stage, UUID(file_id), None)
        assert run is not None and run.claim.job_id == UUID(file_id)
        return run

    def sweep(self, **later: float) -> Swept:
        """One sweep, at some time from now."""
        return sweep(self.served.services.storage, self.served.services.settings, utc_now() + timedelta(**later))

    def all_stored(self) -> list[StoredJob]:
        """Every object of every file."""
        return list(stored(self.served.services.storage.objects))

    def owner_of(self, job_id: UUID) -> UUID | None:
        """Whose a file is; None when there is no such file."""
        with self.served.services.storage.database.reading() as session:
            row = session.get(Job, job_id)
        return None if row is None else row.account_id

    def stored(self, file_id: str) -> list[str]:
        """Keys of all that is kept of a file."""
        return [item.key for item in self.all_stored() if str(item.job_id) == file_id]

    def set(self, file_id: str, **columns: object) -> None:
        """Changes the row, as time would have."""
        with self.served.services.storage.database.transaction() as session:
            row = session.get_one(Job, UUID(file_id))
            for name, value in columns.items():
                setattr(row, name, value)

    def finish(self, file_id: str) -> None:
        """Makes a file ready without any work, for tests that ask nothing of its bytes."""
        self.set(file_id, state="ready", due_at=None, processed_at=utc_now(), has_residue=False)

    def past(self, file_id: str, moment: datetime | None = None) -> None:
        """Lets a file's time be up."""
        self.set(file_id, expires_at=moment or utc_now() - timedelta(seconds=1))


@contextmanager
def opened(data_dir: Path, **settings: Any) -> Iterator[Shop]:
    """A shop with settings of its own."""
    with shop_of(settings_for(data_dir, rate_limit_per_minute=100_000, **settings)) as shop:
        yield shop


@contextmanager
def shop_of(settings: Settings) -> Iterator[Shop]:
    """A shop on whatever stores the settings name."""
    storage = Storage.open(settings)
    try:
        with serving(settings, storage) as served:
            bench = Workshop(settings, storage, honest(), caged(), clock=utc_now)
            yield Shop(served, bench)
    finally:
        storage.close()


def upload(client: httpx.Client, data: bytes | str, name: str = "a.csv", type_: str = "text/csv") -> dict[str, Any]:
    """The answer to an upload that is taken."""
    content = data.encode() if isinstance(data, str) else data
    answer = client.post(UPLOAD, files={"file": (name, content, type_)})
    assert answer.status_code == 201, answer.text
    return dict(answer.json())


def record(client: httpx.Client, file_id: str) -> dict[str, Any]:
    """A file's record."""
    answer = client.get(f"/api/v1/files/{file_id}")
    assert answer.status_code == 200, answer.text
    return dict(answer.json())


def refused(answer: httpx.Response) -> tuple[int, object]:
    """Status and detail."""
    return answer.status_code, answer.json()["detail"]
