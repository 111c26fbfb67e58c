"""What every package's tests may ask for: databases, Redis, S3, a keyring, a moment, the shared data.

Servers are real (tests/servers). Each starts when the first test asks for it and stops when the session ends.
"""

import gc
import os
import secrets
import shutil
from collections.abc import Callable, Iterable, Iterator
from datetime import UTC, datetime
from pathlib import Path
from typing import Any, TypeVar

import pytest
from hypothesis import settings
from xdist.scheduler import LoadFileScheduling

from schemas.settings import LogFormat
from schemas.telemetry import logs
from storage.database import Database
from storage.encryption import Keyring
from tests.servers import Bucket, PostgreSQL, RedisServer, ServerMissing, Swift
from tests.servers.certificates import own_certificate
from tests.servers.embedded import Embedded, running

Server = TypeVar("Server", PostgreSQL, RedisServer, Swift)

# No test fails because the machine is busy.
settings.register_profile("slow", deadline=None)
settings.register_profile("fast", settings.get_profile("slow"), max_examples=50)


def every(step: int, rows: Iterable[Any]) -> list[Any]:
    """Parameters of tests of one kind: each `step`-th, from the first on, is for `make test`, the others are slow."""
    return [row if number % step == 0 else pytest.param(row, marks=pytest.mark.slow) for number, row in enumerate(rows)]


def pytest_configure(config: pytest.Config) -> None:
    """How many examples hypothesis tries where a test says nothing."""
    settings.load_profile("slow" if config.option.markexpr == "slow" else "fast")


class _FilesTogether(LoadFileScheduling):
    """Each process takes one file after the other, and all tests in a browser, which share it and its server."""

    def _split_scope(self, nodeid: str) -> str:
        together = "tests/contract/dashboard/"
        return together if nodeid.startswith(together) else super()._split_scope(nodeid)


@pytest.hookimpl(optionalhook=True)
def pytest_xdist_make_scheduler(config: pytest.Config, log: Any) -> LoadFileScheduling:
    """How the tests are shared out to several processes."""
    return _FilesTogether(config, log)


def pytest_collection() -> None:
    """Loads all tests without looking for garbage, of which there is none: it would take as long again."""
    gc.disable()


def pytest_collection_finish() -> None:
    """Looks for garbage from here on, but not among all that was loaded, and as rarely as the service does."""
    gc.freeze()
    gc.set_threshold(10_000)
    gc.enable()


@pytest.fixture(scope="session", autouse=True)
def _no_settings_from_outside(tmp_path_factory: pytest.TempPathFactory) -> Iterator[None]:
    """Tests neither see MASKER_ variables of whoever runs them nor write into their data directory."""
    foreign = {name: os.environ.pop(name) for name in list(os.environ) if name.startswith(("MASKER_", "XDG_DATA_"))}
    os.environ["XDG_DATA_HOME"] = str(tmp_path_factory.mktemp("user-data"))
    yield
    del os.environ["XDG_DATA_HOME"]
    os.environ.update(foreign)


@pytest.fixture(scope="session", autouse=True)
def _one_authority(tmp_path_factory: pytest.TempPathFactory) -> Iterator[None]:
    """HTTP clients trust one certificate, of nobody.

    Servers of tests speak plain HTTP or bring a certificate of their own, and a client that reads all authorities of
    the machine takes as long for it as for a dozen calls.
    """
    path, _ = own_certificate(tmp_path_factory.mktemp("authority"))
    with pytest.MonkeyPatch.context() as patch:
        patch.setenv("SSL_CERT_FILE", str(path))
        yield


@pytest.fixture
def caplog(caplog: pytest.LogCaptureFixture) -> pytest.LogCaptureFixture:
    """pytest's own, whose `text` has the lines as processes write them."""
    caplog.handler.setFormatter(logs.formatter(LogFormat.JSON))
    return caplog


def _running(start: Callable[[], Server]) -> Iterator[Server]:
    try:
        server = start()
    except ServerMissing as missing:
        pytest.fail(f"{missing} (or run scripts/setup)", pytrace=False)
    try:
        yield server
    finally:
        server.stop()


@pytest.fixture(scope="session")
def postgresql() -> Iterator[PostgreSQL]:
    """The running cluster; tests want `postgres_url` or `database`."""
    yield from _running(PostgreSQL)


@pytest.fixture(scope="session")
def _redis() -> Iterator[RedisServer]:
    yield from _running(RedisServer)


@pytest.fixture(scope="session")
def _swift() -> Iterator[Swift]:
    yield from _running(Swift)


@pytest.fixture(scope="session")
def _migrated_postgresql(postgresql: PostgreSQL) -> str:
    """The name of a migrated database that is cleared after each test."""
    name = postgresql.create()
    database = Database(postgresql.url(name))
    database.migrate()
    database.dispose()
    return name


@pytest.fixture(scope="session")
def _sqlite_template(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """A migrated file that is copied for each test."""
    path = tmp_path_factory.mktemp("sqlite") / "template.db"
    database = Database(f"sqlite:///{path}")
    database.migrate()
    database.dispose()  # the last connection takes the write-ahead log back into the file
    return path


@pytest.fixture
def empty_postgres_url(postgresql: PostgreSQL) -> Iterator[str]:
    """The address of a PostgreSQL database without a single table."""
    name = postgresql.create()
    yield postgresql.url(name)
    postgresql.drop(name)


@pytest.fixture
def postgres_url(postgresql: PostgreSQL, _migrated_postgresql: str) -> Iterator[str]:
    """The address of a migrated, otherwise empty PostgreSQL database; its tables are to stay as they are."""
    yield postgresql.url(_migrated_postgresql)
    postgresql.clear(_migrated_postgresql)


@pytest.fixture
def sqlite_url(tmp_path: Path, _sqlite_template: Path) -> str:
    """The address of a migrated, otherwise empty SQLite database."""
    path = tmp_path / "database" / "masker.db"
    path.parent.mkdir()
    shutil.copyfile(_sqlite_template, path)
    return f"sqlite:///{path}"


@pytest.fixture(params=["sqlite", "postgresql"])
def database_url(request: pytest.FixtureRequest) -> str:
    """A migrated database's address: every test that asks for it is a promise of both kinds."""
    return str(request.getfixturevalue("sqlite_url" if request.param == "sqlite" else "postgres_url"))


@pytest.fixture
def database(database_url: str) -> Iterator[Database]:
    """A migrated database: every test that asks for it is a promise of both kinds."""
    database = Database(database_url)
    yield database
    database.dispose()


@pytest.fixture
def redis_url(_redis: RedisServer) -> str:
    """The address of an empty Redis."""
    _redis.flush()
    return _redis.url


@pytest.fixture
def s3(_swift: Swift) -> Bucket:
    """An empty bucket on a real S3 API, and all that is needed to use it."""
    return _swift.bucket()


@pytest.fixture(scope="session")
def embedded() -> Iterator[Embedded]:
    """`masker serve` in embedded mode, of which each test takes an account: it starts in the time of many tests."""
    with running() as server:
        yield server


@pytest.fixture
def keyring() -> Keyring:
    """A keyring with a master key of its own."""
    return Keyring(secrets.token_bytes(32))


@pytest.fixture
def now() -> datetime:
    """A fixed moment: noon in Riyadh."""
    return datetime(2026, 11, 21, 9, 0, tzinfo=UTC)


@pytest.fixture(scope="session")
def shared_dir() -> Path:
    """The project's shared data beside the repository; a test that needs it is skipped where it is absent."""
    path = (Path(__file__).parents[1] / "../shared").resolve()
    if not path.is_dir():
        pytest.skip("../shared is not here")
    return path
