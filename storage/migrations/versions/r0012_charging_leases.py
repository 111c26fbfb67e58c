"""Under which lease of an API process a text call was charged, and what each process says of its open charges."""

import sqlalchemy as sa
from alembic import op

revision = "0012"
down_revision = "0011"


def upgrade() -> None:
    """Adds the table, and the column of the ledger; charges from before name no lease."""
    op.create_table(
        "charging_leases",
        sa.Column("id", sa.Uuid(), primary_key=True),
        sa.Column("renewals", sa.BigInteger(), nullable=False),
        sa.Column("last_line", sa.BigInteger(), nullable=False),
        sa.Column("open_references", sa.JSON(), nullable=False),
    )
    op.add_column("ledger_entries", sa.Column("lease_id", sa.Uuid()))


def downgrade() -> None:
    """Drops both."""
    op.drop_column("ledger_entries", "lease_id")
    op.drop_table("charging_leases")
