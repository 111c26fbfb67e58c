"""The rasters of an output are read one by one, as those of the input are."""

import sqlalchemy as sa
from alembic import op

revision = "0009"
down_revision = "0008"

_COUNTERS = ("rereads", "rereads_left")
_MOMENT = sa.DateTime(timezone=True)


def upgrade() -> None:
    """Adds the counters, an index of leases, and to the key of each part its stage and its round."""
    for name in _COUNTERS:
        op.add_column("jobs", sa.Column(name, sa.Integer(), nullable=False, server_default="0"))
    _remake(
        sa.Column("stage", sa.String(), nullable=False, server_default="ocr"),
        sa.Column("round", sa.Integer(), nullable=False, server_default="1"),
    )
    op.create_index("ix_job_parts_lease_until", "job_parts", ["lease_until"])


def downgrade() -> None:
    """Drops them. A job whose output was being read verifies it from the start."""
    op.execute(sa.text("DELETE FROM job_parts WHERE stage <> 'ocr'"))
    op.execute(sa.text("UPDATE jobs SET stage = 'verify', due_at = created_at WHERE stage IN ('reread', 'verdict')"))
    _remake()
    for name in _COUNTERS:
        op.drop_column("jobs", name)


def _remake(*of_key: sa.Column[object]) -> None:
    """Makes the table of parts anew with more columns in its key, which SQLite cannot change, and keeps its rows."""
    names, count = ["job_id", *(column.name for column in of_key), "part"], 2 + len(of_key)
    op.create_table(
        "remade_parts",
        sa.Column("job_id", sa.Uuid(), nullable=False),
        *of_key,
        sa.Column("part", sa.Integer(), nullable=False),
        sa.Column("attempt", sa.Integer(), nullable=False),
        sa.Column("claims", sa.Integer(), nullable=False),
        sa.Column("done", sa.Boolean(), nullable=False),
        sa.Column("lease_until", _MOMENT),
        sa.Column("due_at", _MOMENT),
        sa.Column("announcements", sa.Integer(), nullable=False),
        sa.PrimaryKeyConstraint(*names, name=op.f(f"pk_job_parts_{count}")),
        sa.ForeignKeyConstraint(["job_id"], ["jobs.id"], name=op.f(f"fk_job_parts_job_id_{count}"), ondelete="CASCADE"),
    )
    op.execute(
        sa.text(
            "INSERT INTO remade_parts (job_id, part, attempt, claims, done, lease_until, due_at, announcements)"
            " SELECT job_id, part, attempt, claims, done, lease_until, due_at, announcements FROM job_parts"
        )
    )
    op.drop_table("job_parts")
    op.rename_table("remade_parts", "job_parts")
    op.create_index("ix_job_parts_due_at", "job_parts", ["due_at"])
