"""Indexes by which a worker finds whose file comes next: what waits at each stage, and what is under way."""

import sqlalchemy as sa
from alembic import op

revision = "0011"
down_revision = "0010"

_IS_DUE = sa.text("due_at IS NOT NULL")


def upgrade() -> None:
    """Adds them."""
    op.create_index("ix_jobs_lease_until", "jobs", ["lease_until"])
    op.create_index(
        "ix_jobs_waiting_since", "jobs", ["stage", "waiting_since"], postgresql_where=_IS_DUE, sqlite_where=_IS_DUE
    )


def downgrade() -> None:
    """Drops them."""
    op.drop_index("ix_jobs_waiting_since", "jobs")
    op.drop_index("ix_jobs_lease_until", "jobs")
