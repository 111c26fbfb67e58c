"""The database: engine (SQLite or PostgreSQL), transactions, time column and migrations."""

import logging
import math
import sqlite3
import threading
import time
from collections.abc import Callable, Iterator, Sequence
from contextlib import AbstractContextManager, contextmanager, suppress
from datetime import UTC, datetime
from pathlib import Path
from typing import Any, TypeVar, cast

from sqlalchemy import (
    URL,
    Connection,
    CursorResult,
    DateTime,
    Delete,
    Dialect,
    Engine,
    Update,
    create_engine,
    event,
    inspect,
    make_url,
    text,
)
from sqlalchemy.dialects import postgresql, sqlite
from sqlalchemy.engine.interfaces import DBAPIConnection, DBAPICursor
from sqlalchemy.exc import (
    ArgumentError,
    DatabaseError,
    DBAPIError,
    InterfaceError,
    InvalidatePoolError,
    NoSuchModuleError,
    OperationalError,
)
from sqlalchemy.exc import TimeoutError as PoolTimeout
from sqlalchemy.pool import ConnectionPoolEntry
from sqlalchemy.types import TypeDecorator
from sqlmodel import Session, SQLModel

from schemas.errors import CommitInDoubt, MaskerUnavailable
from schemas.settings import InvalidSettings
from schemas.telemetry.metrics import UNAVAILABLE
from schemas.telemetry.tracing import timed_store
from storage.migrations import revisions

# Before any table is declared: constraints need names that migrations can speak of, the same on both databases.
SQLModel.metadata.naming_convention = {
    "ix": "ix_%(table_name)s_%(column_0_N_name)s",
    "uq": "uq_%(table_name)s_%(column_0_N_name)s",
    "ck": "ck_%(table_name)s_%(constraint_name)s",
    "fk": "fk_%(table_name)s_%(column_0_N_name)s",
    "pk": "pk_%(table_name)s",
}

# Of the drivers' errors those that nobody's statement caused; a bare DatabaseError is SQLite's damaged file.
_OUT_OF_ORDER = (OperationalError, InterfaceError, DatabaseError)
# PostgreSQL's codes of an undefined table and column; SQLite calls both an OperationalError.
_NOT_MIGRATED = frozenset({"42P01", "42703"})
_log = logging.getLogger(__name__)

T = TypeVar("T")
CONNECTIONS = 20  # per process
# A network that went away is noticed in this many seconds (libpq, section 34.1.2), not in the system's hours.
_UNPLUGGED = {"keepalives_idle": 10, "keepalives_interval": 5, "keepalives_count": 3, "tcp_user_timeout": 25_000}
_BUSY_SECONDS = 0.01  # between two looks at a file that another process has
_IDLE_SECONDS = 1.0  # after which a connection is asked whether it still lives
_MIGRATION_LOCK = 0x6D61736B6572  # "masker", the number of PostgreSQL's advisory lock
_migrating = threading.Lock()  # Alembic's environment is global to the process


class UtcDateTime(TypeDecorator[datetime]):
    """A time-zone-aware moment, always UTC when read. A naive value is refused, because SQLite would lose its zone."""

    impl = DateTime(timezone=True)
    cache_ok = True

    def process_bind_param(self, value: datetime | None, dialect: Dialect) -> datetime | None:
        """UTC; SQLite stores no zone, so it gets none. ValueError for a naive value."""
        if value is None:
            return None
        if value.tzinfo is None:
            raise ValueError("a naive datetime is no moment in time")
        moment = value.astimezone(UTC)
        return moment.replace(tzinfo=None) if dialect.name == "sqlite" else moment

    def process_result_value(self, value: datetime | None, dialect: Dialect) -> datetime | None:
        """Aware, in UTC."""
        if value is None:
            return None
        return value.replace(tzinfo=UTC) if value.tzinfo is None else value.astimezone(UTC)


class Database:
    """One database and its pool of connections; made once per process, safe from many threads.

    `url`: `sqlite:///PATH` (a file) or `postgresql://...`. InvalidSettings when it is neither. Connects to nothing yet.
    `wait_seconds`: for SQLite's other writer, or for a free connection; after that the caller gets MaskerUnavailable.
    """

    def __init__(self, url: str, *, wait_seconds: float = 30) -> None:
        self._wait_seconds = wait_seconds
        self._url = _checked(url)
        self.is_sqlite = self._url.get_backend_name() == "sqlite"
        self.engine = (_sqlite_engine if self.is_sqlite else _postgresql_engine)(self._url, wait_seconds)
        self._reader = self.engine.execution_options(masker_reads=True, postgresql_readonly=True)
        # SQLite's waiting writers poll, and may starve; within this process they queue here instead.
        self._writer: threading.Lock | None = threading.Lock() if self.is_sqlite else None
        self._writing: int | None = None  # the thread whose turn it is

    @contextmanager
    def transaction(self) -> Iterator[Session]:
        """A transaction that may write: commits at the end, rolls back when anything is raised.

        On SQLite its first statement takes the one write lock (BEGIN IMMEDIATE), so what is read stays true; never open
        one inside another. Rows stay readable after it. MaskerUnavailable when the database cannot be reached, and of
        its kinds CommitInDoubt when it went away at the very end.
        """
        with self._committed(_session(self.engine)) as session:
            yield session

    @contextmanager
    def bare_transaction(self) -> Iterator[Connection]:
        """`transaction` without an ORM session, which costs more than a few statements."""
        with self._committed(self.engine.begin()) as connection:
            yield connection

    @contextmanager
    def reading(self) -> Iterator[Session]:
        """A read-only transaction that waits for no writer; a write in it fails. MaskerUnavailable as above."""
        with _unavailable(), timed_store("database"), _session(self._reader) as session:
            yield session

    def ping(self) -> None:
        """Reads the schema's revision. MaskerUnavailable without an answer, or when the revision is older than this
        code.

        A newer revision is accepted: old processes keep running while a new version is rolled out.
        """
        with self.reading() as session:
            found = set(session.connection().execute(text("SELECT version_num FROM alembic_version")).scalars())
        if found <= {*revisions()[:-1]}:
            _log.warning("database unavailable: its schema is older than this version: run `masker migrate`")
            raise MaskerUnavailable

    def migrate(self) -> None:
        """Brings the schema to the newest revision in one transaction. Safe to repeat and to run from several
        processes.

        InvalidSettings when the database is at a revision that this code does not know: a newer program migrated it.
        """
        with _migrating, self._turn(), _unavailable(), self.engine.begin() as connection:
            if not self.is_sqlite:
                connection.execute(text("SELECT pg_advisory_xact_lock(:key)"), {"key": _MIGRATION_LOCK})
            if _revision(connection) != revisions()[-1]:
                from storage.migrations.upgrade import upgrade

                upgrade(connection)

    def dispose(self) -> None:
        """Closes every idle connection."""
        self.engine.dispose()

    @contextmanager
    def _committed(self, transaction: AbstractContextManager[T]) -> Iterator[T]:
        """Around a transaction that writes, and commits at its end."""
        committing = False
        try:
            with timed_store("database"), self._turn(), _unavailable(), transaction as opened:
                yield opened
                committing = True
        except MaskerUnavailable:
            if committing:
                raise CommitInDoubt from None
            raise

    @contextmanager
    def _turn(self) -> Iterator[None]:
        if self._writer is None:
            yield
            return
        if self._writing == threading.get_ident():
            raise RuntimeError("a transaction inside another would wait for itself")
        if not self._writer.acquire(timeout=self._wait_seconds):
            raise MaskerUnavailable
        self._writing = threading.get_ident()
        try:
            yield
        finally:
            self._writing = None
            self._writer.release()


@contextmanager
def _session(engine: Engine) -> Iterator[Session]:
    with Session(engine, expire_on_commit=False) as session, session.begin():
        yield session


@contextmanager
def _unavailable() -> Iterator[None]:
    try:
        yield
    except DBAPIError as error:
        # The driver's code alone is told: its message may name hosts, users and values.
        code = getattr(error.orig, "sqlite_errorname", None) or getattr(error.orig, "sqlstate", None)
        if type(error) not in _OUT_OF_ORDER and code not in _NOT_MIGRATED:
            raise
        UNAVAILABLE.labels("database").inc()
        hint = ": has `masker migrate` been run?" if code in _NOT_MIGRATED else ""
        _log.warning("database unavailable%s", hint, extra={"error": type(error.orig).__name__, "code": code})
        raise MaskerUnavailable from None
    except PoolTimeout:
        UNAVAILABLE.labels("database").inc()
        _log.warning("database unavailable: no free connection in time")
        raise MaskerUnavailable from None


def _checked(url: str) -> URL:
    try:
        parsed = make_url(url)
        name = parsed.get_backend_name()
    except (ArgumentError, NoSuchModuleError, ValueError):
        raise InvalidSettings("MASKER_DATABASE_URL: not a database address") from None
    if name == "sqlite":
        if parsed.database in (None, "", ":memory:") or "mode" in parsed.query:
            raise InvalidSettings("MASKER_DATABASE_URL: SQLite needs a file: every thread shares it")
        return parsed.set(drivername="sqlite+pysqlite")
    if name in ("postgresql", "postgres"):
        return parsed.set(drivername="postgresql+psycopg")
    raise InvalidSettings("MASKER_DATABASE_URL: only sqlite and postgresql are known")


def _postgresql_engine(url: URL, wait_seconds: float) -> Engine:
    engine = create_engine(
        url,
        hide_parameters=True,  # values never reach an exception's text
        pool_size=CONNECTIONS,
        pool_use_lifo=True,  # the one that was used last: the longer one rests, the sooner it has to be asked
        max_overflow=0,
        pool_timeout=wait_seconds,
        connect_args={"connect_timeout": 5, "application_name": "masker", **_UNPLUGGED},
    )

    @event.listens_for(engine, "checkin")
    def _note(_: DBAPIConnection | None, record: ConnectionPoolEntry) -> None:
        record.info["last_used"] = time.monotonic()

    @event.listens_for(engine, "checkout")
    def _wake(connection: DBAPIConnection, record: ConnectionPoolEntry, _: object) -> None:
        # The server may have been restarted since; to ask before every transaction would lengthen each by a third.
        if time.monotonic() - record.info.get("last_used", math.inf) > _IDLE_SECONDS:
            try:
                engine.dialect.do_ping(connection)
            except engine.dialect.loaded_dbapi.Error:
                raise InvalidatePoolError from None

    return engine


def _sqlite_engine(url: URL, wait_seconds: float) -> Engine:
    engine = create_engine(
        url,
        hide_parameters=True,
        pool_size=CONNECTIONS,
        max_overflow=0,
        pool_timeout=wait_seconds,
        connect_args={"timeout": wait_seconds, "check_same_thread": False},
    )
    path = Path(str(url.database))

    @event.listens_for(engine, "do_connect")
    def _make_room(*_: Any) -> None:
        with suppress(OSError):  # SQLite says it itself: SQLITE_CANTOPEN
            path.parent.mkdir(mode=0o700, parents=True, exist_ok=True)
            path.touch(mode=0o600)  # the write-ahead log takes its mode from it

    @event.listens_for(engine, "connect")
    def _configure(connection: DBAPIConnection, _: ConnectionPoolEntry) -> None:
        connection.isolation_level = None  # the driver begins no transaction of its own; _begin does
        cursor = connection.cursor()
        _write_ahead(cursor, wait_seconds)
        cursor.execute("PRAGMA synchronous = FULL")  # a committed charge survives a power cut
        cursor.execute("PRAGMA foreign_keys = ON")
        cursor.close()

    @event.listens_for(engine, "begin")
    def _begin(connection: Connection) -> None:
        reads = connection.get_execution_options().get("masker_reads", False)
        connection.exec_driver_sql(f"PRAGMA query_only = {'ON' if reads else 'OFF'}")
        connection.exec_driver_sql("BEGIN DEFERRED" if reads else "BEGIN IMMEDIATE")

    return engine


def _write_ahead(cursor: DBAPICursor, wait_seconds: float) -> None:
    """Switches to the write-ahead log. SQLite does not wait for other processes with this statement, so this polls."""
    deadline = time.monotonic() + wait_seconds
    while True:
        try:
            cursor.execute("PRAGMA journal_mode = WAL")
            return
        except sqlite3.OperationalError as error:
            if error.sqlite_errorcode != sqlite3.SQLITE_BUSY or time.monotonic() > deadline:
                raise
            time.sleep(_BUSY_SECONDS)


def _revision(connection: Connection) -> str | None:
    """The schema's revision; None in an empty database."""
    if not inspect(connection).has_table("alembic_version"):
        return None
    return connection.execute(text("SELECT version_num FROM alembic_version")).scalar()


# What a conditional statement did: the number of rows it changed, which is how a race is won or lost.


def changed(session: Session, statement: Update | Delete) -> int:
    """Runs an UPDATE or DELETE and returns the number of rows. Objects that the session already holds are not
    refreshed.
    """
    result = session.execute(statement, execution_options={"synchronize_session": False})
    return cast("CursorResult[Any]", result).rowcount


# Inserts that meet a row already there, in the words of either database.


def insert_missing(session: Session, table: type[SQLModel], values: dict[str, Any]) -> bool:
    """Inserts a row unless its key exists; returns whether it did. Waits for a concurrent insert of the same key."""
    # Inline: nobody wants the new row's number. For inserts the count of rows is kept only on request.
    insert = _insert(session)(table).on_conflict_do_nothing().inline().execution_options(preserve_rowcount=True)
    return session.connection().execute(insert, values).rowcount == 1


def insert_or_add(session: Session, table: type[SQLModel], rows: Sequence[dict[str, Any]], amount: str) -> None:
    """Inserts rows; adds the `amount` column to the existing row where the key exists."""
    insert = _insert(session)(table).values(list(rows))
    columns = inspect(table).local_table.c
    total = {amount: columns[amount] + insert.excluded[amount]}
    session.connection().execute(insert.on_conflict_do_update(index_elements=inspect(table).primary_key, set_=total))


def _insert(session: Session) -> Callable[..., sqlite.Insert]:
    # The two dialects' constructs are alike but for their class.
    alike = sqlite.insert if session.get_bind().dialect.name == "sqlite" else postgresql.insert
    return cast("Callable[..., sqlite.Insert]", alike)
