"""Usage: counts per Riyadh day, complete under concurrency."""

from concurrent.futures import ThreadPoolExecutor
from datetime import date, datetime, timedelta

from schemas.entities import EntityType
from storage.accounts import usage
from storage.accounts.usage import DayUsage
from storage.database import Database
from tests.storage.people import new_account

PERSON, IBAN = EntityType.PERSON, EntityType.IBAN


def test_calls_tokens_and_entities_add_up_per_riyadh_day(database: Database, now: datetime) -> None:
    account, other = new_account(database, now), new_account(database, now)
    tomorrow = now + timedelta(hours=12)  # past midnight in Riyadh, the same day in UTC
    assert tomorrow.date() == now.date()
    with database.transaction() as session:
        usage.record(session, account, tokens=7, entities={PERSON: 2, IBAN: 1}, now=now)
        usage.record(session, account, tokens=5, entities={PERSON: 1}, now=now)
        usage.record(session, account, tokens=0, entities={}, now=tomorrow)
        usage.record(session, other, tokens=99, entities={}, now=now)
    with database.reading() as session:
        days = usage.per_day(session, account, days=30, now=tomorrow)
        assert days == (
            DayUsage(date(2026, 11, 21), calls=2, tokens=12, entities={"IBAN": 1, "PERSON": 3}),
            DayUsage(date(2026, 11, 22), calls=1, tokens=0, entities={}),
        )
        assert usage.per_day(session, account, days=1, now=tomorrow) == days[1:]
        assert usage.per_day(session, account, days=1, now=tomorrow + timedelta(days=1)) == ()


def test_no_call_is_lost_when_many_come_at_once(database: Database, now: datetime) -> None:
    account = new_account(database, now)

    def record(number: int) -> None:
        entities = {PERSON: 1, IBAN: 1} if number % 2 else {IBAN: 1, PERSON: 1}
        with database.transaction() as session:
            usage.record(session, account, tokens=3, entities=entities, now=now)

    with ThreadPoolExecutor(16) as threads:
        list(threads.map(record, range(60)))
    with database.reading() as session:
        (day,) = usage.per_day(session, account, days=1, now=now)
    assert (day.calls, day.tokens, day.entities) == (60, 180, {"IBAN": 60, "PERSON": 60})
