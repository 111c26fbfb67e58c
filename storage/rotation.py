"""Brings everything that is sealed under an earlier master key under the current one, while the service runs.

Afterwards nothing needs the earlier key but the reports that were signed with it.
"""

from collections.abc import Sequence
from typing import Any, NamedTuple
from uuid import UUID

from sqlalchemy import Select, update
from sqlalchemy import func as sql
from sqlalchemy import select as sql_select
from sqlalchemy.orm import InstrumentedAttribute
from sqlmodel import SQLModel, col, select

from schemas.files import JobState
from storage.accounts import glossaries
from storage.database import Database, changed
from storage.encryption import HEADER_BYTES, Keyring
from storage.jobs import records, webhooks
from storage.jobs.records import download_key
from storage.jobs.tables import Job, Webhook
from storage.objects.store import ObjectNotFound
from storage.opening import Storage
from storage.tables import Glossary, Secret


class Rotated(NamedTuple):
    """Counts: fields of rows and objects that were sealed anew, and jobs under way, whose objects end with them."""

    fields: int
    objects: int
    waiting: int


class _Sealed(NamedTuple):
    """A sealed column: its table, its primary key, and what names its context."""

    table: type[SQLModel]
    id: str
    column: str
    context: str


_FIELDS = (
    _Sealed(Secret, "name", "sealed", "data-key:{}"),
    *(_Sealed(Job, "id", f"{name}_sealed", f"job:{{}}:{what}") for name, what in records.SEALED.items()),
    *(_Sealed(Webhook, "job_id", f"{name}_sealed", f"webhook:{{}}:{name}") for name in webhooks.SEALED),
    *(_Sealed(Glossary, "id", f"{name}_sealed", f"glossary:{{}}:{name}") for name in glossaries.SEALED),
)
_RUNNING = (JobState.QUEUED.value, JobState.PROCESSING.value)


def rotate(storage: Storage) -> Rotated:
    """Seals anew what an earlier key sealed; may be repeated at any time. SealBroken where a key is missing.

    Objects of jobs that are under way are left: they end with their jobs, and the results are under the current key.
    """
    fields = sum(_field(storage.database, storage.keyring, sealed) for sealed in _FIELDS)
    with storage.database.reading() as session:
        waiting = len(session.exec(select(Job.id).where(col(Job.state).in_(_RUNNING))).all())
    return Rotated(fields, sum(_object(storage, job_id) for job_id in _ready(storage.database)), waiting)


def _ready(database: Database) -> Sequence[UUID]:
    with database.reading() as session:
        return session.exec(select(Job.id).where(col(Job.state) == JobState.READY.value)).all()


def _object(storage: Storage, job_id: UUID) -> bool:
    """Whether the result of a job was sealed anew. One that is deleted meanwhile is deleted again."""
    with storage.database.reading() as session:
        job = session.get(Job, job_id)
        if job is None or job.state != JobState.READY:
            return False
        key = download_key(job)
    try:
        done = storage.objects.rewrap(key)
    except ObjectNotFound:
        return False
    with storage.database.reading() as session:
        job = session.get(Job, job_id)
        if job is None or job.state != JobState.READY:
            storage.objects.delete(key)
            return False
    return done


def _field(database: Database, keyring: Keyring, sealed: _Sealed) -> int:
    key, column = _attribute(sealed.table, sealed.id), _attribute(sealed.table, sealed.column)
    heads = sql_select(key, sql.substr(column, 1, HEADER_BYTES))  # the terms of an upload may weigh megabytes
    with database.reading() as session:
        old = [row_id for row_id, head in session.execute(heads) if head and not keyring.is_current(head)]
    done = 0
    for row_id in old:
        with database.transaction() as session:
            box = session.execute(_boxes(key, column).where(key == row_id)).one_or_none()
            if box is None or not box[1] or keyring.is_current(box[1]):
                continue  # the row is gone, or was written meanwhile
            context = sealed.context.format(row_id)
            fresh = keyring.seal(keyring.open(box[1], context), context)
            done += changed(
                session, update(sealed.table).where(key == row_id, column == box[1]).values({sealed.column: fresh})
            )
    return done


def _attribute(table: type[SQLModel], name: str) -> InstrumentedAttribute[Any]:
    attribute: InstrumentedAttribute[Any] = getattr(table, name)
    return attribute


def _boxes(key: InstrumentedAttribute[Any], column: InstrumentedAttribute[Any]) -> Select[tuple[Any, Any]]:
    return sql_select(key, column)
