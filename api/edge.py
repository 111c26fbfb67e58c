"""What stands before any route: who may come in, whose word about addresses counts, which pages may read answers."""

import hashlib
from collections import Counter
from dataclasses import dataclass
from typing import Any, Self

from fastapi import FastAPI
from fastapi.middleware.cors import CORSMiddleware
from starlette.datastructures import Headers
from starlette.requests import cookie_parser
from starlette.types import ASGIApp, Message, Receive, Scope, Send

from api.auth.bearer import SESSION_COOKIE
from api.http.client_address import Network, caller_of, is_within, networks
from api.http.geo import Borders, Geo
from api.http.origins import cross_origin_rules
from schemas.errors import MaskerUnavailable
from schemas.settings import Settings

# Sheds load when the bodies that are held at the same time would take too much memory.

ALWAYS_TAKEN = 64 * 1024  # bytes of each body: small calls find room whatever others send
_ONE_IN = 4  # so much of the room is for one key or session
_RETRY_SECONDS = 5


class Intake:
    """Holds at most `most` bytes of all requests' bodies at once, a quarter of them for one key or session.

    Past it, reading the body raises MaskerUnavailable. Uploads do not count: they are passed on as they come. For one
    event loop.
    """

    def __init__(self, app: ASGIApp, most: int) -> None:
        self._app, self._most = app, most
        self._held = 0
        self._held_for: Counter[bytes] = Counter()

    async def __call__(self, scope: Scope, receive: Receive, send: Send) -> None:
        if scope["type"] != "http" or _is_form(scope):
            await self._app(scope, receive, send)
            return
        read = held = 0
        whose = b""

        async def receive_within_bounds() -> Message:
            nonlocal read, held, whose
            message = await receive()
            read += len(message.get("body", b""))
            more = max(0, read - ALWAYS_TAKEN) - held
            if more:
                whose = whose or _credential(scope)
                self._take(whose, more)
                held += more
            return message

        try:
            await self._app(scope, receive_within_bounds, send)
        finally:
            if held:
                self._take(whose, -held)

    def _take(self, whose: bytes, more: int) -> None:
        """Counts bytes in, or out when there are fewer than none. MaskerUnavailable: no room, and nothing counted."""
        if more > 0 and (self._held + more > self._most or self._held_for[whose] + more > self._most // _ONE_IN):
            raise MaskerUnavailable(retry_after=_RETRY_SECONDS)
        self._held += more
        self._held_for[whose] += more
        if not self._held_for[whose]:
            del self._held_for[whose]


def _is_form(scope: Scope) -> bool:
    return any(name == b"content-type" and value.startswith(b"multipart/") for name, value in scope["headers"])


def _credential(scope: Scope) -> bytes:
    """Who sends it: bodies are read of authenticated callers alone, by the one header or cookie that says who."""
    headers = Headers(scope=scope)
    told = headers.get("authorization", "").rpartition(" ")[2]
    if not told:
        told = cookie_parser(headers.get("cookie", "")).get(SESSION_COOKIE, "")
    return hashlib.sha256(told.encode()).digest()


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
