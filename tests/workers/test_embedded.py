"""The embedded mode: worker threads and sweeper in this process."""

import threading
import time
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from typing import Any
from uuid import UUID, uuid4

import pytest
from dramatiq import Worker

from schemas.clock import utc_now
from schemas.files import MEDIA_TYPE, Format, JobState
from schemas.settings import InvalidSettings, SandboxMode, Settings
from schemas.stages import AFTER_PARTS, FIRST_STAGE, STAGE, Queue, Stage
from storage.encryption import MASTER_KEY_FILE, MasterKeyInvalid
from storage.jobs import leases
from storage.jobs import records as jobs
from storage.jobs.records import Upload
from storage.jobs.tables import Job
from storage.opening import Storage
from tests.workers.workshop import CSV, SECRETS, Workshop, insert, new_owner, saboteur
from workers import background, processes
from workers.actors import perform
from workers.context import Context
from workers.processes import Embedded
from workers.run import Run

PATIENCE = 60


@contextmanager
def embedded(settings: Settings) -> Iterator[Storage]:
    storage = Storage.open(settings)
    workers = Embedded(settings, storage)
    workers.start()
    try:
        yield storage
    finally:
        workers.stop()
        storage.close()


def upload(storage: Storage, settings: Settings, account: UUID, *, announce: bool = True) -> UUID:
    new = Upload(uuid4(), account, Format.CSV, "visits.csv", MEDIA_TYPE[Format.CSV], len(CSV))
    insert(storage, settings, new, CSV, utc_now())
    if announce:
        storage.queue.announce(FIRST_STAGE, new.job_id)
    return new.job_id


def finished(storage: Storage, job_id: UUID) -> Job:
    def look() -> Job:
        with storage.database.reading() as session:
            job = leases.current(session, job_id)
        assert job is not None
        return job

    return wait(look, lambda job: job.state in (JobState.READY, JobState.FAILED) and not job.has_residue)


def wait(look: Callable[[], Job], until: Callable[[Job], bool]) -> Job:
    deadline = time.monotonic() + PATIENCE
    while not until(job := look()):
        assert time.monotonic() < deadline, job
        time.sleep(0.01)
    return job


def test_no_thread_reads_pages_and_works_on_files(settings: Settings) -> None:
    storage = Storage.open(settings)
    before = set(threading.enumerate())
    workers = Embedded(settings, storage)
    workers.start()
    try:
        served = [set(worker.consumer_whitelist or ()) for worker in workers.workers]
        pages = {STAGE[stage].queue for stage in AFTER_PARTS}
        assert pages in served
        assert sorted(queue for queues in served for queue in queues) == sorted(Queue)
        assert all(queues == pages or not queues & pages for queues in served)
    finally:
        workers.stop()
        storage.close()
    assert not [thread for thread in set(threading.enumerate()) - before if thread.name != "warming"]


def test_several_jobs_at_once_come_out_clean(settings: Settings) -> None:
    with embedded(settings) as storage:
        account = new_owner(storage, utc_now())
        job_ids = [upload(storage, settings, account) for _ in range(4)]
        for job_id in job_ids:
            job = finished(storage, job_id)
            assert job.state == JobState.READY
            output = storage.objects.get(jobs.download_key(job))
            assert not [secret for secret in SECRETS if secret in output]


def test_what_an_earlier_process_left_goes_on_at_the_start(settings: Settings) -> None:
    settings = settings.model_copy(update={"lease_seconds": 0.2, "sweep_interval_seconds": 1})
    storage = Storage.open(settings)
    job_id = upload(storage, settings, new_owner(storage, utc_now()), announce=False)
    storage.close()
    with embedded(settings) as storage:
        assert finished(storage, job_id).state == JobState.READY


def test_stopping_leaves_no_thread_behind(settings: Settings) -> None:
    before = set(threading.enumerate())
    with embedded(settings) as storage:
        finished(storage, upload(storage, settings, new_owner(storage, utc_now())))
    left = [thread for thread in set(threading.enumerate()) - before if thread.is_alive()]
    assert left == []


def test_a_stage_longer_than_its_lease_keeps_it(workshop: Workshop) -> None:
    """The lease is a second, extraction takes two and a half, and others ask all the while."""
    workshop.settings = workshop.settings.model_copy(update={"lease_seconds": 1.0})
    detector = workshop.context.tools.detector
    shop = Workshop(workshop.settings, workshop.storage, saboteur("dawdles"), detector, clock=utc_now)
    job_id = shop.upload()
    shop.run(until=Stage.EXTRACT)
    worker = threading.Thread(target=perform, args=(shop.context, Stage.EXTRACT, job_id))
    worker.start()
    wait(lambda: shop.job(job_id), lambda job: job.lease_until is not None)
    stolen = []
    while worker.is_alive():
        stolen.append(Run.claim_stage(shop.context, Stage.EXTRACT, job_id, None))
        worker.join(0.02)
    assert stolen
    assert not any(stolen)  # the last question may have come when the stage was done: it claims nothing either
    assert shop.job(job_id).stage == Stage.DETECT
    shop.context.close()


def test_work_by_the_clock_that_hangs_does_not_hold_up_the_end(
    settings: Settings, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(background, "_STOP_SECONDS", 0.1)
    began, goes_on, ended = (threading.Event() for _ in range(3))

    def hang() -> None:
        began.set()
        goes_on.wait(20)
        ended.set()

    storage = Storage.open(settings)
    worker = Worker(storage.broker, worker_threads=1)
    hanging = background.Background("hanging", hang, 1)
    storage.broker.add_middleware(hanging)
    worker.start()
    try:
        assert began.wait(30)
        worker.stop()
        assert not ended.is_set()
    finally:
        goes_on.set()
        storage.close()


def test_the_runner_gives_stages_the_time_that_a_document_may_take(
    settings: Settings, monkeypatch: pytest.MonkeyPatch
) -> None:
    """In milliseconds: its own ten minutes are longer than any manifest waits before it kills."""
    given: list[Any] = []
    monkeypatch.setattr(processes.cli, "main", lambda arguments: given.append(arguments) or 0)
    assert processes.run(settings.model_copy(update={"redis_url": "redis://127.0.0.1:9/0"})) == 0
    assert given[0].worker_shutdown_timeout == 1000 * processes.DRAIN_SECONDS == 300_000


def test_workers_of_their_own_need_redis(settings: Settings) -> None:
    with pytest.raises(InvalidSettings, match="MASKER_REDIS_URL"):
        processes.run(settings)


def test_workers_do_not_start_with_a_damaged_master_key(settings: Settings) -> None:
    settings.data_dir.mkdir()
    (settings.data_dir / MASTER_KEY_FILE).write_text("damaged")
    with pytest.raises(MasterKeyInvalid):
        processes.run(settings.model_copy(update={"redis_url": "redis://127.0.0.1:9/0", "sandbox": SandboxMode.STRICT}))


def test_everything_that_workers_need_starts_in_strict_mode(settings: Settings) -> None:
    """Which is production's: a part of the cage that is missing, or that nobody could test, ends the start."""
    storage = Storage.open(settings)
    context = Context.open(settings.model_copy(update={"sandbox": SandboxMode.STRICT}), storage)
    context.tools.detector.warm()
    context.close()
    storage.close()
