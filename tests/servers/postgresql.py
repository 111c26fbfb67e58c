"""A private PostgreSQL: a cluster in a temporary directory, whose databases are cheap to copy and to clear."""

import secrets
import shutil
import signal
from functools import partial
from pathlib import Path

import psycopg
from psycopg import sql

from tests.servers.process import Process, free_port, ordinary_user, private_directory, program, run_as

_ROLE = "masker"
# Nothing here must survive a crash of the machine, and tests commit all the time.
_CARELESS = ("fsync=off", "synchronous_commit=off", "full_page_writes=off")
_SETTINGS = ("max_connections=300", "shared_buffers=64MB", "listen_addresses=127.0.0.1", "autovacuum=off")

_CUT_SESSIONS = """
SELECT pg_terminate_backend(pid) FROM pg_stat_activity
WHERE datname = current_database() AND pid <> pg_backend_pid()
"""
# As a replica it checks no foreign keys, so that the order of tables does not matter.
_DELETE_ROWS = """
DO $$
DECLARE name text;
BEGIN
    SET LOCAL session_replication_role = replica;
    FOR name IN SELECT tablename FROM pg_tables WHERE schemaname = 'public' AND tablename <> 'alembic_version' LOOP
        EXECUTE format('DELETE FROM %I', name);
    END LOOP;
END $$
"""


class PostgreSQL:
    """A running cluster; anyone on the loopback may enter it. `durable`: writes reach the disk, as in production."""

    def __init__(self, *, durable: bool = False) -> None:
        places = sorted((str(path) for path in Path("/usr/lib/postgresql").glob("*/bin")), reverse=True)
        initdb = program("initdb", "postgresql", *places)
        postgres = program("postgres", "postgresql", *places)
        user = ordinary_user("postgres")
        self._directory = private_directory(user)
        try:
            self._initialize(initdb, user)
            self.port = free_port()
            self._start_process = partial(self._start, postgres, user, durable)
            self._process = self._start_process()
            self._process.wait_until(self._accepts)
        except BaseException:
            shutil.rmtree(self._directory, ignore_errors=True)
            raise

    def kill(self) -> None:
        """Ends all its processes with SIGKILL; `start` brings it back."""
        self._process.kill()

    def start(self) -> None:
        """Starts the cluster again after `kill`, on the same port, and lets it recover."""
        self._process = self._start_process()
        self._process.wait_until(self._accepts)

    def family(self) -> list[int]:
        """The process ids of all its processes."""
        return self._process.family()

    @property
    def directory(self) -> Path:
        """Where all its files are."""
        return self._directory

    @property
    def pid(self) -> int:
        """The postmaster's process id."""
        return self._process.pid

    def url(self, database: str) -> str:
        """The address of a database, as MASKER_DATABASE_URL takes it."""
        return f"postgresql+psycopg://{_ROLE}@127.0.0.1:{self.port}/{database}"

    def create(self, template: str = "template1", name: str | None = None) -> str:
        """A new database, a copy of `template` (to which nobody may be connected); its name."""
        name = name or f"t{secrets.token_hex(8)}"
        self._run(sql.SQL("CREATE DATABASE {} TEMPLATE {}").format(sql.Identifier(name), sql.Identifier(template)))
        return name

    def clear(self, name: str) -> None:
        """Cuts every session of a database and deletes every row but its revision: 30 times as fast as a new one."""
        with self._connect(name) as connection:
            connection.execute(_CUT_SESSIONS)
            connection.execute(_DELETE_ROWS)

    def drop(self, name: str) -> None:
        """Removes a database, whoever is still connected."""
        self._run(sql.SQL("DROP DATABASE {} WITH (FORCE)").format(sql.Identifier(name)))

    def stop(self) -> None:
        """Ends the cluster and removes its files."""
        self._process.stop()
        shutil.rmtree(self._directory, ignore_errors=True)

    def _initialize(self, initdb: str, user: str) -> None:
        create = [initdb, "-D", "data", "-U", _ROLE, "-A", "trust", "-E", "UTF8", "--locale=C.UTF-8", "--no-sync"]
        run_as(user, create, self._directory)

    def _start(self, postgres: str, user: str, durable: bool) -> Process:
        settings = (*_SETTINGS, f"unix_socket_directories={self._directory}", *(() if durable else _CARELESS))
        command = [postgres, "-D", str(self._directory / "data"), "-p", str(self.port)]
        command += [word for setting in settings for word in ("-c", setting)]
        at_once = signal.SIGQUIT  # PostgreSQL's immediate shutdown: nothing is written that is thrown away right after
        return Process("postgres", command, user=user, directory=self._directory, stop_signal=at_once)

    def _accepts(self) -> bool:
        try:
            self._connect().close()
        except psycopg.OperationalError:
            return False
        return True

    def _run(self, statement: sql.Composed) -> None:
        with self._connect() as connection:
            connection.execute(statement)

    def _connect(self, database: str = "postgres") -> psycopg.Connection:
        return psycopg.connect(
            host="127.0.0.1", port=self.port, user=_ROLE, dbname=database, autocommit=True, connect_timeout=10
        )
