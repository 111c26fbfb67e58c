"""Which types text detection looks for: the key's override, else the account's selection, else the default. And with
which score: the account's.
"""

from dataclasses import replace
from datetime import UTC, datetime, timedelta
from uuid import UUID

import pytest
from sqlalchemy import text

from schemas.entities import CORE_TYPES, TOGGLABLE_TYPES, EntityType
from storage.accounts import entity_sets, keys
from storage.accounts import records as accounts
from storage.accounts.keys import Caller
from storage.database import Database
from tests.storage.people import HASH

SINCE = datetime(2026, 1, 1, tzinfo=UTC)
PEPPER = bytes(32)


def caller(database: Database, created_at: datetime) -> Caller:
    with database.transaction() as session:
        account = accounts.create(session, email="a@example.test", password_hash=HASH, now=created_at)
        key, _ = keys.mint(session, PEPPER, account_id=account.id, name="k", now=created_at)
    return Caller(account.id, key.id, False, created_at)


def effective(database: Database, who: Caller) -> frozenset[EntityType]:
    with database.reading() as session:
        return entity_sets.effective(session, who, SINCE).types


def least_score(database: Database, who: Caller) -> float:
    with database.reading() as session:
        return entity_sets.effective(session, who, SINCE).min_score


def save(database: Database, account: UUID, *types: EntityType) -> tuple[EntityType, ...]:
    with database.transaction() as session:
        return entity_sets.select_for_account(session, account, types).types


def override(database: Database, who: Caller, *types: EntityType) -> None:
    assert who.key_id
    with database.transaction() as session:
        entity_sets.override_for_key(session, who.account_id, who.key_id, types or None)


def test_a_new_account_has_the_core_ten(database: Database) -> None:
    assert effective(database, caller(database, SINCE)) == set(CORE_TYPES)
    assert len(CORE_TYPES) == 10


def test_an_account_from_before_toggles_has_everything_until_it_chooses(database: Database) -> None:
    who = caller(database, SINCE - timedelta(microseconds=1))
    assert effective(database, who) == set(TOGGLABLE_TYPES)
    assert EntityType.CUSTOM_TERM not in effective(database, who)
    save(database, who.account_id, EntityType.PERSON)
    assert effective(database, who) == {EntityType.PERSON}


def test_a_saved_set_is_in_catalogue_order_without_repeats(database: Database) -> None:
    who = caller(database, SINCE)
    saved = save(database, who.account_id, EntityType.IP_ADDRESS, EntityType.PERSON, EntityType.IP_ADDRESS)
    assert saved == (EntityType.PERSON, EntityType.IP_ADDRESS)
    assert effective(database, who) == set(saved)


def test_a_keys_override_comes_first_and_can_be_taken_back(database: Database) -> None:
    who = caller(database, SINCE)
    save(database, who.account_id, EntityType.PERSON)
    override(database, who, EntityType.IBAN)
    assert effective(database, who) == {EntityType.IBAN}
    with_cookie = Caller(who.account_id, None, False, who.account_created_at)
    assert effective(database, with_cookie) == {EntityType.PERSON}
    override(database, who)
    assert effective(database, who) == {EntityType.PERSON}


@pytest.mark.parametrize("types", [(), (EntityType.CUSTOM_TERM,), (EntityType.PERSON, EntityType.CUSTOM_TERM)])
def test_an_empty_set_and_custom_terms_cannot_be_chosen(database: Database, types: tuple[EntityType, ...]) -> None:
    who = caller(database, SINCE)
    with pytest.raises(ValueError, match="togglable"):
        save(database, who.account_id, *types)
    assert effective(database, who) == set(CORE_TYPES)


def test_a_type_that_was_retired_is_no_longer_looked_for(database: Database) -> None:
    who = caller(database, SINCE)
    with database.transaction() as session:
        session.connection().execute(text("""UPDATE accounts SET entity_selection = '["IQAMA", "PERSON"]'"""))
    assert effective(database, who) == {EntityType.PERSON}


def test_the_least_score_is_the_accounts_whatever_the_key(database: Database) -> None:
    who = caller(database, SINCE)
    assert least_score(database, who) == 0
    for saved, expected in ((0.75, 0.75), (None, 0.75), (1, 1), (0, 0), (0.1, 0.1)):
        with database.transaction() as session:
            own = entity_sets.select_for_account(session, who.account_id, [EntityType.PERSON], saved)
            assert own == ((EntityType.PERSON,), False, expected)
        assert least_score(database, who) == expected
    override(database, who, EntityType.IBAN)
    assert least_score(database, who) == least_score(database, replace(who, key_id=None)) == 0.1


@pytest.mark.parametrize("score", [-0.1, 1.1, float("nan"), float("inf")])
def test_a_score_is_from_0_to_1(database: Database, score: float) -> None:
    who = caller(database, SINCE)
    with pytest.raises(ValueError, match="score"), database.transaction() as session:
        entity_sets.select_for_account(session, who.account_id, [EntityType.PERSON], score)
    assert least_score(database, who) == 0
    assert effective(database, who) == set(CORE_TYPES)
