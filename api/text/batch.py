"""Runs many texts as one paid call: one charge, and an answer or an error for each item.

What is wrong with an item is its own error and costs nothing. When detection or a store fails, the whole call fails and
all of it is refunded, so that a repeated call never pays twice for an item.
"""

import json
from collections.abc import Callable, Sequence
from typing import NamedTuple, TypeVar

from api.engine.fair_queue import Disconnected
from api.engine.text_work import Work
from api.services.charges import Charged
from api.services.container import Services
from api.text.calls import PaidAnswer, PreparedCall, prepare, run_prepared
from api.text.judging import check_judge_model
from schemas.clock import utc_now
from schemas.entities import EntityType
from schemas.errors import MaskerError
from schemas.text import TextRequest
from storage.accounts.keys import Caller

Body = TypeVar("Body", bound=TextRequest)
_SERVER_ERROR = 500


class _Item(NamedTuple):
    """An item that can be run: its place among all, its request, its price and options, and its work."""

    place: int
    body: TextRequest
    prepared: PreparedCall
    work: Work


async def run_batch(
    services: Services,
    caller: Caller,
    bodies: Sequence[Body],
    work_of: Callable[[Body], Work],
    *,
    disconnected: Disconnected | None = None,
) -> PaidAnswer:
    """The answers of all items in their order, as JSON `{"results": [...]}`.

    `work_of` makes the work of an item, or raises what is wrong with it. The items run one after the other, so that a
    batch takes one place in the queue at a time and small calls of others pass between them. InsufficientTokens for all
    of them together; MaskerUnavailable; ClientDisconnect.
    """
    results = [b""] * len(bodies)
    items: list[_Item] = []
    for place, body in enumerate(bodies):
        try:
            check_judge_model(services.settings, body.judge_model)
            items.append(_Item(place, body, await prepare(services, caller, body), work_of(body)))
        except MaskerError as error:
            if error.status >= _SERVER_ERROR:
                raise
            results[place] = json.dumps({"status": error.status, "detail": error.detail}).encode()
    searched: frozenset[EntityType] = frozenset().union(*(item.prepared.options.enabled for item in items))
    async with Charged(services, caller.account_id, sum(item.prepared.tokens for item in items)) as charge:
        found = []
        for item in items:
            entities, results[item.place] = await run_prepared(
                services, caller, item.body, item.prepared, item.work, disconnected=disconnected
            )
            found.append((item.prepared.tokens, entities))
        for tokens, entities in found:
            services.usage_log.note(caller.account_id, tokens=tokens, entities=entities, now=utc_now())
        charge.is_final = True
    return PaidAnswer(b'{"results":[' + b",".join(results) + b"]}", searched)
