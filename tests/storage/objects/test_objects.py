"""The object store's interface, on every adapter."""

import resource
import secrets
import stat
import threading
from datetime import UTC, datetime, timedelta
from pathlib import Path

import pytest

from schemas.errors import MaskerUnavailable
from schemas.settings import InvalidSettings
from storage.encryption import sync_directory
from storage.objects import directory
from storage.objects.directory import DirectoryStore
from storage.objects.s3 import PART_BYTES, S3Store
from storage.objects.store import InvalidObjectKey, ObjectNotFound, ObjectStore
from tests.servers import Bucket
from tests.storage.conftest import s3_store

SIZES = (0, 1, 1 << 20, PART_BYTES - 1, PART_BYTES, PART_BYTES + 1)


def put(store: ObjectStore, key: str, data: bytes) -> None:
    with store.writer(key) as writer:
        writer.write(data)
        writer.commit()


def get(store: ObjectStore, key: str) -> bytes:
    return b"".join(store.read(key))


@pytest.mark.parametrize("size", SIZES)
def test_what_was_written_is_read(objects: ObjectStore, size: int) -> None:
    data = secrets.token_bytes(size)
    put(objects, "jobs/a/input", data)
    assert get(objects, "jobs/a/input") == data


def test_an_object_is_written_in_any_portions(objects: ObjectStore) -> None:
    portions = [secrets.token_bytes(size) for size in (1, PART_BYTES + 7, 0, 3, 2 * PART_BYTES)]
    with objects.writer("x") as writer:
        for portion in portions:
            writer.write(portion)
        writer.commit()
    assert get(objects, "x") == b"".join(portions)


def test_a_later_object_replaces_an_earlier_one_whole(objects: ObjectStore) -> None:
    put(objects, "x", b"a longer first version")
    put(objects, "x", b"second")
    assert get(objects, "x") == b"second"


@pytest.mark.parametrize("size", [10, PART_BYTES + 10])
def test_what_was_not_committed_does_not_exist(objects: ObjectStore, size: int) -> None:
    with objects.writer("jobs/a/input") as writer:
        writer.write(bytes(size))
    with pytest.raises(ObjectNotFound):
        objects.read("jobs/a/input")
    assert list(objects.keys("")) == []


def test_an_error_while_writing_leaves_the_earlier_object(objects: ObjectStore) -> None:
    put(objects, "x", b"first")
    with pytest.raises(RuntimeError), objects.writer("x") as writer:
        writer.write(bytes(PART_BYTES + 1))
        raise RuntimeError
    assert get(objects, "x") == b"first"


def test_a_missing_object_is_told_before_the_first_piece(objects: ObjectStore) -> None:
    with pytest.raises(ObjectNotFound):
        objects.read("jobs/none")


def test_deleting_is_harmless_when_repeated(objects: ObjectStore) -> None:
    put(objects, "jobs/a/input", b"x")
    objects.delete("jobs/a/input")
    objects.delete("jobs/a/input")
    with pytest.raises(ObjectNotFound):
        objects.read("jobs/a/input")


def test_a_prefix_is_listed_and_deleted_without_its_neighbours(objects: ObjectStore) -> None:
    for key in ("jobs/a/input", "jobs/a/extract.1/units", "jobs/ab/input", "results/a/1"):
        put(objects, key, b"x")
    assert sorted(objects.keys("jobs/a/")) == ["jobs/a/extract.1/units", "jobs/a/input"]
    objects.delete_prefix("jobs/a/")
    assert sorted(objects.keys("")) == ["jobs/ab/input", "results/a/1"]
    objects.delete_prefix("jobs/a/")


def test_a_listing_tells_when_an_object_was_committed(objects: ObjectStore) -> None:
    put(objects, "x", b"1")
    (entry,) = objects.entries("")
    assert abs(datetime.now(UTC) - entry.modified) < timedelta(minutes=5)


def test_every_object_is_never_deleted_at_once(objects: ObjectStore) -> None:
    with pytest.raises(ValueError):
        objects.delete_prefix("")


@pytest.mark.parametrize(
    "key",
    ["", "/", "/etc/passwd", "a//b", "a/", "..", "a/../b", "a/./b", ".hidden", "a\\b", "a b", "a\x00b", "é", "a" * 513],
)
def test_a_key_that_could_leave_the_store_is_refused(objects: ObjectStore, key: str) -> None:
    for act in (objects.writer, objects.read, objects.delete):
        with pytest.raises(InvalidObjectKey):
            act(key)


@pytest.mark.parametrize("prefix", ["jobs", "../", "/", "a//"])
def test_a_prefix_that_is_no_folder_is_refused(objects: ObjectStore, prefix: str) -> None:
    with pytest.raises(InvalidObjectKey):
        list(objects.keys(prefix))


def test_writers_of_one_key_never_mix(objects: ObjectStore) -> None:
    versions = [bytes([number]) * 300_000 for number in range(6)]
    threads = [threading.Thread(target=put, args=(objects, "jobs/a/same", version)) for version in versions]
    for thread in threads:
        thread.start()
    for thread in threads:
        thread.join()
    assert get(objects, "jobs/a/same") in versions


def test_what_dead_writers_left_is_discarded(objects: ObjectStore) -> None:
    dead = objects.writer("jobs/a/input")
    dead.write(bytes(PART_BYTES + 1))
    living = objects.writer("jobs/b/input")
    living.write(b"still going on")
    objects.discard_unfinished(datetime.now(UTC) - timedelta(hours=1))
    living.commit()
    assert get(objects, "jobs/b/input") == b"still going on"
    objects.discard_unfinished(datetime.now(UTC) + timedelta(hours=1))
    with pytest.raises((FileNotFoundError, MaskerUnavailable)):
        dead.commit()
    dead.abort()
    assert list(objects.keys("jobs/a/")) == []


def test_a_store_that_is_there_answers(objects: ObjectStore) -> None:
    objects.ping()


def test_a_directory_is_private(tmp_path: Path) -> None:
    store = DirectoryStore(tmp_path / "objects")
    put(store, "jobs/a/input", b"x")
    for path in [tmp_path / "objects", *(tmp_path / "objects").rglob("*")]:
        assert stat.S_IMODE(path.stat().st_mode) == (0o700 if path.is_dir() else 0o600), path


def test_a_directory_keeps_no_empty_folders_and_no_drafts(tmp_path: Path) -> None:
    store = DirectoryStore(tmp_path / "objects")
    put(store, "jobs/a/input", b"x")
    store.delete_prefix("jobs/a/")
    with store.writer("jobs/b/input") as writer:
        writer.write(b"never committed")
    assert [path.name for path in (tmp_path / "objects").rglob("*")] == [".drafts"]


def test_new_folders_survive_a_power_cut_and_old_ones_are_not_written_again(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    synced: list[str] = []

    def sync(folder: Path) -> None:
        synced.append(folder.relative_to(tmp_path).as_posix())
        sync_directory(folder)

    monkeypatch.setattr(directory, "sync_directory", sync)
    store = DirectoryStore(tmp_path / "objects")
    for key, folders in (
        ("jobs/a/input", ["objects/jobs/a", "objects/jobs", "objects"]),
        ("jobs/b/input", ["objects/jobs/b", "objects/jobs"]),
        ("jobs/a/extract.2/extraction", ["objects/jobs/a/extract.2", "objects/jobs/a"]),
        ("jobs/a/extract.2/raster-0", ["objects/jobs/a/extract.2", "objects/jobs/a"]),
        ("single", ["objects"]),
    ):
        synced.clear()
        with store.writer(key) as writer:
            writer.commit()
        assert synced == folders


@pytest.mark.parametrize("size", [5_000, 5_000_000])
def test_a_disk_that_takes_no_more_is_unavailable_and_keeps_no_draft(tmp_path: Path, size: int) -> None:
    """By a bound on the size of files, which refuses a write as a full disk does."""
    store = DirectoryStore(tmp_path / "store")
    put(store, "jobs/a/input", b"an earlier one")
    soft, hard = resource.getrlimit(resource.RLIMIT_FSIZE)
    resource.setrlimit(resource.RLIMIT_FSIZE, (4_096, hard))
    try:
        with pytest.raises(MaskerUnavailable):
            put(store, "jobs/a/input", bytes(size))
    finally:
        resource.setrlimit(resource.RLIMIT_FSIZE, (soft, hard))
    assert get(store, "jobs/a/input") == b"an earlier one"
    assert list((tmp_path / "store" / ".drafts").iterdir()) == []


def test_a_deletion_beside_a_writer_does_not_pull_its_folder_away(tmp_path: Path) -> None:
    store = DirectoryStore(tmp_path / "objects")
    stop = threading.Event()

    def prune() -> None:
        while not stop.is_set():
            store.delete("jobs/a/other")

    pruner = threading.Thread(target=prune)
    pruner.start()
    try:
        for _ in range(50):
            put(store, "jobs/a/input", b"x")
            store.delete("jobs/a/input")
    finally:
        stop.set()
        pruner.join()


def test_an_aborted_multipart_upload_leaves_no_parts(s3: Bucket) -> None:
    store = s3_store(s3)
    with store.writer("jobs/a/input") as writer:
        writer.write(bytes(2 * PART_BYTES))
    pending = store._client.list_multipart_uploads(Bucket=s3.bucket)
    assert pending.get("Uploads", []) == []
    store.close()


@pytest.mark.parametrize(
    ("wrong", "name"), [({"endpoint_url": "store"}, "ENDPOINT_URL"), ({"region": "a b"}, "REGION")]
)
def test_a_place_that_is_none_is_named(wrong: dict[str, str], name: str) -> None:
    with pytest.raises(InvalidSettings, match=f"^MASKER_S3_{name}: "):
        S3Store("bucket", **wrong)


@pytest.mark.parametrize(
    "broken", [{"bucket": "no-such-bucket"}, {"secret_access_key": "wrong"}, {"endpoint_url": "http://127.0.0.1:9"}]
)
def test_a_store_that_cannot_be_reached_is_unavailable_and_says_nothing(s3: Bucket, broken: dict[str, str]) -> None:
    place = {
        "bucket": s3.bucket,
        "endpoint_url": s3.endpoint_url,
        "region": s3.region,
        "access_key_id": s3.access_key_id,
        "secret_access_key": s3.secret_access_key,
    } | broken
    store = S3Store(place.pop("bucket"), **place)
    for act in (store.ping, lambda: store.read("x"), lambda: put(store, "x", b"1"), lambda: list(store.keys(""))):
        with pytest.raises(MaskerUnavailable) as refusal:
            act()
        assert str(refusal.value) == "masker_unavailable"
    store.close()
