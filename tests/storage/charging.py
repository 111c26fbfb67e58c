"""One charge by itself, for tests of what a charge does."""

from datetime import datetime
from uuid import UUID

from sqlmodel import Session

from schemas.errors import InsufficientTokens
from storage import charging_leases, ledger
from storage.ledger import Charge, Order


def charge(
    session: Session, account_id: UUID, tokens: int, *, reference: str, free_per_day: int, now: datetime
) -> Charge:
    """What was taken. InsufficientTokens, and whatever `charge_all` raises."""
    lease = charging_leases.begin(session)
    session.flush()
    orders = [Order(tokens, reference)]
    connection = session.connection()
    (outcome,) = ledger.charge_all(connection, account_id, orders, lease=lease, free_per_day=free_per_day, now=now)
    if isinstance(outcome, InsufficientTokens):
        raise outcome
    return outcome
