"""A plant of its own for each test, on servers that all tests share."""

from collections.abc import Iterator
from pathlib import Path

import pytest

from tests.faults.plant import Plant
from tests.servers import Bucket


@pytest.fixture
def plant(postgres_url: str, redis_url: str, s3: Bucket, tmp_path: Path) -> Iterator[Plant]:
    plant = Plant(postgres_url, redis_url, s3, tmp_path / "workers.log")
    yield plant
    plant.close()
