"""A paid text call: the caller's terms and types, the charge before detection, and the refund when anything fails."""

import re
from dataclasses import dataclass
from functools import partial
from typing import NamedTuple, TypeVar

from anyio import to_thread
from starlette.requests import Request

from api.engine.fair_queue import Disconnected
from api.engine.text_work import Work
from api.http.answer_headers import set_warning
from api.http.bodies import parse, read_raw, wait_for_disconnect
from api.services.charges import charged
from api.services.container import Services
from api.services.policies import Policy, inline_sets
from api.text.judging import judged_detection, model_in_effect
from schemas.clock import utc_now
from schemas.entities import EntityType
from schemas.spans import DetectOptions
from schemas.text import TextRequest
from storage.accounts.keys import Caller

_WORD = re.compile(r"\S+")
_SHORT_CHARACTERS = 16 * 1024  # whose words are counted in less time than a thread takes to begin


@dataclass(frozen=True, slots=True)
class _Order:
    """What a call costs, in tokens, and how its text is looked at."""

    tokens: int
    options: DetectOptions


class PaidAnswer(NamedTuple):
    """A text call's answer as JSON, and the types that its text was searched for."""

    content: bytes
    searched: frozenset[EntityType]


async def run_paid(
    services: Services, caller: Caller, body: TextRequest, work: Work, *, disconnected: Disconnected | None = None
) -> PaidAnswer:
    """`work` on the detection of the body's text, charged to the caller; refunded unless it ends well.

    GlossaryNotFound before anything is charged; InsufficientTokens; MaskerUnavailable under load; ClientDisconnect
    when the caller hangs up (`disconnected` returns) while it waits for its turn.
    """
    order = await _ordered(services, caller, body)
    text, options, whose = body.text, order.options, caller.account_id
    async with charged(services, whose, order.tokens) as bill:
        model = model_in_effect(services, caller, body)
        if model is None:
            found, result = await services.detection.run(text, options, work, caller=whose, disconnected=disconnected)
        else:
            judged = await judged_detection(services, text, options, model, caller=whose, disconnected=disconnected)
            found, result = await services.detection.finish(judged, work)
        services.usage_log.note(whose, tokens=order.tokens, entities=found, now=utc_now())
        bill.is_earned = True
    return PaidAnswer(result, options.enabled)


def word_count(text: str) -> int:
    """Whitespace-separated words: what a text costs, in tokens."""
    if len(text) <= _SHORT_CHARACTERS:
        return len(text.split())  # the same, but for the memory that the words of a large text would take
    return sum(1 for _ in _WORD.finditer(text))


async def _ordered(services: Services, caller: Caller, body: TextRequest) -> _Order:
    """What the call costs and how it is done, without a thread where that takes no time. GlossaryNotFound."""
    policy = services.policies.known(caller, body.glossary_id)
    if policy is not None and len(body.text) <= _SHORT_CHARACTERS and not body.glossary and not body.allow:
        return _Order(word_count(body.text), _options(policy, body))
    return await to_thread.run_sync(_order, services, caller, body)


def _order(services: Services, caller: Caller, body: TextRequest) -> _Order:
    policy = services.policies.of(caller, body.glossary_id)
    return _Order(word_count(body.text), _options(policy, body))


def _options(policy: Policy, body: TextRequest) -> DetectOptions:
    terms = (*inline_sets(body.glossary, body.allow), *policy.terms)
    return DetectOptions(enabled=policy.enabled, terms=terms, explain=body.explain)


# Reads the bodies of text calls: small ones here, large ones where they hold up nobody else.

Body = TypeVar("Body", bound=TextRequest)
_LARGE_BYTES = 1024 * 1024  # about 10 ms of parsing, or of a hostile body 40: the parser lets no other thread run


async def read_text(request: Request, services: Services, caller: Caller, model: type[Body]) -> Body:
    """The body as `model`; unknown fields are ignored, with a warning on the answer.

    RequestTooLarge, RequestTimeout, Invalid (422); of a large one also MaskerUnavailable and, when the caller hangs up
    while it waits, ClientDisconnect.
    """
    raw = await read_raw(request, services.settings.max_text_bytes)
    if len(raw) < _LARGE_BYTES:
        parsed = await parse(raw, model)
    else:
        disconnected = partial(wait_for_disconnect, request)
        parsed = await services.detection.parse(raw, model, caller=caller.account_id, disconnected=disconnected)
    set_warning(request, parsed.warning)
    return parsed.body
