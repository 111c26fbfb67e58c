"""Object stores of both kinds: every test that asks for one is a promise of both."""

from collections.abc import Iterator
from pathlib import Path

import pytest

from storage.objects.directory import DirectoryStore
from storage.objects.s3 import S3Store
from storage.objects.store import ObjectStore
from tests.servers import Bucket


def s3_store(bucket: Bucket) -> S3Store:
    return S3Store(
        bucket.bucket,
        endpoint_url=bucket.endpoint_url,
        region=bucket.region,
        access_key_id=bucket.access_key_id,
        secret_access_key=bucket.secret_access_key,
    )


@pytest.fixture(params=["directory", "s3"])
def objects(request: pytest.FixtureRequest, tmp_path: Path) -> Iterator[ObjectStore]:
    """An empty object store."""
    store: ObjectStore
    if request.param == "directory":
        store = DirectoryStore(tmp_path / "objects")
    else:
        store = s3_store(request.getfixturevalue("s3"))
    yield store
    store.close()
