"""The geo restriction: clients outside the allowed countries get a bare 403 for every path."""

import logging
import os
import re
import time
from collections.abc import Callable, Iterable, Sequence
from pathlib import Path
from typing import Self

import maxminddb
from maxminddb import InvalidDatabaseError
from starlette.requests import Request
from starlette.types import ASGIApp, Receive, Scope, Send

from api.http.client_address import Address, Network, is_local_address, resolve_client_address
from schemas.errors import type_name
from schemas.settings import InvalidSettings, Settings

log = logging.getLogger("masker.geo")

_CHECK_SECONDS = 60.0  # between two looks at the file
_PROBES = frozenset({"/api/v1/health", "/api/v1/health/ready"})  # orchestrators call these from local addresses
_COUNTRY = re.compile(r"[A-Z]{2}", re.ASCII)
_Version = tuple[int, int, int]  # inode, size, time of change


class CountryDatabase:
    """Looks up countries in the MaxMind-format database at `path`, which is held in memory. InvalidSettings.

    The file may be replaced while the server runs: that is noticed within a minute, and a new file that cannot be read
    leaves the old one in use. `clock`: monotonic seconds. For one event loop.
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

    def country_of(self, address: Address) -> str | None:
        """The ISO 3166-1 alpha-2 code in upper case; None when the database has none."""
        self._refresh()
        try:
            record = self._reader.get(address)
        except (ValueError, InvalidDatabaseError):  # an IPv6 address in an IPv4 database, or a damaged file
            return None
        country = record.get("country") if isinstance(record, dict) else None
        code = country.get("iso_code") if isinstance(country, dict) else None
        return code.upper() if isinstance(code, str) else None

    def close(self) -> None:
        """Releases the memory."""
        self._reader.close()

    def _refresh(self) -> None:
        now = self._clock()
        if now - self._looked < _CHECK_SECONDS:
            return
        self._looked = now
        try:
            version = _version(self._path)
            if version == self._version:
                return
            reader = _open(self._path)
        except (OSError, ValueError, InvalidDatabaseError) as error:
            if not self._broken:
                log.warning("MASKER_GEO_DATABASE: the new file is not used", extra={"error": type_name(error)})
            self._broken = True
            return
        self._reader.close()
        self._reader, self._version, self._broken = reader, version, False
        log.info("MASKER_GEO_DATABASE: the new file is in use")


def _version(path: Path) -> _Version:
    found = path.stat()
    return found.st_ino, found.st_size, found.st_mtime_ns


def _open(path: Path) -> maxminddb.Reader:
    """A reader of a private copy: a process that maps a file dies when the file is overwritten in place."""
    copy = os.memfd_create("countries", os.MFD_CLOEXEC)
    try:
        with open(copy, "wb", closefd=False) as file:
            file.write(path.read_bytes())
        return maxminddb.open_database(f"/proc/self/fd/{copy}")
    finally:
        os.close(copy)


class GeoRestriction:
    """Admits clients from the `allowed` countries (ISO 3166-1 alpha-2); local addresses only to the health probes."""

    def __init__(self, countries: CountryDatabase, allowed: Iterable[str]) -> None:
        self._countries = countries
        self._allowed = frozenset(code.upper() for code in allowed)
        if not self._allowed or not all(_COUNTRY.fullmatch(code) for code in self._allowed):
            raise InvalidSettings("MASKER_GEO_COUNTRIES: not a comma-separated list of ISO 3166-1 alpha-2 codes")

    @classmethod
    def of(cls, settings: Settings) -> Self | None:
        """The restriction of the settings; None when there is none. InvalidSettings."""
        if settings.geo_database is None:
            return None
        return cls(CountryDatabase(settings.geo_database), settings.geo_countries)

    def admits(self, address: Address | None, path: str) -> bool:
        """Whether a call from the address to the path is allowed. An unknown address is not."""
        if address is None:
            return False
        if is_local_address(address):
            return path in _PROBES
        return self._countries.country_of(address) in self._allowed


class GeoMiddleware:
    """ASGI middleware: enforces the `restriction`, and remembers what `client_address` needs."""

    def __init__(self, app: ASGIApp, restriction: GeoRestriction | None, trusted: Sequence[Network]) -> None:
        self._app, self._restriction, self._trusted = app, restriction, trusted

    async def __call__(self, scope: Scope, receive: Receive, send: Send) -> None:
        if scope["type"] == "lifespan":
            await self._app(scope, receive, send)
            return
        scope.setdefault("state", {})["trusted_proxies"] = self._trusted
        if self._admits(scope):
            await self._app(scope, receive, send)
        elif scope["type"] == "http":
            await send({"type": "http.response.start", "status": 403, "headers": [(b"content-length", b"0")]})
            await send({"type": "http.response.body", "body": b""})
        else:
            await send({"type": "websocket.close", "code": 1008})

    def _admits(self, scope: Scope) -> bool:
        if self._restriction is None:
            return True
        return self._restriction.admits(resolve_client_address(scope, self._trusted), scope["path"])


def client_address(request: Request) -> Address | None:
    """The address that `resolve_client_address` finds for this request; None when it finds none."""
    return resolve_client_address(request.scope, request.state.trusted_proxies)
