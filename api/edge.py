"""What stands before any route: who may come in, whose word about addresses counts, which pages may read answers."""

from dataclasses import dataclass
from typing import Any, Self

from fastapi import FastAPI
from fastapi.middleware.cors import CORSMiddleware

from api.addresses import Network, caller_of, is_within, networks
from api.cross_origin import cross_origin_rules
from api.geo import Borders, Geo
from api.intake import Intake
from schemas.settings import Settings

_LARGEST_BODIES = 8  # that may be held at once


@dataclass(frozen=True)
class Edge:
    """The edge as the settings have it."""

    borders: Borders | None
    trusted: tuple[Network, ...]
    cross_origin: dict[str, Any] | None
    most_held: int  # bytes of bodies at once

    @classmethod
    def of(cls, settings: Settings) -> Self:
        """Reads the country database. InvalidSettings."""
        return cls(
            borders=Borders.of(settings),
            trusted=networks(settings.trusted_proxies),
            cross_origin=cross_origin_rules(settings.cors_origins) if settings.cors_origins else None,
            most_held=_LARGEST_BODIES * max(settings.max_text_bytes, settings.proxy_max_body_bytes),
        )

    def turns_away(self, peer: str) -> bool:
        """Whether a peer that has not yet sent a whole request may be told nothing; a trusted proxy may."""
        address = caller_of({"type": "http", "client": (peer, 0), "headers": []}, ())
        if self.borders is None or (address is not None and is_within(address, self.trusted)):
            return False
        return not self.borders.admit(address, "")

    def surround(self, app: FastAPI) -> None:
        """Puts the edge around what the application has so far."""
        app.add_middleware(Intake, most=self.most_held)  # the last one added is the outermost
        if self.cross_origin is not None:
            app.add_middleware(CORSMiddleware, **self.cross_origin)
        app.add_middleware(Geo, borders=self.borders, trusted=self.trusted)
