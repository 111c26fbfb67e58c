"""The Riyadh day: three hours ahead of UTC, all year."""

from datetime import UTC, date, datetime, timedelta

import pytest
from hypothesis import given
from hypothesis import strategies as st

from schemas.clock import next_riyadh_midnight, riyadh_day, utc_now


def at(text: str) -> datetime:
    return datetime.fromisoformat(text)


@pytest.mark.parametrize(
    ("now", "day", "refill"),
    [
        ("2026-11-21T20:59:59.999999+00:00", "2026-11-21", "2026-11-21T21:00:00+00:00"),
        ("2026-11-21T21:00:00+00:00", "2026-11-22", "2026-11-22T21:00:00+00:00"),
        ("2026-11-21T23:59:59+03:00", "2026-11-21", "2026-11-21T21:00:00+00:00"),
        ("2026-12-31T21:00:00+00:00", "2027-01-01", "2027-01-01T21:00:00+00:00"),
        ("2028-02-28T22:00:00+00:00", "2028-02-29", "2028-02-29T21:00:00+00:00"),
        ("2026-07-01T00:30:00-08:00", "2026-07-01", "2026-07-01T21:00:00+00:00"),
    ],
)
def test_the_day_ends_at_21_utc(now: str, day: str, refill: str) -> None:
    assert riyadh_day(at(now)) == date.fromisoformat(day)
    assert next_riyadh_midnight(at(now)) == at(refill)


@given(st.datetimes(min_value=datetime(2000, 1, 1), max_value=datetime(2100, 1, 1), timezones=st.just(UTC)))
def test_the_refill_is_the_next_days_first_moment(now: datetime) -> None:
    refill = next_riyadh_midnight(now)
    assert timedelta() < refill - now <= timedelta(days=1)
    assert refill.tzinfo is UTC
    assert riyadh_day(refill) == riyadh_day(now) + timedelta(days=1)
    assert riyadh_day(refill - timedelta(microseconds=1)) == riyadh_day(now)


def test_the_clock_is_aware_and_in_utc() -> None:
    assert utc_now().tzinfo is UTC
