"""Caches the callers of accepted bearer keys in this process, so that most calls need no database query."""

import hashlib
from collections import OrderedDict
from datetime import datetime, timedelta
from typing import NamedTuple
from uuid import UUID

from storage.accounts.keys import Caller

SIZE = 10_000


class _Entry(NamedTuple):
    caller: Caller
    since: datetime


class AuthCache:
    """Callers by a hash of their whole bearer, for `seconds`, at most `size`; the least recently used entry goes first.

    Only accepted bearers are cached, never refusals. For one thread only: that of the event loop.
    """

    def __init__(self, seconds: int, size: int = SIZE) -> None:
        self._ttl = timedelta(seconds=seconds)
        self._size = size
        self._entries: OrderedDict[bytes, _Entry] = OrderedDict()
        self._revocations = 0

    def get(self, bearer: str, now: datetime) -> Caller | None:
        """The caller of a bearer that was accepted less than `seconds` ago, else None."""
        digest = _digest(bearer)
        entry = self._entries.get(digest)
        if entry is None:
            return None
        if not timedelta(0) <= now - entry.since < self._ttl:  # negative: the clock was put back
            del self._entries[digest]
            return None
        self._entries.move_to_end(digest)
        return entry.caller

    @property
    def revocations(self) -> int:
        """The number of revocations so far. Read it before the database query, and pass it to `put` with the answer."""
        return self._revocations

    def put(self, bearer: str, caller: Caller, now: datetime, revocations: int) -> None:
        """Caches an answer of the database, unless a key was revoked since the query: it may be this key."""
        if revocations != self._revocations:
            return
        digest = _digest(bearer)
        self._entries[digest] = _Entry(caller, now)
        self._entries.move_to_end(digest)
        if len(self._entries) > self._size:
            self._entries.popitem(last=False)

    def revoke(self, key_id: UUID) -> None:
        """Forgets a key, also one whose query is under way."""
        self._revocations += 1
        for digest in [digest for digest, entry in self._entries.items() if entry.caller.key_id == key_id]:
            del self._entries[digest]

    def __len__(self) -> int:
        return len(self._entries)


def _digest(bearer: str) -> bytes:
    """SHA-256 of a bearer. It holds 256 random bits, and a memory dump of this process then shows no bearer."""
    return hashlib.sha256(bearer.encode("utf-8", "surrogatepass")).digest()
