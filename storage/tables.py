"""Tables of accounts, keys, browser sessions, money, usage and glossaries."""

from datetime import date, datetime
from enum import StrEnum
from uuid import UUID

from sqlalchemy import JSON, BigInteger, CheckConstraint, Column, Index, Integer, UniqueConstraint
from sqlmodel import Field, SQLModel

from storage.database import UtcDateTime

# SQLite numbers rows by itself only where the column is exactly INTEGER.
_RowNumber = BigInteger().with_variant(Integer(), "sqlite")


class Account(SQLModel, table=True):
    """An account, which pays. `email` is normalized. `entity_selection`: the saved types; null before the first
    selection. `min_score`: entities with a lower score stay in texts and prompts.
    """

    __tablename__ = "accounts"
    __table_args__ = (UniqueConstraint("email"),)

    id: UUID = Field(primary_key=True)
    email: str
    password_hash: str
    created_at: datetime = Field(sa_type=UtcDateTime)
    entity_selection: list[str] | None = Field(default=None, sa_column=Column(JSON(none_as_null=True), nullable=True))
    min_score: float = Field(default=0.0, sa_column_kwargs={"server_default": "0"})


class Key(SQLModel, table=True):
    """A bearer key; its secret is stored as a keyed hash. `entity_override`: types of this key; null: the account's."""

    __tablename__ = "keys"
    __table_args__ = (UniqueConstraint("prefix"), Index("ix_keys_account_id", "account_id"))

    id: UUID = Field(primary_key=True)
    account_id: UUID = Field(foreign_key="accounts.id")
    name: str
    prefix: str
    secret_hash: bytes
    judge_allowed: bool = False
    created_at: datetime = Field(sa_type=UtcDateTime)
    last_used_at: datetime | None = Field(default=None, sa_type=UtcDateTime)
    revoked_at: datetime | None = Field(default=None, sa_type=UtcDateTime)
    entity_override: list[str] | None = Field(default=None, sa_column=Column(JSON(none_as_null=True), nullable=True))


class BrowserSession(SQLModel, table=True):
    """A login; its cookie is stored as a hash. It ends at `expires_at`, whether used or not, or at logout."""

    __tablename__ = "sessions"
    __table_args__ = (Index("ix_sessions_account_id", "account_id"), Index("ix_sessions_expires_at", "expires_at"))

    token_hash: bytes = Field(primary_key=True)
    account_id: UUID = Field(foreign_key="accounts.id")
    created_at: datetime = Field(sa_type=UtcDateTime)
    expires_at: datetime = Field(sa_type=UtcDateTime)


class Secret(SQLModel, table=True):
    """A secret of the service, such as the pepper of keys, sealed with the master key."""

    __tablename__ = "secrets"

    name: str = Field(primary_key=True)
    sealed: bytes


class Purse(SQLModel, table=True):
    """An account's sums of the ledger; its row lock serializes the account's money.

    `free_used`: free tokens taken on `free_day` (Asia/Riyadh).
    """

    __tablename__ = "purses"
    __table_args__ = (
        CheckConstraint("paid_tokens >= 0", name="paid_not_negative"),
        CheckConstraint("free_used >= 0", name="free_not_negative"),
    )

    account_id: UUID = Field(primary_key=True, foreign_key="accounts.id")
    paid_tokens: int = Field(sa_type=BigInteger)
    free_day: date
    free_used: int = Field(sa_type=BigInteger)


class EntryKind(StrEnum):
    """What an entry does: takes tokens (charge, hold), gives them back (refund, release), adds, or closes a hold
    (settle).
    """

    CHARGE = "charge"
    REFUND = "refund"
    HOLD = "hold"
    SETTLE = "settle"
    RELEASE = "release"
    CREDIT = "credit"


class Entry(SQLModel, table=True):
    """One line of the append-only ledger. Amounts are signed: negative is taken, positive given.

    `day`: the Asia/Riyadh day whose free quota the free part belongs to; a refund carries the day of its charge.
    `lease_id`: of a charge, the lease of the process that made it; null in charges from before there were leases.
    """

    __tablename__ = "ledger_entries"
    __table_args__ = (
        UniqueConstraint("reference", "kind"),
        Index("ix_ledger_entries_account_id", "account_id", "id"),
    )

    id: int | None = Field(default=None, sa_column=Column(_RowNumber, primary_key=True))
    account_id: UUID = Field(foreign_key="accounts.id")
    kind: str
    free_tokens: int = Field(sa_type=BigInteger)
    paid_tokens: int = Field(sa_type=BigInteger)
    reason: str
    reference: str
    day: date
    created_at: datetime = Field(sa_type=UtcDateTime)
    lease_id: UUID | None = None


class ChargingLease(SQLModel, table=True):
    """What an API process says of its charges that are neither answered nor refunded (see storage/charging_leases.py).

    `renewals`: how often it said so. `open_references`: of these charges, but for those behind the ledger's line
    `last_line`.
    """

    __tablename__ = "charging_leases"

    id: UUID = Field(primary_key=True)
    renewals: int = Field(sa_type=BigInteger)
    last_line: int = Field(sa_type=BigInteger)
    open_references: list[str] = Field(sa_column=Column(JSON, nullable=False))


class Usage(SQLModel, table=True):
    """Counts per account and Asia/Riyadh day. `measure`: `calls`, `tokens` or an entity type's name."""

    __tablename__ = "usage"

    account_id: UUID = Field(primary_key=True, foreign_key="accounts.id")
    day: date = Field(primary_key=True)
    measure: str = Field(primary_key=True)
    amount: int = Field(sa_type=BigInteger)


class Glossary(SQLModel, table=True):
    """An account's own terms; name and entries are sealed."""

    __tablename__ = "glossaries"
    __table_args__ = (Index("ix_glossaries_account_id", "account_id"),)

    id: UUID = Field(primary_key=True)
    account_id: UUID = Field(foreign_key="accounts.id")
    enabled: bool = True
    name_sealed: bytes
    entries_sealed: bytes
    created_at: datetime = Field(sa_type=UtcDateTime)
    updated_at: datetime = Field(sa_type=UtcDateTime)
