"""A plant: PostgreSQL, Redis, S3 and worker processes of their own, as in production."""

import base64
import os
import secrets
import signal
import subprocess
import sys
import time
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from pathlib import Path
from typing import TypeVar
from uuid import UUID, uuid4

from schemas.clock import utc_now
from schemas.files import MEDIA_TYPE, Format, JobState
from schemas.settings import Settings, load_settings
from schemas.stages import FIRST_STAGE
from storage import ledger
from storage.jobs import leases
from storage.jobs import records as jobs
from storage.jobs.records import Upload
from storage.jobs.tables import Job
from storage.opening import Storage
from tests.servers import Bucket
from tests.workers.workshop import CSV, insert, new_owner

T = TypeVar("T")
ROOT = Path(__file__).parents[2]
HONEST = ("-m", "api.cli", "worker", "--threads", "2")
SABOTAGED = ("-m", "tests.faults.sabotaged")
PATIENCE = 90  # seconds for a job that takes one on an idle machine
LEASE_SECONDS = 2


class Plant:
    """The API's side of a deployment, and the power to start and kill workers."""

    def __init__(self, postgres_url: str, redis_url: str, bucket: Bucket, log: Path) -> None:
        self._log = log
        self.environment = {
            "MASKER_DATABASE_URL": postgres_url,
            "MASKER_REDIS_URL": redis_url,
            "MASKER_S3_BUCKET": bucket.bucket,
            "MASKER_S3_ENDPOINT_URL": bucket.endpoint_url,
            "MASKER_S3_REGION": bucket.region,
            "MASKER_S3_ACCESS_KEY_ID": bucket.access_key_id,
            "MASKER_S3_SECRET_ACCESS_KEY": bucket.secret_access_key,
            "MASKER_MASTER_KEY": base64.b64encode(secrets.token_bytes(32)).decode(),
            "MASKER_SANDBOX": "best-effort",
            "MASKER_NAMES": "rules",  # workers die and start all the time
            "MASKER_LEASE_SECONDS": str(LEASE_SECONDS),
            "MASKER_SWEEP_INTERVAL_SECONDS": "1",
            "MASKER_MAX_ATTEMPTS": "5",
        }
        self.settings: Settings = load_settings(
            _env_file=None, **{name.removeprefix("MASKER_").lower(): value for name, value in self.environment.items()}
        )
        self.storage = Storage.open(self.settings)
        self.account = new_owner(self.storage, utc_now())

    @contextmanager
    def worker(self, command: tuple[str, ...] = HONEST, **environment: str) -> Iterator[subprocess.Popen[bytes]]:
        """A worker process group; killed at the end if it still lives."""
        with self._log.open("ab") as log:
            process = subprocess.Popen(
                [sys.executable, *command],
                cwd=ROOT,
                env=os.environ | self.environment | environment,
                stdout=log,
                stderr=log,
                start_new_session=True,
            )
        try:
            yield process
        finally:
            if process.poll() is None:
                os.killpg(process.pid, signal.SIGKILL)
            process.wait()

    def upload(self, data: bytes = CSV, format_: Format = Format.CSV) -> UUID:
        upload = Upload(uuid4(), self.account, format_, f"file.{format_}", MEDIA_TYPE[format_], len(data))
        insert(self.storage, self.settings, upload, data, utc_now())
        self.storage.queue.announce(FIRST_STAGE, upload.job_id)
        return upload.job_id

    def job(self, job_id: UUID) -> Job:
        with self.storage.database.reading() as session:
            job = leases.current(session, job_id)
        assert job is not None
        return job

    def finished(self, job_id: UUID) -> Job:
        """The job when it has ended and what it must not keep is gone."""
        running = (JobState.QUEUED, JobState.PROCESSING)
        return self.wait(lambda: self.job(job_id), lambda job: job.state not in running and not job.has_residue)

    def wait(self, look: Callable[[], T], until: Callable[[T], bool]) -> T:
        """What `look` sees as soon as `until` says so; AssertionError when it never does."""
        deadline = time.monotonic() + PATIENCE
        while not until(seen := look()):
            assert time.monotonic() < deadline, f"{seen}\n{self.log()}"
            time.sleep(0.02)
        return seen

    def check_whole(self, job_id: UUID) -> Job:
        """The job when it is ready: redacted, charged once, and nothing lies around."""
        job = self.finished(job_id)
        assert (job.state, job.error_code) == (JobState.READY, None), self.log()
        assert b"0501234567" not in self.result(job_id)
        assert self.kinds() == ["hold", "settle"]
        assert self.spent() == (job.word_count or 0) + 10 * (job.page_count or 0)
        assert self.keys() == [f"results/{job_id}/{job.outputs['store']}"]
        assert "Traceback" not in self.log()
        return job

    def result(self, job_id: UUID) -> bytes:
        return self.storage.objects.get(jobs.download_key(self.job(job_id)))

    def kinds(self) -> list[str]:
        """The ledger's entries of the account, oldest first."""
        with self.storage.database.reading() as session:
            return [entry.kind for entry in reversed(ledger.entries(session, self.account, limit=100))]

    def spent(self) -> int:
        free = self.settings.free_tokens_per_day
        with self.storage.database.reading() as session:
            return free - ledger.balance(session, self.account, free_per_day=free, now=utc_now()).free_tokens

    def keys(self) -> list[str]:
        return list(self.storage.objects.keys(""))

    def log(self) -> str:
        return self._log.read_text() if self._log.exists() else ""

    def close(self) -> None:
        self.storage.close()
