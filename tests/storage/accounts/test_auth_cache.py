"""The auth cache: how long it remembers, how much, and that a revocation is not undone by a late answer."""

from datetime import datetime, timedelta
from uuid import uuid4

from storage.accounts.auth_cache import AuthCache
from storage.accounts.keys import Caller

BEARER = "mk_live_abcdefghijk0_" + "S" * 43


def caller(now: datetime) -> Caller:
    return Caller(uuid4(), uuid4(), False, now)


def test_it_remembers_for_its_time_and_no_longer(now: datetime) -> None:
    cache, known = AuthCache(60), caller(now)
    assert cache.get(BEARER, now) is None
    cache.put(BEARER, known, now, cache.revocations)
    assert [cache.get(BEARER, now + timedelta(seconds=seconds)) for seconds in (0, 59)] == [known, known]
    assert cache.get(BEARER[:-1] + "T", now) is None
    assert cache.get(BEARER, now + timedelta(seconds=60)) is None, "use does not extend it"
    assert len(cache) == 0


def test_a_clock_that_was_put_back_forgets(now: datetime) -> None:
    cache = AuthCache(60)
    cache.put(BEARER, caller(now), now, cache.revocations)
    assert cache.get(BEARER, now - timedelta(seconds=1)) is None


def test_it_is_bounded_and_forgets_what_was_unused_for_longest(now: datetime) -> None:
    cache = AuthCache(60, size=3)
    for name in "abc":
        cache.put(name, caller(now), now, cache.revocations)
    assert cache.get("a", now)
    cache.put("d", caller(now), now, cache.revocations)
    cache.put("d", caller(now), now, cache.revocations)
    assert len(cache) == 3
    assert [name for name in "abcd" if cache.get(name, now)] == ["a", "c", "d"]


def test_a_revoked_key_is_forgotten_at_once_and_no_other(now: datetime) -> None:
    cache, revoked, other = AuthCache(60), caller(now), caller(now)
    cache.put(BEARER, revoked, now, cache.revocations)
    cache.put("other", other, now, cache.revocations)
    assert revoked.key_id
    cache.revoke(revoked.key_id)
    assert cache.get(BEARER, now) is None
    assert cache.get("other", now) == other


def test_an_answer_from_before_a_revocation_is_not_remembered(now: datetime) -> None:
    """The database was asked, the key was revoked, then the answer came."""
    cache, known = AuthCache(60), caller(now)
    asked = cache.revocations
    assert known.key_id
    cache.revoke(known.key_id)
    cache.put(BEARER, known, now, asked)
    assert cache.get(BEARER, now) is None
    cache.put(BEARER, known, now, cache.revocations)
    assert cache.get(BEARER, now) == known


def test_it_holds_no_bearer(now: datetime) -> None:
    cache = AuthCache(60)
    cache.put(BEARER, caller(now), now, cache.revocations)
    assert BEARER not in repr(vars(cache)) and "S" * 43 not in repr(vars(cache))
