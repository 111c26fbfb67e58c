"""Why a job failed with `unsupported_format`; jobs that failed before have no reason."""

import sqlalchemy as sa
from alembic import op

revision = "0006"
down_revision = "0005"


def upgrade() -> None:
    """Adds the reason."""
    op.add_column("jobs", sa.Column("reason", sa.String(), nullable=True))


def downgrade() -> None:
    """Drops it."""
    op.drop_column("jobs", "reason")
