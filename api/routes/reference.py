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
    # No script at all, and nothing from elsewhere; what the page shows is ours, but who reads it may not trust that.
    "Content-Security-Policy": "default-src 'none'; style-src 'self'; img-src 'self'; base-uri 'none'; "
    "form-action 'none'; frame-ancestors 'none'",
    "Cache-Control": "no-cache",
    "Cross-Origin-Opener-Policy": "same-origin",
    "Referrer-Policy": "no-referrer",
    "X-Content-Type-Options": "nosniff",
}


@dataclass(frozen=True, slots=True)
class _Asset:
    """Bytes that stay the same as long as the process runs."""

    content: bytes
    media_type: str
    tag: str

    @classmethod
    def of(cls, text: str, media_type: str) -> "_Asset":
        content = text.encode()
        return cls(content, media_type, f'"{sha256(content).hexdigest()[:32]}"')

    def answer(self, request: Request) -> Response:
        """The bytes, or 304 to who has them already (RFC 9110, section 13.1.2)."""
        headers = {**_HEADERS, "ETag": self.tag}
        if self.tag in request.headers.get("if-none-match", ""):
            return Response(status_code=304, headers=headers)
        return Response(self.content, media_type=self.media_type, headers=headers)


@dataclass(frozen=True, slots=True)
class _Reference:
    """All that /docs shows."""

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
    """Made at the first request, beside the event loop: it takes a while, and few processes are ever asked."""
    state = request.app.state
    if not hasattr(state, "reference"):
        state.reference = await to_thread.run_sync(_Reference.of, request.app)
    found: _Reference = state.reference
    return found


@router.get("")
async def reference(request: Request) -> Response:
    """The page."""
    return (await _reference(request)).page.answer(request)


@router.get("/reference.css")
async def style(request: Request) -> Response:
    """Its style sheet."""
    return (await _reference(request)).style.answer(request)


@router.get("/openapi.json")
async def document(request: Request) -> Response:
    """The OpenAPI document."""
    return (await _reference(request)).document.answer(request)
