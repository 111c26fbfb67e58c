"""Pages of which other origins may read answers: those of MASKER_CORS_ORIGINS, and never with a cookie."""

import re
from collections.abc import Collection
from typing import Any

from schemas.settings import InvalidSettings

# X-Provider-Key is missing: the proxy is to be called from a backend.
_REQUEST_HEADERS = ("Authorization", "Content-Type", "X-Use-Judge")
_ANSWER_HEADERS = ("Content-Disposition", "Retry-After", "X-Request-Id")
_METHODS = ("DELETE", "GET", "PATCH", "POST", "PUT")
_ANY = "*"
_ORIGIN = re.compile(r"https?://(?:[a-z0-9._-]+|\[[0-9a-f:.]+\])(?::[0-9]{1,5})?", re.ASCII)


def cross_origin_rules(origins: Collection[str]) -> dict[str, Any]:
    """What Starlette's CORSMiddleware is to be given. InvalidSettings."""
    if not all(origin == _ANY or _ORIGIN.fullmatch(origin) for origin in origins):
        raise InvalidSettings("MASKER_CORS_ORIGINS: origins look like https://app.example.com, without a path")
    return {
        "allow_origins": origins,
        "allow_methods": _METHODS,
        "allow_headers": _REQUEST_HEADERS,
        "expose_headers": _ANSWER_HEADERS,
        "allow_credentials": False,
    }
