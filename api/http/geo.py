"""The geo restriction: who does not call from an allowed country gets a bare 403, whatever was asked for."""

import logging
import os
import re
import time
from collections.abc import Callable, Iterable, Sequence
from pathlib import Path
from typing import Self, cast

import maxminddb
from maxminddb import InvalidDatabaseError
from starlette.requests import Request
from starlette.types import ASGIApp, Receive, Scope, Send

from api.http.client_address import Address, Network, caller_of, is_near
from schemas.settings import InvalidSettings, Settings

# Which country an address is in, by a MaxMind-format database that may be replaced while the server runs.

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


_PROBES = frozenset({"/api/v1/health", "/api/v1/health/ready"})  # orchestrators ask these from inside
_COUNTRY = re.compile(r"[A-Z]{2}", re.ASCII)


class Borders:
    """Who may come in: callers from the countries (ISO 3166-1 alpha-2 codes), and near ones to the health probes."""

    def __init__(self, countries: Countries, allowed: Iterable[str]) -> None:
        self._countries = countries
        self._allowed = frozenset(code.upper() for code in allowed)
        if not self._allowed or not all(_COUNTRY.fullmatch(code) for code in self._allowed):
            raise InvalidSettings("MASKER_GEO_COUNTRIES: not a comma-separated list of ISO 3166-1 alpha-2 codes")

    @classmethod
    def of(cls, settings: Settings) -> Self | None:
        """As the settings say; None: no restriction. InvalidSettings."""
        if settings.geo_database is None:
            return None
        return cls(Countries(settings.geo_database), settings.geo_countries)

    def admit(self, address: Address | None, path: str) -> bool:
        """Whether a call from the address to the path goes on."""
        if address is None:
            return False
        if is_near(address):
            return path in _PROBES
        return self._countries.of(address) in self._allowed


class Geo:
    """Notes each call's address for `client_address`, and answers who is outside the `borders` with a bare 403."""

    def __init__(self, app: ASGIApp, borders: Borders | None, trusted: Sequence[Network]) -> None:
        self._app, self._borders, self._trusted = app, borders, trusted

    async def __call__(self, scope: Scope, receive: Receive, send: Send) -> None:
        if scope["type"] == "lifespan":
            await self._app(scope, receive, send)
            return
        address = caller_of(scope, self._trusted)
        scope.setdefault("state", {})["client_address"] = address
        if self._borders is None or self._borders.admit(address, scope["path"]):
            await self._app(scope, receive, send)
        elif scope["type"] == "http":
            await send({"type": "http.response.start", "status": 403, "headers": [(b"content-length", b"0")]})
            await send({"type": "http.response.body", "body": b""})
        else:
            await send({"type": "websocket.close", "code": 1008})


def client_address(request: Request) -> Address | None:
    """The caller's address as `caller_of` tells it; None when it cannot be told."""
    return cast("Address | None", request.state.client_address)
