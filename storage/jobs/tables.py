"""Tables of file jobs: the job itself, its pages that wait to be read, its webhook, the day's uploads per account."""

from datetime import date, datetime
from typing import Any
from uuid import UUID

from sqlalchemy import JSON, BigInteger, Column, Index, text
from sqlmodel import Field, SQLModel

from schemas.files import JobState
from schemas.stages import FIRST_STAGE, Stage
from storage.database import UtcDateTime

_IS_DUE = text("due_at IS NOT NULL")


class Job(SQLModel, table=True):
    """One file job. The row is the job; the queue's message is only a hint that it can go on.

    `stage` is the next step to run. `attempt` grows with every claim and is the fencing token; `claims` counts the
    claims of this stage alone. `waiting_since` is when this stage could first be claimed; once a lease ended, it waits
    since then. `due_at` is when the sweeper looks at the row if nothing else moved it. `outputs` maps a finished stage
    to the attempt whose artifacts count. `parts` are the rasters to be read by OCR, `parts_left` those not read yet;
    `rereads` and `rereads_left` are those of the output in this round. `found` counts redacted places by entity type;
    `timings` are milliseconds by stage. `has_residue` says that stored bytes may still have to be destroyed. `reason`
    says why a format is unsupported. What a person wrote (file name, terms) is sealed.
    """

    __tablename__ = "jobs"
    __table_args__ = (
        Index("ix_jobs_account_newest", "account_id", "created_at", "id"),
        Index("ix_jobs_due_at", "due_at"),
        Index("ix_jobs_expires_at", "state", "expires_at"),
        Index("ix_jobs_lease_until", "lease_until"),
        Index("ix_jobs_waiting_since", "stage", "waiting_since", postgresql_where=_IS_DUE, sqlite_where=_IS_DUE),
    )

    id: UUID = Field(primary_key=True)
    account_id: UUID = Field(foreign_key="accounts.id")
    state: str = JobState.QUEUED.value
    stage: str = FIRST_STAGE.value
    round: int = 1
    attempt: int = 0
    claims: int = 0
    lease_until: datetime | None = Field(default=None, sa_type=UtcDateTime)
    waiting_since: datetime | None = Field(default=None, sa_type=UtcDateTime)
    due_at: datetime | None = Field(default=None, sa_type=UtcDateTime)
    announcements: int = 0
    outputs: dict[str, int] = Field(default_factory=dict, sa_column=Column(JSON, nullable=False))
    parts: int = Field(default=0, sa_column_kwargs={"server_default": "0"})
    parts_left: int = 0
    rereads: int = Field(default=0, sa_column_kwargs={"server_default": "0"})
    rereads_left: int = Field(default=0, sa_column_kwargs={"server_default": "0"})

    format: str
    content_type: str
    filename_sealed: bytes
    output_name_sealed: bytes | None = None
    terms_sealed: bytes | None = None
    size_in: int = Field(sa_type=BigInteger)
    size_out: int | None = Field(default=None, sa_type=BigInteger)
    page_count: int | None = None
    word_count: int | None = None
    entity_count: int | None = None
    found: dict[str, int] = Field(default_factory=dict, sa_column=Column(JSON, nullable=False))
    timings: dict[str, int] = Field(default_factory=dict, sa_column=Column(JSON, nullable=False))

    uploaded_day: date
    created_at: datetime = Field(sa_type=UtcDateTime)
    processed_at: datetime | None = Field(default=None, sa_type=UtcDateTime)
    expires_at: datetime = Field(sa_type=UtcDateTime)
    ended_at: datetime | None = Field(default=None, sa_type=UtcDateTime)
    is_persisted: bool = False
    error_code: str | None = None
    reason: str | None = None
    report: dict[str, Any] | None = Field(default=None, sa_column=Column(JSON(none_as_null=True)))
    has_residue: bool = True


class JobPart(SQLModel, table=True):
    """One raster that waits to be read, with a lease and attempts of its own: the `part`-th of the input, or of the
    output of a round. A part whose turn has not come, and one that is done, has no `due_at`.
    """

    __tablename__ = "job_parts"
    __table_args__ = (
        Index("ix_job_parts_due_at", "due_at"),
        Index("ix_job_parts_lease_until", "lease_until"),
        Index("ix_job_parts_waiting_since", "stage", "waiting_since", postgresql_where=_IS_DUE, sqlite_where=_IS_DUE),
    )

    job_id: UUID = Field(primary_key=True, foreign_key="jobs.id", ondelete="CASCADE")
    stage: str = Field(default=Stage.OCR.value, primary_key=True, sa_column_kwargs={"server_default": Stage.OCR.value})
    round: int = Field(default=1, primary_key=True, sa_column_kwargs={"server_default": "1"})
    part: int = Field(primary_key=True)
    attempt: int = 0
    claims: int = 0
    done: bool = False
    lease_until: datetime | None = Field(default=None, sa_type=UtcDateTime)
    waiting_since: datetime | None = Field(default=None, sa_type=UtcDateTime)
    due_at: datetime | None = Field(default=None, sa_type=UtcDateTime)
    announcements: int = 0


class Webhook(SQLModel, table=True):
    """Who is told when a job has ended. `due_at`: the next attempt, from that end on; None once it is settled."""

    __tablename__ = "webhooks"
    __table_args__ = (Index("ix_webhooks_due_at", "due_at"),)

    job_id: UUID = Field(primary_key=True, foreign_key="jobs.id", ondelete="CASCADE")
    url_sealed: bytes
    secret_sealed: bytes
    attempts: int = 0
    due_at: datetime | None = Field(default=None, sa_type=UtcDateTime)


class UploadCount(SQLModel, table=True):
    """Uploads of an account on its latest day (Asia/Riyadh). Outlives the files; its row lock orders the inserts."""

    __tablename__ = "upload_counts"

    account_id: UUID = Field(primary_key=True, foreign_key="accounts.id")
    day: date
    uploads: int = 0
