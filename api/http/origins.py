"""Web origins: CORS for the origins of MASKER_CORS_ORIGINS, and protection of cookies against other sites (CSRF)."""

import re
from collections.abc import Collection
from typing import Any

from starlette.requests import Request

from api.http.answer_headers import TYPES_HEADER, WARNING_HEADER
from schemas.errors import Forbidden
from schemas.settings import InvalidSettings, Settings

# Without X-Provider-Key: the proxy is for backends, so browsers refuse to send that header.
_REQUEST_HEADERS = ("Authorization", "Content-Type", "X-Use-Judge")
_ANSWER_HEADERS = ("Content-Disposition", "Retry-After", "X-Request-Id", WARNING_HEADER, TYPES_HEADER)
_METHODS = ("DELETE", "GET", "PATCH", "POST", "PUT")
_ANY = "*"
_ORIGIN = re.compile(r"https?://(?:[a-z0-9._-]+|\[[0-9a-f:.]+\])(?::[0-9]{1,5})?", re.ASCII)
_SAFE_METHODS = frozenset({"GET", "HEAD", "OPTIONS", "TRACE"})  # RFC 9110, section 9.2.1
_HTTP_PORT = 80


def cross_origin_rules(origins: Collection[str]) -> dict[str, Any]:
    """The arguments of Starlette's CORSMiddleware; cookies are never allowed. InvalidSettings."""
    if not all(origin == _ANY or _ORIGIN.fullmatch(origin) for origin in origins):
        raise InvalidSettings("MASKER_CORS_ORIGINS: origins look like https://app.example.com, without a path")
    return {
        "allow_origins": origins,
        "allow_methods": _METHODS,
        "allow_headers": _REQUEST_HEADERS,
        "expose_headers": _ANSWER_HEADERS,
        "allow_credentials": False,
    }


def refuse_cross_site(request: Request, settings: Settings) -> None:
    """Forbidden when a call with an unsafe method does not come from the dashboard.

    For calls that were authenticated by a cookie, which browsers add by themselves. Browsers name the calling page in
    Origin (RFC 6454) or Sec-Fetch-Site, and pages cannot forge these headers.
    """
    if request.method not in _SAFE_METHODS and not _from_dashboard(request, settings):
        raise Forbidden


def refuse_foreign_origin(request: Request, settings: Settings) -> None:
    """Forbidden when Origin names another page than the dashboard. Without Origin the caller is not a browser."""
    if "origin" in request.headers and not _from_dashboard(request, settings):
        raise Forbidden


def _from_dashboard(request: Request, settings: Settings) -> bool:
    headers = request.headers
    if headers.getlist("sec-fetch-site") == ["same-origin"]:
        return True
    origins = headers.getlist("origin")
    return len(origins) == 1 and origins[0] in _dashboard_origins(request, settings)


def _dashboard_origins(request: Request, settings: Settings) -> frozenset[str]:
    """The origin of MASKER_DASHBOARD_URL; without it the local names at the port that the call arrived at."""
    if settings.dashboard_origin is not None:
        return frozenset({settings.dashboard_origin})
    _, port = request.scope.get("server") or (None, None)  # of the socket, not of the Host header
    if port is None:
        return frozenset()
    tail = "" if port == _HTTP_PORT else f":{port}"
    return frozenset({f"http://127.0.0.1{tail}", f"http://localhost{tail}"})
