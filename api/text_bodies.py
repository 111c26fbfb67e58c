"""Reads the bodies of text calls: small ones here, large ones where they hold up nobody else."""

from functools import partial
from typing import TypeVar

from starlette.requests import Request

from api.bodies import hung_up, parsed, read_raw
from api.services import Services
from schemas.text import TextRequest
from storage.keys import Caller

Body = TypeVar("Body", bound=TextRequest)
_LARGE_BYTES = 1024 * 1024  # about 10 ms of parsing, or of a hostile body 40: the parser lets no other thread run


async def read_text(request: Request, services: Services, caller: Caller, model: type[Body]) -> Body:
    """The body as `model`. RequestTooLarge, RequestTimeout, Invalid (422); of a large one also MaskerUnavailable and,
    when the caller hangs up while it waits, ClientDisconnect.
    """
    raw = await read_raw(request, services.settings.max_text_bytes)
    if len(raw) < _LARGE_BYTES:
        return await parsed(raw, model)
    return await services.detection.parse(raw, model, caller=caller.account_id, gone=partial(hung_up, request))
