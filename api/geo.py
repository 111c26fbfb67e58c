"""The geo restriction: who does not call from an allowed country gets a bare 403, whatever was asked for."""

import re
from collections.abc import Iterable, Sequence
from typing import Self, cast

from starlette.requests import Request
from starlette.types import ASGIApp, Receive, Scope, Send

from api.addresses import Address, Network, caller_of, is_near
from api.countries import Countries
from schemas.settings import InvalidSettings, Settings

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
