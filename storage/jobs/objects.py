"""Keys of a job's objects in the object store, and their destruction."""

from collections.abc import Iterator
from datetime import datetime
from typing import NamedTuple
from uuid import UUID

from storage.objects.store import ObjectStore

WORK_PREFIX = "jobs/"
RESULT_PREFIX = "results/"


class StoredJob(NamedTuple):
    """One object of a job in a listing."""

    job_id: UUID
    key: str
    modified: datetime


def input_key(job_id: UUID) -> str:
    """The key of the uploaded file."""
    return f"{WORK_PREFIX}{job_id}/input"


def artifact_key(job_id: UUID, stage: str, attempt: int, name: str) -> str:
    """The key of an artifact of one attempt; a late attempt therefore never overwrites that of another."""
    return f"{WORK_PREFIX}{job_id}/{stage}.{attempt}/{name}"


def part_key(job_id: UUID, stage: str, round_: int, part: int, attempt: int) -> str:
    """The key of what one attempt read in one raster of the input or, at `reread`, of the output of a round."""
    of_round = "" if round_ == 1 else f"{round_}."
    return f"{WORK_PREFIX}{job_id}/{stage}.{part}/{of_round}{attempt}"


def result_key(job_id: UUID, attempt: int) -> str:
    """The key of the file to download, written by that attempt at the store stage."""
    return f"{RESULT_PREFIX}{job_id}/{attempt}"


def destroy_work(store: ObjectStore, job_id: UUID) -> None:
    """Destroys the input and every artifact."""
    store.delete_prefix(f"{WORK_PREFIX}{job_id}/")


def destroy_all_but(store: ObjectStore, job_id: UUID, kept: str) -> None:
    """Destroys all objects of a job except one result, also those of attempts that died."""
    destroy_work(store, job_id)
    for key in list(store.keys(f"{RESULT_PREFIX}{job_id}/")):
        if key != kept:
            store.delete(key)


def destroy_all(store: ObjectStore, job_id: UUID) -> None:
    """Destroys all objects of a job."""
    destroy_work(store, job_id)
    store.delete_prefix(f"{RESULT_PREFIX}{job_id}/")


def stored(store: ObjectStore) -> Iterator[StoredJob]:
    """Every object in the store that belongs to a job."""
    for prefix in (WORK_PREFIX, RESULT_PREFIX):
        for entry in store.entries(prefix):
            name = entry.key[len(prefix) :].split("/", 1)[0]
            try:
                job_id = UUID(name)
            except ValueError:
                continue  # not ours
            yield StoredJob(job_id, entry.key, entry.modified)


def destroy_attempt(store: ObjectStore, job_id: UUID, stage: str, attempt: int) -> None:
    """Destroys what one attempt at a stage wrote."""
    store.delete_prefix(f"{WORK_PREFIX}{job_id}/{stage}.{attempt}/")
    store.delete(result_key(job_id, attempt))
