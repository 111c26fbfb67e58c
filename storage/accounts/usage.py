"""Usage counts of an account for each Asia/Riyadh day."""

from collections import Counter
from collections.abc import Mapping
from dataclasses import dataclass, field
from datetime import date, datetime, timedelta
from typing import NamedTuple
from uuid import UUID

from sqlmodel import Session, col, select

from schemas.clock import riyadh_day
from schemas.entities import EntityType
from storage.database import insert_or_add
from storage.tables import Usage

_CALLS, _TOKENS = "calls", "tokens"
_ROWS_AT_ONCE = 1000  # a statement holds so many parameters, and no more than SQLite's 32,766


@dataclass(frozen=True, slots=True)
class DayUsage:
    """One day's counts."""

    day: date
    calls: int = 0
    tokens: int = 0
    entities: Mapping[str, int] = field(default_factory=dict)


class Day(NamedTuple):
    """An account and an Asia/Riyadh day."""

    account_id: UUID
    day: date


def count(sums: Counter[str], *, tokens: int, entities: Mapping[EntityType, int]) -> None:
    """Adds one call to the sums by measure, as in the table."""
    sums[_CALLS] += 1
    sums[_TOKENS] += tokens
    for type_, found in entities.items():
        sums[str(type_)] += found


def add(session: Session, days: Mapping[Day, Mapping[str, int]]) -> None:
    """Adds amounts by measure to the counts."""
    rows = [
        {**day._asdict(), "measure": measure, "amount": amount}
        for day in sorted(days)  # writers that touch the same rows lock them in the same order
        for measure, amount in sorted(days[day].items())
        if amount
    ]
    for first in range(0, len(rows), _ROWS_AT_ONCE):
        insert_or_add(session, Usage, rows[first : first + _ROWS_AT_ONCE], "amount")


def record(
    session: Session, account_id: UUID, *, tokens: int, entities: Mapping[EntityType, int], now: datetime
) -> None:
    """Adds one call to the day's counts."""
    sums = Counter[str]()
    count(sums, tokens=tokens, entities=entities)
    add(session, {Day(account_id, riyadh_day(now)): sums})


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
