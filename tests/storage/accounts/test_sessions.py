"""Browser sessions: what is stored of them, how long they last, and what they may."""

import re
from datetime import datetime, timedelta
from uuid import UUID

import pytest
from sqlmodel import select

from schemas.errors import Unauthenticated
from storage.accounts import keys, sessions
from storage.accounts.keys import Caller
from storage.database import Database
from storage.tables import BrowserSession
from tests.storage.people import new_account

TTL = 3600
REFUSED = "Invalid or expired session"


@pytest.fixture
def account(database: Database, now: datetime) -> UUID:
    return new_account(database, now)


def begin(database: Database, account: UUID, now: datetime, ttl: int = TTL) -> str:
    with database.transaction() as session:
        return sessions.begin(session, account, ttl_seconds=ttl, now=now)


def authenticate(database: Database, token: str, now: datetime) -> Caller:
    with database.reading() as session:
        return sessions.authenticate(session, token, now)


def refused(database: Database, token: str, now: datetime) -> bool:
    with pytest.raises(Unauthenticated) as raised:
        authenticate(database, token, now)
    return raised.value.detail == REFUSED


def test_a_session_lets_its_account_in_without_a_key(database: Database, account: UUID, now: datetime) -> None:
    begin(database, new_account(database, now), now)
    token = begin(database, account, now)
    assert re.fullmatch(r"[A-Za-z0-9_-]{43}", token)
    assert authenticate(database, token, now) == Caller(account, None, False, now)
    assert begin(database, account, now) != token


def test_nothing_stored_tells_the_token(database: Database, account: UUID, now: datetime) -> None:
    token = begin(database, account, now)
    with database.reading() as session:
        stored = session.exec(select(BrowserSession)).one()
    assert token not in repr(stored.model_dump())
    assert len(stored.token_hash) == 32
    assert refused(database, stored.token_hash.hex()[:43], now)


def test_it_ends_at_its_time_however_much_it_is_used(database: Database, account: UUID, now: datetime) -> None:
    token = begin(database, account, now)
    for seconds in (0, TTL // 2, TTL - 1):
        assert authenticate(database, token, now + timedelta(seconds=seconds)).account_id == account
    for seconds in (TTL, TTL + 1):
        assert refused(database, token, now + timedelta(seconds=seconds))


def test_a_logout_ends_this_session_and_no_other(database: Database, account: UUID, now: datetime) -> None:
    ended, other = begin(database, account, now), begin(database, account, now)
    for expected in (True, False):
        with database.transaction() as session:
            assert sessions.end(session, ended) is expected
    assert refused(database, ended, now)
    assert authenticate(database, other, now).account_id == account


@pytest.mark.parametrize(
    "token", ["", "x", "A" * 43, "A" * 44, "A" * 42 + "=", "A" * 42 + "\0", "\udcff" * 43, "é" * 43]
)
def test_what_is_no_token_belongs_to_nobody(database: Database, account: UUID, now: datetime, token: str) -> None:
    begin(database, account, now)
    assert refused(database, token, now)
    with database.transaction() as session:
        assert not sessions.end(session, token)


def test_the_purge_takes_what_has_ended_alone(database: Database, account: UUID, now: datetime) -> None:
    short, long = begin(database, account, now, 10), begin(database, account, now, 11)
    counts = []
    for seconds in (9, 10, 10):
        with database.transaction() as session:
            counts.append(sessions.purge(session, now + timedelta(seconds=seconds)))
    assert counts == [0, 1, 0]
    assert refused(database, short, now)
    assert authenticate(database, long, now).account_id == account


def test_it_may_ask_for_the_judge_when_a_live_key_of_the_account_may(
    database: Database, account: UUID, now: datetime
) -> None:
    token, pepper, stranger = begin(database, account, now), bytes(32), new_account(database, now)
    with database.transaction() as session:
        keys.mint(session, pepper, account_id=stranger, name="other's", judge_allowed=True, now=now)
        keys.mint(session, pepper, account_id=account, name="plain", now=now)
    assert not authenticate(database, token, now).judge_allowed
    with database.transaction() as session:
        for name in ("judged", "judged too"):
            keys.mint(session, pepper, account_id=account, name=name, judge_allowed=True, now=now)
    assert authenticate(database, token, now).judge_allowed
    with database.transaction() as session:
        for key in keys.of_account(session, account):
            keys.revoke(session, key.id, now)
    assert not authenticate(database, token, now).judge_allowed
