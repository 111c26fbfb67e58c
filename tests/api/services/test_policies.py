"""The cache of policies: changes hold at once in this process and soon in others; hits need no database."""

import gc
from collections.abc import Callable, Iterator
from concurrent.futures import ThreadPoolExecutor
from contextlib import contextmanager
from dataclasses import replace
from datetime import UTC, datetime, timedelta
from pathlib import Path
from uuid import UUID, uuid4

import pytest
from sqlmodel import Session

from api.services import policies as policies_module
from api.services.policies import FRESH_SECONDS, Policies
from pipeline.detect.glossary.terms import compiled
from schemas.entities import CORE_TYPES, EntityType
from schemas.errors import GlossaryNotFound
from schemas.spans import Term
from storage.accounts import entity_sets, glossaries, keys
from storage.accounts import records as accounts
from storage.accounts.keys import Caller
from storage.database import Database
from storage.opening import Storage
from tests.api.serving import settings_for

SINCE = datetime(2026, 1, 1, tzinfo=UTC)
NOW = datetime(2026, 11, 21, 9, tzinfo=UTC)


class Clock:
    """A clock that the test sets."""

    def __init__(self) -> None:
        self.seconds = 100.0

    def __call__(self) -> float:
        return self.seconds


class Watched(Database):
    """A database that calls `after` after each read."""

    after: Callable[[], None] = staticmethod(lambda: None)

    @contextmanager
    def reading(self) -> Iterator[Session]:
        with super().reading() as session:
            yield session
        self.after()

    @classmethod
    def like(cls, database: Database) -> "Watched":
        return cls(database.engine.url.render_as_string(hide_password=False))


class World:
    """A database, and several processes with caches of their own."""

    def __init__(self, storage: Storage) -> None:
        self.storage, self.clock, self.now = storage, Clock(), NOW

    def process(self, database: Database | None = None) -> Policies:
        storage = replace(self.storage, database=database) if database else self.storage
        return Policies(storage, SINCE, self.clock)

    def caller(self) -> Caller:
        with self.storage.database.transaction() as session:
            account = accounts.create(session, email=f"{uuid4().hex}@example.com", password_hash="-", now=NOW)
            key, _ = keys.mint(session, bytes(32), account_id=account.id, name="k", now=NOW)
        return Caller(account.id, key.id, False, account.created_at)

    def glossary(self, caller: Caller, *terms: str, enabled: bool = True) -> UUID:
        self.now += timedelta(seconds=1)
        with self.storage.database.transaction() as session:
            row = glossaries.create(
                session,
                self.storage.keyring,
                account_id=caller.account_id,
                name="g",
                entries=[Term(term) for term in terms],
                enabled=enabled,
                now=self.now,
            )
        return row.id

    def change(self, caller: Caller, glossary: UUID, *terms: str) -> None:
        with self.storage.database.transaction() as session:
            entries = [Term(term) for term in terms]
            glossaries.change(session, self.storage.keyring, caller.account_id, glossary, entries=entries, now=NOW)

    def select(self, caller: Caller, *types: EntityType, min_score: float | None = None) -> None:
        with self.storage.database.transaction() as session:
            entity_sets.select_for_account(session, caller.account_id, types, min_score)


@pytest.fixture
def world(database_url: str, tmp_path: Path) -> Iterator[World]:
    settings = settings_for(tmp_path / "data").model_copy(update={"database_url": database_url})
    storage = Storage.open(settings)
    yield World(storage)
    storage.close()


@pytest.fixture
def small_world(sqlite_url: str, tmp_path: Path) -> Iterator[World]:
    settings = settings_for(tmp_path / "data").model_copy(update={"database_url": sqlite_url})
    storage = Storage.open(settings)
    yield World(storage)
    storage.close()


def terms(policies: Policies, caller: Caller, glossary: UUID | None = None) -> list[str]:
    return [term.term for one in policies.get(caller, glossary).terms for term in one.terms]


def test_a_hit_needs_no_database(world: World) -> None:
    watched, reads = Watched.like(world.storage.database), list[int]()
    watched.after = lambda: reads.append(1)
    caller, process = world.caller(), world.process(watched)
    disabled = world.glossary(caller, "b", enabled=False)
    world.glossary(caller, "a")
    assert process.cached(caller) is None
    policy = process.get(caller)
    assert policy.enabled == set(CORE_TYPES)
    assert reads == [1]
    assert process.get(caller) == process.cached(caller) == policy
    assert terms(process, caller, disabled) == ["b", "a"]
    assert reads == [1]
    world.clock.seconds += FRESH_SECONDS
    assert process.get(caller) == policy
    assert reads == [1, 1]
    watched.dispose()


def test_another_process_sees_a_change_within_five_seconds(world: World) -> None:
    caller, here, there = world.caller(), world.process(), world.process()
    glossary = world.glossary(caller, "a")
    for process in (here, there):
        assert terms(process, caller) == ["a"]
    with here.invalidating(caller.account_id):
        world.change(caller, glossary, "b")
        world.select(caller, EntityType.IBAN, min_score=0.5)
    assert terms(here, caller) == ["b"] and here.get(caller).enabled == {EntityType.IBAN}
    assert terms(there, caller) == ["a"]
    assert (here.get(caller).min_score, there.get(caller).min_score) == (0.5, 0)
    world.clock.seconds += FRESH_SECONDS
    assert FRESH_SECONDS <= 5
    assert terms(there, caller) == ["b"] and there.get(caller).enabled == {EntityType.IBAN}
    assert there.get(caller).min_score == 0.5


def test_what_another_process_created_can_be_named_at_once(world: World) -> None:
    caller, process = world.caller(), world.process()
    assert terms(process, caller) == []
    glossary = world.glossary(caller, "a", enabled=False)
    assert terms(process, caller) == []
    assert terms(process, caller, glossary) == ["a"]
    for unknown in (uuid4(), world.glossary(world.caller(), "x")):
        assert process.cached(caller, unknown) is None
        with pytest.raises(GlossaryNotFound):
            process.get(caller, unknown)


def test_only_changed_glossaries_are_compiled_again(world: World) -> None:
    caller, process = world.caller(), world.process()
    first, _ = world.glossary(caller, "a"), world.glossary(caller, "b")
    before = process.get(caller).terms
    ready = compiled(before[1])
    with process.invalidating(caller.account_id):
        world.change(caller, first, "a")  # the same entries, saved again
    after = process.get(caller).terms
    assert after[0] is not before[0]
    assert after[1] is before[1] and compiled(after[1]) is ready
    world.clock.seconds += 2 * FRESH_SECONDS
    assert process.get(caller).terms == after


def test_each_key_and_the_session_have_their_own_types(world: World) -> None:
    caller, process = world.caller(), world.process()
    assert caller.key_id
    with world.storage.database.transaction() as session:
        second, _ = keys.mint(session, bytes(32), account_id=caller.account_id, name="k", now=NOW)
        entity_sets.override_for_key(session, caller.account_id, second.id, [EntityType.IBAN])
    others = [Caller(caller.account_id, key, False, caller.account_created_at) for key in (second.id, None)]
    sets = [set(CORE_TYPES), {EntityType.IBAN}, set(CORE_TYPES)]
    for _ in range(2):
        assert [process.get(who).enabled for who in (caller, *others)] == sets
    # All three are remembered side by side.
    assert None not in [process.cached(who) for who in (caller, *others)]
    world.select(caller, EntityType.MRN)
    world.clock.seconds += FRESH_SECONDS
    assert [process.get(who).enabled for who in (caller, *others)] == [
        {EntityType.MRN},
        {EntityType.IBAN},
        {EntityType.MRN},
    ]


def test_what_was_read_before_a_change_is_not_cached_after_it(small_world: World) -> None:
    watched = Watched.like(small_world.storage.database)
    caller, process = small_world.caller(), small_world.process(watched)

    def change() -> None:
        """Changes the policy between reading and caching."""
        watched.after = lambda: None
        with process.invalidating(caller.account_id):
            small_world.select(caller, EntityType.IBAN, min_score=1)

    watched.after = change
    before, after = process.get(caller), process.get(caller)
    assert (before.enabled, before.min_score) == (set(CORE_TYPES), 0)  # it began before the change
    assert (after.enabled, after.min_score) == ({EntityType.IBAN}, 1)
    watched.dispose()


def test_memory_is_bounded(small_world: World, monkeypatch: pytest.MonkeyPatch) -> None:
    process = small_world.process()
    callers = [small_world.caller() for _ in range(6)]
    for caller in callers:
        small_world.glossary(caller, "x" * 100)
    monkeypatch.setattr(policies_module, "_MAX_CHARACTERS", 300)
    held = [process.get(caller).terms[0] for caller in callers]
    assert [process.cached(caller) is not None for caller in callers] == [False] * 3 + [True] * 3
    monkeypatch.setattr(policies_module, "_MAX_ACCOUNTS", 2)
    process.get(callers[0])
    assert [process.cached(caller) is not None for caller in callers] == [True] + [False] * 4 + [True]
    assert process.get(callers[1]).terms[0] is held[1]  # whoever still holds a set shares it
    del held
    gc.collect()
    assert len(process._sets) == 2  # the two that are remembered


def test_many_threads_share_one_set(world: World) -> None:
    caller, process = world.caller(), world.process()
    world.glossary(caller, *(f"term-{number}" for number in range(500)))
    with ThreadPoolExecutor(8) as threads:
        sets = list(threads.map(lambda _: process.get(caller).terms[0], range(32)))
    assert len({id(one) for one in sets}) == 1
