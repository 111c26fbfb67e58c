"""Which addresses may call, which web origins may read answers, and how much memory bodies may take, from settings."""

from dataclasses import dataclass
from typing import Any, Self

from fastapi import FastAPI
from fastapi.middleware.cors import CORSMiddleware

from api.auth.bearer import SESSION_COOKIE
from api.http.body_memory import BodyMemoryLimit
from api.http.client_address import Network, is_within, networks, resolve_client_address
from api.http.geo import GeoMiddleware, GeoRestriction
from api.http.origins import cross_origin_rules
from schemas.settings import Settings

_LARGEST_BODIES = 8  # that may be held at once


@dataclass(frozen=True)
class AccessRules:
    """The rules that apply to every request before a route is chosen.

    `geo`: None without a country restriction. `cross_origin`: the arguments of CORSMiddleware, None when no other
    origin may call. `max_body_bytes`: of all bodies together.
    """

    geo: GeoRestriction | None
    trusted_proxies: tuple[Network, ...]
    cross_origin: dict[str, Any] | None
    max_body_bytes: int

    @classmethod
    def of(cls, settings: Settings) -> Self:
        """The rules of the settings; reads the country database. InvalidSettings."""
        return cls(
            geo=GeoRestriction.of(settings),
            trusted_proxies=networks(settings.trusted_proxies),
            cross_origin=cross_origin_rules(settings.cors_origins) if settings.cors_origins else None,
            max_body_bytes=_LARGEST_BODIES * max(settings.max_text_bytes, settings.proxy_max_body_bytes),
        )

    def is_blocked(self, peer: str) -> bool:
        """Whether a peer that has not sent a whole request yet gets only a bare 403. Trusted proxies never do."""
        address = resolve_client_address({"type": "http", "client": (peer, 0), "headers": []}, ())
        if self.geo is None or (address is not None and is_within(address, self.trusted_proxies)):
            return False
        return not self.geo.admits(address, "")

    def install(self, app: FastAPI) -> None:
        """Adds the middlewares. The one that is added last is the outermost."""
        app.add_middleware(BodyMemoryLimit, max_bytes=self.max_body_bytes, session_cookie=SESSION_COOKIE)
        if self.cross_origin is not None:
            app.add_middleware(CORSMiddleware, **self.cross_origin)
        app.add_middleware(GeoMiddleware, restriction=self.geo, trusted=self.trusted_proxies)
