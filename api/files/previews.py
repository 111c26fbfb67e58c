"""Pages of a document that the dashboard shows before and after its redaction: drawn in the sandbox, never stored."""

import base64
from collections.abc import Sequence

from anyio import to_thread
from pydantic import BaseModel
from starlette.requests import Request

from api.http.bodies import BodyChunks, declared_length
from api.services.container import Services
from pipeline import stages
from pipeline.sandbox.parent import SandboxUnavailable
from pipeline.sniff import Sniffer
from schemas.errors import FileTooLarge, MaskerUnavailable, StageFailed, UnsupportedFormat
from schemas.refusals import Reason

PAGES = 5  # of one answer
_SECONDS = 30


class PreviewPages(BaseModel):
    """Pages of a document: the number of all, and each as PNG in base64, or else as lines of text."""

    pages: int
    pictures: Sequence[str]
    lines: Sequence[Sequence[str]]


async def preview(request: Request, services: Services, first: int) -> PreviewPages:
    """Up to PAGES pages of the document that is the request's body, from page `first` (0 is the first).

    FileTooLarge; UnsupportedFormat, also when it takes too long; MaskerUnavailable without a sandbox.
    """
    limit = services.settings.max_upload_bytes
    if declared_length(request) > limit:
        raise FileTooLarge
    sniffer, data = Sniffer(request.headers.get("content-type", "")), bytearray()
    async for chunk in BodyChunks(request):
        data += chunk
        if len(data) > limit:
            raise FileTooLarge
        sniffer.feed(chunk)
    format_ = sniffer.finish()
    try:
        sandbox = await to_thread.run_sync(lambda: services.sandbox)
        drawn = await to_thread.run_sync(
            stages.preview, sandbox, format_, bytes(data), first, PAGES, _SECONDS, limiter=services.preview_threads
        )
    except SandboxUnavailable:
        raise MaskerUnavailable from None
    except StageFailed as failed:
        raise UnsupportedFormat(failed.reason or Reason.CORRUPT) from None
    return PreviewPages(
        pages=drawn.pages,
        pictures=[base64.b64encode(picture).decode() for picture in drawn.pictures],
        lines=drawn.lines,
    )
