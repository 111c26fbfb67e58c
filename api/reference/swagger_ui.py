"""The files of Swagger UI (Apache-2.0), from the package `drf-spectacular-sidecar`, whose code is never imported."""

from importlib.util import find_spec
from pathlib import Path

SCRIPT = "swagger-ui-bundle.js"
STYLE = "swagger-ui.css"


class Missing(Exception):
    """The package is not installed."""


def swagger_ui(name: str) -> bytes:
    """One of its files. Missing."""
    package = find_spec("drf_spectacular_sidecar")
    if package is None or package.origin is None:
        raise Missing
    return Path(package.origin).parent.joinpath("static/drf_spectacular_sidecar/swagger-ui-dist", name).read_bytes()
