"""Middlewares around every request: the request id, the access log, and the answer to unexpected exceptions."""

import logging
import secrets
from collections import Counter
from collections.abc import Mapping
from functools import cache
from time import perf_counter

from opentelemetry.trace import Span, SpanKind, StatusCode
from starlette.requests import ClientDisconnect
from starlette.types import ASGIApp, Message, Receive, Scope, Send

from api.http.answer_headers import WARNING_HEADER
from api.http.errors import UNEXPECTED, error_response
from schemas.errors import MaskerError, type_name
from schemas.telemetry.logs import bound
from schemas.telemetry.metrics import REQUEST_SECONDS
from schemas.telemetry.tracing import TRACEPARENT, span

access_log = logging.getLogger("masker.access")
log = logging.getLogger("masker.api")

_ID_PREFIX: Mapping[str, str] = {
    "/api/v1/mask": "mask",
    "/api/v1/mask/batch": "mask",
    "/api/v1/redact": "redact",
    "/api/v1/redact/batch": "redact",
}
_METHODS = frozenset({"GET", "HEAD", "POST", "PUT", "PATCH", "DELETE", "OPTIONS"})  # others are logged as -
_SERVER_ERROR = 500
_TRACEPARENT = TRACEPARENT.encode()
_seconds_of = cache(REQUEST_SECONDS.labels)  # its own look-up takes longer than the observation


def request_id(path: str = "") -> str:
    """A new id of the form `{prefix}_<8 hex>`, for a request to this path."""
    return f"{_ID_PREFIX.get(path, 'req')}_{secrets.token_hex(4)}"


class RequestFrame:
    """Around each request: its id, in its state and in the answer's `X-Request-Id`, its log line, metric and span.

    The line has id, method, route template, status and milliseconds. The path and query are never written as sent:
    they can hold personal data.

    A provider's answer may have an `X-Request-Id` already; ours is then `X-Service-Request-Id`. Adds
    `X-Masker-Warning` where the request's state has a warning, and `Cache-Control: no-store` where nothing else is set.
    """

    def __init__(self, app: ASGIApp) -> None:
        self._app = app

    async def __call__(self, scope: Scope, receive: Receive, send: Send) -> None:
        if scope["type"] != "http":
            await self._app(scope, receive, send)
            return
        given, started, status = request_id(scope["path"]), perf_counter(), 0
        state = scope.setdefault("state", {})
        state.update(request_id=given, started=started)

        async def send_with_id(message: Message) -> None:
            nonlocal status
            if message["type"] == "http.response.start":
                status, headers = message["status"], [*message.get("headers", ())]
                names = {name.lower() for name, _ in headers}
                is_proxied = b"x-request-id" in names  # the provider's own id
                headers.append((b"x-service-request-id" if is_proxied else b"x-request-id", given.encode()))
                if (warning := state.get("warning")) is not None:
                    headers.append((WARNING_HEADER.lower().encode(), warning.encode()))
                if b"cache-control" not in names:
                    headers.append((b"cache-control", b"no-store"))
                message = {**message, "headers": headers}
            await send(message)

        method = scope["method"] if scope["method"] in _METHODS else "-"
        around = span(method, SpanKind.SERVER, parent=_traceparent(scope), request_id=given)
        with bound(request_id=given), around as traced:
            try:
                await self._app(scope, receive, send_with_id)
            finally:
                route = getattr(scope.get("route"), "path", "-")
                seconds = perf_counter() - started
                _seconds_of(method, route, str(status) if status else "-").observe(seconds)
                facts = {"method": method, "route": route, "status": status, "milliseconds": round(seconds * 1000)}
                access_log.info("answered", extra=facts)
                if traced.is_recording():
                    _name_span(traced, method, route, status)


def _name_span(traced: Span, method: str, route: str, status: int) -> None:
    traced.update_name(f"{method} {route}")
    traced.set_attributes({"http.request.method": method, "http.route": route, "http.response.status_code": status})
    if status >= _SERVER_ERROR:
        traced.set_status(StatusCode.ERROR)


def _traceparent(scope: Scope) -> str | None:
    """The caller's header, by which its trace goes on here."""
    found = [value for name, value in scope["headers"] if name == _TRACEPARENT]
    return found[0].decode("latin-1") if len(found) == 1 else None


class FailureCounter:
    """Unexpected exceptions, counted by type since the process began."""

    def __init__(self) -> None:
        self.by_type = Counter[str]()

    def count(self, error: BaseException) -> int:
        """Counts one exception. Returns how many there have been."""
        self.by_type[type_name(error)] += 1
        return self.by_type.total()


class CatchUnexpected:
    """Answers 500 to an unexpected exception, counts it, and logs only its type.

    The framework's own handler raises the exception again after its answer, and the server then logs the traceback,
    which can hold text of the caller.
    """

    def __init__(self, app: ASGIApp, failures: FailureCounter) -> None:
        self._app, self._failures = app, failures

    async def __call__(self, scope: Scope, receive: Receive, send: Send) -> None:
        if scope["type"] != "http":
            await self._app(scope, receive, send)
            return
        started = False

        async def send_noting_start(message: Message) -> None:
            nonlocal started
            started = started or message["type"] == "http.response.start"
            await send(message)

        try:
            await self._app(scope, receive, send_noting_start)
        except ClientDisconnect:
            log.info("the client went away")
        except Exception as error:  # noqa: BLE001 - the outermost handler of a request
            number = self._failures.count(error)
            log.error("a call broke off", extra={"error": type_name(error), "failures": number})
            if not started:
                await error_response(UNEXPECTED.get(scope["path"], MaskerError)(), scope["path"])(scope, receive, send)
            # An answer that has begun is cut off: its length or last chunk is missing, so the client notices.
