"""Transactions, moments and failures of either database."""

import logging
import sqlite3
import stat
import subprocess
import sys
import threading
from concurrent.futures import ThreadPoolExecutor
from contextlib import ExitStack
from datetime import UTC, datetime, timedelta, timezone
from pathlib import Path
from uuid import UUID, uuid4

import pytest
from sqlalchemy import text
from sqlalchemy.exc import IntegrityError, StatementError
from sqlmodel import col, select

from schemas.errors import MaskerUnavailable
from schemas.settings import InvalidSettings
from storage.accounts import records as accounts
from storage.database import CONNECTIONS, Database
from storage.tables import Account, Key, Purse
from tests.servers import PostgreSQL
from tests.servers.process import free_port
from tests.storage.people import HASH, new_account

ROOT = Path(__file__).parents[2]


def created_at(database: Database, account: UUID) -> datetime:
    with database.reading() as session:
        return session.get_one(Account, account).created_at


def test_a_moment_comes_back_the_same_and_in_utc(database: Database) -> None:
    riyadh = datetime(2026, 11, 21, 12, 30, 15, 123456, tzinfo=timezone(timedelta(hours=3)))
    read = created_at(database, new_account(database, riyadh))
    assert read == riyadh
    assert read.tzinfo is UTC


def test_a_naive_moment_is_refused(database: Database) -> None:
    naive = datetime(2026, 11, 21, 12, 30)
    with pytest.raises(StatementError, match="naive"), database.transaction() as session:
        session.add(Account(id=uuid4(), email="a@example.test", password_hash=HASH, created_at=naive))
    with pytest.raises(StatementError, match="naive"), database.reading() as session:
        session.exec(select(Account).where(col(Account.created_at) < naive)).all()


def test_moments_compare_across_time_zones(database: Database, now: datetime) -> None:
    new_account(database, now)
    elsewhere = now.astimezone(timezone(timedelta(hours=-8)))
    with database.reading() as session:
        assert session.exec(select(Account).where(col(Account.created_at) == elsewhere)).one()
        assert not session.exec(select(Account).where(col(Account.created_at) < elsewhere)).all()


def test_what_raises_leaves_nothing(database: Database, now: datetime) -> None:
    with pytest.raises(ZeroDivisionError), database.transaction() as session:
        accounts.create(session, email="a@example.test", password_hash=HASH, now=now)
        raise ZeroDivisionError
    with database.reading() as session:
        assert session.exec(select(Account)).all() == []


def test_rows_stay_readable_after_their_transaction(database: Database, now: datetime) -> None:
    with database.transaction() as session:
        account = accounts.create(session, email="a@example.test", password_hash=HASH, now=now)
    assert account.email == "a@example.test"


def test_a_reading_transaction_cannot_write(database: Database, now: datetime) -> None:
    new_account(database, now)
    with pytest.raises(Exception, match=r"read-only|masker_unavailable"), database.reading() as session:
        session.connection().execute(text("UPDATE accounts SET email = 'x'"))
    with database.transaction() as session:  # and the next one can again
        session.connection().execute(text("UPDATE accounts SET email = 'y'"))
    with database.reading() as session:
        assert session.exec(select(Account.email)).all() == ["y"]


def test_a_reader_waits_for_no_writer_and_sees_only_what_is_committed(database: Database, now: datetime) -> None:
    account = new_account(database, now, paid_tokens=1)

    def paid() -> int:
        with database.reading() as session:
            return session.get_one(Purse, account).paid_tokens

    with database.transaction() as session:
        session.get_one(Purse, account, with_for_update=True).paid_tokens = 2
        session.flush()
        with ThreadPoolExecutor(1) as other:
            assert other.submit(paid).result(timeout=10) == 1
    assert paid() == 2


def test_writers_of_one_row_follow_one_another(database: Database, now: datetime) -> None:
    account = new_account(database, now, paid_tokens=1)

    def add(_: int) -> None:
        with database.transaction() as session:
            session.get_one(Purse, account, with_for_update=True).paid_tokens += 1

    with ThreadPoolExecutor(24) as threads:
        list(threads.map(add, range(100)))
    with database.reading() as session:
        assert session.get_one(Purse, account).paid_tokens == 101


CHARGER = """
import sys
from uuid import UUID
from schemas.clock import utc_now
from schemas.errors import InsufficientTokens
from storage.database import Database
from tests.storage import charging

url, account, name = sys.argv[1:]
database, charged = Database(url), 0
for number in range(40):
    try:
        with database.transaction() as session:
            reference = f"{name}:{number}"
            charging.charge(
                session, UUID(account), 1, reference=reference, free_per_day=0, now=utc_now()
            )
        charged += 1
    except InsufficientTokens:
        pass
database.dispose()
print(charged)
"""


def test_processes_share_a_purse_as_threads_do(database: Database, database_url: str, now: datetime) -> None:
    account = new_account(database, now, paid_tokens=60)
    processes = [
        subprocess.Popen(
            [sys.executable, "-c", CHARGER, database_url, str(account), str(number)],
            cwd=ROOT,
            stdout=subprocess.PIPE,
            text=True,
        )
        for number in range(2)
    ]
    assert sum(int(process.communicate(timeout=60)[0]) for process in processes) == 60
    with database.reading() as session:
        assert session.get_one(Purse, account).paid_tokens == 0


def test_rows_that_hang_in_the_air_are_refused(database: Database, now: datetime) -> None:
    with pytest.raises(IntegrityError), database.transaction() as session:
        session.add(Purse(account_id=uuid4(), paid_tokens=0, free_day=now.date(), free_used=0))


def test_values_do_not_reach_an_exceptions_text(database: Database, now: datetime) -> None:
    with pytest.raises(IntegrityError) as refused, database.transaction() as session:
        session.add(
            Key(id=uuid4(), account_id=uuid4(), name="n", prefix="secret-prefix", secret_hash=b"", created_at=now)
        )
    # What PostgreSQL itself adds as DETAIL stays: no log of ours prints a message, only the type.
    assert "secret-prefix" not in str(refused.value).split("DETAIL")[0]
    assert "secret-prefix" not in str(refused.value).partition("[SQL")[2]


def test_sqlite_files_are_their_owners_alone_and_survive_a_power_cut(tmp_path: Path) -> None:
    path = tmp_path / "data" / "masker.db"
    database = Database(f"sqlite:///{path}")
    assert not path.parent.exists()
    database.migrate()
    assert stat.S_IMODE(path.parent.stat().st_mode) == 0o700
    files = {file.name: stat.S_IMODE(file.stat().st_mode) for file in path.parent.iterdir()}
    assert files == {"masker.db": 0o600, "masker.db-wal": 0o600, "masker.db-shm": 0o600}
    with database.engine.connect() as connection:
        settings = {
            name: connection.exec_driver_sql(f"PRAGMA {name}").scalar()
            for name in ("journal_mode", "synchronous", "foreign_keys")
        }
    assert settings == {"journal_mode": "wal", "synchronous": 2, "foreign_keys": 1}
    database.dispose()


def test_a_transaction_inside_another_is_refused_at_once(sqlite_url: str, now: datetime) -> None:
    database = Database(sqlite_url)
    with database.transaction(), pytest.raises(RuntimeError, match="wait for itself"):
        new_account(database, now)
    assert new_account(database, now)  # the turn was given back
    database.dispose()


def test_who_waits_too_long_for_another_thread_is_told(sqlite_url: str, now: datetime) -> None:
    database = Database(sqlite_url, wait_seconds=0.1)
    with database.transaction(), ThreadPoolExecutor(1) as other, pytest.raises(MaskerUnavailable):
        other.submit(new_account, database, now).result(timeout=30)
    database.dispose()


def test_who_waits_too_long_for_another_program_is_told(sqlite_url: str, now: datetime) -> None:
    database, foreign = Database(sqlite_url, wait_seconds=0.1), Database(sqlite_url)
    with foreign.transaction() as session:
        session.connection()
        with pytest.raises(MaskerUnavailable):
            new_account(database, now)
    assert new_account(database, now)
    database.dispose()
    foreign.dispose()


def test_who_waits_too_long_for_a_connection_is_told(database_url: str) -> None:
    database = Database(database_url, wait_seconds=0.1)
    with ExitStack() as readers:
        for _ in range(CONNECTIONS):
            readers.enter_context(database.reading()).connection()
        with pytest.raises(MaskerUnavailable):
            database.ping()
    database.ping()
    database.dispose()


@pytest.mark.parametrize("place", ["file/masker.db", "directory"])
def test_a_place_where_no_file_can_be_is_unavailable(tmp_path: Path, place: str) -> None:
    (tmp_path / "file").touch()
    (tmp_path / "directory").mkdir()
    database = Database(f"sqlite:///{tmp_path / place}")
    with pytest.raises(MaskerUnavailable):
        database.migrate()
    database.dispose()


def test_a_file_that_is_no_database_is_unavailable(tmp_path: Path) -> None:
    (tmp_path / "masker.db").write_bytes(b"no database " * 1000)
    database = Database(f"sqlite:///{tmp_path / 'masker.db'}")
    with pytest.raises(MaskerUnavailable):
        database.ping()
    database.dispose()


def test_a_writer_waits_for_another_programs_writer(sqlite_url: str, now: datetime) -> None:
    database = Database(sqlite_url)
    foreign = sqlite3.connect(sqlite_url.removeprefix("sqlite:///"), isolation_level=None, check_same_thread=False)
    foreign.execute("BEGIN IMMEDIATE")
    threading.Timer(0.3, lambda: foreign.execute("COMMIT")).start()
    assert new_account(database, now)
    foreign.close()
    database.dispose()


def test_a_database_that_ends_is_unavailable_and_one_that_returns_is_used_again(
    postgresql: PostgreSQL, postgres_url: str, caplog: pytest.LogCaptureFixture
) -> None:
    database = Database(postgres_url)
    with pytest.raises(MaskerUnavailable), database.transaction() as session:
        pid = session.connection().execute(text("SELECT pg_backend_pid()")).scalar_one()
        other = Database(postgres_url)
        with other.transaction() as killer:
            killer.connection().execute(text("SELECT pg_terminate_backend(:pid)"), {"pid": pid})
        other.dispose()
        session.connection().execute(text("SELECT 1"))
    assert "57P01" in caplog.text
    database.ping()
    database.dispose()


def test_who_comes_after_a_pause_does_not_meet_a_connection_that_died_in_it(
    postgres_url: str, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr("storage.database._IDLE_SECONDS", 0.0)  # any pause
    database, killer = Database(postgres_url), Database(postgres_url)
    try:
        with ExitStack() as stack:  # several, all to die in the pool
            sessions = [stack.enter_context(database.reading()) for _ in range(3)]
            pids = [session.connection().scalar(text("SELECT pg_backend_pid()")) for session in sessions]
        with killer.transaction() as session:
            for pid in pids:
                session.connection().execute(text("SELECT pg_terminate_backend(:pid, 5000)"), {"pid": pid})
        for _ in range(3):
            database.ping()
    finally:
        database.dispose()
        killer.dispose()


def test_the_first_to_meet_a_dead_connection_spares_all_others(postgres_url: str) -> None:
    database, killer = Database(postgres_url), Database(postgres_url)
    try:
        with ExitStack() as stack:
            connections = [stack.enter_context(database.bare_transaction()) for _ in range(3)]
            pids = [connection.scalar(text("SELECT pg_backend_pid()")) for connection in connections]
        with killer.transaction() as session:
            for pid in pids:
                session.connection().execute(text("SELECT pg_terminate_backend(:pid, 5000)"), {"pid": pid})
        with pytest.raises(MaskerUnavailable), database.bare_transaction() as connection:
            connection.execute(text("SELECT 1"))
        for _ in range(3):
            with database.bare_transaction() as connection:
                assert connection.scalar(text("SELECT 1")) == 1
    finally:
        database.dispose()
        killer.dispose()


def test_the_connection_that_rested_least_is_used_next(postgres_url: str) -> None:
    """One that rested long is asked first whether it still lives."""
    database = Database(postgres_url)
    try:
        with ExitStack() as stack:
            for _ in range(3):
                stack.enter_context(database.reading()).connection()
        pids = set()
        for _ in range(4):
            with database.reading() as session:
                pids.add(session.connection().scalar(text("SELECT pg_backend_pid()")))
        assert len(pids) == 1
    finally:
        database.dispose()


def test_an_unreachable_database_is_unavailable_and_its_address_stays_out_of_the_log(
    caplog: pytest.LogCaptureFixture,
) -> None:
    caplog.set_level(logging.DEBUG)
    port = free_port()
    database = Database(f"postgresql://somebody:hunter2@127.0.0.1:{port}/secrets")
    with pytest.raises(MaskerUnavailable) as failure:
        database.ping()
    assert failure.value.__cause__ is None
    for secret in ("hunter2", "somebody", str(port)):
        assert secret not in caplog.text
    database.dispose()


@pytest.mark.parametrize(
    "url",
    [
        "",
        "nonsense",
        "sqlite://",
        "sqlite:///:memory:",
        "mysql://a:hunter2@b/c",
        "sqlite:///file:x?mode=memory&uri=true",
    ],
)
def test_an_address_of_no_use_is_an_invalid_setting(url: str) -> None:
    with pytest.raises(InvalidSettings, match=r"^MASKER_DATABASE_URL: ") as refused:
        Database(url)
    assert "hunter2" not in str(refused.value)


@pytest.mark.parametrize("scheme", ["postgresql", "postgres", "postgresql+psycopg"])
def test_usual_spellings_of_postgresql_are_understood(postgres_url: str, scheme: str) -> None:
    database = Database(postgres_url.replace("postgresql+psycopg", scheme))
    database.ping()
    database.dispose()
