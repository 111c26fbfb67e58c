"""How many files an account may have: per day, running, and kept; on both databases and under a rush."""

from concurrent.futures import ThreadPoolExecutor
from datetime import UTC, datetime, timedelta
from uuid import UUID

import pytest

from schemas.errors import MaskerError, QuotaActive, TooManyConcurrentJobs, TooManyFilesToday
from storage.database import Database
from storage.encryption import Keyring
from storage.jobs import records as jobs
from storage.jobs.records import Quotas
from tests.storage.jobs.samples import failed, new_job, ready
from tests.storage.people import new_account


@pytest.fixture
def account(database: Database, now: datetime) -> UUID:
    return new_account(database, now)


@pytest.mark.parametrize(
    ("quotas", "refusal"),
    [
        (Quotas(2, 9, 9), TooManyFilesToday),
        (Quotas(9, 2, 9), TooManyConcurrentJobs),
        (Quotas(9, 9, 2), QuotaActive),
        (Quotas(2, 2, 2), TooManyFilesToday),
        (Quotas(9, 2, 2), TooManyConcurrentJobs),
    ],
)
def test_the_upload_that_would_exceed_a_quota_is_refused_daily_first(
    database: Database, keyring: Keyring, account: UUID, now: datetime, quotas: Quotas, refusal: type[MaskerError]
) -> None:
    for _ in range(2):
        new_job(database, keyring, account, now, quotas=quotas)
    with pytest.raises(refusal), database.reading() as session:
        jobs.check_quotas(session, account, quotas, now)
    with pytest.raises(refusal):
        new_job(database, keyring, account, now, quotas=quotas)
    new_job(database, keyring, new_account(database, now), now, quotas=quotas)


def test_a_refused_upload_does_not_count(database: Database, keyring: Keyring, account: UUID, now: datetime) -> None:
    tight, wide = Quotas(3, 1, 9), Quotas(3, 9, 9)
    new_job(database, keyring, account, now, quotas=tight)
    for _ in range(3):
        with pytest.raises(TooManyConcurrentJobs):
            new_job(database, keyring, account, now, quotas=tight)
    new_job(database, keyring, account, now, quotas=wide)
    new_job(database, keyring, account, now, quotas=wide)
    with pytest.raises(TooManyFilesToday):
        new_job(database, keyring, account, now, quotas=wide)


def test_the_day_is_riyadhs_and_survives_deletion(
    database: Database, keyring: Keyring, account: UUID, now: datetime
) -> None:
    one = Quotas(1, 9, 9)
    before_midnight = datetime(2026, 11, 21, 20, 59, 59, tzinfo=UTC)
    job_id = new_job(database, keyring, account, before_midnight, quotas=one)
    with database.transaction() as session:
        jobs.delete_job(session, account, job_id, now)
    with pytest.raises(TooManyFilesToday):
        new_job(database, keyring, account, before_midnight, quotas=one)
    new_job(database, keyring, account, before_midnight + timedelta(seconds=1), quotas=one)


def test_finished_jobs_leave_room(database: Database, keyring: Keyring, account: UUID, now: datetime) -> None:
    quotas = Quotas(99, 1, 2)
    failed(database, new_job(database, keyring, account, now, quotas=quotas), now)
    ready(database, new_job(database, keyring, account, now, quotas=quotas), now)
    ready(database, new_job(database, keyring, account, now, quotas=quotas), now)
    with pytest.raises(QuotaActive):
        new_job(database, keyring, account, now, quotas=quotas)


def test_uploads_at_the_same_moment_never_exceed_a_quota(
    database: Database, keyring: Keyring, account: UUID, now: datetime
) -> None:
    def upload(_: int) -> bool:
        try:
            new_job(database, keyring, account, now, quotas=Quotas(99, 2, 99))
        except TooManyConcurrentJobs:
            return False
        return True

    with ThreadPoolExecutor(8) as pool:
        assert sum(pool.map(upload, range(16))) == 2
