"""What applies to a caller's texts: the types it looks for and the terms of its glossaries, remembered per process.

A change made through this process holds from the next request; one made in another holds here within FRESH_SECONDS.
While a policy is fresh nothing is asked of the database. Terms are opened and compiled once per version of a glossary.
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
from storage.accounts.glossaries import Opened
from storage.accounts.keys import Caller
from storage.opening import Storage

FRESH_SECONDS = 5.0
_MOST_ACCOUNTS = 10_000
_MOST_CHARACTERS = 4_000_000  # of terms; compiled, each takes some fifty bytes


class Policy(NamedTuple):
    """What detection looks for in one caller's text; oldest glossary first."""

    enabled: frozenset[EntityType]
    terms: tuple[TermSet, ...]


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
    """What is known of an account until `stale_at`; `by_key`: the types of its keys, and of its sessions (None)."""

    stale_at: float
    glossaries: tuple[_Glossary, ...]
    by_key: dict[UUID | None, frozenset[EntityType]]

    @property
    def characters(self) -> int:
        """How much of the memory it takes up."""
        return sum(one.characters for one in self.glossaries)

    def policy(self, key_id: UUID | None, glossary_id: UUID | None) -> Policy | None:
        """None where the key's types or the glossary are not known."""
        enabled = self.by_key.get(key_id)
        if enabled is None or (glossary_id is not None and all(one.id != glossary_id for one in self.glossaries)):
            return None
        return Policy(enabled, tuple(one.terms for one in self.glossaries if one.enabled or one.id == glossary_id))


class Policies:
    """The policies of a process's callers. Safe from many threads."""

    def __init__(self, storage: Storage, toggles_since: datetime, clock: Callable[[], float] = monotonic) -> None:
        self._storage, self._since, self._clock = storage, toggles_since, clock
        self._lock = Lock()
        self._accounts: OrderedDict[UUID, _Account] = OrderedDict()  # the least lately used first
        self._characters = 0
        self._changes = 0  # that were forgotten: what was read before one must not be remembered after it
        self._sets: WeakValueDictionary[tuple[UUID, bytes], TermSet] = WeakValueDictionary()

    def known(self, caller: Caller, glossary_id: UUID | None = None) -> Policy | None:
        """The policy without asking the database, at once; None when it has to be asked."""
        with self._lock:
            account = self._accounts.get(caller.account_id)
            if account is None or account.stale_at <= self._clock():
                return None
            self._accounts.move_to_end(caller.account_id)
            return account.policy(caller.key_id, glossary_id)

    def of(self, caller: Caller, glossary_id: UUID | None = None) -> Policy:
        """Every enabled glossary applies and, enabled or not, `glossary_id`. GlossaryNotFound, MaskerUnavailable."""
        return self.known(caller, glossary_id) or self._read(caller, glossary_id)

    @contextmanager
    def changing(self, account_id: UUID) -> Iterator[None]:
        """Around a transaction that changes the account's glossaries or types: the next request reads anew.

        Also when it failed: perhaps only the answer to its commit was lost.
        """
        try:
            yield
        finally:
            with self._lock:
                self._changes += 1
                self._drop(account_id)

    def _read(self, caller: Caller, glossary_id: UUID | None) -> Policy:
        with self._lock:
            changes, began = self._changes, self._clock()
        with self._storage.database.reading() as session:
            enabled = entity_sets.effective(session, caller, self._since)
            versions = glossaries.versions(session, caller.account_id)
            sets = {version.id: self._sets.get((version.id, version.mark)) for version in versions}
            missing = [id_ for id_, known in sets.items() if known is None]
            opened = glossaries.opened(session, self._storage.keyring, caller.account_id, missing) if missing else []
        sets |= {one.id: self._shared(one) for one in opened}
        found = tuple(
            _Glossary(version.id, version.enabled, terms)
            for version in versions
            if (terms := sets[version.id]) is not None  # else it was deleted just now
        )
        account = _Account(began + FRESH_SECONDS, found, {caller.key_id: enabled})
        policy = account.policy(caller.key_id, glossary_id)
        if policy is None:
            raise GlossaryNotFound
        with self._lock:
            if changes == self._changes:
                self._remember(caller.account_id, account)
        return policy

    def _shared(self, opened: Opened) -> TermSet:
        """One set per version, whoever opened it first: it is compiled once."""
        with self._lock:
            return self._sets.setdefault((opened.id, opened.mark), TermSet(opened.terms))

    def _remember(self, account_id: UUID, account: _Account) -> None:
        known = self._accounts.get(account_id)
        if known is not None and known.stale_at > self._clock() and known.glossaries == account.glossaries:
            known.by_key |= account.by_key  # which now go stale with the rest, so earlier than they would
            return
        self._drop(account_id)
        self._accounts[account_id] = account
        self._characters += account.characters
        while len(self._accounts) > 1 and (len(self._accounts) > _MOST_ACCOUNTS or self._characters > _MOST_CHARACTERS):
            self._drop(next(iter(self._accounts)))

    def _drop(self, account_id: UUID) -> None:
        account = self._accounts.pop(account_id, None)
        if account is not None:
            self._characters -= account.characters


# The lists of terms that come with a single request.

_LISTS_REMEMBERED = 32  # at most some 20 MB each once compiled


def inline_terms(terms: Iterable[str]) -> tuple[Term, ...]:
    """Terms of a single request: custom terms, word by word, in any case."""
    return tuple(Term(term) for term in dict.fromkeys(terms))


def inline_sets(mask: Iterable[str] | None, allow: Iterable[str] | None) -> tuple[TermSet, ...]:
    """A request's `glossary` and `allow`, as sets for detection; none where there is nothing in them."""
    masked, allowed = tuple(mask or ()), tuple(allow or ())
    return (_set(masked, allowed),) if masked or allowed else ()


@lru_cache(maxsize=_LISTS_REMEMBERED)
def _set(mask: tuple[str, ...], allow: tuple[str, ...]) -> TermSet:
    """Remembered, because callers send the same lists again and again, and compiling one takes a while."""
    return TermSet((*inline_terms(mask), *(Term(term, action=Action.ALLOW) for term in dict.fromkeys(allow))))
