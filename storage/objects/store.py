"""The interface of an object store, the rules for its keys, and the choice of an implementation."""

import re
from collections.abc import Iterator
from datetime import datetime
from types import TracebackType
from typing import NamedTuple, Protocol, Self

MAX_KEY_CHARACTERS = 512
_SEGMENT = re.compile(r"[A-Za-z0-9_-][A-Za-z0-9._-]*")


class ObjectNotFound(Exception):
    """The store has no object with that key."""


class InvalidObjectKey(ValueError):
    """A key that could leave the store, or that some store cannot hold: a programming error."""


class ObjectEntry(NamedTuple):
    """One object of a listing: its key and when it was committed (UTC)."""

    key: str
    modified: datetime


class ObjectWriter(Protocol):
    """An object being written: invisible before `commit`, gone after `abort`. Leaving a `with` block aborts."""

    def write(self, data: bytes) -> None:
        """Appends bytes; may be called any number of times with any size."""

    def commit(self) -> None:
        """Makes the whole object visible, in place of an earlier one with its key."""

    def abort(self) -> None:
        """Discards what was written. Harmless after `commit` and when repeated."""

    def __enter__(self) -> Self: ...

    def __exit__(
        self, kind: type[BaseException] | None, error: BaseException | None, traceback: TracebackType | None
    ) -> None: ...


class ObjectStore(Protocol):
    """Objects by key. Adapters raise MaskerUnavailable when the store cannot be reached. Safe from many threads.

    A key is `/`-separated segments of `[A-Za-z0-9._-]`, none starting with a dot; no key is also the folder of another.
    A prefix ends with `/`, or is empty.
    """

    def writer(self, key: str) -> ObjectWriter:
        """Begins a new object."""

    def read(self, key: str) -> Iterator[bytes]:
        """The object's bytes in pieces of at most 1 MiB. ObjectNotFound at once, not at the first piece."""

    def delete(self, key: str) -> None:
        """Removes an object; harmless when there is none."""

    def delete_prefix(self, prefix: str) -> None:
        """Removes every object under a prefix, which must not be empty."""

    def entries(self, prefix: str) -> Iterator[ObjectEntry]:
        """Every object under a prefix, in no particular order."""

    def keys(self, prefix: str) -> Iterator[str]:
        """Every key under a prefix."""

    def discard_unfinished(self, before: datetime) -> None:
        """Discards what dead writers left unfinished before a moment."""

    def ping(self) -> None:
        """MaskerUnavailable when the store does not answer."""

    def close(self) -> None:
        """Closes connections; the store must not be used afterwards."""


class AbortingWriter:
    """The `with` behaviour of all writers: what was not committed is aborted."""

    def abort(self) -> None:
        """Discards what was written."""
        raise NotImplementedError

    def __enter__(self) -> Self:
        return self

    def __exit__(
        self, kind: type[BaseException] | None, error: BaseException | None, traceback: TracebackType | None
    ) -> None:
        self.abort()


def checked_key(key: str) -> str:
    """The key itself when it is well formed, else InvalidObjectKey."""
    if len(key) > MAX_KEY_CHARACTERS or not all(_SEGMENT.fullmatch(part) for part in key.split("/")):
        raise InvalidObjectKey("an object key is /-separated segments of letters, digits, dot, dash and underscore")
    return key


def checked_prefix(prefix: str) -> str:
    """The prefix itself when it is empty or a well-formed key and a slash, else InvalidObjectKey."""
    if prefix:
        if not prefix.endswith("/"):
            raise InvalidObjectKey("a prefix ends with a slash")
        checked_key(prefix[:-1])
    return prefix


def primed(chunks: Iterator[bytes]) -> Iterator[bytes]:
    """The same chunks with the first one already fetched, so that a missing object is known before an answer begins."""
    first = next(chunks, None)
    return iter(()) if first is None else _chained(first, chunks)


def _chained(first: bytes, rest: Iterator[bytes]) -> Iterator[bytes]:
    yield first
    yield from rest
