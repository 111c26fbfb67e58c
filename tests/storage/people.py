"""Accounts for tests of what accounts own."""

from datetime import datetime
from uuid import UUID, uuid4

from storage.accounts import records as accounts
from storage.database import Database

HASH = "$argon2id$not-a-real-hash"


def new_account(database: Database, now: datetime, *, paid_tokens: int = 0) -> UUID:
    """A new account's id."""
    with database.transaction() as session:
        email = f"{uuid4()}@example.test"
        return accounts.create(session, email=email, password_hash=HASH, now=now, paid_tokens=paid_tokens).id
