"""Bounds the memory that request bodies take together, so that large bodies cannot exhaust the process."""

import hashlib
from collections import Counter

from starlette.datastructures import Headers
from starlette.requests import cookie_parser
from starlette.types import ASGIApp, Message, Receive, Scope, Send

from schemas.errors import MaskerUnavailable

FREE_BYTES = 64 * 1024  # of each body that are not counted: small calls always find room
_SHARE_OF_ONE_CALLER = 4  # one key or session may use a quarter of the memory
_RETRY_SECONDS = 5


class BodyMemoryLimit:
    """ASGI middleware: all request bodies together hold at most `max_bytes`, those of one caller a quarter of them.

    Beyond that, reading the body raises MaskerUnavailable. Multipart uploads do not count, because they are stored in
    pieces while they arrive. A caller is told apart by its bearer or by the cookie named `session_cookie`. For one
    event loop.
    """

    def __init__(self, app: ASGIApp, max_bytes: int, session_cookie: str) -> None:
        self._app, self._max_bytes, self._session_cookie = app, max_bytes, session_cookie
        self._held = 0
        self._held_by_caller: Counter[bytes] = Counter()

    async def __call__(self, scope: Scope, receive: Receive, send: Send) -> None:
        if scope["type"] != "http" or _is_multipart(scope):
            await self._app(scope, receive, send)
            return
        read = held = 0
        caller = b""

        async def receive_within_limit() -> Message:
            nonlocal read, held, caller
            message = await receive()
            read += len(message.get("body", b""))
            more = max(0, read - FREE_BYTES) - held
            if more:
                caller = caller or self._credential(scope)
                self._reserve(caller, more)
                held += more
            return message

        try:
            await self._app(scope, receive_within_limit, send)
        finally:
            if held:
                self._reserve(caller, -held)

    def _reserve(self, caller: bytes, size: int) -> None:
        """Reserves `size` bytes, or releases them when it is negative. MaskerUnavailable: no room, nothing reserved."""
        share = self._max_bytes // _SHARE_OF_ONE_CALLER
        if size > 0 and (self._held + size > self._max_bytes or self._held_by_caller[caller] + size > share):
            raise MaskerUnavailable(retry_after=_RETRY_SECONDS)
        self._held += size
        self._held_by_caller[caller] += size
        if not self._held_by_caller[caller]:
            del self._held_by_caller[caller]

    def _credential(self, scope: Scope) -> bytes:
        """SHA-256 of the bearer or session token. Bodies are read only after the caller was authenticated by it."""
        headers = Headers(scope=scope)
        credential = headers.get("authorization", "").rpartition(" ")[2]
        if not credential:
            credential = cookie_parser(headers.get("cookie", "")).get(self._session_cookie, "")
        return hashlib.sha256(credential.encode()).digest()


def _is_multipart(scope: Scope) -> bool:
    return any(name == b"content-type" and value.startswith(b"multipart/") for name, value in scope["headers"])
