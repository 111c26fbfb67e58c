"""Accounts, keys, the ledger, usage and glossaries."""

from uuid import UUID

import sqlalchemy as sa
from alembic import op

revision = "0001"
down_revision = None

_NUMBER = sa.BigInteger().with_variant(sa.Integer(), "sqlite")
_MOMENT = sa.DateTime(timezone=True)


def upgrade() -> None:
    """Creates the first tables."""
    op.create_table(
        "accounts",
        sa.Column("id", sa.Uuid(), nullable=False),
        sa.Column("email", sa.String(), nullable=False),
        sa.Column("password_hash", sa.String(), nullable=False),
        sa.Column("created_at", _MOMENT, nullable=False),
        sa.Column("entity_selection", sa.JSON(), nullable=True),
        sa.PrimaryKeyConstraint("id", name=op.f("pk_accounts")),
        sa.UniqueConstraint("email", name=op.f("uq_accounts_email")),
    )
    op.create_table(
        "secrets",
        sa.Column("name", sa.String(), nullable=False),
        sa.Column("sealed", sa.LargeBinary(), nullable=False),
        sa.PrimaryKeyConstraint("name", name=op.f("pk_secrets")),
    )
    op.create_table(
        "keys",
        sa.Column("id", sa.Uuid(), nullable=False),
        _account(),
        sa.Column("name", sa.String(), nullable=False),
        sa.Column("prefix", sa.String(), nullable=False),
        sa.Column("secret_hash", sa.LargeBinary(), nullable=False),
        sa.Column("judge_allowed", sa.Boolean(), nullable=False),
        sa.Column("created_at", _MOMENT, nullable=False),
        sa.Column("last_used_at", _MOMENT, nullable=True),
        sa.Column("revoked_at", _MOMENT, nullable=True),
        sa.Column("entity_override", sa.JSON(), nullable=True),
        sa.PrimaryKeyConstraint("id", name=op.f("pk_keys")),
        sa.UniqueConstraint("prefix", name=op.f("uq_keys_prefix")),
        _of_account("keys"),
    )
    op.create_index("ix_keys_account_id", "keys", ["account_id"])
    _create_money()
    op.create_table(
        "usage",
        _account(),
        sa.Column("day", sa.Date(), nullable=False),
        sa.Column("measure", sa.String(), nullable=False),
        sa.Column("amount", sa.BigInteger(), nullable=False),
        sa.PrimaryKeyConstraint("account_id", "day", "measure", name=op.f("pk_usage")),
        _of_account("usage"),
    )
    op.create_table(
        "glossaries",
        sa.Column("id", sa.Uuid(), nullable=False),
        _account(),
        sa.Column("enabled", sa.Boolean(), nullable=False),
        sa.Column("name_sealed", sa.LargeBinary(), nullable=False),
        sa.Column("entries_sealed", sa.LargeBinary(), nullable=False),
        sa.Column("created_at", _MOMENT, nullable=False),
        sa.Column("updated_at", _MOMENT, nullable=False),
        sa.PrimaryKeyConstraint("id", name=op.f("pk_glossaries")),
        _of_account("glossaries"),
    )
    op.create_index("ix_glossaries_account_id", "glossaries", ["account_id"])


def _create_money() -> None:
    op.create_table(
        "purses",
        _account(),
        sa.Column("paid_tokens", sa.BigInteger(), nullable=False),
        sa.Column("free_day", sa.Date(), nullable=False),
        sa.Column("free_used", sa.BigInteger(), nullable=False),
        sa.CheckConstraint("paid_tokens >= 0", name=op.f("ck_purses_paid_not_negative")),
        sa.CheckConstraint("free_used >= 0", name=op.f("ck_purses_free_not_negative")),
        sa.PrimaryKeyConstraint("account_id", name=op.f("pk_purses")),
        _of_account("purses"),
    )
    op.create_table(
        "ledger_entries",
        sa.Column("id", _NUMBER, nullable=False),
        _account(),
        sa.Column("kind", sa.String(), nullable=False),
        sa.Column("free_tokens", sa.BigInteger(), nullable=False),
        sa.Column("paid_tokens", sa.BigInteger(), nullable=False),
        sa.Column("reason", sa.String(), nullable=False),
        sa.Column("reference", sa.String(), nullable=False),
        sa.Column("day", sa.Date(), nullable=False),
        sa.Column("created_at", _MOMENT, nullable=False),
        sa.PrimaryKeyConstraint("id", name=op.f("pk_ledger_entries")),
        sa.UniqueConstraint("reference", "kind", name=op.f("uq_ledger_entries_reference_kind")),
        _of_account("ledger_entries"),
    )
    op.create_index("ix_ledger_entries_account_id", "ledger_entries", ["account_id", "id"])


def _account() -> sa.Column[UUID]:
    return sa.Column("account_id", sa.Uuid(), nullable=False)


def _of_account(table: str) -> sa.ForeignKeyConstraint:
    return sa.ForeignKeyConstraint(["account_id"], ["accounts.id"], name=op.f(f"fk_{table}_account_id"))
