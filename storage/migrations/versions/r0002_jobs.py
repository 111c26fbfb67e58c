"""File jobs, their parts that wait for OCR, and the day's uploads per account."""

import sqlalchemy as sa
from alembic import op

revision = "0002"
down_revision = "0001"

_MOMENT = sa.DateTime(timezone=True)


def upgrade() -> None:
    """Creates the tables of file jobs."""
    op.create_table(
        "jobs",
        sa.Column("id", sa.Uuid(), nullable=False),
        sa.Column("account_id", sa.Uuid(), nullable=False),
        sa.Column("state", sa.String(), nullable=False),
        sa.Column("stage", sa.String(), nullable=False),
        sa.Column("round", sa.Integer(), nullable=False),
        sa.Column("attempt", sa.Integer(), nullable=False),
        sa.Column("claims", sa.Integer(), nullable=False),
        sa.Column("lease_until", _MOMENT),
        sa.Column("due_at", _MOMENT),
        sa.Column("announcements", sa.Integer(), nullable=False),
        sa.Column("outputs", sa.JSON(), nullable=False),
        sa.Column("parts_left", sa.Integer(), nullable=False),
        sa.Column("format", sa.String(), nullable=False),
        sa.Column("content_type", sa.String(), nullable=False),
        sa.Column("filename_sealed", sa.LargeBinary(), nullable=False),
        sa.Column("output_name_sealed", sa.LargeBinary()),
        sa.Column("terms_sealed", sa.LargeBinary()),
        sa.Column("size_in", sa.BigInteger(), nullable=False),
        sa.Column("size_out", sa.BigInteger()),
        sa.Column("page_count", sa.Integer()),
        sa.Column("word_count", sa.Integer()),
        sa.Column("entity_count", sa.Integer()),
        sa.Column("found", sa.JSON(), nullable=False),
        sa.Column("timings", sa.JSON(), nullable=False),
        sa.Column("uploaded_day", sa.Date(), nullable=False),
        sa.Column("created_at", _MOMENT, nullable=False),
        sa.Column("processed_at", _MOMENT),
        sa.Column("expires_at", _MOMENT, nullable=False),
        sa.Column("ended_at", _MOMENT),
        sa.Column("is_persisted", sa.Boolean(), nullable=False),
        sa.Column("error_code", sa.String()),
        sa.Column("has_residue", sa.Boolean(), nullable=False),
        sa.PrimaryKeyConstraint("id", name=op.f("pk_jobs")),
        sa.ForeignKeyConstraint(["account_id"], ["accounts.id"], name=op.f("fk_jobs_account_id")),
    )
    op.create_index("ix_jobs_account_newest", "jobs", ["account_id", "created_at", "id"])
    op.create_index("ix_jobs_due_at", "jobs", ["due_at"])
    op.create_index("ix_jobs_expires_at", "jobs", ["state", "expires_at"])
    op.create_table(
        "job_parts",
        sa.Column("job_id", sa.Uuid(), nullable=False),
        sa.Column("part", sa.Integer(), nullable=False),
        sa.Column("attempt", sa.Integer(), nullable=False),
        sa.Column("claims", sa.Integer(), nullable=False),
        sa.Column("done", sa.Boolean(), nullable=False),
        sa.Column("lease_until", _MOMENT),
        sa.Column("due_at", _MOMENT),
        sa.Column("announcements", sa.Integer(), nullable=False),
        sa.PrimaryKeyConstraint("job_id", "part", name=op.f("pk_job_parts")),
        sa.ForeignKeyConstraint(["job_id"], ["jobs.id"], name=op.f("fk_job_parts_job_id"), ondelete="CASCADE"),
    )
    op.create_index("ix_job_parts_due_at", "job_parts", ["due_at"])
    op.create_table(
        "upload_counts",
        sa.Column("account_id", sa.Uuid(), nullable=False),
        sa.Column("day", sa.Date(), nullable=False),
        sa.Column("uploads", sa.Integer(), nullable=False),
        sa.PrimaryKeyConstraint("account_id", name=op.f("pk_upload_counts")),
        sa.ForeignKeyConstraint(["account_id"], ["accounts.id"], name=op.f("fk_upload_counts_account_id")),
    )


def downgrade() -> None:
    """Drops them."""
    op.drop_table("upload_counts")
    op.drop_table("job_parts")
    op.drop_table("jobs")
