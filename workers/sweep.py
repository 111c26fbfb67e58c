"""The sweep: announces overdue stages, fails jobs after their last attempt, destroys expired files. Repeatable."""

import logging
from collections.abc import Iterator, Sequence
from datetime import datetime, timedelta
from itertools import islice
from typing import NamedTuple

from schemas.clock import utc_now
from schemas.errors import ErrorCode
from schemas.files import JobState
from schemas.settings import Settings
from schemas.telemetry.metrics import EVENTS
from storage.accounts import keys, sessions
from storage.jobs import endings, objects, sweeps
from storage.jobs.objects import StoredJob
from storage.jobs.records import download_key
from storage.jobs.sweeps import Overdue
from storage.jobs.tables import Job
from storage.opening import Storage
from workers.background import Background
from workers.run import destroy_leftovers

# An object is older than the row of its upload, and S3 dates a large object by the start of its upload.
ORPHAN_GRACE = timedelta(hours=6)
UNFINISHED_GRACE = timedelta(hours=24)
_BATCH = 500


class Swept(NamedTuple):
    """Counts of one sweep: jobs, except `announced` (stages or parts), `orphans` (objects), `sessions` (ended) and
    `keys` (revoked long ago).
    """

    announced: int
    failed: int
    expired: int
    destroyed: int
    purged: int
    orphans: int
    sessions: int
    keys: int


def sweep(storage: Storage, settings: Settings, now: datetime, *, reconcile: bool = True) -> Swept:
    """Does everything that is due. `reconcile` also walks the whole object store for objects without a job."""
    announced, failed = _announce_overdue(storage, settings, now)
    with storage.database.transaction() as session:
        expired = sweeps.expire(session, now)
    destroyed = _destroy(storage)
    with storage.database.transaction() as session:
        purged = sweeps.purge(session, now - timedelta(days=settings.expired_row_retention_days))
        ended, revoked = sessions.purge(session, now), keys.purge(session, now)
    orphans = _reconcile(storage, now) if reconcile else 0
    return Swept(announced, failed, expired, destroyed, purged, orphans, ended, revoked)


def _announce_overdue(storage: Storage, settings: Settings, now: datetime) -> tuple[int, int]:
    with storage.database.reading() as session:
        late = sweeps.overdue(session, now)
    announced = failed = 0
    for item in late:
        if item.claims >= settings.max_attempts:
            failed += _fail(storage, item, now)
            continue
        if not storage.queue.is_heard:
            continue
        with storage.database.transaction() as session:
            ours = sweeps.take_announcement(session, item, lease_seconds=settings.lease_seconds, now=now)
        if ours:
            storage.queue.announce(item.stage, item.job_id, item.part)
            announced += 1
    return announced, failed


def _fail(storage: Storage, item: Overdue, now: datetime) -> bool:
    with storage.database.transaction() as session:
        return endings.fail_stuck(session, item, ErrorCode.INTERNAL_ERROR, now=now)


def _destroy(storage: Storage) -> int:
    with storage.database.reading() as session:
        leftovers = sweeps.leftovers(session)
    for job in leftovers:
        destroy_leftovers(storage, job.id, JobState(job.state), _key_of_result(job))
    return len(leftovers)


def _reconcile(storage: Storage, now: datetime) -> int:
    """Destroys objects of deleted jobs, objects that an ended job must not keep, and unfinished uploads."""
    old = (item for item in objects.stored(storage.objects) if item.modified < now - ORPHAN_GRACE)
    orphans = 0
    for batch in _batches(old):
        with storage.database.reading() as session:
            jobs = sweeps.rows(session, {item.job_id for item in batch})
        for item in batch:
            if not _may_exist(item, jobs.get(item.job_id)):
                storage.objects.delete(item.key)
                orphans += 1
    storage.objects.discard_unfinished(now - UNFINISHED_GRACE)
    return orphans


def _may_exist(item: StoredJob, job: Job | None) -> bool:
    if job is None:
        return False
    return job.state in (JobState.QUEUED, JobState.PROCESSING) or item.key == _key_of_result(job)


def _key_of_result(job: Job) -> str | None:
    return download_key(job) if job.state == JobState.READY else None


def _batches(items: Iterator[StoredJob]) -> Iterator[Sequence[StoredJob]]:
    while batch := list(islice(items, _BATCH)):
        yield batch


log = logging.getLogger("masker.workers")

RECONCILE_EVERY = timedelta(hours=1)


class Sweeper(Background):
    """Sweeps, and once an hour walks the whole object store, too."""

    def __init__(self, storage: Storage, settings: Settings) -> None:
        super().__init__("sweep", self._sweep, settings.sweep_interval_seconds)
        self._storage, self._settings = storage, settings
        self._next_reconcile = utc_now()

    def _sweep(self) -> None:
        now = utc_now()
        reconcile = now >= self._next_reconcile
        swept = sweep(self._storage, self._settings, now, reconcile=reconcile)
        for what, count in swept._asdict().items():
            EVENTS.labels(what).inc(count)
        if any(swept):
            log.info("swept", extra={"swept": {what: count for what, count in swept._asdict().items() if count}})
        if reconcile:
            self._next_reconcile = now + RECONCILE_EVERY
