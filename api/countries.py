"""Which country an address is in, by a MaxMind-format database that may be replaced while the server runs."""

import logging
import os
import time
from collections.abc import Callable
from pathlib import Path

import maxminddb
from maxminddb import InvalidDatabaseError

from api.addresses import Address
from schemas.settings import InvalidSettings

log = logging.getLogger("masker.geo")

_LOOK_EVERY_SECONDS = 60.0
_Version = tuple[int, int, int]  # inode, size, time of change


class Countries:
    """The database at `path`, whole in memory. InvalidSettings when it is not there or not one.

    A replaced file is noticed within a minute; one that cannot be read leaves the one before in use. `clock` gives
    seconds that never run backwards. For one event loop.
    """

    def __init__(self, path: Path, clock: Callable[[], float] = time.monotonic) -> None:
        self._path, self._clock = path, clock
        self._looked = clock()
        try:
            self._version = _version(path)
            self._reader = _open(path)
        except OSError as error:
            raise InvalidSettings(f"MASKER_GEO_DATABASE: {error.strerror or 'cannot be read'}") from None
        except (InvalidDatabaseError, ValueError):
            raise InvalidSettings("MASKER_GEO_DATABASE: not a MaxMind-format database") from None
        self._broken = False

    def of(self, address: Address) -> str | None:
        """The ISO 3166-1 alpha-2 code, upper case; None when the database does not tell."""
        self._refresh()
        try:
            record = self._reader.get(address)
        except (ValueError, InvalidDatabaseError):  # an IPv6 address in a database of IPv4, or damage inside
            return None
        country = record.get("country") if isinstance(record, dict) else None
        code = country.get("iso_code") if isinstance(country, dict) else None
        return code.upper() if isinstance(code, str) else None

    def close(self) -> None:
        """Lets the memory go."""
        self._reader.close()

    def _refresh(self) -> None:
        now = self._clock()
        if now - self._looked < _LOOK_EVERY_SECONDS:
            return
        self._looked = now
        try:
            version = _version(self._path)
            if version == self._version:
                return
            reader = _open(self._path)
        except (OSError, ValueError, InvalidDatabaseError) as error:
            if not self._broken:
                log.warning("MASKER_GEO_DATABASE: the new file is not used (%s)", type(error).__name__)
            self._broken = True
            return
        self._reader.close()
        self._reader, self._version, self._broken = reader, version, False
        log.info("MASKER_GEO_DATABASE: the new file is in use")


def _version(path: Path) -> _Version:
    found = path.stat()
    return found.st_ino, found.st_size, found.st_mtime_ns


def _open(path: Path) -> maxminddb.Reader:
    """A reader of a private copy: a file that is overwritten in place would kill who has it mapped."""
    copy = os.memfd_create("countries", os.MFD_CLOEXEC)
    try:
        with open(copy, "wb", closefd=False) as file:
            file.write(path.read_bytes())
        return maxminddb.open_database(f"/proc/self/fd/{copy}")
    finally:
        os.close(copy)
