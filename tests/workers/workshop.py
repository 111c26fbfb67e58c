"""A workshop: real database, store, sandbox and broker, with a clock to turn and messages carried one by one."""

from collections import deque
from collections.abc import Callable, Sequence
from dataclasses import replace
from datetime import UTC, datetime, timedelta
from functools import cache
from pathlib import Path
from queue import Empty
from uuid import UUID, uuid4

from dramatiq import Message
from dramatiq.brokers.stub import StubBroker

from pipeline.detect.detector import RULES
from pipeline.document_detection.caged import CagedDetector, DocumentDetector
from pipeline.sandbox.parent import Sandbox
from pipeline.second_reading import ReadingTools
from schemas.files import MEDIA_TYPE, Format
from schemas.settings import Settings
from schemas.spans import Term
from schemas.stages import FIRST_STAGE, Stage
from storage import ledger
from storage.accounts import records as accounts
from storage.jobs import leases
from storage.jobs import records as jobs
from storage.jobs.objects import input_key
from storage.jobs.records import Quotas, Upload
from storage.jobs.tables import Job
from storage.opening import Storage
from storage.tables import Entry
from tests.pipeline.sandbox.shared import shared
from workers.actors import declare, perform
from workers.context import Context
from workers.sweep import Swept, sweep

ROOT = Path(__file__).parents[2]
CSV = (
    "الاسم,National ID,Mobile,Note\r\n"
    "سلمان المثال,1012345672,0501234567,first visit\r\n"
    'Noura Example,2000000006,0559876543,"called, twice"\r\n'
).encode()
SECRETS = (b"1012345672", b"2000000006", b"0501234567", b"0559876543")


def honest() -> Sandbox:
    return shared()


def saboteur(name: str) -> Sandbox:
    """A sandbox whose child answers by a function of tests/workers/saboteurs.py."""
    return Sandbox("best-effort", answers=f"tests.workers.saboteurs:{name}", code=[ROOT / "tests"])


def insert(storage: Storage, settings: Settings, upload: Upload, data: bytes, now: datetime) -> None:
    """What the API does with an upload before it announces it."""
    storage.objects.put(input_key(upload.job_id), data)
    with storage.database.transaction() as session:
        jobs.enqueue(
            session,
            storage.keyring,
            upload,
            Quotas(999, 999, 999),
            ttl_seconds=settings.file_ttl_seconds,
            lease_seconds=settings.lease_seconds,
            now=now,
        )


def new_owner(storage: Storage, now: datetime) -> UUID:
    """An account's id."""
    with storage.database.transaction() as session:
        email = f"{uuid4()}@example.test"
        return accounts.create(session, email=email, password_hash="-", now=now, paid_tokens=0).id


@cache
def caged() -> CagedDetector:
    """A detector of children; one for all tests of a process, with which it ends."""
    return CagedDetector("best-effort", RULES)


class Workshop:
    """One worker's world. `clock` is turned by hand; `messages` remembers all that were ever sent."""

    def __init__(
        self,
        settings: Settings,
        storage: Storage,
        sandbox: Sandbox,
        detector: DocumentDetector,
        clock: Callable[[], datetime] | None = None,
    ) -> None:
        self.settings, self.storage = settings, storage
        self.now = datetime(2026, 11, 21, 9, 0, tzinfo=UTC) if clock is None else clock()
        tools = ReadingTools(sandbox, detector)
        self.context = Context(settings, storage, tools, clock or (lambda: self.now))
        if not storage.broker.actors:
            declare(storage.broker, self.context)  # so that the broker knows it is heard; messages are carried by hand
        self.messages: list[bytes] = []
        self._waiting: deque[Message[None]] = deque()
        self.account = new_owner(storage, self.now)

    def with_sandbox(self, sandbox: Sandbox) -> None:
        self.context = replace(self.context, tools=self.context.tools._replace(sandbox=sandbox))

    def upload(
        self,
        data: bytes = CSV,
        format_: Format = Format.CSV,
        *,
        filename: str = "visits.csv",
        terms: Sequence[Term] = (),
        announce: bool = True,
    ) -> UUID:
        upload = Upload(uuid4(), self.account, format_, filename, MEDIA_TYPE[format_], len(data), terms)
        insert(self.storage, self.settings, upload, data, self.now)
        if announce:
            self.storage.queue.announce(FIRST_STAGE, upload.job_id)
        return upload.job_id

    def next_message(self) -> Message[None] | None:
        """The next message in the broker, delayed ones last."""
        broker = self.storage.broker
        assert isinstance(broker, StubBroker)
        for name in sorted(broker.queues, key=lambda name: name.endswith(".DQ")):
            while True:
                try:
                    data = broker.queues[name].get_nowait()
                except Empty:
                    break
                self.messages.append(data)
                self._waiting.append(Message.decode(data))
        return self._waiting.popleft() if self._waiting else None

    def put_back(self, message: Message[None]) -> None:
        """Makes it the next one again."""
        self._waiting.appendleft(message)

    def step(self) -> Stage | None:
        """Carries one message; the stage it was for."""
        message = self.next_message()
        if message is None:
            return None
        stage = Stage(message.actor_name)
        perform(self.context, stage, UUID(message.args[0]), *message.args[1:])
        return stage

    def run(self, until: Stage | None = None) -> list[Stage]:
        """Carries messages until none is left, or until one for `until` would come next."""
        done: list[Stage] = []
        while message := self.next_message():
            self.put_back(message)
            if message.actor_name == until:
                break
            stage = self.step()
            assert stage is not None
            done.append(stage)
        return done

    def turn_clock(self, **by: float) -> None:
        self.now += timedelta(**by)

    def sweep(self) -> Swept:
        return sweep(self.storage, self.settings, self.now)

    def job(self, job_id: UUID) -> Job:
        with self.storage.database.reading() as session:
            job = leases.current(session, job_id)
        assert job is not None
        return job

    def result(self, job_id: UUID) -> bytes:
        return self.storage.objects.get(jobs.download_key(self.job(job_id)))

    def keys(self, job_id: UUID) -> list[str]:
        return [key for key in self.storage.objects.keys("") if str(job_id) in key]

    def entries(self) -> list[Entry]:
        with self.storage.database.reading() as session:
            return list(reversed(ledger.entries(session, self.account, limit=100)))

    def delete(self, job_id: UUID) -> None:
        """What the API does on DELETE."""
        from storage.jobs.objects import destroy_all

        with self.storage.database.transaction() as session:
            jobs.delete_job(session, self.account, job_id, self.now)
        destroy_all(self.storage.objects, job_id)

    def close(self) -> None:
        """Leaves sandbox and detector, whose processes all tests share."""
        self.storage.close()
