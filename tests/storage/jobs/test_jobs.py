"""File jobs as their account sees them: record, list, cost, deletion; on both databases."""

from datetime import datetime, timedelta
from uuid import UUID, uuid4

import pytest

from schemas.entities import EntityType
from schemas.errors import (
    FileNotFound,
    InvalidCursor,
)
from schemas.files import JobState
from schemas.spans import MatchMode, Term
from schemas.stages import Stage
from storage import ledger
from storage.accounts import usage
from storage.database import Database
from storage.encryption import Keyring
from storage.jobs import endings, leases, sweeps
from storage.jobs import records as jobs
from tests.storage.jobs.samples import FREE, LEASE, PLENTY, carried, failed, moved, new_job, owned, ready, row
from tests.storage.people import new_account


@pytest.fixture
def account(database: Database, now: datetime) -> UUID:
    return new_account(database, now)


def test_a_new_job_is_queued_and_says_what_was_uploaded(
    database: Database, keyring: Keyring, account: UUID, now: datetime
) -> None:
    job_id = new_job(database, keyring, account, now, filename="كشف الرواتب.csv")
    record = jobs.record(row(database, job_id), keyring, now)
    assert record.model_dump(exclude_none=True) == {
        "file_id": job_id,
        "state": JobState.QUEUED,
        "original_filename": "كشف الرواتب.csv",
        "content_type": "text/csv",
        "size_bytes_in": 123,
        "created_at": now,
        "expires_at": now + timedelta(hours=24),
        "is_persisted": False,
        "poll_url": f"/api/v1/files/{job_id}",
        "stage": Stage.SNIFF,
        "progress": 0.0,
        "pages_to_read": 0,
        "pages_read": 0,
    }


def test_a_ready_job_can_be_downloaded_until_its_time_is_up(
    database: Database, keyring: Keyring, account: UUID, now: datetime
) -> None:
    job_id = new_job(database, keyring, account, now)
    ready(database, job_id, now)
    job = row(database, job_id)
    record = jobs.record(job, keyring, now)
    assert (record.state, record.size_bytes_out, record.word_count, record.entity_count) == (JobState.READY, 99, 12, 2)
    assert record.download_url == f"/api/v1/files/{job_id}/download"
    assert record.processed_at == now
    assert jobs.download_key(job).startswith(f"results/{job_id}/")
    late = jobs.record(job, keyring, record.expires_at)
    assert (late.state, late.download_url) == (JobState.EXPIRED, None)


def test_a_job_still_running_past_its_time_goes_on(
    database: Database, keyring: Keyring, account: UUID, now: datetime
) -> None:
    job_id = new_job(database, keyring, account, now)
    assert jobs.record(row(database, job_id), keyring, now + timedelta(days=2)).state is JobState.QUEUED


def test_names_and_terms_are_not_readable_in_the_database(
    database: Database, keyring: Keyring, account: UUID, now: datetime
) -> None:
    terms = (Term("مشروع الصقر"), Term("Falcon", EntityType.ORGANIZATION, MatchMode.EXACT, True, "en"))
    job = row(database, new_job(database, keyring, account, now, terms=terms, filename="Falcon.csv"))
    assert jobs.terms(job, keyring) == terms
    assert jobs.filename(job, keyring) == "Falcon.csv"
    assert not any(
        isinstance(value, bytes | str) and "Falcon" in (value.decode("latin-1") if isinstance(value, bytes) else value)
        for value in job.model_dump().values()
    )


def test_the_name_of_the_output_is_sealed_too(
    database: Database, keyring: Keyring, account: UUID, now: datetime
) -> None:
    job_id = new_job(database, keyring, account, now)
    sealed = jobs.seal_output_name(keyring, job_id, "PERSON_NAME_01.csv")
    carried(database, job_id, Stage.REDACT, now, output_name_sealed=sealed)
    assert jobs.output_name(row(database, job_id), keyring) == "PERSON_NAME_01.csv"


def test_the_list_is_newest_first_and_pages_strictly_older(
    database: Database, keyring: Keyring, account: UUID, now: datetime
) -> None:
    same_moment = [new_job(database, keyring, account, now) for _ in range(3)]
    later = [new_job(database, keyring, account, now + timedelta(seconds=n)) for n in (1, 2)]
    new_job(database, keyring, new_account(database, now), now)
    seen: list[UUID] = []
    cursor = None
    while True:
        with database.reading() as session:
            page, cursor = jobs.list_page(session, account, limit=2, cursor=cursor)
        seen += [job.id for job in page]
        if cursor is None:
            break
    assert seen[:2] == later[::-1]
    assert sorted(seen[2:], key=str) == sorted(same_moment, key=str)


@pytest.mark.parametrize(("limit", "shown"), [(-5, 1), (0, 1), (1, 1), (50, 50), (51, 50), (10**9, 50)])
def test_the_page_size_is_clamped(
    database: Database, keyring: Keyring, account: UUID, now: datetime, limit: int, shown: int
) -> None:
    for _ in range(51):
        new_job(database, keyring, account, now)
    with database.reading() as session:
        page, _ = jobs.list_page(session, account, limit=limit, cursor=None)
    assert len(page) == shown


def test_a_cursor_must_be_one_of_the_accounts_files(
    database: Database, keyring: Keyring, account: UUID, now: datetime
) -> None:
    foreign = new_job(database, keyring, new_account(database, now), now)
    for cursor in ("", "nonsense", "\0", str(uuid4()), str(foreign)):
        with pytest.raises(InvalidCursor), database.reading() as session:
            jobs.list_page(session, account, limit=5, cursor=cursor)


def test_a_job_is_found_and_deleted_by_its_own_account_alone(
    database: Database, keyring: Keyring, account: UUID, now: datetime
) -> None:
    job_id, stranger = new_job(database, keyring, account, now), new_account(database, now)
    for owner in (stranger, account):
        with database.transaction() as session:
            if owner == stranger:
                with pytest.raises(FileNotFound):
                    jobs.get(session, owner, job_id)
                with pytest.raises(FileNotFound):
                    jobs.delete_job(session, owner, job_id, now)
            else:
                assert jobs.get(session, owner, job_id).id == job_id
                jobs.delete_job(session, owner, job_id, now)
    with pytest.raises(FileNotFound), database.transaction() as session:
        jobs.delete_job(session, account, job_id, now)


def test_deleting_a_job_that_holds_tokens_gives_them_back(
    database: Database, keyring: Keyring, account: UUID, now: datetime
) -> None:
    job_id = new_job(database, keyring, account, now)
    carried(database, job_id, Stage.BILL, now, word_count=30, page_count=0)
    claim = owned(database, job_id, Stage.BILL, now)
    with database.transaction() as session:
        endings.hold(session, claim, free_per_day=FREE, milliseconds=1, lease_seconds=LEASE, now=now)
    with database.transaction() as session:
        assert ledger.balance(session, account, free_per_day=FREE, now=now).free_tokens == FREE - 30
        jobs.delete_job(session, account, job_id, now)
        assert ledger.balance(session, account, free_per_day=FREE, now=now).free_tokens == FREE


def test_deleting_a_ready_job_gives_nothing_back(
    database: Database, keyring: Keyring, account: UUID, now: datetime
) -> None:
    job_id = new_job(database, keyring, account, now)
    ready(database, job_id, now)
    with database.transaction() as session:
        jobs.delete_job(session, account, job_id, now)
        assert ledger.balance(session, account, free_per_day=FREE, now=now).free_tokens == FREE - 22


def test_a_ready_job_costs_its_words_and_ten_a_page_once(
    database: Database, keyring: Keyring, account: UUID, now: datetime
) -> None:
    ready(database, new_job(database, keyring, account, now), now, words=12)
    with database.reading() as session:
        assert ledger.balance(session, account, free_per_day=FREE, now=now).free_tokens == FREE - 22
        (day,) = usage.per_day(session, account, days=1, now=now)
    assert (day.calls, day.tokens, day.entities) == (1, 22, {"PERSON": 2})


def test_timings_and_outputs_collect_as_a_job_moves(
    database: Database, keyring: Keyring, account: UUID, now: datetime
) -> None:
    job_id = new_job(database, keyring, account, now)
    carried(database, job_id, Stage.VERIFY, now)
    assert moved(database, owned(database, job_id, Stage.VERIFY, now), Stage.REDACT, now, round=2)
    assert moved(database, owned(database, job_id, Stage.REDACT, now), Stage.VERIFY, now)
    assert moved(database, owned(database, job_id, Stage.VERIFY, now), Stage.BILL, now)
    job = row(database, job_id)
    assert job.timings == {"sniff": 5, "verify": 10, "redact": 5}
    assert job.outputs == {"sniff": 1, "redact": 3, "verify": 4}
    assert job.round == 2


def test_expired_and_failed_rows_go_when_nothing_of_them_is_left(
    database: Database, keyring: Keyring, account: UUID, now: datetime
) -> None:
    kept = new_job(database, keyring, account, now, quotas=PLENTY)
    gone = [new_job(database, keyring, account, now) for _ in range(2)]
    failed(database, gone[0], now)
    ready(database, gone[1], now)
    after = now + timedelta(hours=25)
    with database.transaction() as session:
        assert sweeps.expire(session, after - timedelta(hours=2)) == 0
        assert sweeps.expire(session, after) == 1
        assert sweeps.purge(session, after + timedelta(days=1)) == 0
        leftovers = sweeps.leftovers(session)
        assert {job.id: job.state for job in leftovers} == {gone[0]: JobState.FAILED, gone[1]: JobState.EXPIRED}
        for job in leftovers:
            sweeps.cleared(session, job.id, JobState(job.state))
        assert sweeps.purge(session, after) == 1
        assert sweeps.purge(session, after + timedelta(seconds=1)) == 1
        assert sweeps.rows(session, [kept, *gone]).keys() == {kept}


def test_a_pinned_file_outlives_its_time(database: Database, keyring: Keyring, account: UUID, now: datetime) -> None:
    job_id = new_job(database, keyring, account, now)
    ready(database, job_id, now)
    with database.transaction() as session:
        job = leases.current(session, job_id)
        assert job is not None
        job.is_persisted = True
    late = now + timedelta(days=90)
    with database.transaction() as session:
        assert sweeps.expire(session, late) == 0
    assert jobs.record(row(database, job_id), keyring, late).state is JobState.READY
