"""Destroys the bytes that a finished job must not keep."""

from uuid import UUID

from schemas.files import JobState
from storage.jobs import objects, sweeps
from storage.opening import Storage


def destroy_residue(storage: Storage, job_id: UUID, state: JobState, kept: str | None) -> None:
    """A ready job keeps its result, `kept`; any other final state nothing. Notes in the row that the rest is gone."""
    if kept is None:
        objects.destroy_all(storage.objects, job_id)
    else:
        objects.destroy_all_but(storage.objects, job_id, kept)
    with storage.database.transaction() as session:
        sweeps.cleared(session, job_id, state)
