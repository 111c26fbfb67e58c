"""Accounts: one per e-mail address, however it is spelled."""

from concurrent.futures import ThreadPoolExecutor
from datetime import UTC, datetime
from uuid import uuid4

import pytest

from schemas.errors import EmailTaken, Unprocessable
from storage import ledger
from storage.accounts import records as accounts
from storage.database import Database
from storage.tables import Account
from tests.storage.people import HASH


def create(database: Database, email: str, now: datetime) -> Account:
    with database.transaction() as session:
        return accounts.create(session, email=email, password_hash=HASH, now=now)


def test_a_password_hash_is_replaced_unless_it_was_changed_meanwhile(database: Database, now: datetime) -> None:
    account, other = create(database, "sara@example.test", now), create(database, "noura@example.test", now)
    for old, new, kept in ((HASH, "stronger", "stronger"), (HASH, "late", "stronger")):
        with database.transaction() as session:
            accounts.replace_password_hash(session, account.id, old, new)
        with database.reading() as session:
            assert session.get_one(Account, account.id).password_hash == kept
            assert session.get_one(Account, other.id).password_hash == HASH


def test_an_account_is_found_by_id_and_by_any_spelling_of_its_address(database: Database, now: datetime) -> None:
    account = create(database, " Sara.Testperson@Example.TEST ", now)
    assert account.email == "sara.testperson@example.test"
    with database.reading() as session:
        assert accounts.get(session, account.id) == account
        assert accounts.by_email(session, "SARA.testperson@example.test\n") == account
        assert accounts.by_email(session, "other@example.test") is None
        assert accounts.by_email(session, "no address") is None
        assert accounts.get(session, uuid4()) is None


def test_composed_and_decomposed_letters_are_one_address(database: Database, now: datetime) -> None:
    """RFC 6532, section 3.1; which of the two a keyboard writes, nobody sees."""
    account = create(database, "jose\u0301@example.test", now)
    assert account.email == "jos\u00e9@example.test"
    for spelling in ("jos\u00e9@example.test", "JOSE\u0301@example.test"):
        with pytest.raises(EmailTaken):
            create(database, spelling, now)
        with database.reading() as session:
            assert accounts.by_email(session, spelling) == account


def test_a_second_account_of_an_address_is_refused_and_the_transaction_goes_on(
    database: Database, now: datetime
) -> None:
    create(database, "a@example.test", now)
    with database.transaction() as session:
        with pytest.raises(EmailTaken, match="Email already registered"):
            accounts.create(session, email="A@Example.test", password_hash=HASH, now=now)
        accounts.create(session, email="b@example.test", password_hash=HASH, now=now)
    with database.reading() as session:
        assert accounts.by_email(session, "b@example.test")


def test_of_many_registrations_at_once_one_wins(database: Database, now: datetime) -> None:
    def register(number: int) -> bool:
        try:
            create(database, "race@example.test" if number % 2 else "RACE@example.test", now)
        except EmailTaken:
            return False
        return True

    with ThreadPoolExecutor(12) as threads:
        assert sum(threads.map(register, range(12))) == 1


def test_paid_tokens_and_an_earlier_beginning(database: Database, now: datetime) -> None:
    began = datetime(2025, 5, 1, tzinfo=UTC)
    with database.transaction() as session:
        account = accounts.create(
            session, email="a@example.test", password_hash=HASH, now=now, paid_tokens=500, created_at=began
        )
    assert account.created_at == began
    with database.reading() as session:
        balance = ledger.balance(session, account.id, free_per_day=10, now=now)
        assert (balance.free_tokens, balance.paid_tokens) == (10, 500)
        (entry,) = ledger.entries(session, account.id, limit=5)
    assert (entry.kind, entry.paid_tokens, entry.created_at) == ("credit", 500, now)


NO_ADDRESSES = ("", "a", "@", "a@", "@b", "a@b@c", "a b@c.test", "a@b c", "a\n@b", "a@b\x00", "\udcff@b", "a@\ud800")
TOO_LONG = ("x" * 65 + "@b.test", "a@" + "b" * 253, "a" * 10_000_000)


def test_what_is_no_address_is_refused_without_repeating_it(database: Database, now: datetime) -> None:
    for address in NO_ADDRESSES + TOO_LONG:
        with pytest.raises(Unprocessable) as refused:
            create(database, address, now)
        assert refused.value.errors == [
            {"type": "value_error", "loc": ["body", "email"], "msg": "Value is not an e-mail address"}
        ]
