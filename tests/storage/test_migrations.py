"""Migrations bring an empty SQLite or PostgreSQL database to exactly the schema that the code declares."""

import shutil
import subprocess
import sys
from collections.abc import Iterator
from concurrent.futures import ThreadPoolExecutor
from contextlib import nullcontext
from datetime import datetime, timedelta
from pathlib import Path
from typing import Any

import pytest
from alembic import command
from alembic.autogenerate import compare_metadata
from alembic.config import Config
from alembic.migration import MigrationContext
from alembic.script import ScriptDirectory
from sqlalchemy import select, text
from sqlmodel import SQLModel, col

import storage.jobs.tables
import storage.tables  # noqa: F401 - both declare tables
from schemas.errors import MaskerUnavailable
from schemas.settings import InvalidSettings
from schemas.stages import Queue, Stage
from storage.accounts import records as accounts
from storage.database import Database
from storage.encryption import Keyring
from storage.jobs import leases
from storage.jobs.tables import JobPart
from storage.migrations import revisions as known_revisions
from tests.storage.jobs.samples import LEASE, LIMITS, claimed, new_job, row
from tests.storage.people import new_account

ROOT = Path(__file__).parents[2]
MIGRATE = "import sys; from storage.database import Database; Database(sys.argv[1]).migrate()"


@pytest.fixture(params=["sqlite", "postgresql"])
def empty_url(request: pytest.FixtureRequest, tmp_path: Path) -> str:
    """The address of a database without a single table."""
    if request.param == "sqlite":
        return f"sqlite:///{tmp_path / 'new' / 'masker.db'}"
    return str(request.getfixturevalue("empty_postgres_url"))


@pytest.fixture
def empty(empty_url: str) -> Iterator[Database]:
    database = Database(empty_url)
    yield database
    database.dispose()


def differences(database: Database) -> list[Any]:
    """What Alembic would change to make the database what the code declares."""
    with database.engine.connect() as connection:
        context = MigrationContext.configure(connection, opts={"compare_type": True, "compare_server_default": True})
        return list(compare_metadata(context, SQLModel.metadata))


def is_current(database: Database) -> bool:
    """Whether the schema is at the newest revision that the code knows."""
    with database.engine.connect() as connection:
        heads = MigrationContext.configure(connection).get_current_heads()
    return set(heads) == set(ScriptDirectory(str(ROOT / "storage" / "migrations")).get_heads())


def revisions(database: Database) -> list[str]:
    with database.engine.connect() as connection:
        return list(connection.execute(text("SELECT version_num FROM alembic_version")).scalars())


def test_an_empty_database_becomes_what_the_code_declares(empty: Database) -> None:
    assert differences(empty), "an empty database differs from the code"
    assert not is_current(empty)
    empty.migrate()
    assert differences(empty) == []
    assert is_current(empty)


def test_a_database_that_nobody_migrated_is_unavailable(empty: Database, now: datetime) -> None:
    """Not a fault of ours that is answered with 500: callers may come again, and readiness says so."""
    with pytest.raises(MaskerUnavailable):
        empty.ping()
    with pytest.raises(MaskerUnavailable), empty.transaction() as session:
        accounts.create(session, email="someone@example.com", password_hash="-", now=now)
    empty.migrate()
    empty.ping()


@pytest.mark.parametrize(("revision", "good"), [("0001", False), ("0003", False), ("9999", True)])
def test_an_older_schema_is_unavailable_and_a_newer_one_will_do(empty: Database, revision: str, good: bool) -> None:
    """The old processes go on while the new ones start: they are not ready before the schema is theirs."""
    empty.migrate()
    with empty.engine.begin() as connection:
        connection.execute(text("UPDATE alembic_version SET version_num = :to"), {"to": revision})
    with nullcontext() if good else pytest.raises(MaskerUnavailable):
        empty.ping()


def test_the_comparison_sees_a_missing_column(empty: Database) -> None:
    empty.migrate()
    with empty.engine.begin() as connection:
        connection.execute(text("ALTER TABLE keys DROP COLUMN name"))
    assert [difference[0] for difference in differences(empty)] == ["add_column"]


def test_migrating_again_is_harmless_and_keeps_what_is_there(empty: Database) -> None:
    empty.migrate()
    with empty.transaction() as session:
        session.connection().execute(text("INSERT INTO secrets (name, sealed) VALUES ('n', 'x')"))
    empty.migrate()
    with empty.reading() as session:
        assert session.connection().execute(text("SELECT name FROM secrets")).scalars().all() == ["n"]
    assert len(revisions(empty)) == 1


def test_pages_that_wait_keep_waiting(empty: Database, keyring: Keyring, now: datetime) -> None:
    """Those of an input, through a revision that gives them another key, back and forth; an output is read again."""
    empty.migrate()
    account = new_account(empty, now)
    scanned, verified = (new_job(empty, keyring, account, now) for _ in range(2))
    for job_id, to in ((scanned, Stage.OCR), (verified, Stage.REREAD)):
        with empty.transaction() as session:
            claim = leases.claim(session, Queue.LIGHT, LIMITS, now=now, asked=job_id)
            assert claim is not None
            assert leases.split(session, claim, to, 2, at_once=1, milliseconds=1, lease_seconds=LEASE, now=now)
    config = Config()
    config.set_main_option("script_location", str(ROOT / "storage" / "migrations"))
    with empty.engine.begin() as connection:
        config.attributes["connection"] = connection
        command.downgrade(config, "0008")
    empty.migrate()
    assert differences(empty) == []
    with empty.reading() as session:
        parts = session.scalars(select(JobPart).order_by(col(JobPart.part))).all()
    assert [(part.job_id, part.stage, part.round, part.part) for part in parts] == [
        (scanned, "ocr", 1, 0),
        (scanned, "ocr", 1, 1),
    ]
    assert [part.due_at for part in parts] == [now + timedelta(seconds=LEASE), None]
    assert [part.waiting_since for part in parts] == [now, None]  # since the upload: more is not known
    assert [row(empty, job_id).waiting_since for job_id in (scanned, verified)] == [now, now]
    assert claimed(empty, verified, Stage.VERIFY, now) is not None


def test_threads_that_migrate_at_once_do_it_once(empty_url: str) -> None:
    def migrate(_: int) -> bool:
        database = Database(empty_url)  # as many programs would: each with an engine of its own
        database.migrate()
        current = is_current(database)
        database.dispose()
        return current

    with ThreadPoolExecutor(4) as threads:
        assert all(threads.map(migrate, range(4)))


@pytest.mark.slow
def test_processes_that_migrate_at_once_do_it_once(empty: Database, empty_url: str) -> None:
    processes = [
        subprocess.Popen([sys.executable, "-c", MIGRATE, empty_url], cwd=ROOT, stderr=subprocess.PIPE, text=True)
        for _ in range(4)
    ]
    errors = [process.communicate(timeout=60)[1] for process in processes]
    assert [process.returncode for process in processes] == [0] * 4, errors
    assert differences(empty) == []
    assert len(revisions(empty)) == 1


def test_a_migration_that_fails_leaves_nothing(empty: Database) -> None:
    with empty.engine.begin() as connection:
        connection.execute(text("CREATE TABLE glossaries (id INTEGER)"))  # in the way of a late step
    with pytest.raises(Exception, match=r"already exists|masker_unavailable"):
        empty.migrate()
    with empty.engine.begin() as connection:
        connection.execute(text("DROP TABLE glossaries"))
    empty.migrate()
    assert differences(empty) == []


def test_a_newer_programs_database_is_left_alone(empty: Database) -> None:
    empty.migrate()
    with empty.engine.begin() as connection:
        connection.execute(text("UPDATE alembic_version SET version_num = '9999'"))
    assert not is_current(empty)
    with pytest.raises(InvalidSettings, match="MASKER_DATABASE_URL"):
        empty.migrate()
    assert revisions(empty) == ["9999"]


def test_it_works_from_wherever_the_package_is_installed(tmp_path: Path) -> None:
    place = tmp_path / "site 100% spaces"
    for package in ("schemas", "storage"):
        shutil.copytree(ROOT / package, place / package, ignore=shutil.ignore_patterns("__pycache__"))
    target = f"sqlite:///{tmp_path / 'installed.db'}"
    code = f"import sys; sys.path.insert(0, {str(place)!r}); {MIGRATE}; import storage; print(storage.__file__)"
    done = subprocess.run(
        [sys.executable, "-c", code, target], cwd=tmp_path, capture_output=True, text=True, timeout=60, check=False
    )
    assert done.returncode == 0, done.stderr
    assert done.stdout.startswith(str(place))
    database = Database(target)
    assert is_current(database)
    database.dispose()


def test_revisions_form_one_line() -> None:
    script = ScriptDirectory(str(ROOT / "storage" / "migrations"))
    assert len(script.get_heads()) == 1
    assert len(script.get_bases()) == 1
    numbers = [revision.revision for revision in script.walk_revisions()]
    assert numbers == sorted(numbers, reverse=True)
    assert known_revisions() == tuple(reversed(numbers)), "a file's name does not tell its revision"


def test_alembic_is_not_loaded_where_nothing_is_to_be_done(tmp_path: Path) -> None:
    """It takes a third of the time of a short command."""
    code = (
        "import sys; from storage.database import Database; database = Database(sys.argv[1]); database.migrate();"
        "database.ping(); print('alembic' in sys.modules)"
    )
    told = [
        subprocess.run(
            [sys.executable, "-c", code, f"sqlite:///{tmp_path / 'kept.db'}"],
            cwd=ROOT, capture_output=True, text=True, timeout=60, check=True,
        ).stdout.strip()
        for _ in range(2)
    ]  # fmt: skip
    assert told == ["True", "False"]
