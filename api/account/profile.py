"""The profile, usage and ledger of an account."""

import re
from datetime import datetime, timedelta

from api.services.container import Services
from schemas.accounts import BalanceAnswer, DayOfUse, LedgerLine, LedgerPage, Profile, UsageAnswer
from schemas.clock import riyadh_day
from schemas.errors import InvalidCursor, Unauthenticated
from storage import ledger
from storage.accounts import records as accounts
from storage.accounts import usage
from storage.accounts.keys import Caller
from storage.accounts.usage import DayUsage
from storage.tables import Entry

MAX_USAGE_DAYS = 366
MAX_LEDGER_LINES = 100
_CURSOR = re.compile(r"([a-z]{1,20}):([\x21-\x7e]{1,200})")


def get_profile(services: Services, caller: Caller, now: datetime) -> Profile:
    """The account and its balance. Unauthenticated when it is gone."""
    with services.storage.database.reading() as session:
        account = accounts.get(session, caller.account_id)
        if account is None:
            raise Unauthenticated("Invalid or expired session")
        free_per_day = services.settings.free_tokens_per_day
        balance = ledger.balance(session, account.id, free_per_day=free_per_day, now=now)
    return Profile(
        account_id=account.id,
        email=account.email,
        created_at=account.created_at,
        balance=BalanceAnswer(**balance._asdict()),
    )


def get_usage(services: Services, caller: Caller, days: int, now: datetime) -> UsageAnswer:
    """Usage of the last `days` days (Asia/Riyadh), days without calls included. `days` is clamped to 1-366."""
    days = min(max(days, 1), MAX_USAGE_DAYS)
    services.usage_log.flush()  # this process's calls show at once, those of other processes within a second
    with services.storage.database.reading() as session:
        busy = {day.day: day for day in usage.per_day(session, caller.account_id, days=days, now=now)}
    today = riyadh_day(now)
    period = [today - timedelta(days=back) for back in reversed(range(days))]
    return UsageAnswer(days=[_day(busy.get(day, DayUsage(day))) for day in period])


def ledger_page(services: Services, caller: Caller, limit: int, cursor: str | None) -> LedgerPage:
    """Ledger entries, newest first. `limit` is clamped to 1-100. InvalidCursor."""
    limit = min(max(limit, 1), MAX_LEDGER_LINES)
    with services.storage.database.reading() as session:
        before = None
        if cursor is not None:
            place = _CURSOR.fullmatch(cursor)
            entry = place and ledger.find(session, caller.account_id, place[1], place[2])
            if not entry:
                raise InvalidCursor
            before = entry.id
        entries = ledger.entries(session, caller.account_id, limit=limit + 1, before=before)
    lines = [_line(entry) for entry in entries[:limit]]
    return LedgerPage(entries=lines, next_cursor=lines[-1].id if len(entries) > limit else None)


def _day(usage_: DayUsage) -> DayOfUse:
    return DayOfUse(day=usage_.day, tokens=usage_.tokens, calls=usage_.calls, entities=dict(usage_.entities))


def _line(entry: Entry) -> LedgerLine:
    """The public id is the reference of the charge: a running number would reveal how much all other accounts do."""
    return LedgerLine(
        id=f"{entry.kind}:{entry.reference}",
        kind=entry.kind,
        reason=entry.reason,
        free_tokens=entry.free_tokens,
        paid_tokens=entry.paid_tokens,
        created_at=entry.created_at,
    )
