"""Runs a paid text call: reads the body, charges before detection, and refunds when anything fails."""

import re
from dataclasses import dataclass
from functools import partial
from typing import NamedTuple, TypeVar

from anyio import to_thread
from starlette.requests import Request

from api.engine.fair_queue import Disconnected
from api.engine.text_work import Work, WorkResult
from api.http.answer_headers import set_warning
from api.http.bodies import parse, read_raw, wait_for_disconnect
from api.services.charges import Charged
from api.services.container import Services
from api.services.policies import Policy, inline_term_sets
from api.text.judging import judged_detection, model_in_effect
from schemas.clock import utc_now
from schemas.entities import EntityType
from schemas.spans import DetectOptions
from schemas.text import TextRequest
from storage.accounts.keys import Caller

_WORD = re.compile(r"\S+")
_SHORT_CHARACTERS = 16 * 1024  # counting the words of such a text is faster than starting a thread
Body = TypeVar("Body", bound=TextRequest)
_LARGE_BYTES = 1024 * 1024  # takes 10 ms to parse, a hostile body 40 ms, in which the parser lets no other thread run


@dataclass(frozen=True, slots=True)
class PreparedCall:
    """The price of a call in tokens, and the options of its detection."""

    tokens: int
    options: DetectOptions


class PaidAnswer(NamedTuple):
    """A text call's answer as JSON, and the types that its text was searched for."""

    content: bytes
    searched: frozenset[EntityType]


async def run_paid(
    services: Services, caller: Caller, body: TextRequest, work: Work, *, disconnected: Disconnected | None = None
) -> PaidAnswer:
    """Charges the caller, detects the entities of the body's text and runs `work` on them; refunds unless it succeeds.

    GlossaryNotFound before anything is charged; InsufficientTokens; MaskerUnavailable under load; ClientDisconnect
    when `disconnected` returns while the text waits for its turn.
    """
    prepared = await prepare(services, caller, body)
    async with Charged(services, caller.account_id, prepared.tokens) as charge:
        found, result = await run_prepared(services, caller, body, prepared, work, disconnected=disconnected)
        services.usage_log.note(caller.account_id, tokens=prepared.tokens, entities=found, now=utc_now())
        charge.is_final = True
    return PaidAnswer(result, prepared.options.enabled)


async def run_prepared(
    services: Services,
    caller: Caller,
    body: TextRequest,
    prepared: PreparedCall,
    work: Work,
    *,
    disconnected: Disconnected | None = None,
) -> WorkResult:
    """Detects the entities of a text that is paid for and runs `work` on them: their number by type, and the answer.

    Errors as for `run_paid`, but those of money and terms.
    """
    text, options, account_id = body.text, prepared.options, caller.account_id
    model = model_in_effect(services, caller, body)
    if model is None:
        return await services.detection.run(text, options, work, caller=account_id, disconnected=disconnected)
    judged = await judged_detection(services, text, options, model, caller=account_id, disconnected=disconnected)
    return await services.detection.finish(judged, work)


def word_count(text: str) -> int:
    """The number of whitespace-separated words, which is the price of a text in tokens."""
    if len(text) <= _SHORT_CHARACTERS:
        return len(text.split())  # the same count; for a large text the list of words would take too much memory
    return sum(1 for _ in _WORD.finditer(text))


async def prepare(services: Services, caller: Caller, body: TextRequest) -> PreparedCall:
    """The price and options of a call, in a thread only when that can take long. GlossaryNotFound."""
    policy = services.policies.cached(caller, body.glossary_id)
    if policy is not None and len(body.text) <= _SHORT_CHARACTERS and not body.glossary and not body.allow:
        return PreparedCall(word_count(body.text), _options(policy, body))
    return await to_thread.run_sync(_prepare_in_thread, services, caller, body)


def _prepare_in_thread(services: Services, caller: Caller, body: TextRequest) -> PreparedCall:
    policy = services.policies.get(caller, body.glossary_id)
    return PreparedCall(word_count(body.text), _options(policy, body))


def _options(policy: Policy, body: TextRequest) -> DetectOptions:
    terms = (*inline_term_sets(body.glossary, body.allow), *policy.terms)
    min_score = policy.min_score if body.min_score is None else body.min_score
    return DetectOptions(enabled=policy.enabled, terms=terms, explain=body.explain, min_score=min_score)


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
