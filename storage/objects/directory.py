"""ObjectStore in a local directory, for the embedded mode."""

import logging
import os
import secrets
from collections.abc import Iterator
from contextlib import contextmanager, suppress
from datetime import UTC, datetime
from errno import errorcode
from pathlib import Path

from schemas.errors import MaskerUnavailable
from schemas.telemetry.metrics import UNAVAILABLE
from schemas.telemetry.tracing import timed_store
from storage.encryption import sync_directory
from storage.objects.store import AbortingWriter, ObjectEntry, ObjectNotFound, checked_key, checked_prefix, primed

_log = logging.getLogger("storage.objects")
_CHUNK_BYTES = 1 << 20
_DRAFTS = ".drafts"  # no key's segment starts with a dot


class DirectoryStore:
    """One file per object under `root` (files 0600, folders 0700).

    An object is written as a draft in the same folder and renamed on commit, so it is whole or absent, also after a
    power cut.
    """

    def __init__(self, root: Path) -> None:
        self._root = root
        self._drafts = root / _DRAFTS
        _make_private(self._drafts)

    def writer(self, key: str) -> "_FileWriter":
        """Begins a new object."""
        with _working():
            return _FileWriter(self._drafts / secrets.token_hex(16), self._root / checked_key(key))

    def read(self, key: str) -> Iterator[bytes]:
        """The bytes in pieces of at most 1 MiB. ObjectNotFound at once."""
        return primed(_pieces(self._root / checked_key(key)))

    def delete(self, key: str) -> None:
        """Removes an object, if there is one."""
        path = self._root / checked_key(key)
        path.unlink(missing_ok=True)
        self._prune(path.parent)

    def delete_prefix(self, prefix: str) -> None:
        """Removes every object under a prefix, which must not be empty."""
        if not prefix:
            raise ValueError("refusing to delete every object")
        for key in list(self.keys(prefix)):
            self.delete(key)

    def entries(self, prefix: str) -> Iterator[ObjectEntry]:
        """Every object under a prefix, in no particular order."""
        base = self._root / checked_prefix(prefix)
        for folder, folders, names in os.walk(base):
            if _DRAFTS in folders:
                folders.remove(_DRAFTS)
            for name in names:
                path = Path(folder) / name
                try:
                    modified = datetime.fromtimestamp(path.stat().st_mtime, UTC)
                except FileNotFoundError:
                    continue  # deleted while we looked
                yield ObjectEntry(path.relative_to(self._root).as_posix(), modified)

    def keys(self, prefix: str) -> Iterator[str]:
        """Every key under a prefix."""
        return (entry.key for entry in self.entries(prefix))

    def discard_unfinished(self, before: datetime) -> None:
        """Discards what dead writers left unfinished before a moment."""
        for draft in self._drafts.iterdir():
            try:
                if draft.stat().st_mtime < before.timestamp():
                    draft.unlink()
            except FileNotFoundError:
                continue  # committed or aborted meanwhile

    def ping(self) -> None:
        """MaskerUnavailable when nothing can be written: no right, or no space."""
        if not os.access(self._drafts, os.W_OK) or not os.statvfs(self._drafts).f_bavail:
            raise MaskerUnavailable

    def close(self) -> None:
        """Does nothing: no connection is open."""

    def _prune(self, folder: Path) -> None:
        """Removes folders that became empty, innermost first."""
        while folder != self._root:
            try:
                folder.rmdir()
            except OSError:
                return
            folder = folder.parent


class _FileWriter(AbortingWriter):
    def __init__(self, draft: Path, target: Path) -> None:
        self._draft, self._target = draft, target
        self._file = os.fdopen(os.open(draft, os.O_WRONLY | os.O_CREAT | os.O_EXCL, 0o600), "wb")

    def write(self, data: bytes) -> None:
        with _working():
            self._file.write(data)

    def commit(self) -> None:
        with _working():
            self._file.flush()
            os.fsync(self._file.fileno())
            self._file.close()
            highest = self._target.parent.parent
            while True:
                try:
                    highest = _higher(highest, _make_private(self._target.parent))
                    self._draft.rename(self._target)
                except FileNotFoundError:
                    if not self._draft.exists():
                        raise
                    continue  # a delete pruned the empty folder between the two lines above
                break
            self._sync_folders(highest)

    def abort(self) -> None:
        with suppress(OSError):  # what is still buffered may not fit on the disk; the file is closed all the same
            self._file.close()
        self._draft.unlink(missing_ok=True)

    def _sync_folders(self, highest: Path) -> None:
        """From the object's folder up to `highest`: where the first new folder was made, or the one above the object's,
        which another writer may have made a moment ago.
        """
        folder, root = self._target.parent, self._draft.parent.parent
        while True:
            try:
                sync_directory(folder)
            except FileNotFoundError:
                return  # deleted again meanwhile
            if folder in (highest, root):
                return
            folder = folder.parent


@contextmanager
def _working() -> Iterator[None]:
    """Turns failures of the disk (full, broken, read-only) into MaskerUnavailable."""
    try:
        with timed_store("objects"):
            yield
    except OSError as error:
        UNAVAILABLE.labels("objects").inc()
        code = errorcode.get(error.errno or 0, type(error).__name__)
        _log.warning("object store unavailable", extra={"code": code})
        raise MaskerUnavailable from None


def _make_private(folder: Path) -> Path:
    """Creates a folder and its missing parents with mode 0700 (Path.mkdir's mode applies to the last one only).

    The innermost folder that was there before.
    """
    if folder.is_dir():
        return folder
    there = _make_private(folder.parent)
    folder.mkdir(exist_ok=True, mode=0o700)
    return there


def _higher(one: Path, other: Path) -> Path:
    return min(one, other, key=lambda path: len(path.parts))


def _pieces(path: Path) -> Iterator[bytes]:
    try:
        file = path.open("rb")
    except (FileNotFoundError, IsADirectoryError, NotADirectoryError):
        raise ObjectNotFound from None
    with file:
        while piece := file.read(_CHUNK_BYTES):
            yield piece
