"""Each call is counted in the database exactly once, also after failures."""

import asyncio
from concurrent.futures import ThreadPoolExecutor
from datetime import UTC, datetime
from pathlib import Path

import pytest

from api.services.usage import UsageLog
from schemas.entities import EntityType
from schemas.errors import MaskerUnavailable
from storage.accounts import usage
from storage.database import Database
from tests.storage.people import new_account

NOW = datetime(2026, 11, 21, 9, tzinfo=UTC)
FOUND = {EntityType.PERSON: 2}


@pytest.fixture
def migrated(tmp_path: Path) -> Database:
    database = Database(f"sqlite:///{tmp_path / 'usage.db'}")
    database.migrate()
    return database


def test_calls_of_many_threads_are_written_together_and_once(migrated: Database) -> None:
    account, log = new_account(migrated, NOW), UsageLog(migrated)
    with ThreadPoolExecutor(8) as threads:
        for _ in range(200):
            threads.submit(log.note, account, tokens=3, entities=FOUND, now=NOW)
        for _ in range(10):
            threads.submit(log.flush)
    log.flush()
    log.flush()
    with migrated.reading() as session:
        (day,) = usage.per_day(session, account, days=1, now=NOW)
    assert (day.calls, day.tokens, day.entities) == (200, 600, {"PERSON": 400})


def test_nothing_is_lost_while_the_database_is_unavailable(migrated: Database, tmp_path: Path) -> None:
    account = new_account(migrated, NOW)
    away = Database(f"sqlite:///{tmp_path / 'folder' / 'usage.db'}")
    (tmp_path / "folder").write_text("no folder")
    log = UsageLog(away)
    log.note(account, tokens=1, entities={}, now=NOW)
    with pytest.raises(MaskerUnavailable):
        log.flush()
    log.note(account, tokens=2, entities={}, now=NOW)
    log._database = migrated  # it is back
    log.flush()
    with migrated.reading() as session:
        (day,) = usage.per_day(session, account, days=1, now=NOW)
    assert (day.calls, day.tokens) == (2, 3)


def test_a_server_that_stops_writes_the_rest(migrated: Database) -> None:
    account, log = new_account(migrated, NOW), UsageLog(migrated)

    async def serve_and_stop() -> None:
        writing = asyncio.create_task(log.keep_writing())
        await asyncio.sleep(0)
        log.note(account, tokens=5, entities=FOUND, now=NOW)
        writing.cancel()
        await asyncio.wait({writing})

    asyncio.run(serve_and_stop())
    with migrated.reading() as session:
        (day,) = usage.per_day(session, account, days=1, now=NOW)
    assert day.tokens == 5
