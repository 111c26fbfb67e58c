"""The least score of entities in an account's texts; 0, which leaves nothing out, until the account sets another."""

import sqlalchemy as sa
from alembic import op

revision = "0007"
down_revision = "0006"


def upgrade() -> None:
    """Adds the score."""
    op.add_column("accounts", sa.Column("min_score", sa.Float(), nullable=False, server_default="0"))


def downgrade() -> None:
    """Drops it."""
    op.drop_column("accounts", "min_score")
