"""The only clock. All other code takes the current time as an argument."""

from datetime import UTC, date, datetime, timedelta
from zoneinfo import ZoneInfo

RIYADH = ZoneInfo("Asia/Riyadh")


def utc_now() -> datetime:
    """The current time, timezone-aware, in UTC."""
    return datetime.now(UTC)  # noqa: TID251 - the only use of the system clock


def riyadh_day(now: datetime) -> date:
    """The calendar day in Asia/Riyadh on which quotas are counted and ages are computed."""
    return now.astimezone(RIYADH).date()


def next_riyadh_midnight(now: datetime) -> datetime:
    """When the free quota refills, in UTC."""
    local = now.astimezone(RIYADH)
    midnight = local.replace(hour=0, minute=0, second=0, microsecond=0) + timedelta(days=1)
    return midnight.astimezone(UTC)
