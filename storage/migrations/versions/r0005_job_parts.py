"""How many rasters a job has, so that its progress can be told."""

import sqlalchemy as sa
from alembic import op

revision = "0005"
down_revision = "0004"


def upgrade() -> None:
    """Adds the number; of a job that is at OCR just then, what is left is all that is known."""
    op.add_column("jobs", sa.Column("parts", sa.Integer(), nullable=False, server_default="0"))
    op.execute(sa.text("UPDATE jobs SET parts = parts_left"))


def downgrade() -> None:
    """Drops it."""
    op.drop_column("jobs", "parts")
