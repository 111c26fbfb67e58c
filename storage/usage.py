"""Usage: what an account did per Asia/Riyadh day, as counts alone."""

from collections.abc import Mapping
from dataclasses import dataclass, field
from datetime import date, datetime, timedelta
from uuid import UUID

from sqlmodel import Session, col, select

from schemas.clock import riyadh_day
from schemas.entities import EntityType
from storage.tables import Usage
from storage.upserts import insert_or_add

_CALLS, _TOKENS = "calls", "tokens"


@dataclass(frozen=True, slots=True)
class DayUsage:
    """One day's counts."""

    day: date
    calls: int = 0
    tokens: int = 0
    entities: Mapping[str, int] = field(default_factory=dict)


def record(
    session: Session, account_id: UUID, *, tokens: int, entities: Mapping[EntityType, int], now: datetime
) -> None:
    """Adds one call to the day's counts."""
    amounts = {_CALLS: 1, _TOKENS: tokens} | {type_.value: count for type_, count in entities.items()}
    day = riyadh_day(now)
    # Sorted: calls that touch the same rows lock them in the same order.
    rows = [
        {"account_id": account_id, "day": day, "measure": measure, "amount": amount}
        for measure, amount in sorted(amounts.items())
        if amount
    ]
    insert_or_add(session, Usage, rows, "amount")


def per_day(session: Session, account_id: UUID, *, days: int, now: datetime) -> tuple[DayUsage, ...]:
    """The last `days` days up to today, oldest first; days without a call are left out."""
    first = riyadh_day(now) - timedelta(days=days - 1)
    query = select(Usage).where(col(Usage.account_id) == account_id, col(Usage.day) >= first)
    amounts: dict[date, dict[str, int]] = {}
    for row in session.exec(query.order_by(col(Usage.day), col(Usage.measure))):
        amounts.setdefault(row.day, {})[row.measure] = row.amount
    return tuple(
        DayUsage(day, measures.pop(_CALLS, 0), measures.pop(_TOKENS, 0), measures) for day, measures in amounts.items()
    )
