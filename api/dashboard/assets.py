"""Static files of the dashboard: read once, compressed once, and known by their content."""

import gzip
from dataclasses import dataclass
from functools import cache
from hashlib import sha256
from pathlib import Path

from fastapi import Request, Response

_FOLDER = Path(__file__).with_name("static")
_MEDIA_TYPE = {
    ".css": "text/css; charset=utf-8",
    ".js": "text/javascript; charset=utf-8",
    ".svg": "image/svg+xml",
}


@dataclass(frozen=True, slots=True)
class Asset:
    """A file, its compressed form, its media type, and its entity tag."""

    content: bytes
    compressed: bytes
    media_type: str
    tag: str

    def answer(self, request: Request) -> Response:
        """The file, or 304 when the browser has it already (RFC 9110, section 13.1.2)."""
        headers = {
            "Cache-Control": "no-cache",
            "ETag": self.tag,
            "Vary": "Accept-Encoding",
            "X-Content-Type-Options": "nosniff",
        }
        if self.tag in request.headers.get("if-none-match", ""):
            return Response(status_code=304, headers=headers)
        if "gzip" in request.headers.get("accept-encoding", ""):
            headers["Content-Encoding"] = "gzip"
            return Response(self.compressed, media_type=self.media_type, headers=headers)
        return Response(self.content, media_type=self.media_type, headers=headers)


@cache
def assets() -> dict[str, Asset]:
    """All files by name."""
    return {path.name: _asset(path) for path in _FOLDER.iterdir() if path.suffix in _MEDIA_TYPE}


def _asset(path: Path) -> Asset:
    content = path.read_bytes()
    tag = f'"{sha256(content).hexdigest()[:32]}"'
    return Asset(content, gzip.compress(content, mtime=0), _MEDIA_TYPE[path.suffix], tag)
