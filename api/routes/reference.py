"""`/docs`: the API reference as a page, the files that it loads, and the OpenAPI document to download."""

import gzip
import json
from collections.abc import Mapping
from dataclasses import dataclass
from hashlib import sha256
from pathlib import Path

from anyio import to_thread
from fastapi import APIRouter, FastAPI, Request, Response

from api import reference as package
from api.description.document import describe
from api.reference.swagger_ui import SCRIPT, STYLE, swagger_ui

router = APIRouter(prefix="/docs", include_in_schema=False)

_FOLDER = Path(package.__file__).parent
_JAVASCRIPT, _CSS = "text/javascript; charset=utf-8", "text/css; charset=utf-8"
_HEADERS = {
    # Scripts, styles and calls are this server's own. Pictures of Swagger UI's style sheet are `data:` addresses.
    "Content-Security-Policy": "default-src 'none'; script-src 'self'; style-src 'self'; img-src 'self' data:; "
    "connect-src 'self'; base-uri 'none'; form-action 'none'; frame-ancestors 'none'",
    "Cache-Control": "no-cache",
    "Cross-Origin-Opener-Policy": "same-origin",
    "Referrer-Policy": "no-referrer",
    "Vary": "Accept-Encoding",
    "X-Content-Type-Options": "nosniff",
}


@dataclass(frozen=True, slots=True)
class _Asset:
    """A response body that does not change while the process runs, plain and compressed, with its entity tag."""

    content: bytes
    compressed: bytes
    media_type: str
    tag: str

    @classmethod
    def of(cls, content: bytes, media_type: str) -> "_Asset":
        return cls(content, gzip.compress(content), media_type, f'W/"{sha256(content).hexdigest()[:32]}"')

    def answer(self, request: Request) -> Response:
        """The body, or 304 when the client has it already (RFC 9110, section 13.1.2)."""
        headers = {**_HEADERS, "ETag": self.tag}
        if self.tag in request.headers.get("if-none-match", ""):
            return Response(status_code=304, headers=headers)
        if "gzip" not in request.headers.get("accept-encoding", ""):
            return Response(self.content, media_type=self.media_type, headers=headers)
        return Response(self.compressed, media_type=self.media_type, headers={**headers, "Content-Encoding": "gzip"})


def _assets(app: FastAPI) -> dict[str, _Asset]:
    """What lies at and below /docs, by name; the page has none."""
    return {
        "": _Asset.of((_FOLDER / "page.html").read_bytes(), "text/html; charset=utf-8"),
        "reference.js": _Asset.of((_FOLDER / "reference.js").read_bytes(), _JAVASCRIPT),
        "reference.css": _Asset.of((_FOLDER / "reference.css").read_bytes(), _CSS),
        SCRIPT: _Asset.of(swagger_ui(SCRIPT), _JAVASCRIPT),
        STYLE: _Asset.of(swagger_ui(STYLE), _CSS),
        "openapi.json": _Asset.of(json.dumps(describe(app), ensure_ascii=False).encode(), "application/json"),
    }


async def _answer(request: Request, name: str) -> Response:
    """Made at the first request, in a thread: it takes long, and few processes are ever asked for it."""
    state = request.app.state
    if not hasattr(state, "reference"):
        state.reference = await to_thread.run_sync(_assets, request.app)
    assets: Mapping[str, _Asset] = state.reference
    return assets[name].answer(request)


def _route(name: str) -> None:
    async def answer(request: Request) -> Response:
        return await _answer(request, name)

    router.add_api_route(f"/{name}" if name else "", answer, methods=["GET"])


for _name in ("", "reference.js", "reference.css", SCRIPT, STYLE, "openapi.json"):
    _route(_name)
