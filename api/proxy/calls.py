"""A proxied call: what it asks for is checked and charged, its prompt masked, and its answer restored as it comes."""

import asyncio
import logging
from collections.abc import AsyncIterator, Awaitable, Callable, Coroutine
from contextlib import aclosing, asynccontextmanager, nullcontext
from functools import partial
from typing import Any, NamedTuple, TypeVar

from anyio import to_thread
from starlette.requests import ClientDisconnect, Request
from starlette.responses import Response
from starlette.types import Message, Receive, Scope, Send

from api.auth.bearer import Authenticated
from api.engine.fair_queue import Disconnected
from api.http.bodies import wait_for_disconnect
from api.llm import answers
from api.llm.model import Asked, MaskedPrompt, Provider, StreamTooLong
from api.llm.streams import RestoredStream
from api.proxy import demo, incoming
from api.services.charges import PendingCharge, charged
from api.services.container import Services
from api.upstream import headers
from api.upstream.client import Outgoing, Reply
from pipeline.transform.mask import token_key
from schemas.clock import riyadh_day, utc_now
from schemas.errors import ProviderTimeout, ProviderUnreachable
from storage.accounts.keys import Caller

log = logging.getLogger("masker.api")
T = TypeVar("T")
_REASON = "proxy"  # in the ledger
_SMALL_PROMPT = 8 * 1024  # bytes that are masked in a few milliseconds, also for who cannot pay
_SMALL_ANSWER = 32 * 1024  # bytes that are restored in less time than a thread takes to begin


class _Passing(NamedTuple):
    """What goes on to the provider beside the prompt."""

    headers: list[tuple[bytes, bytes]]
    query: str


async def relayed(request: Request, services: Services, who: Authenticated, provider: Provider) -> Response:
    """The answer to a call whose caller is known, ready to be sent. A session's call is one of the managed demo.

    MissingProviderKey, InvalidTransforms, RequestTooLarge, RequestTimeout, InvalidBody; of the demo RateLimited and
    ModelNotAllowed. Nothing is charged before it is sent.
    """
    asked_for, settings = request.headers, services.settings
    key = demo.operators_key(settings) if who.by_session else headers.provider_key(asked_for)
    transforms = incoming.transforms(asked_for)
    if who.by_session:
        await demo.count_demo(services, who)
    raw = await incoming.read(request, settings.proxy_max_body_bytes)
    if who.by_session:
        await to_thread.run_sync(demo.check, raw, provider, settings)
    policy = services.policies.cached(who.caller)
    if policy is None:
        policy = await to_thread.run_sync(services.policies.get, who.caller)
    asked = Asked(
        provider=provider,
        key=token_key(who.key_material),
        today=riyadh_day(utc_now()),
        terms=policy.terms,
        transforms=transforms,
        preserve_tags=incoming.is_asked(asked_for, incoming.PRESERVE_TAGS),
        allow_attachments=incoming.is_asked(asked_for, incoming.ALLOW_ATTACHMENTS),
    )
    passed_on = demo.plain(asked_for) if who.by_session else asked_for
    passing = _Passing(headers.passed_on(passed_on, provider, key), headers.query(request.query_params))
    return _Relayed(services, who.caller, asked, raw, passing, partial(wait_for_disconnect, request))


class _Relayed(Response):
    """Does the work while it is sent, so that it sees the caller go, whatever it is at."""

    def __init__(
        self,
        services: Services,
        caller: Caller,
        asked: Asked,
        raw: bytes,
        passing: _Passing,
        disconnected: Disconnected,
    ) -> None:
        super().__init__()
        self._services, self._whose, self._asked = services, caller.account_id, asked
        self._raw, self._passing, self._disconnected = raw, passing, disconnected

    async def __call__(self, scope: Scope, receive: Receive, send: Send) -> None:
        """The errors of masking and charging; ProviderUnreachable, ProviderTimeout; ClientDisconnect."""
        services, whose = self._services, self._whose
        tokens = await services.detection.count_prompt_words(
            self._raw, self._asked, caller=whose, disconnected=self._disconnected
        )
        # A small prompt is masked while its charge is on its way: the wait for the database is most of what we add.
        early = _begun(self._masked) if len(self._raw) <= _SMALL_PROMPT else nullcontext(self._masked)
        async with early as masked, charged(services, whose, tokens, _REASON) as charge:
            try:
                prompt = await masked()
                last = await _unless_disconnected(self._forward(prompt, charge, send), self._disconnected)
            finally:
                if charge.is_final:
                    services.usage_log.note(whose, tokens=tokens, entities=prompt.found, now=utc_now())
        for message in last:  # when it is settled what it costs
            await send(message)

    async def _masked(self) -> MaskedPrompt:
        raw, self._raw = self._raw, b""  # which nobody needs while the answer comes
        return await self._services.detection.mask_prompt(
            raw, self._asked, caller=self._whose, disconnected=self._disconnected
        )

    async def _forward(self, prompt: MaskedPrompt, charge: PendingCharge, send: Send) -> list[Message]:
        """Sends the answer but for its end, which it returns: all of one that is not streamed."""
        provider = self._asked.provider
        call = Outgoing(provider, self._passing.headers, self._passing.query, prompt.body, self._whose)
        async with self._services.upstream.asked(call) as reply:
            if reply.streams:
                return await _stream(reply, RestoredStream(provider, prompt.minted), charge, send)
            restored = partial(answers.restored, provider=provider, minted=prompt.minted)
            return await _whole(reply, restored, charge)


async def _whole(reply: Reply, restored: Callable[[bytes], bytes], charge: PendingCharge) -> list[Message]:
    """Charged for from here on, whatever its status, if the provider said anything."""
    raw = await reply.whole()
    charge.is_final = bool(raw)
    answer = restored(raw) if len(raw) <= _SMALL_ANSWER else await to_thread.run_sync(restored, raw)
    return [_head(reply, (b"content-length", str(len(answer)).encode())), _end(answer)]


async def _stream(reply: Reply, stream: RestoredStream, charge: PendingCharge, send: Send) -> list[Message]:
    """Every piece as it comes, and none before the caller has room for the last one; charged for from the first on."""
    await send(_head(reply, (b"x-accel-buffering", b"no")))  # which proxies in front of us heed
    try:
        async with aclosing(reply.pieces()) as pieces:
            async for piece in pieces:
                charge.is_final = True
                if ready := await _aside(partial(stream.feed, piece), stream.pending + len(piece)):
                    await send({"type": "http.response.body", "body": ready, "more_body": True})
        return [_end(await _aside(stream.end, stream.pending))]
    except (ProviderTimeout, ProviderUnreachable, StreamTooLong) as error:
        log.warning("a provider's stream broke off: %s", type(error).__name__)
        detail = ProviderUnreachable.detail if isinstance(error, StreamTooLong) else error.detail
        return [_end(await _aside(partial(stream.broken, detail), stream.pending))]


async def _aside(work: Callable[[], bytes], size: int) -> bytes:
    """`work` on so many bytes: in a thread where it would hold up the calls of others."""
    return work() if size <= _SMALL_ANSWER else await to_thread.run_sync(work)


def _head(reply: Reply, *more: tuple[bytes, bytes]) -> Message:
    return {"type": "http.response.start", "status": reply.status, "headers": [*reply.headers, *more]}


def _end(answer: bytes) -> Message:
    return {"type": "http.response.body", "body": answer}


@asynccontextmanager
async def _begun(work: Callable[[], Coroutine[Any, Any, T]]) -> AsyncIterator[Callable[[], Awaitable[T]]]:
    """`work`, under way already when it is asked for; ended with the block."""
    working = asyncio.ensure_future(work())

    async def result() -> T:
        return await working

    try:
        yield result
    finally:
        await _ended(working)


async def _ended(working: asyncio.Future[Any]) -> None:
    """Cancels what is still under way and waits for it; how it ended is nobody's business any more."""
    working.cancel()
    await asyncio.wait({working})
    if not working.cancelled():
        working.exception()


async def _unless_disconnected(work: Awaitable[T], disconnected: Disconnected) -> T:
    """`work`, which is cancelled as soon as the caller hangs up (`disconnected` returns). ClientDisconnect then.

    Neither the framework nor the server does so before the first byte.
    """
    working, leaving = asyncio.ensure_future(work), asyncio.ensure_future(disconnected())
    try:
        await asyncio.wait({working, leaving}, return_when=asyncio.FIRST_COMPLETED)
        if not working.done():
            raise ClientDisconnect
        return working.result()
    finally:
        leaving.cancel()
        await _ended(working)
