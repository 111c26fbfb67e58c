"""Since when a stage or a part waits, apart from when it is announced again."""

import sqlalchemy as sa
from alembic import op

revision = "0010"
down_revision = "0009"

_TABLES = ("jobs", "job_parts")
_IS_DUE = sa.text("due_at IS NOT NULL")


def upgrade() -> None:
    """Adds the moments and an index of them; of what waits now, the upload is all that is known."""
    for table in _TABLES:
        op.add_column(table, sa.Column("waiting_since", sa.DateTime(timezone=True)))
    op.execute(sa.text("UPDATE jobs SET waiting_since = created_at WHERE state IN ('queued', 'processing')"))
    op.execute(
        sa.text(
            "UPDATE job_parts SET waiting_since = (SELECT created_at FROM jobs WHERE jobs.id = job_parts.job_id)"
            " WHERE due_at IS NOT NULL"
        )
    )
    op.create_index(
        "ix_job_parts_waiting_since",
        "job_parts",
        ["stage", "waiting_since"],
        postgresql_where=_IS_DUE,
        sqlite_where=_IS_DUE,
    )


def downgrade() -> None:
    """Drops them."""
    op.drop_index("ix_job_parts_waiting_since", "job_parts")
    for table in _TABLES:
        op.drop_column(table, "waiting_since")
