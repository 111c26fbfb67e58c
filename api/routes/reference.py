"""`/docs`: the API reference as a page, its style sheet, and the OpenAPI document to download."""

import json
from dataclasses import dataclass
from hashlib import sha256
from pathlib import Path

from anyio import to_thread
from fastapi import APIRouter, FastAPI, Request, Response

from api.description.document import describe
from api.reference import page

router = APIRouter(prefix="/docs", include_in_schema=False)

_STYLE = Path(page.__file__).parent / "reference.css"
_HEADERS = {
    # No scripts, and nothing from other origins: defence in depth for a page that is ours alone.
    "Content-Security-Policy": "default-src 'none'; style-src 'self'; img-src 'self'; base-uri 'none'; "
    "form-action 'none'; frame-ancestors 'none'",
    "Cache-Control": "no-cache",
    "Cross-Origin-Opener-Policy": "same-origin",
    "Referrer-Policy": "no-referrer",
    "X-Content-Type-Options": "nosniff",
}


@dataclass(frozen=True, slots=True)
class _Asset:
    """A response body that does not change while the process runs, with its entity tag."""

    content: bytes
    media_type: str
    tag: str

    @classmethod
    def of(cls, text: str, media_type: str) -> "_Asset":
        content = text.encode()
        return cls(content, media_type, f'"{sha256(content).hexdigest()[:32]}"')

    def answer(self, request: Request) -> Response:
        """The body, or 304 when the client has it already (RFC 9110, section 13.1.2)."""
        headers = {**_HEADERS, "ETag": self.tag}
        if self.tag in request.headers.get("if-none-match", ""):
            return Response(status_code=304, headers=headers)
        return Response(self.content, media_type=self.media_type, headers=headers)


@dataclass(frozen=True, slots=True)
class _Reference:
    """The three resources below /docs."""

    page: _Asset
    style: _Asset
    document: _Asset

    @classmethod
    def of(cls, app: FastAPI) -> "_Reference":
        document = describe(app)
        return cls(
            _Asset.of(page.render(document), "text/html; charset=utf-8"),
            _Asset.of(_STYLE.read_text("utf-8"), "text/css; charset=utf-8"),
            _Asset.of(json.dumps(document, ensure_ascii=False), "application/json"),
        )


async def _reference(request: Request) -> _Reference:
    """Rendered at the first request, in a thread: it takes long, and few processes are ever asked for it."""
    state = request.app.state
    if not hasattr(state, "reference"):
        state.reference = await to_thread.run_sync(_Reference.of, request.app)
    found: _Reference = state.reference
    return found


@router.get("")
async def reference(request: Request) -> Response:
    """The HTML page."""
    return (await _reference(request)).page.answer(request)


@router.get("/reference.css")
async def style(request: Request) -> Response:
    """Its style sheet."""
    return (await _reference(request)).style.answer(request)


@router.get("/openapi.json")
async def document(request: Request) -> Response:
    """The OpenAPI document."""
    return (await _reference(request)).document.answer(request)
