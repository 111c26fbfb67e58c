"""What stands before any route: who may come in, whose word about addresses counts, which pages may read answers."""

from dataclasses import dataclass
from typing import Any, Self

from fastapi import FastAPI
from fastapi.middleware.cors import CORSMiddleware

from api.addresses import Network, networks
from api.cross_origin import cross_origin_rules
from api.geo import Borders, Geo
from schemas.settings import Settings


@dataclass(frozen=True)
class Edge:
    """The edge as the settings have it."""

    borders: Borders | None
    trusted: tuple[Network, ...]
    cross_origin: dict[str, Any] | None

    @classmethod
    def of(cls, settings: Settings) -> Self:
        """Reads the country database. InvalidSettings."""
        origins = settings.cors_origins
        return cls(
            Borders.of(settings), networks(settings.trusted_proxies), cross_origin_rules(origins) if origins else None
        )

    def surround(self, app: FastAPI) -> None:
        """Puts the edge around what the application has so far."""
        if self.cross_origin is not None:
            app.add_middleware(CORSMiddleware, **self.cross_origin)
        app.add_middleware(Geo, borders=self.borders, trusted=self.trusted)
