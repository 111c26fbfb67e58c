"""Verification reports of finished files."""

import sqlalchemy as sa
from alembic import op

revision = "0004"
down_revision = "0003"


def upgrade() -> None:
    """Adds the signed report to the job."""
    op.add_column("jobs", sa.Column("report", sa.JSON(), nullable=True))


def downgrade() -> None:
    """Drops the reports."""
    op.drop_column("jobs", "report")
