"""Sheds load when the bodies that are held at the same time would take too much memory."""

import hashlib
from collections import Counter

from starlette.datastructures import Headers
from starlette.requests import cookie_parser
from starlette.types import ASGIApp, Message, Receive, Scope, Send

from api.auth import SESSION_COOKIE
from schemas.errors import MaskerUnavailable

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
