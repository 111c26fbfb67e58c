"""Bearer keys: their form, what is stored of them, and who gets in."""

import re
import secrets
from concurrent.futures import ThreadPoolExecutor
from datetime import datetime, timedelta
from uuid import UUID, uuid4

import pytest
from sqlmodel import select

from schemas.errors import KeyNotFound, Unauthenticated, Unprocessable
from storage.accounts import keys
from storage.accounts.keys import Caller
from storage.database import Database
from storage.encryption import Keyring
from storage.tables import Key, Secret
from tests.storage.people import new_account

MALFORMED, INVALID = "Malformed authentication token", "Invalid authentication token"
PEPPER = bytes(range(32))


@pytest.fixture
def account(database: Database, now: datetime) -> UUID:
    return new_account(database, now)


def mint(database: Database, account: UUID, now: datetime, *, judge_allowed: bool = False) -> tuple[Key, str]:
    with database.transaction() as session:
        return keys.mint(session, PEPPER, account_id=account, name="k", judge_allowed=judge_allowed, now=now)


WRONG_NAMES = ["a\0b", "\udcff", "", " \t\u00a0", "x" * 201]


def test_a_name_has_1_to_200_characters_that_every_database_keeps(
    database: Database, account: UUID, now: datetime
) -> None:
    key, _ = mint(database, account, now)
    for name in WRONG_NAMES:
        with pytest.raises(Unprocessable), database.transaction() as session:
            keys.mint(session, PEPPER, account_id=account, name=name, now=now)
        with pytest.raises(Unprocessable), database.transaction() as session:
            keys.rename(session, key.id, name, account_id=account)
    assert row(database, key).name == "k"
    for name, kept in ((" مفتاح ", "مفتاح"), ("𝔸" * 200, "𝔸" * 200)):
        with database.transaction() as session:
            keys.rename(session, key.id, name, account_id=account)
        assert row(database, key).name == kept


def test_only_the_owner_renames_or_revokes(database: Database, account: UUID, now: datetime) -> None:
    key, bearer = mint(database, account, now)
    stranger = new_account(database, now)
    for key_id, account_id in ((key.id, stranger), (uuid4(), account)):
        with pytest.raises(KeyNotFound), database.transaction() as session:
            keys.rename(session, key_id, "stolen", account_id=account_id)
        with pytest.raises(KeyNotFound), database.transaction() as session:
            keys.revoke(session, key_id, now, account_id=account_id)
    assert (row(database, key).name, row(database, key).revoked_at) == ("k", None)
    assert authenticate(database, bearer, now).key_id == key.id


def authenticate(database: Database, bearer: str, now: datetime, pepper: bytes = PEPPER) -> Caller:
    with database.reading() as session:
        return keys.authenticate(session, pepper, bearer, now).caller


def row(database: Database, key: Key) -> Key:
    with database.reading() as session:
        return session.get_one(Key, key.id)


def test_a_key_has_the_form_that_the_specification_gives(database: Database, account: UUID, now: datetime) -> None:
    bearers = {mint(database, account, now)[1] for _ in range(50)}
    assert len(bearers) == 50
    for bearer in bearers:
        assert re.fullmatch(r"mk_live_[a-z0-9]{12}_[A-Za-z0-9-]{43}", bearer)


def test_a_key_lets_its_account_in(database: Database, account: UUID, now: datetime) -> None:
    key, bearer = mint(database, account, now)
    judged, judged_bearer = mint(database, account, now, judge_allowed=True)
    assert authenticate(database, bearer, now) == Caller(account, key.id, False, now)
    assert authenticate(database, judged_bearer, now) == Caller(account, judged.id, True, now)


def test_nothing_stored_tells_the_secret(database: Database, account: UUID, now: datetime) -> None:
    key, bearer = mint(database, account, now)
    secret = bearer.rpartition("_")[2]
    stored = row(database, key)
    assert secret not in repr(stored.model_dump())
    assert stored.prefix == bearer.split("_")[2]
    assert len(stored.secret_hash) == 32


def test_another_pepper_lets_nobody_in(database: Database, account: UUID, now: datetime) -> None:
    _, bearer = mint(database, account, now)
    with pytest.raises(Unauthenticated, match=INVALID):
        authenticate(database, bearer, now, pepper=secrets.token_bytes(32))


PREFIX, SECRET = "abcdefghijk0", "A-z0" * 10 + "abc"


# As many as there are, but one test: none of them gets as far as the database.
MALFORMED_BEARERS = [
    "",
    "mk_live_",
    "secret",
    f"mk_test_{PREFIX}_{SECRET}",
    f"MK_LIVE_{PREFIX}_{SECRET}",
    f"mk_live_{PREFIX}{SECRET}",
    f"mk_live_{PREFIX[:-1]}_{SECRET}",
    f"mk_live_{PREFIX}x_{SECRET}",
    f"mk_live_{PREFIX.upper()}_{SECRET}",
    f"mk_live_{PREFIX}_{SECRET[:-1]}",
    f"mk_live_{PREFIX}_{SECRET}a",
    f"mk_live_{PREFIX}_{SECRET[:-1]}_",
    f"mk_live_{PREFIX}_{SECRET[:-1]}=",
    f"mk_live_{PREFIX}_{SECRET}\n",
    f" mk_live_{PREFIX}_{SECRET}",
    f"mk_live_{PREFIX}_{SECRET[:-1]}\x00",
    f"mk_live_{PREFIX}_{SECRET[:-1]}\ud800",
    f"mk_live_{PREFIX[:-1]}٠_{SECRET}",
    f"mk_live_{PREFIX[:-1]}ı_{SECRET}",
    "mk_live_" + "a" * 1_000_000,
]


def test_a_bearer_of_another_form_is_malformed(database: Database, now: datetime) -> None:
    for bearer in MALFORMED_BEARERS:
        with pytest.raises(Unauthenticated) as refused:
            authenticate(database, bearer, now)
        assert refused.value.detail == MALFORMED, bearer[:80]


def test_an_unknown_key_and_a_wrong_secret_look_the_same(database: Database, account: UUID, now: datetime) -> None:
    key, bearer = mint(database, account, now)
    _, other = mint(database, account, now)
    swapped = bearer[: -len(SECRET)] + other[-len(SECRET) :]
    for wrong in (swapped, f"mk_live_{PREFIX}_{SECRET}"):
        with pytest.raises(Unauthenticated) as refused:
            authenticate(database, wrong, now)
        assert refused.value.detail == INVALID
    assert row(database, key).last_used_at is None


def test_a_revoked_key_lets_nobody_in_and_stays_revoked_since(database: Database, account: UUID, now: datetime) -> None:
    key, bearer = mint(database, account, now)
    for delay in (1, 2):
        with database.transaction() as session:
            keys.revoke(session, key.id, now + timedelta(seconds=delay))
    with pytest.raises(Unauthenticated) as refused:
        authenticate(database, bearer, now)
    assert refused.value.detail == INVALID
    assert row(database, key).revoked_at == now + timedelta(seconds=1)
    with pytest.raises(KeyNotFound), database.transaction() as session:
        keys.revoke(session, uuid4(), now)


def test_the_time_of_use_is_noted_once_a_minute(database: Database, account: UUID, now: datetime) -> None:
    key, bearer = mint(database, account, now)
    noted = []
    for seconds in (0, 59, 60, 61):
        moment = now + timedelta(seconds=seconds)
        with database.reading() as session:
            due = keys.authenticate(session, PEPPER, bearer, moment).use_is_due
        with database.transaction() as session:  # asked or not: two servers may both think that it is due
            keys.note_use(session, key.id, moment)
        noted.append((due, row(database, key).last_used_at))
    later = now + timedelta(seconds=60)
    assert noted == [(True, now), (False, now), (True, later), (False, later)]


def test_an_accounts_keys_are_listed_oldest_first(database: Database, account: UUID, now: datetime) -> None:
    minted = [mint(database, account, now + timedelta(seconds=seconds))[0].id for seconds in (2, 0, 1)]
    mint(database, new_account(database, now), now)
    with database.reading() as session:
        assert [key.id for key in keys.of_account(session, account)] == [minted[1], minted[2], minted[0]]


def pepper(database: Database, keyring: Keyring) -> bytes:
    with database.transaction() as session:
        return keys.pepper(session, keyring)


def test_the_pepper_is_made_once_however_many_ask(database: Database, keyring: Keyring) -> None:
    with ThreadPoolExecutor(12) as threads:
        (only,) = set(threads.map(lambda _: pepper(database, keyring), range(12)))
    assert len(only) == 32
    with database.reading() as session:
        assert only not in session.exec(select(Secret)).one().sealed


def test_the_pepper_outlives_a_rotation_of_the_master_key(database: Database) -> None:
    old, new = secrets.token_bytes(32), secrets.token_bytes(32)
    assert pepper(database, Keyring(old)) == pepper(database, Keyring(new, [old]))


def listed(database: Database, account: UUID) -> list[UUID]:
    with database.reading() as session:
        return [key.id for key in keys.of_account(session, account)]


def test_a_key_is_deleted_90_days_after_it_was_revoked(database: Database, account: UUID, now: datetime) -> None:
    live, revoked = mint(database, account, now)[0].id, mint(database, account, now + timedelta(seconds=1))[0].id
    with database.transaction() as session:
        keys.revoke(session, revoked, now)
    counts = []
    for late in (timedelta(days=90, microseconds=-1), timedelta(days=90), timedelta(days=9000)):
        with database.transaction() as session:
            counts.append(keys.purge(session, now + late))
    assert counts == [0, 1, 0]
    assert listed(database, account) == [live]


def test_minting_and_revoking_adds_no_rows_without_end(
    database: Database, account: UUID, now: datetime, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(keys, "MAX_REVOKED_KEYS", 3)
    stranger = new_account(database, now)
    theirs = mint(database, stranger, now)[0].id
    with database.transaction() as session:
        keys.revoke(session, theirs, now - timedelta(days=1))
    made = []
    for number in range(6):
        at = now + timedelta(seconds=number)
        made.append(mint(database, account, at)[0].id)
        with database.transaction() as session:
            keys.revoke(session, made[-1], at)
    live = mint(database, account, now + timedelta(seconds=9))[0].id
    assert listed(database, account) == [*made[3:], live]
    assert listed(database, stranger) == [theirs]
