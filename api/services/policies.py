"""Detection policies of callers (entity types, least score and glossary terms), cached per process.

A change through this process holds from the next request; a change through another process within FRESH_SECONDS. The
database is not queried while a policy is fresh. Terms are decrypted and compiled once per version of a glossary.
"""

from collections import OrderedDict
from collections.abc import Callable, Iterable, Iterator
from contextlib import contextmanager
from dataclasses import dataclass, field
from datetime import datetime
from functools import lru_cache
from threading import Lock
from time import monotonic
from typing import NamedTuple
from uuid import UUID
from weakref import WeakValueDictionary

from schemas.entities import EntityType
from schemas.errors import GlossaryNotFound
from schemas.spans import Action, Term, TermSet
from storage.accounts import entity_sets, glossaries
from storage.accounts.entity_sets import Effective
from storage.accounts.glossaries import Opened
from storage.accounts.keys import Caller
from storage.opening import Storage

FRESH_SECONDS = 5.0
_MAX_ACCOUNTS = 10_000
_MAX_CHARACTERS = 4_000_000  # of cached terms; a compiled term takes about fifty bytes per character
_CACHED_LISTS = 32  # lists of single requests; each takes at most about 20 MB compiled


class Policy(NamedTuple):
    """The entity types and terms that detection looks for in a caller's text; oldest glossary first.

    `min_score`: that of the account, for requests that have none.
    """

    enabled: frozenset[EntityType]
    terms: tuple[TermSet, ...]
    min_score: float


@dataclass(frozen=True, slots=True)
class _Glossary:
    id: UUID
    enabled: bool
    terms: TermSet
    characters: int = field(init=False, compare=False)

    def __post_init__(self) -> None:
        object.__setattr__(self, "characters", sum(len(term.term) for term in self.terms.terms))


@dataclass(slots=True)
class _Account:
    """The cache entry of an account, valid until `stale_at`.

    `by_key`: types and least score by key id; None: browser sessions.
    """

    stale_at: float
    glossaries: tuple[_Glossary, ...]
    by_key: dict[UUID | None, Effective]

    @property
    def characters(self) -> int:
        """The characters of its terms, which measure the memory that it takes."""
        return sum(one.characters for one in self.glossaries)

    def policy(self, key_id: UUID | None, glossary_id: UUID | None) -> Policy | None:
        """None when the types of the key or the glossary are not in the cache entry."""
        effective = self.by_key.get(key_id)
        if effective is None or (glossary_id is not None and all(one.id != glossary_id for one in self.glossaries)):
            return None
        terms = tuple(one.terms for one in self.glossaries if one.enabled or one.id == glossary_id)
        return Policy(effective.types, terms, effective.min_score)


class Policies:
    """The cache of detection policies. Safe from many threads. `clock`: monotonic seconds."""

    def __init__(self, storage: Storage, toggles_since: datetime, clock: Callable[[], float] = monotonic) -> None:
        self._storage, self._since, self._clock = storage, toggles_since, clock
        self._lock = Lock()
        self._accounts: OrderedDict[UUID, _Account] = OrderedDict()  # least recently used first
        self._characters = 0
        self._changes = 0  # number of invalidations: what was read before one must not be cached after it
        self._sets: WeakValueDictionary[tuple[UUID, bytes], TermSet] = WeakValueDictionary()

    def cached(self, caller: Caller, glossary_id: UUID | None = None) -> Policy | None:
        """The cached policy, without waiting; None when the database must be queried."""
        with self._lock:
            account = self._accounts.get(caller.account_id)
            if account is None or account.stale_at <= self._clock():
                return None
            self._accounts.move_to_end(caller.account_id)
            return account.policy(caller.key_id, glossary_id)

    def get(self, caller: Caller, glossary_id: UUID | None = None) -> Policy:
        """The caller's policy: all enabled glossaries, and `glossary_id` whether enabled or not.

        GlossaryNotFound, MaskerUnavailable.
        """
        return self.cached(caller, glossary_id) or self._read(caller, glossary_id)

    @contextmanager
    def invalidating(self, account_id: UUID) -> Iterator[None]:
        """Wraps a transaction that changes the account's policy: the next request reads it again.

        Also when it failed, because perhaps only the answer to its commit was lost.
        """
        try:
            yield
        finally:
            with self._lock:
                self._changes += 1
                self._forget(account_id)

    def _read(self, caller: Caller, glossary_id: UUID | None) -> Policy:
        with self._lock:
            changes, began = self._changes, self._clock()
        with self._storage.database.reading() as session:
            effective = entity_sets.effective(session, caller, self._since)
            versions = glossaries.versions(session, caller.account_id)
            sets = {version.id: self._sets.get((version.id, version.mark)) for version in versions}
            missing = [id_ for id_, known in sets.items() if known is None]
            opened = glossaries.opened(session, self._storage.keyring, caller.account_id, missing) if missing else []
        sets |= {one.id: self._shared(one) for one in opened}
        found = tuple(
            _Glossary(version.id, version.enabled, terms)
            for version in versions
            if (terms := sets[version.id]) is not None  # otherwise it was deleted after its version was read
        )
        account = _Account(began + FRESH_SECONDS, found, {caller.key_id: effective})
        policy = account.policy(caller.key_id, glossary_id)
        if policy is None:
            raise GlossaryNotFound
        with self._lock:
            if changes == self._changes:
                self._remember(caller.account_id, account)
        return policy

    def _shared(self, opened: Opened) -> TermSet:
        """The one set of this version that all threads share, so that it is compiled once."""
        with self._lock:
            return self._sets.setdefault((opened.id, opened.mark), TermSet(opened.terms))

    def _remember(self, account_id: UUID, account: _Account) -> None:
        known = self._accounts.get(account_id)
        if known is not None and known.stale_at > self._clock() and known.glossaries == account.glossaries:
            known.by_key |= (
                account.by_key
            )  # they now become stale with the rest, which is earlier than they would alone
            return
        self._forget(account_id)
        self._accounts[account_id] = account
        self._characters += account.characters
        while len(self._accounts) > 1 and (len(self._accounts) > _MAX_ACCOUNTS or self._characters > _MAX_CHARACTERS):
            self._forget(next(iter(self._accounts)))

    def _forget(self, account_id: UUID) -> None:
        account = self._accounts.pop(account_id, None)
        if account is not None:
            self._characters -= account.characters


def inline_terms(terms: Iterable[str]) -> tuple[Term, ...]:
    """Terms of a single request: type CUSTOM_TERM, at word boundaries, in any case. Repeated terms are dropped."""
    return tuple(Term(term) for term in dict.fromkeys(terms))


def inline_term_sets(mask: Iterable[str] | None, allow: Iterable[str] | None) -> tuple[TermSet, ...]:
    """A request's `glossary` and `allow` as one set for detection; no set when both are empty."""
    masked, allowed = tuple(mask or ()), tuple(allow or ())
    return (_term_set(masked, allowed),) if masked or allowed else ()


@lru_cache(maxsize=_CACHED_LISTS)
def _term_set(mask: tuple[str, ...], allow: tuple[str, ...]) -> TermSet:
    """Cached, because callers send the same lists repeatedly and compiling one takes long."""
    return TermSet((*inline_terms(mask), *(Term(term, action=Action.ALLOW) for term in dict.fromkeys(allow))))
