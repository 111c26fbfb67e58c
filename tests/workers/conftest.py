"""A workshop in a directory of its own for each test; sandbox and detector, which are dear, once for all."""

from collections.abc import Iterator
from pathlib import Path

import pytest

from pipeline.sandbox.parent import Sandbox
from schemas.settings import Settings
from storage.opening import Storage
from tests.workers.workshop import Workshop, caged, honest


@pytest.fixture(scope="session")
def sandbox() -> Sandbox:
    return honest()


@pytest.fixture
def settings(tmp_path: Path, sqlite_url: str) -> Settings:
    """The embedded mode's settings in a temporary directory, without the taggers, which no job of a worker is about."""
    return Settings(_env_file=None, data_dir=tmp_path / "data", database_url=sqlite_url, names="rules")


@pytest.fixture
def workshop(settings: Settings, sandbox: Sandbox) -> Iterator[Workshop]:
    shop = Workshop(settings, Storage.open(settings), sandbox, caged())
    yield shop
    shop.close()
